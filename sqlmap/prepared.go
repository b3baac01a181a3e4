package sqlmap

import (
	"slices"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/pgcatalog"
)

// preparedStatement is a statement of PREPARE or of a Parse message. It is bound anew whenever it is run, for the tables may
// have changed; only what its client has been told has to stay.
type preparedStatement struct {
	name       string
	text       string
	empty      bool // the text holds no statement
	statement  parse.Statement
	parameters []relation.Type
	columns    []bind.SourceColumn // nil: no rows
	prepared   time.Time
	fromSQL    bool
	// bound is the statement as it was bound last, at that moment of the session.
	bound  *command
	moment uint64
}

func (s *Session) addStatement(made *preparedStatement) error {
	if made.name != "" {
		if err := s.freeName(made.name); err != nil {
			return err
		}
		if len(s.statements) >= MaximumPreparedStatements {
			return pgerror.New(pgerror.ConfigurationLimitExceeded, "too many prepared statements").
				WithDetail("The limit is %d.", MaximumPreparedStatements).WithHint("Use DEALLOCATE for those that are no longer needed.")
		}
	}
	made.prepared = time.Now()
	s.statements[made.name] = made
	return nil
}

// freeName gives 42P05 when a prepared statement has the name already.
func (s *Session) freeName(name string) error {
	if name != "" && s.statements[name] != nil {
		return pgerror.New(pgerror.DuplicatePreparedStatement, "prepared statement \"%s\" already exists", name)
	}
	return nil
}

func (s *Session) findStatement(name string) (*preparedStatement, error) {
	if found := s.statements[name]; found != nil {
		return found, nil
	}
	if name == "" {
		return nil, pgerror.New(pgerror.InvalidSQLStatementName, "unnamed prepared statement does not exist")
	}
	return nil, pgerror.New(pgerror.InvalidSQLStatementName, "prepared statement \"%s\" does not exist", name)
}

// oids gives the OIDs of types.
func oids(types []relation.Type) []uint32 {
	list := make([]uint32, len(types))
	for i := range types {
		list[i] = types[i].OID
	}
	return list
}

// ready binds a prepared statement for a run, unless that has just been done: 0A000 when its columns are no longer those that
// the client was told.
func (s *Session) ready(prepared *preparedStatement) (*command, error) {
	if prepared.bound != nil && prepared.moment == s.moment {
		return prepared.bound, nil
	}
	made, err := s.prepare(prepared.statement, oids(prepared.parameters))
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(made.columns, prepared.columns, func(a, b bind.SourceColumn) bool { return a.Type == b.Type }) {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "cached plan must not change result type")
	}
	prepared.bound, prepared.moment = made, s.moment
	return made, nil
}

// prepareStatement runs PREPARE.
func (s *Session) prepareStatement(statement parse.Statement, node *pg_query.PrepareStmt) error {
	if err := s.freeName(node.Name); err != nil {
		return err
	}
	types := make([]uint32, len(node.Argtypes))
	for i, argument := range node.Argtypes {
		resolved, err := resolveType(&statement, argument.GetTypeName())
		if err != nil {
			return err
		}
		types[i] = resolved.OID
	}
	inner := statement.Inner(node.Query)
	made, err := s.prepare(inner, types)
	if err != nil {
		return err
	}
	return s.addStatement(&preparedStatement{
		name: node.Name, text: statement.Text, statement: inner, parameters: made.parameters, columns: made.columns, fromSQL: true,
	})
}

// executeStatement makes EXECUTE ready.
func (s *Session) executeStatement(statement *parse.Statement, node *pg_query.ExecuteStmt) (*command, error) {
	prepared, err := s.findStatement(node.Name)
	if err != nil {
		return nil, err
	}
	if len(node.Params) != len(prepared.parameters) {
		return nil, pgerror.New(pgerror.SyntaxError, "wrong number of parameters for prepared statement \"%s\"", node.Name).
			WithDetail("Expected %d parameters but got %d.", len(prepared.parameters), len(node.Params))
	}
	return &command{columns: prepared.columns, run: func([]relation.Value) (*result, error) {
		arguments, err := s.evaluate(statement, node.Params, prepared.parameters)
		if err != nil {
			return nil, err
		}
		made, err := s.ready(prepared)
		if err != nil {
			return nil, err
		}
		return made.run(arguments)
	}}, nil
}

// evaluation makes the query SELECT CAST(expression AS type), ... ready. The expressions are part of the statement.
func (s *Session) evaluation(statement *parse.Statement, expressions []*pg_query.Node, types []relation.Type) (*command, error) {
	targets := make([]*pg_query.Node, len(expressions))
	for i, expression := range expressions {
		cast := &pg_query.TypeCast{Arg: expression, TypeName: typeName(types[i]), Location: -1}
		targets[i] = targetOf(&pg_query.Node{Node: &pg_query.Node_TypeCast{TypeCast: cast}})
	}
	return s.prepareQuery(statement.Inner(selectOf(targets)), nil)
}

// evaluate computes expressions of a statement without columns, cast to types.
func (s *Session) evaluate(statement *parse.Statement, expressions []*pg_query.Node, types []relation.Type) (relation.Row, error) {
	if len(expressions) == 0 {
		return nil, nil
	}
	made, err := s.evaluation(statement, expressions, types)
	if err != nil {
		return nil, err
	}
	result, err := made.run(nil)
	if err != nil {
		return nil, err
	}
	defer result.rows.Close()
	batch, err := result.rows.Next(s.context)
	if err != nil {
		return nil, err
	}
	return slices.Clone(batch.Row(0)), nil
}

// selectOf makes the tree of SELECT targets.
func selectOf(targets []*pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: &pg_query.SelectStmt{
		TargetList: targets, LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg_query.SetOperation_SETOP_NONE,
	}}}
}

// typeName makes the tree of a type's name and modifier.
func typeName(of relation.Type) *pg_query.TypeName {
	statements, err := parse.Parse("SELECT NULL::" + function.FormatType(of))
	if err != nil || len(statements) != 1 {
		return &pg_query.TypeName{Names: []*pg_query.Node{pg_query.MakeStrNode("text")}, Typemod: -1, Location: -1}
	}
	return statements[0].Tree.GetSelectStmt().TargetList[0].GetResTarget().GetVal().GetTypeCast().GetTypeName()
}

// deallocate runs DEALLOCATE.
func (s *Session) deallocate(node *pg_query.DeallocateStmt) (string, error) {
	if node.Name == "" {
		clear(s.statements)
		return "DEALLOCATE ALL", nil
	}
	if _, err := s.findStatement(node.Name); err != nil {
		return "", err
	}
	delete(s.statements, node.Name)
	return "DEALLOCATE", nil
}

// listStatements gives the rows of pg_prepared_statements.
func (s *Session) listStatements() []pgcatalog.PreparedStatement {
	var list []pgcatalog.PreparedStatement
	for _, prepared := range s.statements {
		if prepared.name != "" {
			list = append(list, pgcatalog.PreparedStatement{
				Name: prepared.name, Text: prepared.text, Prepared: prepared.prepared, Parameters: oids(prepared.parameters), FromSQL: prepared.fromSQL,
			})
		}
	}
	slices.SortFunc(list, func(a, b pgcatalog.PreparedStatement) int { return strings.Compare(a.Name, b.Name) })
	return list
}
