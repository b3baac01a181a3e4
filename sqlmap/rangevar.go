package sqlmap

import (
	"errors"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// checkDatabase gives 0A000 for a name in another database.
func (s *Session) checkDatabase(database string, rest ...string) error {
	if database == "" || database == s.database.Name {
		return nil
	}
	return pgerror.New(pgerror.FeatureNotSupported, "cross-database references are not implemented: \"%s\"",
		strings.Join(append([]string{database}, rest...), "."))
}

// target finds the table of a command that changes it.
func (s *Session) target(node *pg_query.RangeVar) (relation.Writable, error) {
	if err := s.checkDatabase(node.Catalogname, node.Schemaname, node.Relname); err != nil {
		return nil, err
	}
	return s.writable(node.Schemaname, node.Relname)
}

// positioned gives an error without a position that one.
func positioned(err error, position int) error {
	var known *pgerror.Error
	if errors.As(err, &known) && known.Position == 0 {
		known.Position = position
	}
	return err
}

// resolveType finds the type of a name in the grammar.
func resolveType(statement *parse.Statement, node *pg_query.TypeName) (relation.Type, error) {
	// The position is counted through the text of the message, so only an error may ask for it.
	position := func() int { return statement.Position(int(node.Location)) }
	names := stringsOf(node.Names)
	if last := names[len(names)-1]; strings.HasSuffix(last, "serial") || strings.HasPrefix(last, "serial") {
		return relation.Type{}, pgerror.Unsupported("type " + last).WithPosition(position()).
			WithHint("Use an integer type, and give the values in INSERT.")
	}
	var modifiers []int32
	for _, modifier := range node.Typmods {
		value, ok := modifier.GetAConst().GetVal().(*pg_query.A_Const_Ival)
		if !ok {
			return relation.Type{}, pgerror.New(pgerror.SyntaxError, "type modifiers must be simple constants or identifiers").WithPosition(position())
		}
		modifiers = append(modifiers, value.Ival.GetIval())
	}
	resolved, err := function.ResolveTypeName(names, modifiers, len(node.ArrayBounds))
	if err != nil {
		return resolved, positioned(err, position())
	}
	return resolved, nil
}

// stringsOf gives the texts of a list of String nodes.
func stringsOf(list []*pg_query.Node) []string {
	texts := make([]string, len(list))
	for i, node := range list {
		texts[i] = node.GetString_().GetSval()
	}
	return texts
}

// qualified splits a list of name parts into schema and name.
func (s *Session) qualified(parts []string) (schema, name string, err error) {
	switch len(parts) {
	case 1:
		return "", parts[0], nil
	case 2:
		return parts[0], parts[1], nil
	case 3:
		return parts[1], parts[2], s.checkDatabase(parts[0], parts[1:]...)
	}
	return "", "", pgerror.New(pgerror.SyntaxError, "improper qualified name (too many dotted names): %s", strings.Join(parts, "."))
}
