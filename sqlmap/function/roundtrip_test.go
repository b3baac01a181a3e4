package function

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"moraine/relation"
)

// randomValue makes a value of a type that has a text and a binary format.
func randomValue(r *rand.Rand, oid uint32) relation.Value {
	switch oid {
	case relation.BoolOID:
		return relation.Bool(r.IntN(2) == 1)
	case relation.Int2OID:
		return relation.Int(int64(int16(r.Uint32())))
	case relation.Int4OID:
		return relation.Int(int64(int32(r.Uint32())))
	case relation.Int8OID:
		return relation.Int(int64(r.Uint64()))
	case relation.OIDOID:
		return relation.Int(int64(r.Uint32()))
	case relation.Float8OID:
		if x := math.Float64frombits(r.Uint64()); !math.IsNaN(x) {
			return relation.Float(x)
		}
		return relation.Float(0)
	case relation.Float4OID:
		if x := float64(math.Float32frombits(r.Uint32())); !math.IsNaN(x) {
			return relation.Float(x)
		}
		return relation.Float(0)
	case relation.NumericOID:
		d := &decimal{scale: r.IntN(30)}
		d.coefficient.SetInt64(int64(r.Uint64()))
		for range r.IntN(4) {
			d.coefficient.Mul(&d.coefficient, powerOfTen(r.IntN(12)))
		}
		return d.value()
	case relation.DateOID:
		return relation.Int(minimumDate + r.Int64N(endOfDates-minimumDate))
	case relation.TimeOID:
		return relation.Int(r.Int64N(microsecondsPerDay))
	case relation.TimeTZOID:
		return relation.TimeWithZone(r.Int64N(microsecondsPerDay), int32(r.IntN(57600*2-1)-57599))
	case relation.TimestampOID, relation.TimestampTZOID:
		return relation.Int(minimumTimestamp + r.Int64N(endOfTimestamps))
	case relation.IntervalOID:
		return relation.Interval(r.Int64N(1<<50)-1<<49, int32(r.IntN(200000)-100000), int32(r.IntN(2000)-1000))
	case relation.UUIDOID, relation.ByteaOID:
		raw := make([]byte, 16)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return relation.Text(string(raw))
	case relation.TIDOID:
		return relation.Int(int64(r.Uint32())<<16 | int64(r.Uint32()&0xffff))
	case relation.VarbitOID:
		bits := make([]byte, r.IntN(70))
		for i := range bits {
			bits[i] = byte('0' + r.IntN(2))
		}
		return relation.Text(string(bits))
	}
	characters := []rune("aB\"\\{},é世 \n'null()")
	text := make([]rune, r.IntN(8))
	for i := range text {
		text[i] = characters[r.IntN(len(characters))]
	}
	return relation.Text(string(text))
}

func randomArray(r *rand.Rand, element uint32) relation.Value {
	a := Array{Element: element, dimensions: []dimension{{1 + r.IntN(3), r.IntN(3)}, {1 + r.IntN(2), 1}}[:1+r.IntN(2)]}
	total := 1
	for _, d := range a.dimensions {
		total *= d.length
	}
	for range total {
		if r.IntN(4) == 0 {
			a.Elements = append(a.Elements, relation.NULL)
		} else {
			a.Elements = append(a.Elements, randomValue(r, element))
		}
	}
	return a.Value()
}

var roundTripTypes = []uint32{relation.BoolOID, relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.OIDOID, relation.Float4OID,
	relation.Float8OID, relation.NumericOID, relation.DateOID, relation.TimeOID, relation.TimeTZOID, relation.TimestampOID, relation.TimestampTZOID,
	relation.IntervalOID, relation.UUIDOID, relation.ByteaOID, relation.TIDOID, relation.VarbitOID, relation.TextOID}

