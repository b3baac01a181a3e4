package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// OIDs of types that package relation does not name, as in PostgreSQL's pg_type.
const (
	CIDOID            uint32 = 29
	PgNodeTreeOID     uint32 = 194
	BoolArrayOID      uint32 = 1000
	Int2ArrayOID      uint32 = 1005
	Int4ArrayOID      uint32 = 1007
	TextArrayOID      uint32 = 1009
	NameArrayOID      uint32 = 1003
	Int8ArrayOID      uint32 = 1016
	Float8ArrayOID    uint32 = 1022
	OIDArrayOID       uint32 = 1028
	ACLItemOID        uint32 = 1033
	CstringArrayOID   uint32 = 1263
	IntervalArrayOID  uint32 = 1187
	RefcursorOID      uint32 = 1790
	RegprocedureOID   uint32 = 2202
	RegoperOID        uint32 = 2203
	RegoperatorOID    uint32 = 2204
	RegtypeOID        uint32 = 2206
	RegtypeArrayOID   uint32 = 2211
	CstringOID        uint32 = 2275
	AnyOID            uint32 = 2276
	AnyArrayOID       uint32 = 2277
	TriggerOID        uint32 = 2279
	InternalOID       uint32 = 2281
	AnyElementOID     uint32 = 2283
	RecordArrayOID    uint32 = 2287
	AnyNonArrayOID    uint32 = 2776
	TXIDSnapshotOID   uint32 = 2970
	PgLSNOID          uint32 = 3220
	AnyEnumOID        uint32 = 3500
	RegnamespaceOID   uint32 = 4089
	RegroleOID        uint32 = 4096
	RegcollationOID   uint32 = 4191
	RegconfigOID      uint32 = 3734
	RegdictionaryOID  uint32 = 3769
	JSONPathOID       uint32 = 4072
	XID8OID           uint32 = 5069
	AnyCompatibleOID  uint32 = 5077
	AnyCompatArrayOID uint32 = 5078
	AnyCompatNonArray uint32 = 5079
	InetOID           uint32 = 869
	CIDROID           uint32 = 650
	MoneyOID          uint32 = 790
	XMLOID            uint32 = 142
)

// TypeKind is pg_type.typtype.
type TypeKind byte

// Kinds of types.
const (
	BaseType   TypeKind = 'b'
	PseudoType TypeKind = 'p'
	RangeType  TypeKind = 'r'
	MultiRange TypeKind = 'm'
)

// TypeInfo is a row of pg_type. Functions are given by their OID in pg_proc, 0 for none.
type TypeInfo struct {
	OID            uint32
	Name           string // typname
	Length         int16  // typlen
	ByValue        bool   // typbyval
	Kind           TypeKind
	Category       byte // typcategory
	Preferred      bool // typispreferred
	Delimiter      byte // typdelim
	Element        uint32
	Array          uint32
	Input          uint32
	Output         uint32
	Receive        uint32
	Send           uint32
	ModifierInput  uint32 // typmodin
	ModifierOutput uint32 // typmodout
	Align          byte
	Storage        byte
	Collation      uint32
	Subscript      uint32
}

// IsArray tells whether the type is a true array (not int2vector, oidvector, name or point, which have elements too).
func (t *TypeInfo) IsArray() bool {
	return t.Element != 0 && t.Length == -1 && t.Category == 'A' && t.OID != relation.Int2VectorOID && t.OID != relation.OIDVectorOID
}

// TypeByOID gives a type; nil when there is none.
func TypeByOID(oid uint32) *TypeInfo { return catalogue.typesByOID[oid] }

// TypeByName gives a type by its pg_type.typname; nil when there is none.
func TypeByName(name string) *TypeInfo { return catalogue.typesByName[name] }

// Types gives all types by ascending OID. The slice is shared: do not change it.
func Types() []*TypeInfo { return catalogue.types }

// IsArrayType tells whether values of the type are arrays (int2vector and oidvector included).
func IsArrayType(t relation.Type) bool { return ElementType(t).OID != 0 }

// ElementType gives the type of the elements of an array, int2vector or oidvector; the zero Type for other types. The
// modifier of an array is that of its elements.
func ElementType(t relation.Type) relation.Type {
	switch t.OID {
	case relation.Int2VectorOID:
		return relation.Int2Type
	case relation.OIDVectorOID:
		return relation.OIDType
	}
	if info := TypeByOID(t.OID); info != nil && info.IsArray() {
		return relation.Type{OID: info.Element, Modifier: t.Modifier}
	}
	return relation.Type{}
}

// ArrayType gives the array of an element type; ok is false when there is none.
func ArrayType(element relation.Type) (array relation.Type, ok bool) {
	info := TypeByOID(element.OID)
	if info == nil || info.Array == 0 {
		return relation.Type{}, false
	}
	return relation.Type{OID: info.Array, Modifier: element.Modifier}, true
}

// arrayTypeOf is ArrayType with PostgreSQL's error.
func arrayTypeOf(element relation.Type) (relation.Type, error) {
	array, ok := ArrayType(element)
	if !ok {
		return array, pgerror.New(pgerror.UndefinedObject, "could not find array type for data type %s", FormatType(element))
	}
	return array, nil
}

// typeOf makes a type without a modifier.
func typeOf(oid uint32) relation.Type { return relation.Type{OID: oid, Modifier: -1} }
