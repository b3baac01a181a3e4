package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/migrate"
	"moraine/store"
	"moraine/store/memory"
)

func newLake(t *testing.T, records map[string]string) store.Store {
	t.Helper()
	lake := memory.NewStore()
	golden.Fill(t, lake, records)
	return lake
}

func run(lake store.Store, options migrate.Options) (migrate.Result, error) {
	return migrate.Run(context.Background(), lake, options)
}

func encode(message keyspace.Message) string { return string(keyspace.AppendMessage(nil, message)) }

func set(records map[string]string, key keyspace.Key, message keyspace.Message) {
	records[string(key.Bytes())] = encode(message)
}

// setFormat stamps another format, and gives the directories that it has.
func setFormat(t *testing.T, records map[string]string, format uint64) {
	t.Helper()
	set(records, keyspace.FormatKey(), &keyspace.FormatValue{FormatVersion: format, WriterVersion: "other"})
	for key, value := range golden.Directories(t) {
		subspace := keyspace.Subspace(key[0])
		if subspace == keyspace.SubspaceName && format >= keyspace.FormatWithNames ||
			subspace == keyspace.SubspaceDeleteTarget && format >= keyspace.FormatWithDeleteTargets {
			records[key] = value
		}
	}
}

func TestEachFormatIsRaisedToTheNewest(t *testing.T) {
	for format, batches := range map[uint64]uint64{9: 2, 10: 2, 11: 1, 12: 0} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			records := golden.Records(t)
			setFormat(t, records, format)
			lake := newLake(t, records)
			result, err := run(lake, migrate.Options{})
			if err != nil || result != (migrate.Result{From: format, To: 12}) {
				t.Fatalf("%+v, %v", result, err)
			}
			wanted := golden.Migrated(t)
			set(wanted, keyspace.HeadKey(), &keyspace.HeadValue{SnapshotID: 22, BatchSequence: 24 + batches})
			if format == 12 {
				set(wanted, keyspace.FormatKey(), &keyspace.FormatValue{FormatVersion: 12, WriterVersion: "other"})
			}
			golden.Compare(t, golden.Dump(t, lake), wanted)
		})
	}
}

func TestASecondRunWritesNothing(t *testing.T) {
	lake := &counted{Store: newLake(t, golden.Records(t))}
	if _, err := run(lake, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	before := lake.commits
	result, err := run(lake, migrate.Options{})
	if err != nil || result != (migrate.Result{From: 12, To: 12}) || lake.commits != before {
		t.Errorf("%+v, %v, %d commits after %d", result, err, lake.commits, before)
	}
	golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t))
}

func TestALakeWithoutACatalogHasNothingToMigrate(t *testing.T) {
	lake := &counted{Store: memory.NewStore()}
	if result, err := run(lake, migrate.Options{}); err != nil || result != (migrate.Result{}) || lake.commits != 0 {
		t.Errorf("%+v, %v, %d commits", result, err, lake.commits)
	}
}

// counted counts commits, and notes their sizes.
type counted struct {
	store.Store
	commits, largest int
}

func (c *counted) Commit(ctx context.Context, batch *store.Batch) error {
	c.commits++
	c.largest = max(c.largest, batch.Len())
	return c.Store.Commit(ctx, batch)
}

func TestStepsAreBounded(t *testing.T) {
	const tables = 2*migrate.StepRecords + 1
	records := golden.Records(t)
	for id := uint64(1000); id < 1000+tables; id++ {
		set(records, keyspace.TableEntity(id).Current(), &keyspace.TableValue{TableID: id, TableName: fmt.Sprint("t", id), SchemaID: 1})
	}
	lake := &counted{Store: newLake(t, records)}
	var seen []migrate.Progress
	_, err := run(lake, migrate.Options{Progress: func(p migrate.Progress) { seen = append(seen, p) }})
	if err != nil {
		t.Fatal(err)
	}
	// Start, three steps and finish; start, one step and finish.
	if lake.commits != 8 || lake.largest != migrate.StepRecords+1 {
		t.Errorf("%d commits, the largest of %d operations", lake.commits, lake.largest)
	}
	last := migrate.Progress{Unit: "directory of names", From: 9, To: 11, Records: tables + 7, Finished: true}
	if len(seen) != lake.commits || seen[4] != last {
		t.Errorf("progress %+v", seen)
	}
	entries := 0
	for key := range golden.Dump(t, lake) {
		if keyspace.Subspace(key[0]) == keyspace.SubspaceName {
			entries++
		}
	}
	if entries != tables+7 {
		t.Errorf("%d entries", entries)
	}
}

func TestLongNamesEndAStep(t *testing.T) {
	records := golden.Records(t)
	for id := uint64(1000); id < 1010; id++ {
		name := strings.Repeat("n", 600<<10)
		set(records, keyspace.TableEntity(id).Current(), &keyspace.TableValue{TableID: id, TableName: name, SchemaID: 1})
	}
	lake := &counted{Store: newLake(t, records)}
	if _, err := run(lake, migrate.Options{}); err != nil || lake.commits < 9 {
		t.Errorf("%d commits, %v", lake.commits, err)
	}
}

// later is fields that this version does not know.
func later() []byte {
	field := protowire.AppendTag(nil, 77, protowire.BytesType)
	return protowire.AppendBytes(field, []byte("origin"))
}

