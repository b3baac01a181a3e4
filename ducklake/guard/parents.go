package guard

import "moraine/keyspace"

// checkParents checks that what the commit makes belongs to something live, and that schemas that end are empty.
func (c *check) checkParents() error {
	for i := range c.written {
		row := &c.written[i]
		if !row.live() {
			continue
		}
		if table, ok := row.table(); ok {
			if err := c.checkTable(nouns[row.kind], int64(row.id()), table); err != nil {
				return err
			}
			continue
		}
		if err := c.checkSchema(row); err != nil {
			return err
		}
	}
	for _, rows := range c.commit.Inlined {
		if rows.Inserted > 0 {
			if err := c.checkTable("inlined row", rows.GreatestRowID, rows.Table); err != nil {
				return err
			}
		}
	}
	for _, deletions := range c.commit.Deletions {
		if len(deletions.Inserted) > 0 {
			if err := c.checkTable("inlined deletion of row", int64(deletions.Inserted[0].Row), deletions.Table); err != nil {
				return err
			}
		}
	}
	return c.checkEndedSchemas()
}

// checkTable checks that a table is live.
func (c *check) checkTable(noun string, id int64, table uint64) error {
	found, err := c.after(keyspace.KindCurrentTable, table)
	if err != nil || found != nil {
		return err
	}
	return liveWithoutTable.refuse("%s %d is of table %d, which is not live", noun, id, table)
}

// checkSchema checks that the schema of a table, view or macro is live.
func (c *check) checkSchema(row *entity) error {
	space, schema, _, ok := nameOf(row.message)
	if !ok || space == schemaNames {
		return nil
	}
	found, err := c.after(keyspace.KindCurrentSchema, schema)
	if err != nil || found != nil {
		return err
	}
	return liveWithoutSchema.refuse("%s %d is in schema %d, which is not live", nouns[row.kind], row.id(), int64(schema))
}

// checkEndedSchemas checks that no table or view is left in a schema that the commit ends.
func (c *check) checkEndedSchemas() error {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.Kind != keyspace.KindCurrentSchema || !change.Stored || change.Ended {
			continue
		}
		schema := change.IDs[0]
		if c.live[keyOf(change.Kind, change.IDs)] != nil {
			continue
		}
		left, err := c.names.count(c.ctx, c.latest, schema)
		if err != nil {
			return err
		}
		taken, err := c.takenFrom(schema)
		if err != nil {
			return err
		}
		if left > taken {
			return liveWithoutSchema.refuse("schema %d ends, and tables or views in it do not (%d)", schema, left-taken)
		}
	}
	return nil
}

// takenFrom counts the tables and views that the commit takes out of a schema.
func (c *check) takenFrom(schema uint64) (count int, err error) {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.Kind != keyspace.KindCurrentTable && change.Kind != keyspace.KindCurrentView || !change.Stored || change.Ended {
			continue
		}
		before, err := c.get(change.Kind, change.IDs...)
		if err != nil {
			return 0, err
		}
		if before == nil {
			continue
		}
		if _, of, _, _ := nameOf(before.message); of == schema {
			count++
		}
	}
	return count, nil
}

// checkSingles checks that no table gets a second partitioning or sort order.
func (c *check) checkSingles() error {
	for i := range c.written {
		row := &c.written[i]
		if row.kind != keyspace.KindCurrentPartition && row.kind != keyspace.KindCurrentSort || !row.live() {
			continue
		}
		if err := c.checkSingle(row); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) checkSingle(row *entity) error {
	refused := func(other uint64) error {
		return severalPartitionings.refuse("table %d has two live versions of its %s, %d and %d", row.ids[0], nouns[row.kind], other, row.id())
	}
	for i := range c.written {
		if other := &c.written[i]; other.kind == row.kind && other.live() && other.ids[0] == row.ids[0] && other.id() != row.id() {
			return refused(other.id())
		}
	}
	return c.scan(row.kind, func(key keyspace.Key, value []byte) error {
		if stored := key.Bytes(); c.gone[string(stored)] || c.live[string(stored)] != nil {
			return nil
		}
		message := keyspace.NewMessage(row.kind)
		if err := decode(key.Bytes(), value, message); err != nil {
			return err
		}
		other, _ := entityOf(row.kind, message)
		return refused(other.id())
	}, row.ids[0])
}
