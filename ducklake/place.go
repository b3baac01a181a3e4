package ducklake

import (
	"bytes"
	"context"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
)

// arrival is a row that looks for its place.
type arrival struct {
	member   *member
	row      relation.Row
	previous keyspace.Message // the message that the row was in; nil for a new one
}

// depart takes the changed rows from where they were, all of them before any arrives: an entity's new version may be
// inserted before or after the old one is ended. Rows that stay in their record stay in their place there.
func (f *familyStaging) depart(ctx context.Context) ([]arrival, error) {
	var arrivals []arrival
	for _, member := range f.members {
		for _, row := range member.adopts {
			arrivals = append(arrivals, arrival{member: member, row: row})
		}
		if member.changes == nil {
			continue
		}
		for _, change := range member.changes.Changes() {
			arrived, err := f.departOne(ctx, member, change)
			if err != nil {
				return nil, err
			}
			if arrived != nil {
				arrivals = append(arrivals, *arrived)
			}
		}
		for _, row := range member.changes.Inserted() {
			arrivals = append(arrivals, arrival{member: member, row: row})
		}
	}
	return arrivals, nil
}

// departOne takes a changed row from where it was; nil when nothing is left to arrive.
func (f *familyStaging) departOne(ctx context.Context, member *member, change overlay.Change) (*arrival, error) {
	arrived := &arrival{member: member, row: change.Row}
	if storeKey, ok := member.table.refugeKeyOf(change.Key); ok {
		member.refuge.changes = append(member.refuge.changes, overlay.Change{Key: storeKey, Row: change.Row})
		return nil, nil
	}
	if storeKey, ok := member.table.recordKeyOf(change.Key); ok {
		ids, version := member.table.entityOfKey(storeKey)
		if arrived.previous = f.entities[ids].removeParent(version); arrived.previous == nil {
			return nil, movedMeanwhile()
		}
	} else if name, ok := f.embeddedNameOf(member, change.Key); ok {
		stays, err := f.replaceChild(ctx, member, name, change.Row)
		if err != nil || stays {
			return nil, err
		}
	}
	if change.Row == nil {
		return nil, nil
	}
	return arrived, nil
}

// embeddedNameOf gives the name of the embedded row that a change is of. A row that was made up when it was changed is one
// once another commit has taken those rows over.
func (f *familyStaging) embeddedNameOf(member *member, key string) (embeddedName, bool) {
	made, synthetic := member.table.syntheticNameOf(key)
	if !synthetic {
		return member.table.embeddedNameOf(key)
	}
	if f.state.original() {
		return embeddedName{}, false
	}
	return embeddedName{ids: string(globalScope), content: member.stored.contentOf(syntheticRow(member.stored, made))}, true
}

// movedMeanwhile is the error for a changed row that is not in its place any more: the commit of another transaction has
// moved it with its record, without changing it. The change would be lost.
func movedMeanwhile() *pgerror.Error {
	return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent update")
}

// replaceChild puts another row, or none, in the place of an embedded one; false when the row has to look for a place: it
// belongs elsewhere now, or it is called otherwise, and must not take the room of a row that was called so before.
func (f *familyStaging) replaceChild(ctx context.Context, member *member, name embeddedName, row relation.Row) (bool, error) {
	entity := f.entities[name.ids]
	child := entity.take(member.table, name)
	if child == nil {
		return false, movedMeanwhile()
	}
	before := child.row
	entity.regrouped = true
	child.row = nil
	if row == nil {
		return true, nil
	}
	ids, ok, err := f.locate(ctx, member, row)
	if err != nil || !ok || ids != name.ids {
		return false, err
	}
	if !member.wanted.sameNatural(before, row) {
		return false, nil
	}
	child.row = row
	return true, nil
}

// arrive finds a place for each row, in a record or in the refuge.
func (f *familyStaging) arrive(ctx context.Context, arrivals []arrival) error {
	for _, arrived := range arrivals {
		member := arrived.member
		ids, ok, err := f.locate(ctx, member, arrived.row)
		if err != nil {
			return err
		}
		if !ok || !f.place(f.entities[ids], &arrived) {
			member.refuge.inserted = append(member.refuge.inserted, arrived.row)
		}
	}
	return nil
}

// place puts a row into an entity; false when the entity has no place for it. Parents come before their embedded rows.
func (f *familyStaging) place(entity *entity, arrived *arrival) bool {
	table := arrived.member.table
	if table.embedded() {
		if f.of.parent != nil && entity.newestWanted() < 0 {
			return false
		}
		entity.appendChild(table, arrived.row)
		return true
	}
	of, ok := version{}, true
	if f.of.versioned() {
		of, ok = arrived.member.wanted.version(arrived.row)
	}
	return ok && entity.placeParent(of, arrived.row, arrived.previous)
}

// finish adds the records of an entity to the batch.
func (f *familyStaging) finish(entity *entity) error {
	if f.of.parent == nil {
		f.finishContainer(entity)
		return nil
	}
	newest := entity.newestWanted()
	if newest < 0 {
		f.orphan(entity)
	}
	for i := range entity.versions {
		version := &entity.versions[i]
		regrouped := i == newest && (entity.regrouped || entity.newest != i)
		switch {
		case version.row == nil:
			f.remove(entity, version)
		case version.changed || regrouped:
			message, left := f.build(entity, version)
			if i == newest {
				f.takeIn(left)
			}
			f.put(entity, version, message)
		}
	}
	return nil
}

