package relation

// Type is a PostgreSQL type: its OID and its modifier (atttypmod; -1 for none).
type Type struct {
	OID      uint32
	Modifier int32
}

// OIDs of the types that catalog tables and inlined data use, as in PostgreSQL's pg_type. The whole catalogue of types
// with names and properties is in sqlmap/function.
const (
	BoolOID        uint32 = 16
	ByteaOID       uint32 = 17
	CharOID        uint32 = 18
	NameOID        uint32 = 19
	Int8OID        uint32 = 20
	Int2OID        uint32 = 21
	Int2VectorOID  uint32 = 22
	Int4OID        uint32 = 23
	RegprocOID     uint32 = 24
	TextOID        uint32 = 25
	OIDOID         uint32 = 26
	TIDOID         uint32 = 27
	XIDOID         uint32 = 28
	OIDVectorOID   uint32 = 30
	JSONOID        uint32 = 114
	Float4OID      uint32 = 700
	Float8OID      uint32 = 701
	UnknownOID     uint32 = 705
	BPCharOID      uint32 = 1042
	VarcharOID     uint32 = 1043
	DateOID        uint32 = 1082
	TimeOID        uint32 = 1083
	TimestampOID   uint32 = 1114
	TimestampTZOID uint32 = 1184
	IntervalOID    uint32 = 1186
	TimeTZOID      uint32 = 1266
	BitOID         uint32 = 1560
	VarbitOID      uint32 = 1562
	NumericOID     uint32 = 1700
	RegclassOID    uint32 = 2205
	RecordOID      uint32 = 2249
	VoidOID        uint32 = 2278
	UUIDOID        uint32 = 2950
	JSONBOID       uint32 = 3802
)

// Common types without a modifier.
var (
	BoolType        = Type{BoolOID, -1}
	ByteaType       = Type{ByteaOID, -1}
	NameType        = Type{NameOID, -1}
	Int2Type        = Type{Int2OID, -1}
	Int4Type        = Type{Int4OID, -1}
	Int8Type        = Type{Int8OID, -1}
	Float4Type      = Type{Float4OID, -1}
	Float8Type      = Type{Float8OID, -1}
	NumericType     = Type{NumericOID, -1}
	TextType        = Type{TextOID, -1}
	VarcharType     = Type{VarcharOID, -1}
	OIDType         = Type{OIDOID, -1}
	TIDType         = Type{TIDOID, -1}
	UUIDType        = Type{UUIDOID, -1}
	DateType        = Type{DateOID, -1}
	TimeType        = Type{TimeOID, -1}
	TimeTZType      = Type{TimeTZOID, -1}
	TimestampType   = Type{TimestampOID, -1}
	TimestampTZType = Type{TimestampTZOID, -1}
	IntervalType    = Type{IntervalOID, -1}
	UnknownType     = Type{UnknownOID, -1}
)
