package bind

import (
	"context"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
)

// Limits of one statement, as in PostgreSQL.
const (
	maximumColumns    = 1664 // MaxTupleAttributeNumber of a result
	maximumParameters = 65535
	maximumDepth      = 1000 // nested expressions and queries
)

// Bind resolves a statement: SELECT, VALUES, INSERT, UPDATE or DELETE. parameterTypes are the types that the client gives
// to $1, $2, ..., 0 for one that it leaves open; more parameters than that get their types from where they stand.
func Bind(ctx context.Context, environment Environment, statement parse.Statement, parameterTypes []uint32) (*Statement, error) {
	b := &binder{ctx: ctx, environment: environment, statement: &statement}
	if restricted, ok := environment.(Restricted); ok {
		b.restricted = restricted.Restricted()
	}
	for _, oid := range parameterTypes {
		b.parameters = append(b.parameters, relation.Type{OID: oid, Modifier: -1})
	}
	bound, err := b.bindStatement()
	if err != nil {
		return nil, err
	}
	for i := range b.parameters {
		switch b.parameters[i].OID {
		case 0, relation.UnknownOID:
			return nil, pgerror.New(pgerror.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	bound.Parameters, bound.Writes, bound.Uses = b.parameters, b.writes, b.uses
	for i := range bound.Columns {
		// The modifier of an anonymous record names its columns within the server only.
		if bound.Columns[i].Type.OID == relation.RecordOID {
			bound.Columns = append([]SourceColumn(nil), bound.Columns...)
			bound.Columns[i].Type.Modifier = -1
		}
	}
	return bound, nil
}

// binder is the binding of one statement.
type binder struct {
	ctx         context.Context
	environment Environment
	statement   *parse.Statement
	parameters  []relation.Type // OID 0 while nothing is known
	writes      []relation.Writable
	restricted  bool // uses are noted
	uses        []Use
	depth       int
	recursion   *recursion // of the WITH RECURSIVE query that is being bound
	// groupingCalls holds, until GROUP BY is known, the arguments of GROUPING.
	groupingCalls map[*Query]map[*GroupingCall][]Expression
}

func (b *binder) bindStatement() (*Statement, error) {
	if b.statement.Literals != nil {
		return b.literalInsert(b.statement.Literals)
	}
	return b.change(b.statement.Tree, nil)
}

// change binds any statement that has rows: at the top, or in WITH, where parent is the scope around it.
func (b *binder) change(tree *pg_query.Node, parent *scope) (*Statement, error) {
	switch node := tree.GetNode().(type) {
	case *pg_query.Node_SelectStmt:
		query, err := b.query(node.SelectStmt, parent, resolveUnknowns)
		if err != nil {
			return nil, err
		}
		return &Statement{Kind: Select, Query: query, Columns: query.Columns}, nil
	case *pg_query.Node_InsertStmt:
		return b.insert(node.InsertStmt, parent)
	case *pg_query.Node_UpdateStmt:
		return b.update(node.UpdateStmt, parent)
	case *pg_query.Node_DeleteStmt:
		return b.delete(node.DeleteStmt, parent)
	case *pg_query.Node_MergeStmt:
		return nil, pgerror.Unsupported("MERGE")
	}
	return nil, pgerror.New(pgerror.InternalError, "statement %T has no rows to bind", tree.GetNode())
}

// enter counts the nesting of expressions and queries; leave undoes it.
func (b *binder) enter() error {
	b.depth++
	if b.depth > maximumDepth {
		return pgerror.New(pgerror.StatementTooComplex, "stack depth limit exceeded").
			WithHint("The statement nests expressions or queries more than %d deep.", maximumDepth)
	}
	return nil
}

func (b *binder) leave() { b.depth-- }

// parameter gives $number, of the type that is known so far.
func (b *binder) parameter(number, location int) (Expression, error) {
	if number <= 0 || number > maximumParameters {
		return nil, b.errorAt(location, pgerror.UndefinedParameter, "there is no parameter $%d", number)
	}
	for len(b.parameters) < number {
		b.parameters = append(b.parameters, relation.Type{Modifier: -1})
	}
	of := b.parameters[number-1]
	if of.OID == 0 {
		of = relation.UnknownType
	}
	return &Parameter{Number: number, Of: of}, nil
}

// fixParameter gives a parameter of unknown type the type that its place asks for.
func (b *binder) fixParameter(parameter *Parameter, of relation.Type, location int) (Expression, error) {
	known := &b.parameters[parameter.Number-1]
	switch {
	case known.OID == 0 || known.OID == relation.UnknownOID:
		*known = relation.Type{OID: of.OID, Modifier: -1}
	case known.OID != of.OID:
		return nil, b.errorAt(location, pgerror.AmbiguousParameter, "inconsistent types deduced for parameter $%d", parameter.Number).
			WithDetail("%s versus %s", typeName(*known), typeName(relation.Type{OID: of.OID, Modifier: -1}))
	}
	return &Parameter{Number: parameter.Number, Of: *known}, nil
}
