package parse

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/sqlmap/recent"
)

// Limits of the cache of trees. A tree takes some thirty times its text.
const (
	maximumCachedTextBytes = 8 << 10
	maximumGenerationTexts = 1024
	maximumGenerationBytes = 512 << 10
)

// trees keeps trees by statement text. It is shared by all sessions of the process.
var trees = recent.New[string, *pg_query.Node](maximumGenerationTexts, maximumGenerationBytes)

// Kept tells whether a statement's tree is kept for later messages with the same text, which then get the very same tree.
func (s *Statement) Kept() bool { return s.Tree != nil && len(s.Text) <= maximumCachedTextBytes }
