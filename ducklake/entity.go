package ducklake

import (
	"bytes"
	"context"
	"fmt"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

// entity is one catalog entity: its versions and the rows embedded in them, as a commit changes them.
type entity struct {
	family   *family
	ids      string
	versions []entityVersion
	children [][]childRow // by place in family.children: those of the newest version
	newest   int          // place of the newest stored version; -1 when nothing is stored
	// regrouped tells that the embedded rows are not those stored any more.
	regrouped bool
}

// entityVersion is one version, or what is left of one that is to be removed.
type entityVersion struct {
	version version
	stored  []byte           // the value; nil when there is none
	message keyspace.Message // of the stored value
	row     relation.Row     // the parent's row as wanted; nil when the version is to be removed
	// previous is the message that a wanted row continues, for what no row shows; nil for a new entity.
	previous keyspace.Message
	changed  bool
}

// childRow is an embedded row as wanted; row is nil once removed.
type childRow struct {
	name    embeddedName // of a stored row
	row     relation.Row
	changed bool // by this commit
}

// layouts gives the layout of each table's stored rows.
type layouts func(*catalogTable) *layout

// entityLoader reads entities in ascending order of their ids.
type entityLoader struct {
	family  *family
	scope   []uint64
	layouts layouts
	current side
	history side
}

// newEntityLoader reads entities from first to last, inclusive.
func newEntityLoader(ctx context.Context, reader store.Reader, family *family, layouts layouts, first, last string) (*entityLoader, error) {
	loader := &entityLoader{family: family, scope: family.members()[0].scope, layouts: layouts}
	if err := loader.openSide(ctx, reader, &loader.current, family.current, first, last); err != nil {
		return nil, err
	}
	if !family.versioned() {
		return loader, nil
	}
	if err := loader.openSide(ctx, reader, &loader.history, family.history, first, last); err != nil {
		loader.close()
		return nil, err
	}
	return loader, nil
}

func (l *entityLoader) openSide(ctx context.Context, reader store.Reader, side *side, kind keyspace.Kind, first, last string) (err error) {
	side.prefix = keyspace.Prefix(kind, l.scope...)
	upper := store.PrefixEnd(append(bytes.Clone(side.prefix), last...))
	side.iterator, err = reader.Scan(ctx, append(bytes.Clone(side.prefix), first...), upper)
	side.fresh = true
	return err
}

func (l *entityLoader) close() {
	l.current.close()
	l.history.close()
}

// loadEntity reads one entity.
func loadEntity(ctx context.Context, reader store.Reader, family *family, layouts layouts, ids string) (*entity, error) {
	loader, err := newEntityLoader(ctx, reader, family, layouts, ids, ids)
	if err != nil {
		return nil, err
	}
	defer loader.close()
	return loader.load(ids)
}

// load reads the entity with the ids, which must be above those of the call before.
func (l *entityLoader) load(ids string) (*entity, error) {
	entity := &entity{family: l.family, ids: ids, newest: -1}
	bounds := idRange{lower: []byte(ids), upper: store.PrefixEnd([]byte(ids))}
	for _, side := range []*side{&l.history, &l.current} {
		if err := side.enter(bounds); err != nil {
			return nil, err
		}
		for side.valid {
			if err := l.add(entity, side); err != nil {
				return nil, err
			}
			if err := side.check(side.iterator.Next()); err != nil {
				return nil, err
			}
		}
	}
	return entity, l.addChildren(entity)
}

// add takes the version that a side stands at.
func (l *entityLoader) add(entity *entity, side *side) error {
	ended := side.ids()[len(entity.ids):]
	stored := entityVersion{stored: bytes.Clone(side.iterator.Value()), message: keyspace.NewMessage(l.family.current)}
	switch {
	case side == &l.history && len(ended) == idSize:
		stored.version = version{ended: true, end: idsOf(ended)[0]}
	case side == &l.history || len(ended) != 0:
		return recordError(side.iterator.Key(), fmt.Errorf("%w: length of the key", keyspace.ErrCorrupt))
	}
	if err := keyspace.DecodeRecordAliased(side.iterator.Key(), stored.stored, stored.message); err != nil {
		return recordError(side.iterator.Key(), err)
	}
	if parent := l.family.parent; parent != nil {
		rows, err := readRows(parent, l.record(entity, stored.message), l.layouts(parent))
		if err != nil {
			return recordError(side.iterator.Key(), err)
		}
		stored.row, stored.previous = rows[0], stored.message
	}
	// Ended versions come in the order of their ends and the live one last, so the last one added is the newest.
	entity.newest = len(entity.versions)
	entity.versions = append(entity.versions, stored)
	return nil
}

func (l *entityLoader) record(entity *entity, message keyspace.Message) *record {
	return &record{ids: idsOf([]byte(entity.ids)), message: message}
}

func (l *entityLoader) addChildren(entity *entity) error {
	if entity.newest < 0 || len(l.family.children) == 0 {
		return nil
	}
	newest := &entity.versions[entity.newest]
	entity.children = make([][]childRow, len(l.family.children))
	for place, child := range l.family.children {
		layout := l.layouts(child)
		rows, err := readRows(child, l.record(entity, newest.message), layout)
		if err != nil {
			return recordError(entity.key(newest.version), err)
		}
		names := map[string]int{}
		for _, row := range rows {
			name := embeddedName{ids: entity.ids, content: layout.contentOf(row)}
			name.ordinal = names[name.content]
			names[name.content]++
			entity.children[place] = append(entity.children[place], childRow{name: name, row: row})
		}
	}
	return nil
}

// readRows reads all rows of a table in a record, all columns.
func readRows(table *catalogTable, record *record, layout *layout) ([]relation.Row, error) {
	count := table.codec.count(record.message)
	if count == 0 {
		return nil, nil
	}
	var strings arena
	rows, reader := make([]relation.Row, count), table.codec.reader()
	for i := range rows {
		rows[i] = make(relation.Row, len(layout.columns))
		if err := reader.read(record, i, layout, layout.ordinals, &strings, rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// key gives the key of a version's record.
func (e *entity) key(version version) []byte {
	ids := append(append([]uint64(nil), e.family.members()[0].scope...), idsOf([]byte(e.ids))...)
	if version.ended {
		return keyspace.Prefix(e.family.history, append(ids, version.end)...)
	}
	return keyspace.Prefix(e.family.current, ids...)
}

// child gives the row of a name; nil when there is none.
func (e *entity) child(table *catalogTable, name embeddedName) *childRow {
	for i := range childrenOf(e, table) {
		if row := &e.children[table.place()][i]; row.name == name {
			return row
		}
	}
	return nil
}

// take gives the stored row of a name to be changed, or another of the same content: of such rows, another commit may have
// taken some away. It is nil when none is left.
func (e *entity) take(table *catalogTable, name embeddedName) *childRow {
	var taken *childRow
	for i := range childrenOf(e, table) {
		row := &e.children[table.place()][i]
		alike := row.name.ids == name.ids && row.name.content == name.content
		if !alike || row.changed || row.row == nil {
			continue
		}
		if taken = row; row.name.ordinal == name.ordinal {
			break
		}
	}
	if taken != nil {
		taken.changed = true
	}
	return taken
}

// appendChild adds an embedded row behind the others.
func (e *entity) appendChild(table *catalogTable, row relation.Row) {
	if e.children == nil {
		e.children = make([][]childRow, len(e.family.children))
	}
	place := table.place()
	e.children[place] = append(e.children[place], childRow{row: row})
	e.regrouped = true
}

// find gives the place of a version; false when the entity has none.
func (e *entity) find(version version) (int, bool) {
	for i := range e.versions {
		if e.versions[i].version == version {
			return i, true
		}
	}
	return 0, false
}

// removeParent takes a version away and gives the message that its row was in.
func (e *entity) removeParent(version version) keyspace.Message {
	at, found := e.find(version)
	if !found || e.versions[at].row == nil {
		return nil
	}
	e.versions[at].row, e.versions[at].changed = nil, true
	return e.versions[at].message
}

// placeParent puts a row where it belongs; false when another row is there. previous is the message that the row was in,
// nil for a new row.
func (e *entity) placeParent(version version, row relation.Row, previous keyspace.Message) bool {
	if previous == nil && e.newest >= 0 {
		previous = e.versions[e.newest].message
	}
	at, found := e.find(version)
	if !found {
		at = len(e.versions)
		e.versions = append(e.versions, entityVersion{version: version})
	}
	place := &e.versions[at]
	if place.row != nil {
		return false
	}
	place.row, place.previous, place.changed = row, previous, true
	return true
}

// newestWanted gives the place of the newest version that is wanted, or -1.
func (e *entity) newestWanted() int {
	newest := -1
	for i := range e.versions {
		if e.versions[i].row != nil && (newest < 0 || e.versions[i].version.newer(e.versions[newest].version)) {
			newest = i
		}
	}
	return newest
}
