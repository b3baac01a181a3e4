package bind

import (
	"fmt"
	"sort"

	"moraine/pgerror"
	"moraine/relation"
)

// clause is the part of a query in which an expression stands; it decides which functions it may hold.
type clause struct {
	name       string // as PostgreSQL's errors name it
	aggregates bool
	windows    bool
	sets       bool
}

// Clauses of statements.
var (
	clauseSelect    = &clause{"SELECT", true, true, true}
	clauseOrder     = &clause{"ORDER BY", true, true, true}
	clauseDistinct  = &clause{"DISTINCT ON", true, true, true}
	clauseHaving    = &clause{"HAVING", true, false, false}
	clauseWhere     = &clause{"WHERE", false, false, false}
	clauseFilter    = &clause{"FILTER", false, false, false}
	clauseJoin      = &clause{"JOIN conditions", false, false, false}
	clauseGroup     = &clause{"GROUP BY", false, false, true}
	clauseLimit     = &clause{"LIMIT", false, false, false}
	clauseOffset    = &clause{"OFFSET", false, false, false}
	clauseFunctions = &clause{"functions in FROM", false, false, false}
	clauseValues    = &clause{"VALUES", false, false, true}
	clauseUpdate    = &clause{"UPDATE", false, false, false}
	clauseReturning = &clause{"RETURNING", false, false, false}
	clauseDefault   = &clause{"DEFAULT expressions", false, false, false}
	clausePartition = &clause{"window PARTITION BY", true, false, false}
	clauseWinOrder  = &clause{"window ORDER BY", true, false, false}
	clauseRows      = &clause{"window ROWS", false, false, false}
	clauseRange     = &clause{"window RANGE", false, false, false}
	clauseGroups    = &clause{"window GROUPS", false, false, false}
	clauseConflict  = &clause{"ON CONFLICT DO UPDATE", false, false, false}
)

// scope is the names that an expression can see at one level of queries. Names of levels around it are in parent.
type scope struct {
	parent  *scope
	level   *level
	names   []*nameItem
	commons []*Common
	clause  *clause
	// hidden are items of the same FROM clause that may not be referenced from here; errors mention them.
	hidden []*nameItem
	// aggregate is set while the arguments of an aggregate of this level are bound.
	inAggregate bool
	inWindow    bool
}

// level is what the scopes of one query share.
type level struct {
	query   *Query
	sources map[*Source]bool
}

func newScope(parent *scope, query *Query) *scope {
	child := &scope{parent: parent, level: &level{query: query, sources: map[*Source]bool{}}, clause: clauseSelect}
	if parent != nil {
		child.commons = parent.commons
	}
	return child
}

// within gives the same scope for another clause.
func (s *scope) within(clause *clause) *scope {
	other := *s
	other.clause = clause
	return &other
}

// nameItem is an item of a FROM clause as names see it.
type nameItem struct {
	schema, alias string
	columns       []nameColumn
	source        *Source // nil for a join
	// named tells that the alias can be used, bare that its columns can be named without it.
	named, bare bool
	// scalar tells that the item is a function that gives one value: its alias means the value.
	scalar bool
}

// nameColumn is a column by name.
type nameColumn struct {
	name       string
	expression Expression
	column     SourceColumn
}

// nameOf makes the item for a source.
func nameOf(source *Source) *nameItem {
	item := &nameItem{alias: source.Alias, source: source, named: source.Alias != "", bare: true}
	item.columns = make([]nameColumn, len(source.Columns))
	for i := range source.Columns {
		column := &source.Columns[i]
		item.columns[i] = nameColumn{column.Name, &Column{Source: source, Ordinal: i, Of: column.Type}, *column}
	}
	if source.Relation != nil {
		item.schema = source.Relation.Definition().Schema
	}
	return item
}

// systemColumn gives the ordinal and type of a system column that Moraine has.
func systemColumn(name string) (int, relation.Type, bool) {
	switch name {
	case "ctid":
		return IdentityOrdinal, relation.TIDType, true
	case "tableoid":
		return TableOrdinal, relation.OIDType, true
	}
	return 0, relation.Type{}, false
}

// unsupportedSystemColumns exist in PostgreSQL's tables and not here.
var unsupportedSystemColumns = map[string]bool{"xmin": true, "xmax": true, "cmin": true, "cmax": true}

