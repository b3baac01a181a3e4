package keyspace

// TagValue is all rows of ducklake_tag for one object, in the order of their arrival.
type TagValue struct {
	ObjectID uint64
	Entries  []TagEntry
}

func (*TagValue) name() string { return "TagValue" }

// Append implements [Message].
func (v *TagValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ObjectID)
	return appendEmbeddedList(dst, 2, v.Entries)
}

func (v *TagValue) decode(payload []byte, aliased bool) error {
	*v = TagValue{Entries: v.Entries[:0]}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ObjectID = p.uint64()
		case 2:
			v.Entries = parseElement(&p, v.Entries)
		default:
			p.skip()
		}
	}
	return p.err
}

// TagEntry is a row of ducklake_tag.
type TagEntry struct {
	BeginSnapshot uint64
	EndSnapshot   Optional[uint64]
	Key           string
	Value         string
	Extension     RowExtension
}

// Append appends the message to dst.
func (v *TagEntry) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 2, v.EndSnapshot)
	dst = appendString(dst, 3, v.Key)
	dst = appendString(dst, 4, v.Value)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *TagEntry) decode(payload []byte, aliased bool) error {
	*v = TagEntry{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.BeginSnapshot = p.uint64()
		case 2:
			v.EndSnapshot = p.optionalUint64()
		case 3:
			v.Key = p.string()
		case 4:
			v.Value = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
