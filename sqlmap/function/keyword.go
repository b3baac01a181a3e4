package function

import (
	_ "embed" // the recorded keywords
)

//go:embed catalog/keywords.tsv
var keywordRows string

// keyword is a row of pg_get_keywords().
type keyword struct {
	word, category, bareLabel, description, bareDescription string
}

// keywords are PostgreSQL's keywords by name, and in order.
var keywords struct {
	list   []keyword
	byWord map[string]keyword
}

func loadKeywords() {
	keywords.byWord = map[string]keyword{}
	eachRow(keywordRows, func(r *fieldReader) {
		k := keyword{r.text(), r.text(), r.text(), r.text(), r.text()}
		keywords.list = append(keywords.list, k)
		keywords.byWord[k.word] = k
	})
}

// isQuotedKeyword tells whether a word has to be quoted when it names something: any keyword that is not unreserved.
func isQuotedKeyword(word string) bool {
	k, ok := keywords.byWord[word]
	return ok && k.category != "U"
}
