package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"testing"
	"time"

	"moraine/bench/conversation"
)

func TestIdentitiesTakeThePlaceOfRecordedOnes(t *testing.T) {
	i := newIdentities()
	read := `COPY (SELECT "begin_snapshot", ctid FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '4') TO STDOUT (FORMAT "binary");`
	if !i.readBy(read) {
		t.Fatal("the statement reads row identities")
	}
	i.keep(read, []rowIdentity{"(0,7)", "(0,8)", "(1,1)"})
	for _, test := range []struct{ text, want string }{
		{`DELETE FROM "public".ducklake_inlined_data_1_1 WHERE ctid IN ('(0,1)','(0,2)')`, `DELETE FROM "public".ducklake_inlined_data_1_1 WHERE ctid IN ('(0,7)','(0,8)')`},
		{`DELETE FROM "public".ducklake_inlined_data_1_1 WHERE ctid IN ('(0,3)')`, `DELETE FROM "public".ducklake_inlined_data_1_1 WHERE ctid IN ('(1,1)')`},
		{`DELETE FROM "public".ducklake_tag WHERE begin_snapshot = 1`, `DELETE FROM "public".ducklake_tag WHERE begin_snapshot = 1`},
	} {
		if got := i.translate(test.text); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestAppendIdentities(t *testing.T) {
	header := append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...)
	row := binary.BigEndian.AppendUint16(nil, 2)
	row = binary.BigEndian.AppendUint32(row, 8)
	row = binary.BigEndian.AppendUint64(row, 5)
	row = binary.BigEndian.AppendUint32(row, 6)
	row = append(row, 0, 0, 0, 3, 0, 9)
	end := []byte{0xff, 0xff}
	got := appendIdentities(nil, bytes.Join([][]byte{header, row, row}, nil))
	got = appendIdentities(got, bytes.Join([][]byte{row, end}, nil))
	if want := []rowIdentity{"(3,9)", "(3,9)", "(3,9)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestShapeOf(t *testing.T) {
	for _, test := range []struct {
		exchange conversation.Exchange
		want     string
	}{
		{conversation.Exchange{Message: conversation.Query, Text: "SELECT 1"}, "SELECT ?"},
		{conversation.Exchange{Message: conversation.Query, Text: `INSERT INTO "public".ducklake_inlined_data_12_3 VALUES (1, 'it''s', 2.5),(2, NULL, 3)`},
			`INSERT INTO "public".ducklake_inlined_data?? VALUES (?...)...`},
		{conversation.Exchange{Message: conversation.Parse, Text: "SELECT  a\n\tFROM t"}, "(Parse) SELECT a FROM t"},
		{conversation.Exchange{Message: conversation.Describe}, "(Describe)"},
	} {
		if got := shapeOf(test.exchange); got != test.want {
			t.Errorf("%q: got %q, want %q", test.exchange.Text, got, test.want)
		}
	}
}

func TestTimingsCompareStatementsAndOperations(t *testing.T) {
	timings := newTimings([]conversation.Exchange{
		{Operation: "insert", Run: 1, Text: "INSERT 1"},
		{Operation: "insert", Run: 1, Text: "COMMIT"},
		{Operation: "insert", Run: 2, Text: "INSERT 2"},
		{Operation: "insert", Run: 2, Text: "COMMIT"},
	}, 2)
	of := func(times ...time.Duration) []answer {
		answers := make([]answer, len(times))
		for i, took := range times {
			answers[i].took = took * time.Millisecond
		}
		return answers
	}
	timings.add(0, of(4, 8, 4, 8))
	timings.add(1, of(2, 2, 2, 2))
	want := []comparison{{"INSERT ?", 2, 4 * time.Millisecond, 2 * time.Millisecond}, {"COMMIT", 2, 8 * time.Millisecond, 2 * time.Millisecond}}
	if got := timings.shapes("insert"); !reflect.DeepEqual(got, want) {
		t.Errorf("shapes are %v, want %v", got, want)
	}
	total := comparison{"insert", 2, 12 * time.Millisecond, 4 * time.Millisecond}
	if got := timings.total("insert"); got != total {
		t.Errorf("the operation is %v, want %v", got, total)
	}
	if got := geometricMean(want, asOftenAsSent); math.Abs(got-math.Sqrt(8)) > 1e-9 {
		t.Errorf("the geometric mean is %v, want the root of 8", got)
	}
}

func TestRecordedConversationIsReadable(t *testing.T) {
	exchanges, err := readConversation("testdata/conversation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	runs := make(map[string]map[int]bool)
	for _, e := range exchanges {
		if runs[e.Operation] == nil {
			runs[e.Operation] = make(map[int]bool)
		}
		runs[e.Operation][e.Run] = true
	}
	for _, operation := range []string{"first attach", "attach again", "create table", "insert of a row", "filtered select", "update of a row", "delete of a row", "flush"} {
		if len(runs[operation]) == 0 {
			t.Errorf("no exchange of %q", operation)
		}
	}
	var written bytes.Buffer
	if err := conversation.Write(&written, exchanges); err != nil {
		t.Fatal(err)
	}
	again, err := conversation.Read(&written)
	if err != nil || !reflect.DeepEqual(again, exchanges) {
		t.Errorf("what is written does not read the same: %v", err)
	}
}
