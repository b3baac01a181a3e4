package sqlmap

import (
	"fmt"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/plan"
)

// explain makes EXPLAIN ready. Of its options ANALYZE counts, and those that choose what else is shown are accepted: the
// text has no costs.
func (s *Session) explain(statement parse.Statement, parameterTypes []uint32, node *pg_query.ExplainStmt) (*command, error) {
	analyze := false
	for _, option := range node.Options {
		element := option.GetDefElem()
		switch element.Defname {
		case "analyze":
			analyze = element.Arg == nil || isOn(optionText(element.Arg))
		case "format":
			if value := optionText(element.Arg); value != "text" {
				return nil, pgerror.Unsupported("EXPLAIN (FORMAT " + strings.ToUpper(value) + ")")
			}
		case "verbose", "costs", "buffers", "timing", "summary", "settings", "wal":
		default:
			return nil, pgerror.New(pgerror.SyntaxError, "unrecognized EXPLAIN option \"%s\"", element.Defname)
		}
	}
	inner := statement.Inner(node.Query)
	switch node.Query.GetNode().(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt:
	default:
		return nil, pgerror.Unsupported("EXPLAIN of what is not a query")
	}
	q := &query{session: s, statement: inner, parameterTypes: parameterTypes}
	if err := q.bind(); err != nil {
		return nil, err
	}
	made := textCommand([]string{"QUERY PLAN"}, func(arguments []relation.Value) ([]relation.Row, error) {
		return q.explained(arguments, analyze)
	}, func(int) string { return "EXPLAIN" })
	made.parameters = q.bound.Parameters
	return made, nil
}

func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "false", "off", "0":
		return false
	}
	return true
}

// explained gives the lines of the plan; with analyze the query is run, and its rows are counted.
func (q *query) explained(arguments []relation.Value, analyze bool) ([]relation.Row, error) {
	s := q.session
	if err := s.requireUses(q.bound.Uses); err != nil {
		return nil, err
	}
	planned, err := plan.Build(s.context, q.bound)
	if err != nil {
		return nil, err
	}
	lines := planned.Explain()
	if analyze {
		started := time.Now()
		count, err := q.drain(arguments)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("Rows: %d", count), fmt.Sprintf("Execution Time: %.3f ms", time.Since(started).Seconds()*1000))
	}
	rows := make([]relation.Row, len(lines))
	for i, line := range lines {
		rows[i] = relation.Row{relation.Text(line)}
	}
	return rows, nil
}

// drain runs the query and counts its rows.
func (q *query) drain(arguments []relation.Value) (int, error) {
	result, err := q.run(arguments)
	if err != nil {
		return 0, err
	}
	defer result.rows.Close()
	count := 0
	for {
		batch, err := result.rows.Next(q.session.context)
		if err != nil || batch == nil {
			return count, err
		}
		count += batch.Length
	}
}
