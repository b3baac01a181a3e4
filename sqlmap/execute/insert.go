package execute

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/plan"
)

// insertion is what INSERT has to do its work.
type insertion struct {
	*changeOperator
	node     *plan.Insert
	input    operator
	defaults map[int]evaluator
	conflict *conflictAction
}

// conflictAction is ON CONFLICT with its expressions compiled.
type conflictAction struct {
	*plan.Conflict
	assignments []evaluator
	where       evaluator
}

func (c *compiler) insert(node *plan.Insert) (operator, error) {
	returning, err := c.returning(node.Returning)
	if err != nil {
		return nil, err
	}
	i := &insertion{changeOperator: c.change(returning), node: node, defaults: map[int]evaluator{}}
	if node.Input != nil {
		if i.input, err = c.operator(node.Input); err != nil {
			return nil, err
		}
	}
	for ordinal, value := range node.Defaults {
		if i.defaults[ordinal], err = c.compile(value); err != nil {
			return nil, err
		}
	}
	if node.Conflict != nil {
		i.conflict = &conflictAction{Conflict: node.Conflict}
		if i.conflict.assignments, err = c.compileAll(node.Conflict.Assignments); err != nil {
			return nil, err
		}
		if i.conflict.where, err = c.compile(node.Conflict.Where); err != nil {
			return nil, err
		}
	}
	i.apply = i.insert
	return i.changeOperator, nil
}

func (i *insertion) insert() error {
	rows, err := i.rows()
	if err != nil {
		return err
	}
	definition := i.node.Relation.Definition()
	for _, row := range rows {
		if err := checkNotNull(i.run, definition, row); err != nil {
			return err
		}
	}
	if i.conflict != nil {
		return i.insertOrResolve(rows)
	}
	if i.returning != nil {
		for _, row := range rows {
			if err := i.returned(row, []relation.Value{relation.NULL}); err != nil {
				return err
			}
		}
	}
	i.run.affected = int64(len(rows))
	if len(rows) == 0 {
		return nil
	}
	return i.node.Relation.Insert(i.run.ctx, rows)
}

