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

// explain makes EXPLAIN ready. Of its options ANALYZE and FORMAT count, and those that choose what else is shown are accepted:
// there are no costs.
func (s *Session) explain(statement parse.Statement, parameterTypes []uint32, node *pg_query.ExplainStmt) (*command, error) {
	analyze, asJSON := false, false
	for _, option := range node.Options {
		element := option.GetDefElem()
		switch element.Defname {
		case "analyze":
			analyze = element.Arg == nil || isOn(optionText(element.Arg))
		case "format":
			switch value := strings.ToLower(optionText(element.Arg)); value {
			case "text", "json":
				asJSON = value == "json"
			case "xml", "yaml":
				return nil, pgerror.Unsupported("EXPLAIN (FORMAT " + strings.ToUpper(value) + ")")
			default:
				return nil, pgerror.New(pgerror.InvalidParameterValue, "unrecognized value for EXPLAIN option \"format\": \"%s\"", value)
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
		return q.explained(arguments, analyze, asJSON)
	}, func(int) string { return "EXPLAIN" })
	if asJSON {
		made.columns[0].Type = relation.Type{OID: relation.JSONOID, Modifier: -1}
	}
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

// explained gives the lines of the plan, or its one JSON value; with analyze the query is run, and its rows are counted.
func (q *query) explained(arguments []relation.Value, analyze, asJSON bool) ([]relation.Row, error) {
	s := q.session
	if err := s.requireUses(q.bound.Uses); err != nil {
		return nil, err
	}
	planned, err := plan.Build(s.context, q.bound)
	if err != nil {
		return nil, err
	}
	count, milliseconds := 0, 0.0
	if analyze {
		started := time.Now()
		if count, err = q.drain(arguments); err != nil {
			return nil, err
		}
		milliseconds = time.Since(started).Seconds() * millisecondsPerSecond
	}
	if asJSON {
		further := map[string]any{}
		if analyze {
			further["Actual Rows"], further["Execution Time"] = count, milliseconds
		}
		text, err := planned.Explain().JSON(further)
		return []relation.Row{{relation.Text(text)}}, err
	}
	lines := planned.Explain().Lines()
	if analyze {
		lines = append(lines, fmt.Sprintf("Rows: %d", count), fmt.Sprintf("Execution Time: %.3f ms", milliseconds))
	}
	rows := make([]relation.Row, len(lines))
	for i, line := range lines {
		rows[i] = relation.Row{relation.Text(line)}
	}
	return rows, nil
}

const millisecondsPerSecond = 1000

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
