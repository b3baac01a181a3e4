package ducklake

import (
	"encoding/binary"
	"strings"

	"moraine/keyspace"
)

// The key of a base row, which is also the name of its lock, starts with the table's name and a mark of where the row is.
// It names the row by what the row is, never by a place that another commit could shift.
const (
	markRecord    = "\x00r" // the key of the row's record follows
	markEmbedded  = "\x00e" // the ids of the record's entity, the row's natural columns, and an ordinal follow
	markRefuge    = "\x00f" // the key in the table's refuge follows
	markSynthetic = "\x00s" // the name of a row that is not stored follows
	markClaim     = "\x00k" // behind a constraint's name: the key that it keeps single follows
)

// embeddedName names an embedded row: its entity, its natural columns, and which of the rows alike in them it is.
type embeddedName struct {
	ids     string
	natural string
	ordinal int
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
	key := make([]byte, 0, len(t.name)+len(markEmbedded)+len(name.ids)+len(name.natural)+4)
	key = append(append(key, t.name...), markEmbedded...)
	key = append(append(key, name.ids...), name.natural...)
	return string(binary.BigEndian.AppendUint32(key, uint32(name.ordinal)))
}

func (t *catalogTable) embeddedNameOf(key string) (embeddedName, bool) {
	rest, ok := strings.CutPrefix(key, t.name+markEmbedded)
	if !ok || len(rest) < t.idBytes()+4 {
		return embeddedName{}, false
	}
	end := len(rest) - 4
	return embeddedName{
		ids: rest[:t.idBytes()], natural: rest[t.idBytes():end],
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