// column finds a column of the item by name; a nil result means that there is none.
func (b *binder) column(item *nameItem, name string, location int) (*nameColumn, error) {
	var found *nameColumn
	for i := range item.columns {
		if item.columns[i].name == name {
			if found != nil {
				return nil, b.errorAt(location, pgerror.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
			}
			found = &item.columns[i]
		}
	}
	if found != nil || item.source == nil || item.source.Relation == nil {
		return found, nil
	}
	if ordinal, of, ok := systemColumn(name); ok {
		number := int16(ordinal)
		definition := item.source.Relation.Definition()
		return &nameColumn{name, &Column{Source: item.source, Ordinal: ordinal, Of: of},
			SourceColumn{Name: name, Type: of, TableOID: definition.OID, Number: number}}, nil
	}
	if unsupportedSystemColumns[name] {
		return nil, pgerror.Unsupported("system column " + name).WithPosition(b.statement.Position(location))
	}
	return nil, nil
}

// bareColumn resolves a name without a table; nil when no level has it.
func (b *binder) bareColumn(s *scope, name string, location int) (*nameColumn, error) {
	for ; s != nil; s = s.parent {
		var found *nameColumn
		for _, item := range s.names {
			if !item.bare {
				continue
			}
			column, err := b.column(item, name, location)
			if err != nil {
				return nil, err
			}
			if column == nil {
				continue
			}
			if found != nil {
				return nil, b.errorAt(location, pgerror.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
			}
			found = column
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// item finds a FROM item by its alias; nil when there is none.
func (b *binder) item(s *scope, schema, alias string, location int) (*nameItem, error) {
	for ; s != nil; s = s.parent {
		var found *nameItem
		for _, item := range s.names {
			if !item.named || item.alias != alias || schema != "" && (item.schema != schema || item.source == nil) {
				continue
			}
			if found != nil {
				return nil, b.errorAt(location, pgerror.AmbiguousAlias, "table reference \"%s\" is ambiguous", alias)
			}
			found = item
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// missingItem is the error for a table name that no FROM item has.
func (b *binder) missingItem(s *scope, schema, alias string, location int) error {
	for level := s; level != nil; level = level.parent {
		for _, item := range level.hidden {
			if item.named && item.alias == alias {
				return b.errorAt(location, pgerror.UndefinedTable, "invalid reference to FROM-clause entry for table \"%s\"", alias).
					WithHint("There is an entry for table \"%s\", but it cannot be referenced from this part of the query.", alias)
			}
		}
		for _, item := range level.names {
			if item.source != nil && item.source.Relation != nil && item.named &&
				item.source.Relation.Definition().Name == alias && item.alias != alias {
				return b.errorAt(location, pgerror.UndefinedTable, "invalid reference to FROM-clause entry for table \"%s\"", alias).
					WithHint("Perhaps you meant to reference the table alias \"%s\".", item.alias)
			}
		}
	}
	name := alias
	if schema != "" {
		name = schema + "." + alias
	}
	return b.errorAt(location, pgerror.UndefinedTable, "missing FROM-clause entry for table \"%s\"", name)
}

// missingColumn is the error for a column name without a table that no item has.
func (b *binder) missingColumn(s *scope, name string, location int) error {
	err := b.errorAt(location, pgerror.UndefinedColumn, "column \"%s\" does not exist", name)
	for level := s; level != nil; level = level.parent {
		for _, item := range append(append([]*nameItem(nil), level.hidden...), level.names...) {
			for i := range item.columns {
				if item.columns[i].name == name && item.alias != "" {
					return err.WithHint("There is a column named \"%s\" in table \"%s\", but it cannot be referenced from this part of the query.",
						name, item.alias)
				}
			}
		}
	}
	return withColumnHint(err, s, "", name)
}

// missingQualifiedColumn is the error for a column name that its table does not have.
func (b *binder) missingQualifiedColumn(s *scope, item *nameItem, name string, location int) error {
	err := b.errorAt(location, pgerror.UndefinedColumn, "column %s.%s does not exist", item.alias, name)
	return withColumnHint(err, s, item.alias, name)
}

// maximumNameDistance is how different a name may be to be proposed (PostgreSQL's MAX_FUZZY_DISTANCE).
const maximumNameDistance = 3

// withColumnHint adds PostgreSQL's hint with the one or two columns whose names are nearest.
func withColumnHint(err *pgerror.Error, s *scope, alias, name string) error {
	type candidate struct {
		text     string
		distance int
	}
	var candidates []candidate
	for level := s; level != nil; level = level.parent {
		for _, item := range level.names {
			if item.alias == "" {
				continue
			}
			penalty := 0
			if alias != "" {
				penalty = nameDistance(alias, item.alias, maximumNameDistance)
			}
			for i := range item.columns {
				distance := penalty + nameDistance(name, item.columns[i].name, maximumNameDistance)
				if distance <= maximumNameDistance && distance <= len(item.columns[i].name)/2 {
					candidates = append(candidates, candidate{item.alias + "." + item.columns[i].name, distance})
				}
			}
		}
	}
	sort.SliceStable(candidates, func(i, j int) bool { return candidates[i].distance < candidates[j].distance })
	best := 0
	for best < len(candidates) && candidates[best].distance == candidates[0].distance {
		best++
	}
	switch best {
	case 1:
		return err.WithHint("Perhaps you meant to reference the column \"%s\".", candidates[0].text)
	case 2:
		return err.WithHint("Perhaps you meant to reference the column \"%s\" or the column \"%s\".", candidates[0].text, candidates[1].text)
	}
	return err
}

// errorAt makes an error at a location of the statement's tree.
func (b *binder) errorAt(location int, code, format string, arguments ...any) *pgerror.Error {
	return pgerror.New(code, "%s", fmt.Sprintf(format, arguments...)).WithPosition(b.statement.Position(location))
}

// unsupportedAt names a construct that Moraine does not have.
func (b *binder) unsupportedAt(location int, construct string) *pgerror.Error {
	return pgerror.Unsupported(construct).WithPosition(b.statement.Position(location))
}