// rows makes the rows to insert.
func (i *insertion) rows() ([]relation.Row, error) {
	switch {
	case i.node.Literals != nil:
		return i.literalRows()
	case i.input == nil:
		row := make(relation.Row, len(i.node.Relation.Definition().Columns))
		return []relation.Row{row}, i.fillDefaults(row)
	}
	var rows []relation.Row
	if err := i.input.open(); err != nil {
		return nil, err
	}
	defer i.input.close()
	width := len(i.node.Relation.Definition().Columns)
	for {
		batch, err := i.input.next()
		if err != nil || batch == nil {
			return rows, err
		}
		if err := i.run.cancelled(); err != nil {
			return nil, err
		}
		values := make([]relation.Value, width*batch.Length)
		for n := range batch.Length {
			row := relation.Row(values[n*width : (n+1)*width : (n+1)*width])
			for place, ordinal := range i.node.Columns {
				row[ordinal] = batch.Values[n*batch.Width+place]
			}
			if err := i.fillDefaults(row); err != nil {
				return nil, err
			}
			if err := i.run.keep(rowBytes(row)); err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
}

func (i *insertion) fillDefaults(row relation.Row) error {
	for ordinal, compute := range i.defaults {
		value, err := compute(nil)
		if err != nil {
			return err
		}
		row[ordinal] = value
	}
	return nil
}

// literalRows converts the rows that the literal reader read.
func (i *insertion) literalRows() ([]relation.Row, error) {
	literals := i.node.Literals
	insert := literals.Insert
	width, count := len(i.node.Relation.Definition().Columns), len(insert.Values)/insert.Width
	values := make([]relation.Value, width*count)
	rows := make([]relation.Row, count)
	for n := range count {
		row := relation.Row(values[n*width : (n+1)*width : (n+1)*width])
		for place, ordinal := range i.node.Columns {
			value, err := literals.Convert(i.run.functions, place, n)
			if err != nil {
				return nil, err
			}
			row[ordinal] = value
		}
		if len(i.defaults) > 0 {
			if err := i.fillDefaults(row); err != nil {
				return nil, err
			}
		}
		rows[n] = row
	}
	return rows, nil
}

// insertOrResolve inserts the rows whose keys are free and does what ON CONFLICT says with the others.
func (i *insertion) insertOrResolve(rows []relation.Row) error {
	definition := i.node.Relation.Definition()
	writers := make([]keyWriter, len(i.conflict.Constraints))
	for n, constraint := range i.conflict.Constraints {
		types := make([]relation.Type, len(constraint.Columns))
		for j, ordinal := range constraint.Columns {
			types[j] = plan.HashType(definition.Columns[ordinal].Type)
		}
		writers[n] = newKeyWriter(types)
	}
	proposed := make([]map[string]struct{}, len(writers))
	for n := range proposed {
		proposed[n] = map[string]struct{}{}
	}
	var free []relation.Row
	var updates []changedRow
	updated := map[relation.RowIdentity]struct{}{}
	for _, row := range rows {
		existing, twice, err := i.findConflict(row, writers, proposed)
		if err != nil {
			return err
		}
		switch {
		case existing == nil && !twice:
			free = append(free, row)
			if err := i.returned(row, []relation.Value{relation.NULL}); err != nil {
				return err
			}
		case i.conflict.Action == bind.DoNothing:
		default:
			if existing != nil {
				_, twice = updated[existing.identity]
			}
			if twice {
				return pgerror.New(pgerror.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
					WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
			}
			updated[existing.identity] = struct{}{}
			changed, err := i.resolve(existing.row, row)
			if err != nil {
				return err
			}
			if changed != nil {
				updates = append(updates, changedRow{existing.identity, changed})
				if err := i.returned(changed, []relation.Value{existing.identity.TID()}); err != nil {
					return err
				}
			}
		}
	}
	i.run.affected = int64(len(free) + len(updates))
	for _, update := range updates {
		if err := i.node.Relation.Update(i.run.ctx, update.identity, update.row); err != nil {
			return err
		}
	}
	if len(free) == 0 {
		return nil
	}
	return i.node.Relation.Insert(i.run.ctx, free)
}

// findConflict looks for a row with a key of the proposed one: in the table, or among the rows proposed before.
func (i *insertion) findConflict(row relation.Row, writers []keyWriter, proposed []map[string]struct{}) (existing *changedRow, twice bool, err error) {
	keys := make([]string, len(writers))
	for n := range i.conflict.Constraints {
		values := make([]relation.Value, len(i.conflict.Constraints[n].Columns))
		null := false
		for j, ordinal := range i.conflict.Constraints[n].Columns {
			values[j] = row[ordinal]
			null = null || values[j].IsNull()
		}
		if null {
			continue
		}
		keys[n] = string(writers[n].write(values))
		if _, known := proposed[n][keys[n]]; known {
			return nil, true, nil
		}
		existing, err := i.findRow(i.conflict.Constraints[n].Columns, values, keys[n], &writers[n])
		if err != nil || existing != nil {
			return existing, false, err
		}
	}
	for n, key := range keys {
		if key != "" {
			proposed[n][key] = struct{}{}
		}
	}
	return nil, false, nil
}

// findRow reads the row of the table with a key.
func (i *insertion) findRow(columns []int, values []relation.Value, key string, writer *keyWriter) (*changedRow, error) {
	definition := i.node.Relation.Definition()
	request := relation.ScanRequest{WithIdentities: true, Columns: make([]int, len(definition.Columns))}
	for ordinal := range definition.Columns {
		request.Columns[ordinal] = ordinal
	}
	for j, ordinal := range columns {
		if relation.Pushable(definition.Columns[ordinal].Type.OID) {
			request.Predicates = append(request.Predicates,
				relation.Predicate{Column: ordinal, Comparison: relation.Equal, Values: values[j : j+1]})
		}
	}
	cursor, err := i.node.Relation.Scan(i.run.ctx, request)
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	candidate := make([]relation.Value, len(columns))
	for {
		batch, err := cursor.Next(i.run.ctx)
		if err != nil || batch == nil {
			return nil, err
		}
		for n := range batch.Length {
			row := batch.Row(n)
			for j, ordinal := range columns {
				candidate[j] = row[ordinal]
			}
			if string(writer.write(candidate)) == key {
				return &changedRow{batch.Identities[n], append(relation.Row(nil), row...)}, nil
			}
		}
	}
}

// resolve gives what DO UPDATE makes of a present row and a proposed one; nil when its WHERE does not hold.
func (i *insertion) resolve(existing, row relation.Row) (relation.Row, error) {
	both := append(append([]relation.Value(nil), existing...), row...)
	if i.conflict.where != nil {
		pass, err := i.conflict.where(both)
		if err != nil || !pass.Bool() {
			return nil, err
		}
	}
	changed := append(relation.Row(nil), existing...)
	for n, ordinal := range i.conflict.Assigned {
		value, err := i.conflict.assignments[n](both)
		if err != nil {
			return nil, err
		}
		changed[ordinal] = value
	}
	return changed, checkNotNull(i.run, i.node.Relation.Definition(), changed)
}
