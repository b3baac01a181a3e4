package sqlmap

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/sqlmap/parse"
)

// explain makes EXPLAIN ready.
func (s *Session) explain(parse.Statement, *pg_query.ExplainStmt) (*command, error) {
	return nil, pgerror.Unsupported("EXPLAIN")
}
