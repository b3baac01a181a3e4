package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// MaximumValueSize bounds the bytes of one value that a function or an input makes, as PostgreSQL's allocation limit does.
const MaximumValueSize = 1<<30 - 1

// codec is how the values of one type are read, written and compared. Fields that are nil mean that the type cannot do it.
type codec struct {
	input        func(text string, f *Format) (relation.Value, error)
	appendText   func(dst []byte, v relation.Value, f *Format) []byte
	parseBinary  func(data []byte) (relation.Value, error)
	appendBinary func(dst []byte, v relation.Value) []byte
	compare      func(a, b relation.Value) int
	// hashKey appends bytes that are equal for equal values; nil means the binary format has that property.
	hashKey func(dst []byte, v relation.Value) []byte
}

// codecOf finds the codec of a type; nil when its values cannot exist.
func codecOf(oid uint32) *codec { return catalogue.codecs[oid] }

// Input reads a value as the input function of the type does, and applies the type's modifier as an assignment does:
// too long a text is 22001, numbers and times are rounded. Errors are PostgreSQL's (22P02, 22003, 22007, 22008, ...).
func Input(t relation.Type, text string, f *Format) (relation.Value, error) {
	value, err := inputForModifier(t, text, f)
	if err != nil || t.Modifier < 0 {
		return value, err
	}
	if coerce := lengthCoercion(t, false); coerce != nil {
		return coerce(value)
	}
	return value, nil
}

// inputForModifier reads a value for a type whose modifier decides what the text means, without applying the modifier.
func inputForModifier(t relation.Type, text string, f *Format) (relation.Value, error) {
	if t.OID == relation.IntervalOID && t.Modifier >= 0 {
		return inputIntervalFields(text, t.Modifier, f)
	}
	return inputPlain(t, text, f)
}

// inputPlain reads a value without applying the modifier.
func inputPlain(t relation.Type, text string, f *Format) (relation.Value, error) {
	c := codecOf(t.OID)
	if c == nil || c.input == nil {
		return relation.NULL, cannotInput(t)
	}
	return c.input(text, f)
}

func cannotInput(t relation.Type) error {
	if info := TypeByOID(t.OID); info != nil && info.Kind == PseudoType {
		return pgerror.New(pgerror.FeatureNotSupported, "cannot accept a value of type %s", FormatType(typeOf(t.OID)))
	}
	return pgerror.Unsupported("type " + FormatType(typeOf(t.OID)))
}

// AppendText appends the text format of a value that is not NULL.
func AppendText(dst []byte, t relation.Type, v relation.Value, f *Format) []byte {
	return TextEncoder(t.OID)(dst, v, f)
}

// TextEncoder gives the function that appends a type's text format, for loops over rows.
func TextEncoder(oid uint32) func(dst []byte, v relation.Value, f *Format) []byte {
	if c := codecOf(oid); c != nil && c.appendText != nil {
		return c.appendText
	}
	return appendPlainText
}

// ToText gives the text format of a value as a string; "" for NULL.
func ToText(t relation.Type, v relation.Value, f *Format) string {
	if v.IsNull() {
		return ""
	}
	if representedByText(t.OID) {
		return v.Text()
	}
	return string(AppendText(nil, t, v, f))
}

// ParseBinary reads the binary format of a value; malformed bytes are 22P03. The modifier is applied as by Input.
func ParseBinary(t relation.Type, data []byte) (relation.Value, error) {
	c := codecOf(t.OID)
	if c == nil || c.parseBinary == nil {
		return relation.NULL, pgerror.New(pgerror.UndefinedFunction, "no binary input function available for type %s", FormatType(typeOf(t.OID)))
	}
	value, err := c.parseBinary(data)
	if err != nil || t.Modifier < 0 {
		return value, err
	}
	if coerce := lengthCoercion(t, false); coerce != nil {
		return coerce(value)
	}
	return value, nil
}

// AppendBinary appends the binary format of a value that is not NULL, without a length.
func AppendBinary(dst []byte, t relation.Type, v relation.Value) []byte {
	return BinaryEncoder(t.OID)(dst, v)
}