func TestFieldsOfLaterVersionsAreKept(t *testing.T) {
	records := golden.Records(t)
	for _, key := range []keyspace.Key{keyspace.FormatKey(), keyspace.HeadKey()} {
		records[string(key.Bytes())] += string(later())
	}
	lake := newLake(t, records)
	if _, err := run(lake, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	wanted := golden.Migrated(t)
	for _, key := range []keyspace.Key{keyspace.FormatKey(), keyspace.HeadKey()} {
		wanted[string(key.Bytes())] += string(later())
	}
	golden.Compare(t, golden.Dump(t, lake), wanted)
}

func TestInspectReportsAndWritesNothing(t *testing.T) {
	lake := &counted{Store: newLake(t, golden.Records(t))}
	names := migrate.PlannedUnit{Name: "directory of names", From: 9, To: 11, Records: 7}
	targets := migrate.PlannedUnit{Name: "directory of delete targets", From: 11, To: 12, Records: 1}
	wantPlan(t, lake, 9, names, targets)
	if lake.commits != 0 {
		t.Errorf("%d commits", lake.commits)
	}
	stopping := &failing{Store: lake, at: 4, applied: true}
	if _, err := run(stopping, migrate.Options{StepRecords: 2}); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	names.Begun, names.Done = true, 6
	wantPlan(t, lake, 9, names, targets)
	if _, err := run(lake, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	wantPlan(t, lake, 12)
	wantPlan(t, memory.NewStore(), 0)
}

func wantPlan(t *testing.T, lake store.Store, format uint64, units ...migrate.PlannedUnit) {
	t.Helper()
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	plan, err := migrate.Inspect(context.Background(), snapshot)
	if err != nil || plan.Format != format || fmt.Sprint(plan.Units) != fmt.Sprint(units) {
		t.Errorf("%+v, %v; expected %d, %+v", plan, err, format, units)
	}
}

func TestRefusals(t *testing.T) {
	cursor := keyspace.DeleteFileEntity(1, 2).Current().Bytes()
	for _, test := range []struct {
		title  string
		change func(records map[string]string)
		want   error
		text   string
	}{
		{"an older format", func(r map[string]string) { setFormat(t, r, 8) }, migrate.ErrFormat, "format 8 is older than 9"},
		{"a newer format", func(r map[string]string) { setFormat(t, r, 13) }, migrate.ErrFormat, "format 13 is newer than 12"},
		{"another's migration", func(r map[string]string) {
			setFormat(t, r, 8)
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 8, ToFormat: 9})
		}, migrate.ErrUnknown, "from format 8 to 9"},
		{"an unknown step", func(r map[string]string) {
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 9, ToFormat: 10})
		}, migrate.ErrUnknown, "from format 9 to 10"},
		{"a marker of another format", func(r map[string]string) {
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 10, ToFormat: 11})
		}, keyspace.ErrCorrupt, "sys/migration"},
		{"a marker and the new format", func(r map[string]string) {
			setFormat(t, r, 11)
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 9, ToFormat: 11})
		}, keyspace.ErrCorrupt, "sys/migration"},
		{"a marker and no format", func(r map[string]string) {
			delete(r, string(keyspace.FormatKey().Bytes()))
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 9, ToFormat: 11})
		}, keyspace.ErrCorrupt, "sys/migration"},
		{"a cursor elsewhere", func(r map[string]string) {
			set(r, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 9, ToFormat: 11, Cursor: cursor})
		}, keyspace.ErrCorrupt, "the cursor"},
		{"a damaged marker", func(r map[string]string) { r[string(keyspace.MigrationKey().Bytes())] = "MRNE" }, keyspace.ErrCorrupt, "sys/migration"},
		{"a damaged format", func(r map[string]string) { r[string(keyspace.FormatKey().Bytes())] = "MRNE\x01" }, keyspace.ErrCorrupt, "sys/format"},
		{"no head", func(r map[string]string) { delete(r, string(keyspace.HeadKey().Bytes())) }, keyspace.ErrCorrupt, "sys/head"},
		{"entries too early", func(r map[string]string) {
			set(r, keyspace.NameKey(keyspace.NameOfTable, 1, "stale", 9), &keyspace.EmptyValue{})
		}, keyspace.ErrCorrupt, `name(1,1,"stale",9)`},
		{"a damaged table", func(r map[string]string) { r[string(keyspace.TableEntity(3).Current().Bytes())] = "XRNE\x00" }, keyspace.ErrCorrupt, "current/table(3)"},
		{"a table under another id", func(r map[string]string) {
			set(r, keyspace.TableEntity(3).Current(), &keyspace.TableValue{TableID: 4})
		}, keyspace.ErrCorrupt, "current/table(3)"},
		{"a damaged delete file", func(r map[string]string) { r[string(keyspace.DeleteFileEntity(3, 3).Current().Bytes())] = "" }, keyspace.ErrCorrupt, "current/delfile(3,3)"},
		{"a key that is too long", func(r map[string]string) {
			r[string(keyspace.TableEntity(3).Current().Bytes())+"x"] = encode(&keyspace.TableValue{})
		}, keyspace.ErrCorrupt, "record 0402030000000000000003"},
	} {
		t.Run(test.title, func(t *testing.T) {
			records := golden.Records(t)
			test.change(records)
			lake := newLake(t, records)
			_, err := run(lake, migrate.Options{})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v", err)
			}
			after := golden.Dump(t, lake)
			var format keyspace.FormatValue
			value := []byte(after[string(keyspace.FormatKey().Bytes())])
			if keyspace.DecodeMessage(value, &format) == nil && format.FormatVersion == 12 {
				t.Error("the newest format is stamped all the same")
			}
		})
	}
}

func TestACancelledRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	lake := &counted{Store: newLake(t, golden.Records(t))}
	stop := migrate.Options{StepRecords: 1, Progress: func(migrate.Progress) { cancel() }}
	if _, err := migrate.Run(ctx, lake, stop); !errors.Is(err, context.Canceled) || lake.commits != 1 {
		t.Errorf("%v after %d commits", err, lake.commits)
	}
}
