package function

import "strings"

// QuoteIdentifier writes a name as SQL can read it: in double quotes unless it is a lower-case word that is no keyword.
func QuoteIdentifier(name string) string {
	if isPlainIdentifier(name) && !isQuotedKeyword(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func isPlainIdentifier(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return name != ""
}
