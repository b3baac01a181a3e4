package bind

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

func typeText(value any) string { return fmt.Sprintf("%T", value) }

// sessionValueTypes are the types of SQL value functions.
var sessionValueTypes = map[string]relation.Type{
	"current_date":      relation.DateType,
	"current_time":      relation.TimeTZType,
	"current_timestamp": relation.TimestampTZType,
	"localtime":         relation.TimeType,
	"localtimestamp":    relation.TimestampType,
	"current_role":      relation.NameType,
	"current_user":      relation.NameType,
	"user":              relation.NameType,
	"session_user":      relation.NameType,
	"current_catalog":   relation.NameType,
	"current_schema":    relation.NameType,
}

// sessionValue binds CURRENT_DATE and the like; a precision rounds.
func (b *binder) sessionValue(node *pg_query.SQLValueFunction) (Expression, error) {
	name := sessionValueName(node.Op)
	of, ok := sessionValueTypes[name]
	if !ok {
		return nil, b.unsupportedAt(int(node.Location), name)
	}
	value := &SessionValue{Name: name, Of: of}
	if node.Typmod < 0 {
		return value, nil
	}
	return b.cast(value, relation.Type{OID: of.OID, Modifier: min(node.Typmod, 6)}, int(node.Location))
}

// collate accepts the collations that compare bytes, which is how Moraine compares all text.
func (b *binder) collate(s *scope, node *pg_query.CollateClause) (Expression, error) {
	bound, err := b.expression(s, node.Arg)
	if err != nil {
		return nil, err
	}
	names := node.Collname
	name := names[len(names)-1].GetString_().GetSval()
	switch name {
	case "C", "POSIX", "default", "ucs_basic":
	default:
		return nil, b.errorAt(int(node.Location), pgerror.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", name)
	}
	of := bound.Type()
	if info := function.TypeByOID(of.OID); of.OID != relation.UnknownOID && info != nil && info.Collation == 0 {
		return nil, b.errorAt(int(node.Location), pgerror.DatatypeMismatch, "collations are not supported by type %s", typeName(of))
	}
	return bound, nil
}

// grouping binds GROUPING(...); which grouping expressions it means is settled once they are known.
func (b *binder) grouping(s *scope, node *pg_query.GroupingFunc) (Expression, error) {
	if !s.clause.aggregates {
		return nil, b.errorAt(int(node.Location), pgerror.GroupingError, "grouping operations are not allowed in %s", s.clause.name)
	}
	if len(node.Args) > 31 {
		return nil, b.errorAt(int(node.Location), pgerror.TooManyArguments, "GROUPING must have fewer than 32 arguments")
	}
	arguments, err := b.expressions(s, node.Args)
	if err != nil {
		return nil, err
	}
	call := &GroupingCall{}
	call.locations = locationsOf(node.Args)
	if b.groupingCalls == nil {
		b.groupingCalls = map[*Query]map[*GroupingCall][]Expression{}
	}
	query := s.level.query
	if b.groupingCalls[query] == nil {
		b.groupingCalls[query] = map[*GroupingCall][]Expression{}
	}
	b.groupingCalls[query][call] = arguments
	query.Grouped = true
	return call, nil
}