func checkRoundTrip(t *testing.T, kind relation.Type, v relation.Value, f *Format) {
	t.Helper()
	text := AppendText(nil, kind, v, f)
	read, err := Input(kind, string(text), f)
	if err != nil || !bytes.Equal(AppendBinary(nil, kind, read), AppendBinary(nil, kind, v)) {
		t.Errorf("%s %q reads as %q: %v", FormatType(kind), text, AppendText(nil, kind, read, f), err)
	}
	data := AppendBinary(nil, kind, v)
	read, err = ParseBinary(kind, data)
	if err != nil || !bytes.Equal(AppendText(nil, kind, read, f), text) {
		t.Errorf("%s %q has the binary format %x, which reads as %q: %v", FormatType(kind), text, data, AppendText(nil, kind, read, f), err)
	}
	if compare := Comparer(kind); compare != nil && compare(read, v) != 0 {
		t.Errorf("%s %q differs from itself", FormatType(kind), text)
	}
	if !bytes.Equal(AppendHashKey(nil, kind, read), AppendHashKey(nil, kind, v)) {
		t.Errorf("%s %q has two hash keys", FormatType(kind), text)
	}
}

func TestValuesSurviveTextAndBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	formats := []Format{DefaultFormat(), DefaultFormat(), DefaultFormat(), DefaultFormat()}
	formats[1].IntervalStyle, formats[1].DateStyle = "iso_8601", "SQL, DMY"
	formats[2].IntervalStyle, formats[2].ByteaOutput = "postgres_verbose", "escape"
	formats[3].IntervalStyle, formats[3].DateStyle = "sql_standard", "German, DMY"
	for _, oid := range roundTripTypes {
		kind := typeOf(oid)
		array, ok := ArrayType(kind)
		if !ok {
			t.Fatalf("no array of %s", FormatType(kind))
		}
		for i := range 300 {
			f := &formats[i%len(formats)]
			checkRoundTrip(t, kind, randomValue(r, oid), f)
			checkRoundTrip(t, array, randomArray(r, oid), f)
		}
	}
}

// The order must be total: antisymmetric, and equal exactly where the hash keys are.
func TestOrderAgreesWithHashKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, oid := range roundTripTypes {
		kind, compare := typeOf(oid), Comparer(typeOf(oid))
		for range 300 {
			a, b := randomValue(r, oid), randomValue(r, oid)
			if sign(compare(a, b)) != -sign(compare(b, a)) {
				t.Errorf("%s: %q and %q have no order", FormatType(kind), AppendText(nil, kind, a, nil), AppendText(nil, kind, b, nil))
			}
			if equal := bytes.Equal(AppendHashKey(nil, kind, a), AppendHashKey(nil, kind, b)); equal != (compare(a, b) == 0) {
				t.Errorf("%s: order and hash keys of %q and %q differ", FormatType(kind), AppendText(nil, kind, a, nil), AppendText(nil, kind, b, nil))
			}
		}
	}
}

func sign(order int) int {
	switch {
	case order < 0:
		return -1
	case order > 0:
		return 1
	}
	return 0
}

// The comparison of decimal texts must be that of the numbers.
func TestNumericOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		a, b := randomValue(r, relation.NumericOID), randomValue(r, relation.NumericOID)
		if got, want := sign(compareNumeric(a, b)), sign(compareDecimals(decimalOf(a), decimalOf(b))); got != want {
			t.Fatalf("%s and %s: %d, want %d", a.Text(), b.Text(), got, want)
		}
	}
}

func FuzzInput(f *testing.F) {
	for _, seed := range []string{"1", "2026-01-02 03:04:05+02", "{1,{2},NULL}", `{"a":[1,2]}`, "1 day 02:03", "P1Y2M", "[0:1]={1,2}", "Jan 2 2026 BC", "1e5", "x"} {
		f.Add(seed)
	}
	format := DefaultFormat()
	var types []relation.Type
	for _, oid := range append(roundTripTypes, relation.JSONBOID) {
		kind := typeOf(oid)
		array, _ := ArrayType(kind)
		types = append(types, kind, array)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkEncoding(text) != nil {
			return
		}
		for _, kind := range types {
			if v, err := Input(kind, text, &format); err == nil {
				checkRoundTrip(t, kind, v, &format)
			}
			if v, err := ParseBinary(kind, []byte(text)); err == nil {
				AppendText(nil, kind, v, &format)
			}
		}
	})
}