// BinaryEncoder gives the function that appends a type's binary format, for loops over rows.
func BinaryEncoder(oid uint32) func(dst []byte, v relation.Value) []byte {
	if c := codecOf(oid); c != nil && c.appendBinary != nil {
		return c.appendBinary
	}
	return appendRawText
}

// HasBinary tells whether the type has a binary format.
func HasBinary(oid uint32) bool {
	c := codecOf(oid)
	return c != nil && c.appendBinary != nil
}

// Comparer gives the order of a type's default btree class (C collation for text); neither value may be NULL. It is nil
// for types without an order (json, xid, ...).
func Comparer(t relation.Type) func(a, b relation.Value) int {
	if c := codecOf(t.OID); c != nil {
		return c.compare
	}
	return nil
}

// AppendHashKey appends bytes that are equal for two values exactly when the values are equal in the sense of the type's
// = operator. The bytes of one type are not self-delimiting.
func AppendHashKey(dst []byte, t relation.Type, v relation.Value) []byte {
	return HashKeyer(t.OID)(dst, v)
}

// HashKeyer gives the function behind AppendHashKey, for loops over rows.
func HashKeyer(oid uint32) func(dst []byte, v relation.Value) []byte {
	if c := codecOf(oid); c != nil && c.hashKey != nil {
		return c.hashKey
	}
	return BinaryEncoder(oid)
}

// NoOrdering is the error for sorting by a type that has no order.
func NoOrdering(t relation.Type) error {
	return pgerror.New(pgerror.UndefinedFunction, "could not identify an ordering operator for type %s", FormatType(typeOf(t.OID))).
		WithHint("Use an explicit ordering operator or modify the query.")
}

// NoEquality is the error for grouping by a type that has no equality.
func NoEquality(t relation.Type) error {
	return pgerror.New(pgerror.UndefinedFunction, "could not identify an equality operator for type %s", FormatType(typeOf(t.OID)))
}

// HasEquality tells whether values of the type can be grouped and compared with =.
func HasEquality(oid uint32) bool {
	c := codecOf(oid)
	return c != nil && (c.compare != nil || oid == relation.XIDOID || oid == CIDOID)
}

// allCodecs makes the table of codecs: those of the base types, and of an array for each of them that has one.
func allCodecs() map[uint32]*codec {
	codecs := map[uint32]*codec{}
	for _, table := range []map[uint32]*codec{integerCodecs(), textCodecs(), floatCodecs(), otherCodecs(), numericCodecs(),
		datetimeCodecs(), jsonCodecs(), objectCodecs(), recordCodecs(), networkCodecs()} {
		for oid, c := range table {
			codecs[oid] = c
		}
	}
	for _, t := range catalogue.types {
		if element := codecs[t.Element]; element != nil && t.IsArray() {
			codecs[t.OID] = arrayCodec(t.OID, t.Element, element)
		}
	}
	codecs[relation.Int2VectorOID] = vectorCodec(relation.Int2VectorOID, relation.Int2OID, codecs[relation.Int2OID])
	codecs[relation.OIDVectorOID] = vectorCodec(relation.OIDVectorOID, relation.OIDOID, codecs[relation.OIDOID])
	return codecs
}

func appendPlainText(dst []byte, v relation.Value, _ *Format) []byte { return append(dst, v.Text()...) }

func appendRawText(dst []byte, v relation.Value) []byte { return append(dst, v.Text()...) }

// representedByText tells whether the text format of a type is its representation.
func representedByText(oid uint32) bool {
	switch oid {
	case relation.TextOID, relation.VarcharOID, relation.BPCharOID, relation.NameOID, relation.JSONOID, relation.JSONBOID,
		relation.UnknownOID, relation.NumericOID, relation.BitOID, relation.VarbitOID:
		return true
	}
	return false
}

func invalidInput(typeName, text string) error {
	return pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typeName, text)
}

func wrongBinaryLength() error {
	return pgerror.New(pgerror.InvalidBinaryRepresentation, "incorrect binary data format")
}
