package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/store"
	"moraine/store/memory"
)

func TestSoundLakes(t *testing.T) {
	if findings := recordedLake(t).check(); len(findings) > 0 {
		t.Errorf("the recorded lake: %v", describe(findings))
	}
	empty := &testLake{TB: t, store: memory.NewStore(), batch: &store.Batch{}}
	if findings := empty.check(); len(findings) > 0 {
		t.Errorf("an empty store: %v", describe(findings))
	}
}

// The lake that the original implementation wrote is sound but for one statistic: its author flushed inlined rows into a
// file and left file_size_bytes as it was.
func TestLakeOfTheOriginal(t *testing.T) {
	findings := loadLake(t, "../testdata/golden/dump.tsv").check()
	if len(findings) != 1 || findings[0].Rule != fileSize || findings[0].Found != "file_size_bytes is 140; the live files have 250" {
		t.Errorf("found:%s", describe(findings))
	}
}

// describe gives one line for each finding.
func describe(findings []Finding) string {
	var text strings.Builder
	for _, finding := range findings {
		fmt.Fprintf(&text, "\n%s %s %s %s: %s", finding.Rule.Severity, finding.Rule.Name, finding.Table, finding.IDs, finding.Found)
	}
	return text.String()
}

func TestDamage(t *testing.T) {
	tested := map[*Rule]bool{}
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			lake := recordedLake(t)
			test.damage(lake)
			findings := lake.check()
			others := slices.ContainsFunc(findings, func(finding Finding) bool { return finding.Rule != test.rule })
			if len(findings) == 0 || others {
				t.Errorf("expected %s only; found:%s", test.rule.Name, describe(findings))
			}
			if test.found != "" && !strings.Contains(describe(findings), test.found) {
				t.Errorf("expected %q in:%s", test.found, describe(findings))
			}
		})
		tested[test.rule] = true
	}
	for _, rule := range Rules() {
		if !tested[rule] {
			t.Errorf("no damage breaks %s", rule.Name)
		}
	}
}

// damagedBytes bounds the bytes of one value that TestDamagedValues damages.
const damagedBytes = 16

// TestDamagedValues damages the value of each record in turn. With a damaged frame the check must say which record it is,
// and nothing else; whatever is damaged, it goes on.
func TestDamagedValues(t *testing.T) {
	sound := recordedLake(t)
	snapshot := sound.snapshot()
	defer snapshot.Close()
	records, err := snapshot.Scan(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	for records.Next() {
		key, err := keyspace.DecodeKey(records.Key())
		if err != nil || len(records.Value()) == 0 {
			continue // of a subspace of ours, or an entry of a directory
		}
		value := slices.Clone(records.Value())
		value[0]++
		damaged := recordedLake(t)
		damaged.batch.Put(slices.Clone(records.Key()), value)
		findings := damaged.check()
		if len(findings) != 1 || findings[0].Rule != undecodableRecord || !strings.Contains(findings[0].IDs, describeIDs(key)) {
			t.Errorf("%s with a damaged frame:%s", key, describe(findings))
		}
		for at := 0; at < len(value); at += 1 + len(value)/damagedBytes {
			value := slices.Clone(records.Value())
			value[at] ^= 0x55
			damaged.batch.Put(slices.Clone(records.Key()), value)
			damaged.check()
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	lake := recordedLake(t)
	for i := range uint64(3 * maximumFindings) {
		lake.put(keyspace.NameKey(keyspace.NameOfTable, 0, "stale", 1000+i), &keyspace.EmptyValue{})
	}
	findings := lake.check()
	if len(findings) != maximumFindings+1 || findings[maximumFindings].Found != "2000 more, not listed" {
		t.Errorf("%d findings, the last %v", len(findings), findings[len(findings)-1])
	}
}

func TestCancelledCheck(t *testing.T) {
	lake := recordedLake(t)
	for i := range uint64(cancelInterval) {
		lake.put(keyspace.InlineFileDeleteKey(1, 1, 1000+i), &keyspace.InlineFileDeleteValue{BeginSnapshot: 1})
	}
	lake.commit()
	snapshot := lake.snapshot()
	defer snapshot.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, snapshot); !errors.Is(err, context.Canceled) {
		t.Errorf("the check ended with %v", err)
	}
}