// finishContainer adds the record of a container. The global options are there even when there are none (RFC 0004).
func (f *familyStaging) finishContainer(entity *entity) {
	place := &entityVersion{version: live}
	if entity.newest >= 0 {
		place = &entity.versions[entity.newest]
	}
	if !entity.regrouped {
		return
	}
	message, left := f.build(entity, place)
	f.takeIn(left)
	if f.members[0].table.codec.count(message) == 0 && !bytes.Equal([]byte(entity.ids), globalScope) {
		f.remove(entity, place)
		return
	}
	f.put(entity, place, message)
}

// globalScope are the ids of the record of the global options.
var globalScope = idBytesOf([]uint64{keyspace.ScopeGlobal, 0})

// leftRows is rows of one table that found no place in a record.
type leftRows struct {
	member *member
	rows   []relation.Row
}

// takeIn moves rows to the refuges of their tables.
func (f *familyStaging) takeIn(left []leftRows) {
	for _, rows := range left {
		rows.member.refuge.inserted = append(rows.member.refuge.inserted, rows.rows...)
	}
}

// orphan moves the embedded rows of an entity without any version to the refuge.
func (f *familyStaging) orphan(entity *entity) {
	for _, member := range f.members[1:] {
		f.takeIn([]leftRows{{member: member, rows: wantedChildren(entity, member.table)}})
	}
}

// wantedChildren gives the embedded rows of one table, in the order in which the record has them.
func wantedChildren(entity *entity, table *catalogTable) (rows []relation.Row) {
	for _, child := range childrenOf(entity, table) {
		if child.row != nil {
			rows = append(rows, child.row)
		}
	}
	return rows
}

// build makes the message of a version, and gives the embedded rows that it has no room for.
func (f *familyStaging) build(entity *entity, of *entityVersion) (keyspace.Message, []leftRows) {
	message := keyspace.NewMessage(f.of.current)
	record := &record{ids: idsOf([]byte(entity.ids)), message: message}
	if f.of.carry != nil {
		f.of.carry(message, of.previous)
	}
	var left []leftRows
	for _, member := range f.members {
		if !member.table.embedded() {
			member.table.codec.write(record, 0, member.wanted, of.row)
			continue
		}
		rows := wantedChildren(entity, member.table)
		if member.table.sorted {
			member.wanted.sort(rows)
		}
		for _, row := range rows {
			valueOf := func(column string) relation.Value { return member.wanted.value(row, column) }
			index, ok := member.table.codec.room(message, valueOf)
			if !ok {
				left = append(left, leftRows{member: member, rows: []relation.Row{row}})
				continue
			}
			member.table.codec.write(record, index, member.wanted, row)
		}
	}
	if snapshot, ok := message.(*keyspace.SnapshotValue); ok {
		f.facts.nameChanged(snapshot)
		if of.previous == nil {
			f.facts.complete(snapshot)
		}
	}
	return message, left
}

// put adds a version's record to the batch, unless it is stored already, and keeps the directories current.
func (f *familyStaging) put(entity *entity, of *entityVersion, message keyspace.Message) {
	value := keyspace.AppendMessage(nil, message)
	if bytes.Equal(value, of.stored) {
		return
	}
	f.batch.Put(entity.key(of.version), value)
	f.updateEntry(of, message)
	if _, kept := f.transaction.catalog.directory.kinds[f.of.current]; kept && of.stored == nil {
		ids := idsOf([]byte(entity.ids))
		f.located = append(f.located, locatedID{kind: f.of.current, id: ids[1], table: ids[0]})
	}
}

// remove takes a version's record out of the store.
func (f *familyStaging) remove(entity *entity, of *entityVersion) {
	if of.stored == nil {
		return
	}
	if f.of == snapshots {
		delete(f.facts.schemaChanged, idsOf([]byte(entity.ids))[0])
	}
	f.batch.Delete(entity.key(of.version))
	f.updateEntry(of, nil)
}

// updateEntry moves the directory entry of a live record; message is nil when the record goes.
func (f *familyStaging) updateEntry(of *entityVersion, message keyspace.Message) {
	if f.of.directory == 0 || of.version.ended || f.format < f.of.directory {
		return
	}
	var before, after []byte
	if of.message != nil {
		if key, ok := keyspace.DirectoryEntry(of.message); ok {
			before = key.Bytes()
		}
	}
	if message != nil {
		if key, ok := keyspace.DirectoryEntry(message); ok {
			after = key.Bytes()
		}
	}
	if bytes.Equal(before, after) {
		return
	}
	if before != nil {
		f.batch.Delete(before)
	}
	if after != nil {
		f.batch.Put(after, keyspace.AppendMessage(nil, &keyspace.EmptyValue{}))
	}
}

// finishRefuges stages what became of the refuges.
func (f *familyStaging) finishRefuges(ctx context.Context) error {
	for _, member := range f.members {
		if err := f.refuge(ctx, member); err != nil {
			return err
		}
	}
	return nil
}

func (s *staging) refuge(ctx context.Context, member *member) error {
	if member.emptied() && !s.transaction.catalog.noRefuge() {
		if err := s.deletePrefix(ctx, refugePrefix(member.table)); err != nil {
			return err
		}
	}
	if len(member.refuge.inserted) > 0 {
		s.transaction.catalog.refuges.Store(true)
	}
	if member.rows == nil {
		return nil
	}
	return member.refuge.stage(ctx, member.rows, s.latest, s.batch)
}
