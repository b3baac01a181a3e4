package keyspace

import "fmt"

// Subspace is the first byte of a key. With SlateDB each subspace is a segment of its own.
type Subspace byte

// The subspaces of RFC 0002. A byte is the ordinal of the subspace plus 2, so that 0x00 and 0x01, which the encoding of
// strings needs, never start a key.
const (
	SubspaceSystem        Subspace = 0x02
	SubspaceSnapshot      Subspace = 0x03
	SubspaceCurrent       Subspace = 0x04
	SubspaceHistory       Subspace = 0x05
	SubspaceInline        Subspace = 0x06
	SubspaceIndex         Subspace = 0x07
	SubspaceSchemaVersion Subspace = 0x08
	SubspaceChangelog     Subspace = 0x09
	SubspaceName          Subspace = 0x0a
	SubspaceDeleteTarget  Subspace = 0x0b
)

// The subspaces of this implementation, far above the specification's so that its later versions do not collide. What
// follows the byte belongs to the packages workspace, entity, usertable and transfer; [DecodeKey] refuses these keys.
const (
	SubspaceWorkspace Subspace = 0xe0
	SubspaceEntity    Subspace = 0xe1
	SubspaceUserTable Subspace = 0xe2
	SubspaceTransfer  Subspace = 0xe3
)

var subspaceNames = map[Subspace]string{
	SubspaceSystem: "system", SubspaceSnapshot: "snapshot", SubspaceCurrent: "current", SubspaceHistory: "history",
	SubspaceInline: "inline", SubspaceIndex: "index", SubspaceSchemaVersion: "schema_version", SubspaceChangelog: "changelog",
	SubspaceName: "name", SubspaceDeleteTarget: "delete_target",
	SubspaceWorkspace: "workspace", SubspaceEntity: "entity", SubspaceUserTable: "user_table", SubspaceTransfer: "transfer",
}

// String gives the name of the subspace, and for a byte that names none the byte.
func (s Subspace) String() string {
	if name, found := subspaceNames[s]; found {
		return name
	}
	return fmt.Sprintf("0x%02x", byte(s))
}

// Prefix gives the bytes that all keys of the subspace start with.
func (s Subspace) Prefix() []byte { return []byte{byte(s)} }

// Catalog says whether the subspace is one of RFC 0002, whose keys [DecodeKey] reads.
func (s Subspace) Catalog() bool { return s >= SubspaceSystem && s <= SubspaceDeleteTarget }

// SubspaceOf gives the subspace of a key; found is false for an empty key and for a byte that names none.
func SubspaceOf(key []byte) (subspace Subspace, found bool) {
	if len(key) == 0 {
		return 0, false
	}
	subspace = Subspace(key[0])
	switch subspace {
	case SubspaceWorkspace, SubspaceEntity, SubspaceUserTable, SubspaceTransfer:
		return subspace, true
	}
	return subspace, subspace.Catalog()
}
