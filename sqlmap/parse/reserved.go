package parse

// reservedWords are the key words that cannot name a table or column without quotes: PostgreSQL's categories "reserved" and
// "reserved (can be function or type)", appendix "SQL Key Words".
var reservedWords = wordSet(
	"all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "binary", "both", "case",
	"cast", "check", "collate", "collation", "column", "concurrently", "constraint", "create", "cross", "current_catalog",
	"current_date", "current_role", "current_schema", "current_time", "current_timestamp", "current_user", "default",
	"deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch", "for", "foreign", "freeze", "from",
	"full", "grant", "group", "having", "ilike", "in", "initially", "inner", "intersect", "into", "is", "isnull", "join",
	"lateral", "leading", "left", "like", "limit", "localtime", "localtimestamp", "natural", "not", "notnull", "null",
	"offset", "on", "only", "or", "order", "outer", "overlaps", "placing", "primary", "references", "returning", "right",
	"select", "session_user", "similar", "some", "symmetric", "system_user", "table", "tablesample", "then", "to", "trailing",
	"true", "union", "unique", "user", "using", "variadic", "verbose", "when", "where", "window", "with",
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}
