package keyspace

// MacroValue is a row of ducklake_macro, with its rows of ducklake_macro_impl and ducklake_macro_parameters.
type MacroValue struct {
	MacroID         uint64
	BeginSnapshot   uint64
	EndSnapshot     Optional[uint64]
	SchemaID        uint64
	MacroName       string
	Implementations []MacroImplementation // ordered by ImplID
	Extension       RowExtension
}

func (*MacroValue) name() string { return "MacroValue" }

// Append implements [Message].
func (v *MacroValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.MacroID)
	dst = appendUint64(dst, 2, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 3, v.EndSnapshot)
	dst = appendUint64(dst, 4, v.SchemaID)
	dst = appendString(dst, 5, v.MacroName)
	dst = appendEmbeddedList(dst, 6, v.Implementations)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *MacroValue) decode(payload []byte, aliased bool) error {
	*v = MacroValue{Implementations: v.Implementations[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.MacroID = p.uint64()
		case 2:
			v.BeginSnapshot = p.uint64()
		case 3:
			v.EndSnapshot = p.optionalUint64()
		case 4:
			v.SchemaID = p.uint64()
		case 5:
			v.MacroName = p.string()
		case 6:
			v.Implementations = parseElement(&p, v.Implementations)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// MacroImplementation is a row of ducklake_macro_impl.
type MacroImplementation struct {
	ImplID     uint64
	Dialect    string
	SQL        string
	MacroType  string           // scalar or table; the column is named type
	Parameters []MacroParameter // ordered by ColumnID
	Extension  RowExtension
}

// Append appends the message to dst.
func (v *MacroImplementation) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ImplID)
	dst = appendString(dst, 2, v.Dialect)
	dst = appendString(dst, 3, v.SQL)
	dst = appendString(dst, 4, v.MacroType)
	dst = appendEmbeddedList(dst, 5, v.Parameters)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *MacroImplementation) decode(payload []byte, aliased bool) error {
	*v = MacroImplementation{Parameters: v.Parameters[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ImplID = p.uint64()
		case 2:
			v.Dialect = p.string()
		case 3:
			v.SQL = p.string()
		case 4:
			v.MacroType = p.string()
		case 5:
			v.Parameters = parseElement(&p, v.Parameters)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// MacroParameter is a row of ducklake_macro_parameters.
type MacroParameter struct {
	ColumnID         uint64
	ParameterName    string
	ParameterType    string
	DefaultValue     Optional[string]
	DefaultValueType string // unknown when there is no default
	Extension        RowExtension
}

// Append appends the message to dst.
func (v *MacroParameter) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ColumnID)
	dst = appendString(dst, 2, v.ParameterName)
	dst = appendString(dst, 3, v.ParameterType)
	dst = appendOptionalString(dst, 4, v.DefaultValue)
	dst = appendString(dst, 5, v.DefaultValueType)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *MacroParameter) decode(payload []byte, aliased bool) error {
	*v = MacroParameter{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ColumnID = p.uint64()
		case 2:
			v.ParameterName = p.string()
		case 3:
			v.ParameterType = p.string()
		case 4:
			v.DefaultValue = p.optionalString()
		case 5:
			v.DefaultValueType = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
