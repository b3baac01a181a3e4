package lake

import (
	"hash/fnv"
	"sync"

	"moraine/relation"
)

// publicOID is the OID of schema public, as in PostgreSQL.
const publicOID = 2200

// identities gives OIDs to names: the same to a name as long as the server runs and, unless two names meet in one OID,
// after a restart too, since an OID is the hash of its name.
type identities struct {
	mutex sync.Mutex
	named map[string]map[string]uint32 // by scope and name
	used  map[uint32]struct{}
}

func newIdentities() *identities {
	return &identities{named: map[string]map[string]uint32{}, used: map[uint32]struct{}{}}
}

// oid gives the OID of a name within a scope, in [relation.FirstOID, relation.OIDLimit).
func (i *identities) oid(scope, name string) uint32 {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if oid, known := i.named[scope][name]; known {
		return oid
	}
	hash := fnv.New64a()
	hash.Write([]byte(scope))
	hash.Write([]byte{0})
	hash.Write([]byte(name))
	const span = uint64(relation.OIDLimit - relation.FirstOID)
	oid := relation.FirstOID + uint32(hash.Sum64()%span)
	for {
		if _, taken := i.used[oid]; !taken {
			break
		}
		if oid++; oid == relation.OIDLimit {
			oid = relation.FirstOID
		}
	}
	i.used[oid] = struct{}{}
	if i.named[scope] == nil {
		i.named[scope] = map[string]uint32{}
	}
	i.named[scope][name] = oid
	return oid
}

// release forgets the names of a scope.
func (i *identities) release(scope string) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	for _, oid := range i.named[scope] {
		delete(i.used, oid)
	}
	delete(i.named, scope)
}
