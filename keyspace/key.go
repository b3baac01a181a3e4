package keyspace

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxIDs is the number of ids in the longest key, inline/chunk_locator.
const maxIDs = 5

// idSize is the width of an id in a key.
const idSize = 8

// Key is one key of the catalog: its kind and its components. Keys are values: == compares them, and they serve as keys of
// a map. The zero Key is no key and encodes to nothing.
type Key struct {
	kind Kind
	ids  [maxIDs]uint64
	text string
}

// Kind gives the kind of the key.
func (k Key) Kind() Kind { return k.kind }

// Component gives an id of the key, by its meaning; 0 when the kind has no such component (see [Kind.Components]).
func (k Key) Component(component Component) uint64 {
	next := 0
	for _, candidate := range k.kind.layout().components {
		if candidate.isString() {
			continue
		}
		if candidate == component {
			return k.ids[next]
		}
		next++
	}
	return 0
}

// Text gives the string of the key: the name of a name key, the canonical key of an index entry, else "".
func (k Key) Text() string { return k.text }

// Append appends the encoded key to dst.
func (k Key) Append(dst []byte) []byte {
	layout := k.kind.layout()
	dst = append(dst, layout.prefix...)
	next := 0
	for _, component := range layout.components {
		if component.isString() {
			dst = appendEscaped(dst, k.text)
			continue
		}
		dst = binary.BigEndian.AppendUint64(dst, k.ids[next])
		next++
	}
	return dst
}

// Bytes gives the encoded key, in a slice of its own.
func (k Key) Bytes() []byte {
	layout := k.kind.layout()
	size := len(layout.prefix) + idSize*len(layout.components) + len(k.text)
	return k.Append(make([]byte, 0, size))
}

// String gives the kind and the components, such as current/file(1,2).
func (k Key) String() string {
	components := k.kind.layout().components
	if len(components) == 0 {
		return k.kind.String()
	}
	parts := make([]string, 0, len(components))
	next := 0
	for _, component := range components {
		switch {
		case component == CanonicalKey:
			parts = append(parts, fmt.Sprintf("%x", k.text))
		case component.isString():
			parts = append(parts, strconv.Quote(k.text))
		default:
			parts = append(parts, strconv.FormatUint(k.ids[next], 10))
			next++
		}
	}
	return k.kind.String() + "(" + strings.Join(parts, ",") + ")"
}

// DecodeKey reads a key of the catalog, a whole one and nothing more. It allocates for strings only. The error wraps
// [ErrCorrupt]; keys of our own subspaces (see [Subspace.Catalog]) are refused too, since their layout is not known here.
func DecodeKey(key []byte) (Key, error) {
	kind, found := kindOf(key)
	if !found {
		return Key{}, corruptKey(key, "no such kind of key")
	}
	decoded := Key{kind: kind}
	layout := &layouts[kind]
	rest := key[len(layout.prefix):]
	next := 0
	for _, component := range layout.components {
		if component.isString() {
			text, remaining, ok := readEscaped(rest)
			if !ok {
				return Key{}, corruptKey(key, "the string "+component.String()+" has no end or an escape that is not canonical")
			}
			if component == ExactName && !utf8.ValidString(text) {
				return Key{}, corruptKey(key, "the name is not UTF-8")
			}
			decoded.text, rest = text, remaining
			continue
		}
		if len(rest) < idSize {
			return Key{}, corruptKey(key, "too short for "+component.String()+" of a "+kind.String()+" key")
		}
		decoded.ids[next], rest = binary.BigEndian.Uint64(rest), rest[idSize:]
		next++
	}
	if len(rest) > 0 {
		return Key{}, corruptKey(key, strconv.Itoa(len(rest))+" bytes follow a "+kind.String()+" key")
	}
	return decoded, nil
}

// FormatKey is sys/format.
func FormatKey() Key { return Key{kind: KindFormat} }

// HeadKey is sys/head.
func HeadKey() Key { return Key{kind: KindHead} }

// MigrationKey is sys/migration.
func MigrationKey() Key { return Key{kind: KindMigration} }

// MaintenanceStatusKey is sys/maintenance_status.
func MaintenanceStatusKey() Key { return Key{kind: KindMaintenanceStatus} }

// SnapshotKey is the record of a snapshot and of its changes.
func SnapshotKey(snapshotID uint64) Key { return idsKey(KindSnapshot, snapshotID) }

// GcFileKey is a file scheduled for deletion. Delete files have it too: both draw their ids from one counter.
func GcFileKey(dataFileID uint64) Key { return idsKey(KindGcFile, dataFileID) }

// SchemaVersionKey is the schema version that a commit gave a table.
func SchemaVersionKey(tableID, beginSnapshot uint64) Key {
	return idsKey(KindSchemaVersion, tableID, beginSnapshot)
}

// ChangelogKey is the list of current keys that a commit changed.
func ChangelogKey(snapshotID uint64) Key { return idsKey(KindChangelog, snapshotID) }

// NameKey is the directory entry of a current schema or table: nameKind is [NameOfSchema] or [NameOfTable]. name must be
// UTF-8.
func NameKey(nameKind, parentID uint64, name string, entityID uint64) Key {
	return Key{kind: KindName, ids: [maxIDs]uint64{nameKind, parentID, entityID}, text: name}
}

// DeleteTargetKey is the directory entry of a current delete file under the data file that it deletes from.
func DeleteTargetKey(tableID, dataFileID, deleteFileID uint64) Key {
	return idsKey(KindDeleteTarget, tableID, dataFileID, deleteFileID)
}

func idsKey(kind Kind, ids ...uint64) Key {
	key := Key{kind: kind}
	copy(key.ids[:], ids)
	return key
}
