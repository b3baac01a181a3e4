package ducklake

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"moraine/keyspace"
	"moraine/relation"
)

// The key of a base row, which is also the name of its lock, starts with the table's name and a mark of where the row is.
// It names the row by what the row is, never by a place that another commit could shift: the ids of a row that is a record,
// the whole content of one that is embedded in a record. Rows of one content are as good as each other.
const (
	markRecord    = "\x00r" // the key of the row's record follows
	markEmbedded  = "\x00e" // the ids of the record's entity, the row's content, and an ordinal follow
	markRefuge    = "\x00f" // the key in the table's refuge follows
	markSynthetic = "\x00s" // the name of a row that is not stored follows
	markClaim     = "\x00k" // behind a constraint's name: the key that it keeps single follows
)

// embeddedName names an embedded row: its entity, what it contains, and which of the rows of that content it is.
type embeddedName struct {
	ids     string
	content string
	ordinal int
}

// longestContent is the number of bytes of a row's content in its name; of a longer one, the name has the hash.
const longestContent = 64

// contentOf gives the content of an embedded row, all columns of the layout, as its name has it. Columns that others add to
// the table do not change it: transactions that see the row with them and without must meet at its lock.
func (l *layout) contentOf(row relation.Row) string {
	content := make([]byte, 0, longestContent)
	for ordinal, value := range row {
		if number := l.columns[ordinal].Number; value != l.fill[number] {
			content = appendKeyValue(binary.BigEndian.AppendUint16(content, uint16(number)), value)
		}
	}
	if len(content) > longestContent {
		hash := sha256.Sum256(content)
		return string(hash[:])
	}
	return string(content)
}

// appendKeyValue appends a value so that different rows differ.
func appendKeyValue(key []byte, value relation.Value) []byte {
	if value.IsNull() {
		return append(key, 0)
	}
	encoded := encodeValue(value)
	key = append(key, 1, byte(len(encoded)>>24), byte(len(encoded)>>16), byte(len(encoded)>>8), byte(len(encoded)))
	return append(key, encoded...)
}

func (t *catalogTable) embedded() bool { return t.family.parent != t }

// idBytes gives the length of the ids of the table's records.
func (t *catalogTable) idBytes() int { return (t.family.components() - len(t.scope)) * idSize }

func (t *catalogTable) recordKey(storeKey string) string { return t.name + markRecord + storeKey }

func (t *catalogTable) recordKeyOf(key string) (string, bool) {
	return strings.CutPrefix(key, t.name+markRecord)
}

func (t *catalogTable) refugeKey(storeKey string) string { return t.name + markRefuge + storeKey }

func (t *catalogTable) refugeKeyOf(key string) (string, bool) {
	return strings.CutPrefix(key, t.name+markRefuge)
}

func (t *catalogTable) syntheticKey(name string) string { return t.name + markSynthetic + name }

func (t *catalogTable) syntheticNameOf(key string) (string, bool) {
	return strings.CutPrefix(key, t.name+markSynthetic)
}

func (t *catalogTable) embeddedKey(name embeddedName) string {
	key := make([]byte, 0, len(t.name)+len(markEmbedded)+len(name.ids)+len(name.content)+4)
	key = append(append(key, t.name...), markEmbedded...)
	key = append(append(key, name.ids...), name.content...)
	return string(binary.BigEndian.AppendUint32(key, uint32(name.ordinal)))
}

func (t *catalogTable) embeddedNameOf(key string) (embeddedName, bool) {
	rest, ok := strings.CutPrefix(key, t.name+markEmbedded)
	if !ok || len(rest) < t.idBytes()+4 {
		return embeddedName{}, false
	}
	end := len(rest) - 4
	return embeddedName{
		ids: rest[:t.idBytes()], content: rest[t.idBytes():end],
		ordinal: int(binary.BigEndian.Uint32([]byte(rest[end:]))),
	}, true
}

// idBytesOf writes ids as keys have them.
func idBytesOf(ids []uint64) []byte {
	encoded := make([]byte, 0, len(ids)*idSize)
	for _, id := range ids {
		encoded = binary.BigEndian.AppendUint64(encoded, id)
	}
	return encoded
}

func idsOf(encoded []byte) []uint64 {
	ids := make([]uint64, len(encoded)/idSize)
	for i := range ids {
		ids[i] = binary.BigEndian.Uint64(encoded[i*idSize:])
	}
	return ids
}

// idsOfKey gives the ids in the key of a record, without where a version ended.
func (t *catalogTable) idsOfKey(storeKey string) []uint64 {
	encoded, _ := t.entityOfKey(storeKey)
	return idsOf([]byte(encoded))
}

// entityOfKey gives the encoded ids in the key of a record, and the version.
func (t *catalogTable) entityOfKey(storeKey string) (ids string, of version) {
	size := t.idBytes()
	if rest, ok := strings.CutPrefix(storeKey, string(keyspace.Prefix(t.family.current, t.scope...))); ok && len(rest) == size {
		return rest, live
	}
	rest := strings.TrimPrefix(storeKey, string(keyspace.Prefix(t.family.history, t.scope...)))
	if len(rest) < size+idSize {
		return rest, live
	}
	return rest[:size], version{ended: true, end: binary.BigEndian.Uint64([]byte(rest[size:]))}
}
