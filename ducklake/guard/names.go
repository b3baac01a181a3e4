package guard

import (
	"slices"

	"moraine/keyspace"
)

// checkNames checks that live objects whose names must differ have different names.
func (c *check) checkNames() error {
	wanted := map[string]*entity{}
	for i := range c.written {
		row := &c.written[i]
		name, named := nameKey(row.message)
		if !named || !row.live() {
			continue
		}
		if other := wanted[name]; other != nil {
			return nameRule(row.kind).refuse("the commit gives %s %d and %s %d one name",
				nouns[other.kind], other.id(), nouns[row.kind], row.id())
		}
		wanted[name] = row
		ids, err := c.names.of(c.ctx, c.latest, name)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := c.checkName(row, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkName checks that a stored object of that id, unless the commit ends it or gives it another name, is the row itself.
func (c *check) checkName(row *entity, name string, id uint64) error {
	if id == row.id() {
		return nil
	}
	for _, kind := range sharing(row.kind) {
		other, err := c.after(kind, id)
		if err != nil {
			return err
		}
		if other == nil {
			continue
		}
		if present, _ := nameKey(other.message); present == name {
			return nameRule(row.kind).refuse("%s %d has the name of %s %d", nouns[row.kind], row.id(), nouns[kind], id)
		}
	}
	return nil
}

// sharing gives the kinds whose names must differ from those of a kind.
func sharing(kind keyspace.Kind) []keyspace.Kind {
	if kind == keyspace.KindCurrentTable || kind == keyspace.KindCurrentView {
		return []keyspace.Kind{keyspace.KindCurrentTable, keyspace.KindCurrentView}
	}
	return []keyspace.Kind{kind}
}

func nameRule(kind keyspace.Kind) *Rule {
	switch kind {
	case keyspace.KindCurrentSchema:
		return duplicateSchemaName
	case keyspace.KindCurrentMacro:
		return duplicateMacroName
	}
	return duplicateRelationName
}

// checkColumns checks the names of the columns of each table that gets some.
func (c *check) checkColumns() error {
	var checked []uint64
	for i := range c.written {
		row := &c.written[i]
		if row.kind != keyspace.KindCurrentColumn || !row.live() || slices.Contains(checked, row.ids[0]) {
			continue
		}
		checked = append(checked, row.ids[0])
		if err := c.checkColumnsOf(row.ids[0]); err != nil {
			return err
		}
	}
	return nil
}

type columnName struct {
	parent keyspace.Optional[uint64]
	name   string
}

func (c *check) checkColumnsOf(table uint64) error {
	taken := map[columnName]uint64{}
	take := func(column *keyspace.ColumnValue) error {
		name := columnName{parent: column.ParentColumn, name: folded(column.ColumnName)}
		if other, found := taken[name]; found {
			return duplicateColumnName.refuse("columns %d and %d of table %d have one name", other, column.ColumnID, table)
		}
		taken[name] = column.ColumnID
		return nil
	}
	if table < c.head.NextCatalogID {
		err := c.scan(keyspace.KindCurrentColumn, func(key keyspace.Key, value []byte) error {
			if stored := key.Bytes(); c.gone[string(stored)] || c.live[string(stored)] != nil {
				return nil
			}
			var column keyspace.ColumnValue
			if err := decode(key.Bytes(), value, &column); err != nil {
				return err
			}
			return take(&column)
		}, table)
		if err != nil {
			return err
		}
	}
	for i := range c.written {
		row := &c.written[i]
		if row.kind == keyspace.KindCurrentColumn && row.live() && row.ids[0] == table {
			if err := take(row.message.(*keyspace.ColumnValue)); err != nil {
				return err
			}
		}
	}
	return nil
}
