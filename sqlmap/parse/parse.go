package parse

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"

	"moraine/pgerror"
)

// MaximumTextBytes bounds the text of one message.
const MaximumTextBytes = 64 << 20

// Statement is one statement of a message: a tree, or the rows of a bulk INSERT.
type Statement struct {
	// Tree is libpg_query's node of the statement; nil when Literals is set.
	Tree *pg_query.Node
	// Literals is an INSERT ... VALUES of plain literals.
	Literals *LiteralInsert
	// Text is the statement without its semicolon and the blanks around it.
	Text string

	source string // the message
	base   int    // what a location in the tree is relative to, as an offset in source
}

// Position gives the 1-based position, in characters of the whole message, of a location in the statement's tree or
// literals; 0 for a location that is not known (negative).
func (s *Statement) Position(location int) int {
	offset := s.base + location
	if location < 0 || offset > len(s.source) {
		return 0
	}
	return utf8.RuneCountInString(s.source[:offset]) + 1
}

// Inner gives a statement that is part of this one, such as the query of COPY or EXPLAIN. Its text is this statement's.
func (s *Statement) Inner(tree *pg_query.Node) Statement {
	return Statement{Tree: tree, Text: s.Text, source: s.source, base: s.base}
}

// Parse gives the statements of a message, none for an empty one. A syntax error anywhere in it is 42601 with its position
// and no statement.
func Parse(text string) ([]Statement, error) {
	if len(text) > MaximumTextBytes {
		return nil, pgerror.New(pgerror.ProgramLimitExceeded, "statement too large").
			WithDetail("The text has %d bytes, the limit is %d.", len(text), MaximumTextBytes)
	}
	if err := checkEncoding(text); err != nil {
		return nil, err
	}
	statements, ok := parsePieces(text)
	if ok {
		return statements, nil
	}
	return parseWhole(text)
}

// checkEncoding refuses what C strings and PostgreSQL's UTF8 cannot hold.
func checkEncoding(text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return pgerror.New(pgerror.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if utf8.ValidString(text) {
		return nil
	}
	for i, character := range text {
		if character == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return pgerror.New(pgerror.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x%02x`, text[i])
			}
		}
	}
	return nil
}

// parsePieces parses statement by statement. It answers false when a piece is not well understood or wrong; the whole text
// then goes to libpg_query, whose errors have positions in the whole text.
func parsePieces(text string) ([]Statement, bool) {
	var statements []Statement
	for start := 0; start < len(text); {
		start = skipBlanks(text, start)
		if start == len(text) {
			break
		}
		if literals, end, ok := readLiteralInsert(text, start); ok {
			statements = append(statements, Statement{
				Literals: literals, Text: strings.TrimRight(text[start:end], blanks), source: text, base: start,
			})
			start = end + 1
			continue
		}
		end, ok := findBoundary(text, start)
		if !ok {
			return nil, false
		}
		piece := strings.TrimRight(text[start:end], blanks)
		if piece != "" {
			tree, ok := cachedTree(piece)
			if !ok {
				return nil, false
			}
			if tree != nil {
				statements = append(statements, Statement{Tree: tree, Text: piece, source: text, base: start})
			}
		}
		start = end + 1
	}
	return statements, true
}

// cachedTree gives the tree of one statement, nil for one that holds comments only; false when libpg_query finds an error
// or anything but one statement.
func cachedTree(text string) (*pg_query.Node, bool) {
	if len(text) > maximumCachedTextBytes {
		return parseTree(text)
	}
	if tree, ok := trees.Get(text); ok {
		return tree, true
	}
	tree, ok := templateTree(text)
	if tree != nil {
		// The text is cloned so that the cache does not hold the message it was cut from.
		trees.Put(strings.Clone(text), tree, len(text))
	}
	return tree, ok
}

// templateTree makes the tree of a statement from that of one which differs in numbers, or parses it.
func templateTree(text string) (*pg_query.Node, bool) {
	form, numbers := formOf(text)
	if len(numbers) == 0 {
		return parseTree(text)
	}
	known, seen := templates.Get(form)
	if known != nil && known.edit != nil {
		return known.with(numbers), true
	}
	tree, ok := parseTree(text)
	switch {
	case tree == nil:
	case !seen:
		templates.Put(form, nil, len(form))
	case known == nil:
		templates.Put(form, newTemplate(tree, numbers), len(form))
	}
	return tree, ok
}

// parseTree lets libpg_query parse a statement, with the answers of cachedTree.
func parseTree(text string) (*pg_query.Node, bool) {
	if checkDepth(text) != nil {
		return nil, false
	}
	result, err := pg_query.Parse(text)
	if err != nil || len(result.Stmts) > 1 {
		return nil, false
	}
	if len(result.Stmts) == 0 {
		return nil, true
	}
	return result.Stmts[0].Stmt, true
}

func parseWhole(text string) ([]Statement, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	result, err := pg_query.Parse(text)
	if err != nil {
		return nil, syntaxError(err)
	}
	statements := make([]Statement, 0, len(result.Stmts))
	for _, raw := range result.Stmts {
		start, end := int(raw.StmtLocation), len(text)
		if raw.StmtLen > 0 {
			end = start + int(raw.StmtLen)
		}
		start = skipBlanks(text, start)
		statements = append(statements, Statement{
			Tree: raw.Stmt, Text: strings.TrimRight(text[start:max(start, end)], blanks), source: text,
		})
	}
	return statements, nil
}

// syntaxError turns libpg_query's error into the one PostgreSQL gives. Its cursor position counts characters from 1.
func syntaxError(err error) error {
	var known *parser.Error
	if !errors.As(err, &known) {
		return pgerror.New(pgerror.SyntaxError, "%s", err.Error())
	}
	return pgerror.New(codeOfParserMessage(known.Message), "%s", known.Message).WithPosition(max(known.Cursorpos, 0))
}

// codeOfParserMessage gives the SQLSTATE, which libpg_query does not hand on, for the messages of PostgreSQL's lexer and
// grammar that are not 42601.
func codeOfParserMessage(message string) string {
	switch {
	case strings.Contains(message, "not yet implemented"), strings.Contains(message, "not yet supported"),
		strings.Contains(message, "not supported"):
		return pgerror.FeatureNotSupported
	case strings.HasPrefix(message, "role name ") && strings.HasSuffix(message, " is reserved"):
		return pgerror.ReservedName
	case strings.HasPrefix(message, "invalid Unicode"), strings.HasPrefix(message, "invalid byte sequence"):
		return pgerror.CharacterNotInRepertoire
	case strings.HasPrefix(message, "memory exhausted"), strings.HasPrefix(message, "stack depth limit"):
		return pgerror.StatementTooComplex
	}
	return pgerror.SyntaxError
}
