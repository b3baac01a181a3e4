package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// literalInsert binds an INSERT whose rows the literal reader read.
func (b *binder) literalInsert(insert *parse.LiteralInsert) (*Statement, error) {
	found, err := b.relation(&pg_query.RangeVar{Schemaname: insert.Schema, Relname: insert.Table, Location: int32(insert.TableLocation)})
	if err != nil {
		return nil, err
	}
	target, err := b.asWritable(found)
	if err != nil {
		return nil, err
	}
	b.use(target, Inserts)
	definition := target.Definition()
	change := &Change{Relation: target}
	if change.Columns, err = b.literalColumns(definition, insert); err != nil {
		return nil, err
	}
	literals := &Literals{Insert: insert, Statement: *b.statement, Converters: make([]LiteralConverter, insert.Width)}
	for i, ordinal := range change.Columns {
		literals.Converters[i].column = &definition.Columns[ordinal]
	}
	for i := range insert.Values {
		literal := &insert.Values[i]
		if err := literals.Converters[i%insert.Width].prepare(literal); err != nil {
			return nil, b.at(err, int(literal.Location))
		}
	}
	change.Literals = literals
	return &Statement{Kind: Insert, Change: change}, b.fillDefaults(change)
}

func (b *binder) literalColumns(definition *relation.Definition, insert *parse.LiteralInsert) ([]int, error) {
	columns := make([]int, 0, len(definition.Columns))
	for i := range insert.Columns {
		name := &insert.Columns[i]
		ordinal, err := b.targetColumn(definition, name.Name, name.Location)
		if err != nil {
			return nil, err
		}
		if containsPlace(columns, ordinal) {
			return nil, b.errorAt(name.Location, pgerror.DuplicateColumn, "column \"%s\" specified more than once", name.Name)
		}
		columns = append(columns, ordinal)
	}
	if insert.Columns == nil {
		for i := range definition.Columns {
			columns = append(columns, i)
		}
	}
	switch {
	case insert.Width > len(columns):
		return nil, b.errorAt(int(insert.Values[len(columns)].Location), pgerror.SyntaxError, "INSERT has more expressions than target columns")
	case insert.Width < len(columns) && insert.Columns != nil:
		return nil, b.errorAt(insert.Columns[insert.Width].Location, pgerror.SyntaxError, "INSERT has more target columns than expressions")
	}
	return columns[:insert.Width], nil
}

// LiteralConverter turns literals into values of one column. It is not for concurrent use.
type LiteralConverter struct {
	column *relation.Column
	ready  [parse.NumberOfLiteralKinds]bool
	// casts are from the type of a literal of the kind to the column's; nil where the value stays as it is.
	casts    [parse.NumberOfLiteralKinds]function.Evaluate
	wide     function.Evaluate // the cast of an integer that does not fit in int4
	explicit map[uint32]function.Evaluate
	argument [1]relation.Value
}

// literalTypes are the types of literals by kind, as PostgreSQL sees them; an integer may also be an int8.
var literalTypes = [parse.NumberOfLiteralKinds]relation.Type{
	parse.LiteralNull:    relation.UnknownType,
	parse.LiteralInteger: relation.Int4Type,
	parse.LiteralNumeric: relation.NumericType,
	parse.LiteralString:  relation.UnknownType,
	parse.LiteralBoolean: relation.BoolType,
	parse.LiteralNow:     relation.TimestampTZType,
}

// prepare finds the casts that a literal needs; 42804 when there is none.
func (c *LiteralConverter) prepare(literal *parse.Literal) error {
	if literal.Kind == parse.LiteralCast {
		return c.prepareCast(literal.Type)
	}
	if c.ready[literal.Kind] {
		return nil
	}
	c.ready[literal.Kind] = true
	evaluate, err := c.cast(literalTypes[literal.Kind])
	if err != nil {
		return err
	}
	c.casts[literal.Kind] = evaluate
	if literal.Kind == parse.LiteralInteger {
		c.wide, err = c.cast(relation.Int8Type)
	}
	return err
}

func (c *LiteralConverter) prepareCast(from uint32) error {
	if _, ok := c.explicit[from]; ok {
		return nil
	}
	evaluate, err := c.cast(relation.Type{OID: from, Modifier: -1})
	if err != nil {
		return err
	}
	if c.explicit == nil {
		c.explicit = map[uint32]function.Evaluate{}
	}
	c.explicit[from] = evaluate
	return nil
}

func (c *LiteralConverter) cast(from relation.Type) (function.Evaluate, error) {
	if from == c.column.Type {
		return nil, nil
	}
	evaluate, ok := function.ResolveCast(from, c.column.Type, function.CastAssignment)
	if !ok {
		return nil, pgerror.New(pgerror.DatatypeMismatch, "column \"%s\" is of type %s but expression is of type %s",
			c.column.Name, typeName(c.column.Type), typeName(from)).WithHint("You will need to rewrite or cast the expression.")
	}
	return evaluate, nil
}

// convert gives the value of a literal for the column.
func (c *LiteralConverter) convert(context *function.Context, literal *parse.Literal) (relation.Value, error) {
	var value relation.Value
	evaluate := c.casts[literal.Kind]
	switch literal.Kind {
	case parse.LiteralNull:
		return relation.NULL, nil
	case parse.LiteralInteger:
		value = relation.Int(literal.Integer)
		if literal.Integer != int64(int32(literal.Integer)) {
			evaluate = c.wide
		}
	case parse.LiteralBoolean:
		value = relation.Bool(literal.Integer != 0)
	case parse.LiteralString:
		value = relation.Text(literal.Text)
	case parse.LiteralNow:
		value = function.TimestampOf(context.TransactionTime)
	case parse.LiteralNumeric, parse.LiteralCast:
		of := relation.NumericType
		if literal.Kind == parse.LiteralCast {
			of, evaluate = relation.Type{OID: literal.Type, Modifier: -1}, c.explicit[literal.Type]
		}
		var err error
		if value, err = function.Input(of, literal.Text, &context.Format); err != nil {
			return value, err
		}
	}
	if evaluate == nil {
		return value, nil
	}
	c.argument[0] = value
	return evaluate(context, c.argument[:])
}

// Convert gives the value in row row (from 0) for the column at a place of the statement's column list.
func (l *Literals) Convert(context *function.Context, place, row int) (relation.Value, error) {
	literal := &l.Insert.Values[row*l.Insert.Width+place]
	value, err := l.Converters[place].convert(context, literal)
	if err != nil {
		return value, at(err, &l.Statement, int(literal.Location))
	}
	return value, nil
}
