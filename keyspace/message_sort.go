package keyspace

// SortValue is a row of ducklake_sort_info, with its rows of ducklake_sort_expression.
type SortValue struct {
	SortID        uint64
	TableID       uint64
	BeginSnapshot uint64
	EndSnapshot   Optional[uint64]
	Expressions   []SortExpression
	Extension     RowExtension
}

func (*SortValue) name() string { return "SortValue" }

// Append implements [Message].
func (v *SortValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SortID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendEmbeddedList(dst, 5, v.Expressions)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *SortValue) decode(payload []byte, aliased bool) error {
	*v = SortValue{Expressions: v.Expressions[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SortID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.Expressions = parseElement(&p, v.Expressions)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// SortExpression is a row of ducklake_sort_expression.
type SortExpression struct {
	SortKeyIndex  uint64
	Expression    string
	Dialect       string
	SortDirection string
	NullOrder     string
	Extension     RowExtension
}

// Append appends the message to dst.
func (v *SortExpression) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SortKeyIndex)
	dst = appendString(dst, 2, v.Expression)
	dst = appendString(dst, 3, v.Dialect)
	dst = appendString(dst, 4, v.SortDirection)
	dst = appendString(dst, 5, v.NullOrder)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *SortExpression) decode(payload []byte, aliased bool) error {
	*v = SortExpression{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SortKeyIndex = p.uint64()
		case 2:
			v.Expression = p.string()
		case 3:
			v.Dialect = p.string()
		case 4:
			v.SortDirection = p.string()
		case 5:
			v.NullOrder = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
