package plan

import (
	"math"

	"moraine/pgerror"
	"moraine/sqlmap/bind"
)

// defaultRows is the number of rows that a relation without an estimate is taken to have.
const defaultRows = 1000

// part is a planned piece of a FROM clause.
type part struct {
	node   Node
	layout *layout
	rows   float64
}

// unit is an item of FROM that is joined with others, and the conditions on it alone.
type unit struct {
	item       bind.Item
	sources    map[*bind.Source]bool
	conditions []bind.Expression
	// planned is set once the unit is planned; needs are what a lateral one needs of the units before it.
	planned *part
	needs   *needs
}

// from plans a FROM clause with the conditions on it.
func (b *builder) from(item bind.Item, conditions []bind.Expression, n *needs) *part {
	var units []*unit
	conditions = b.flatten(item, conditions, &units, false)
	var remaining []bind.Expression
	var semis []*semiJoin
	for _, condition := range conditions {
		if semi := b.asSemiJoin(condition, units); semi != nil {
			semis = append(semis, semi)
			continue
		}
		if only := b.onlyUnit(units, condition); only != nil {
			only.conditions = append(only.conditions, condition)
		} else {
			remaining = append(remaining, condition)
		}
	}
	for _, unit := range units {
		b.planUnit(unit, n)
	}
	result := b.joinUnits(units, remaining, n)
	for _, semi := range semis {
		result = b.semiJoin(result, semi, n)
	}
	return result
}

// flatten collects the items that inner joins put together, and their conditions. Simple subqueries are taken apart, so
// that their tables are joined with the others. Below an outer join (nullable) only those whose columns are columns.
func (b *builder) flatten(item bind.Item, conditions []bind.Expression, units *[]*unit, nullable bool) []bind.Expression {
	switch item := item.(type) {
	case nil:
		return conditions
	case *bind.Join:
		if item.Kind == bind.InnerJoin {
			conditions = b.flatten(item.Left, conditions, units, nullable)
			conditions = b.flatten(item.Right, conditions, units, nullable)
			return append(conditions, conjuncts(item.On)...)
		}
	case *bind.Derived:
		if b.canInline(item.Source, item.Query, nullable) {
			b.inlined[item.Source] = item.Query.Targets
			conditions = b.flatten(item.Query.From, conditions, units, nullable)
			return append(conditions, conjuncts(item.Query.Where)...)
		}
	case *bind.CommonReference:
		if b.inlineCommon(item.Common) && b.canInline(item.Source, item.Common.Query, nullable) {
			b.inlined[item.Source] = item.Common.Query.Targets
			conditions = b.flatten(item.Common.Query.From, conditions, units, nullable)
			return append(conditions, conjuncts(item.Common.Query.Where)...)
		}
	}
	sources := map[*bind.Source]bool{}
	collectSources(item, sources)
	*units = append(*units, &unit{item: item, sources: sources})
	return conditions
}

// canInline tells whether a subquery is only a choice of columns and rows of its FROM clause.
func (b *builder) canInline(source *bind.Source, q *bind.Query, nullable bool) bool {
	if q.Set != bind.NoSet || q.Values != nil || q.From == nil || q.Grouped || len(q.Windows) > 0 || len(q.WindowCalls) > 0 ||
		len(q.SetCalls) > 0 || q.Distinct || q.DistinctOn != nil || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil ||
		len(q.Locks) > 0 || len(q.With) > 0 || b.used[columnKey{source, bind.PresenceOrdinal}] {
		return false
	}
	for i := range q.Targets {
		e := q.Targets[i].Expression
		if _, column := e.(*bind.Column); nullable && !column {
			return false
		}
		if isVolatile(e) || containsSubquery(e) {
			return false
		}
	}
	return true
}

// inlineCommon tells whether a common table is planned where it is read.
func (b *builder) inlineCommon(common *bind.Common) bool {
	return common.Change == nil && !common.Recursive && common.References == 1 &&
		common.Materialization != bind.MaterializeAlways && !queryIsVolatile(common.Query)
}

func containsSubquery(e bind.Expression) bool {
	found := false
	bind.Walk(e, func(e bind.Expression) bool {
		if _, ok := e.(*bind.Subquery); ok {
			found = true
		}
		return !found
	})
	return found
}

// collectSources gives the sources of an item, and those below its subqueries, which may take their place.
func collectSources(item bind.Item, sources map[*bind.Source]bool) {
	switch item := item.(type) {
	case *bind.Table:
		sources[item.Source] = true
	case *bind.Derived:
		sources[item.Source] = true
		collectSources(item.Query.From, sources)
	case *bind.CommonReference:
		sources[item.Source] = true
		if item.Common.Query != nil && !item.Common.Recursive {
			collectSources(item.Common.Query.From, sources)
		}
	case *bind.Functions:
		sources[item.Source] = true
	case *bind.Join:
		collectSources(item.Left, sources)
		collectSources(item.Right, sources)
	}
}

// conjuncts takes an AND apart.
func conjuncts(e bind.Expression) []bind.Expression {
	if e == nil {
		return nil
	}
	if logic, ok := e.(*bind.Logic); ok && !logic.Or {
		var list []bind.Expression
		for _, argument := range logic.Arguments {
			list = append(list, conjuncts(argument)...)
		}
		return list
	}
	return []bind.Expression{e}
}

func conjunction(conditions []bind.Expression) bind.Expression {
	switch len(conditions) {
	case 0:
		return nil
	case 1:
		return conditions[0]
	}
	return &bind.Logic{Arguments: conditions}
}

// reads gives the sources that an expression reads, those of inlined subqueries replaced by what they stand for.
func (b *builder) reads(e bind.Expression) map[*bind.Source]bool {
	sources := map[*bind.Source]bool{}
	b.addReads(e, sources)
	return sources
}

func (b *builder) addReads(e bind.Expression, sources map[*bind.Source]bool) {
	bind.Walk(e, func(e bind.Expression) bool {
		if column, ok := e.(*bind.Column); ok {
			if targets, inlined := b.inlined[column.Source]; inlined && column.Ordinal >= 0 {
				b.addReads(targets[column.Ordinal].Expression, sources)
			} else {
				sources[column.Source] = true
			}
		}
		return true
	})
}

// readsUnit tells whether sources of the unit are among those.
func readsUnit(sources map[*bind.Source]bool, u *unit) bool {
	for source := range sources {
		if u.sources[source] {
			return true
		}
	}
	return false
}

// onlyUnit gives the one unit that a condition reads; nil when there is none or more than one.
func (b *builder) onlyUnit(units []*unit, condition bind.Expression) *unit {
	sources := b.reads(condition)
	var only *unit
	for _, unit := range units {
		if !readsUnit(sources, unit) {
			continue
		}
		if only != nil {
			return nil
		}
		only = unit
	}
	if only == nil && len(units) == 1 {
		return units[0]
	}
	return only
}

// planUnit plans one item with the conditions on it.
func (b *builder) planUnit(u *unit, n *needs) {
	inner := n
	if isLateral(u.item) {
		inner = &needs{}
		u.needs = inner
	}
	u.planned = b.item(u.item, u.conditions, inner)
}

func isLateral(item bind.Item) bool {
	switch item := item.(type) {
	case *bind.Derived:
		return item.Lateral
	case *bind.Functions:
		return true
	case *bind.Join:
		return isLateral(item.Left) || isLateral(item.Right)
	}
	return false
}

// item plans an item of FROM.
func (b *builder) item(item bind.Item, conditions []bind.Expression, n *needs) *part {
	switch item := item.(type) {
	case nil:
		return b.filter(&part{node: &Values{Rows: [][]bind.Expression{{}}}, layout: newLayout()}, conditions, n)
	case *bind.Table:
		return b.scan(item.Source, conditions, n)
	case *bind.Derived:
		return b.filter(b.derived(item.Source, item.Query, n), conditions, n)
	case *bind.CommonReference:
		return b.filter(b.commonReference(item, n), conditions, n)
	case *bind.Functions:
		return b.filter(b.functions(item, n), conditions, n)
	case *bind.Join:
		return b.outerJoin(item, conditions, n)
	}
	b.fail(pgerror.New(pgerror.InternalError, "unknown item %T", item))
	return &part{node: &Values{Rows: [][]bind.Expression{{}}}, layout: newLayout()}
}

// filter puts conditions on top of a part.
func (b *builder) filter(p *part, conditions []bind.Expression, n *needs) *part {
	if len(conditions) == 0 {
		return p
	}
	resolved := b.resolveAll(conditions, p.layout, n)
	return &part{node: &Filter{p.node, conjunction(resolved)}, layout: p.layout,
		rows: p.rows * math.Pow(0.3, float64(len(conditions)))}
}

// derived plans a subquery in FROM.
func (b *builder) derived(source *bind.Source, query *bind.Query, n *needs) *part {
	node := b.query(query, n)
	l := newLayout()
	for i := range source.Columns {
		l.columns[columnKey{source, i}] = i
	}
	return b.withPresence(&part{node: node, layout: l, rows: estimate(node)}, source)
}

// withPresence adds the value that tells rows that an outer join fills in, where it is read.
func (b *builder) withPresence(p *part, source *bind.Source) *part {
	key := columnKey{source, bind.PresenceOrdinal}
	if !b.used[key] {
		return p
	}
	width := p.node.Width()
	project := &Project{Input: p.node}
	for i := range width {
		project.Expressions = append(project.Expressions, &Slot{Index: i})
	}
	for column, slot := range p.layout.columns {
		if column.source == source && column.ordinal >= 0 {
			project.Expressions[slot] = &Slot{Index: slot, Of: source.Columns[column.ordinal].Type}
		}
	}
	project.Expressions = append(project.Expressions, trueConstant())
	p.layout.columns[key] = width
	return &part{node: project, layout: p.layout, rows: p.rows}
}

func (b *builder) commonReference(item *bind.CommonReference, n *needs) *part {
	if b.inlineCommon(item.Common) {
		return b.derived(item.Source, item.Common.Query, n)
	}
	common := b.commons[item.Common]
	if common == nil {
		b.fail(pgerror.New(pgerror.InternalError, "common table \"%s\" is not planned", item.Common.Name))
		common = &Common{}
	}
	scan := &CommonScan{Common: common, Working: b.working[item.Common], Columns: len(item.Source.Columns)}
	if scan.Working {
		b.workingScans++
	}
	l := newLayout()
	for i := range item.Source.Columns {
		l.columns[columnKey{item.Source, i}] = i
	}
	rows := float64(defaultRows)
	if common.Plan != nil {
		rows = estimate(common.Plan)
	}
	return b.withPresence(&part{node: scan, layout: l, rows: rows}, item.Source)
}

func (b *builder) functions(item *bind.Functions, n *needs) *part {
	node := &Functions{Ordinality: item.Ordinality, Columns: len(item.Source.Columns)}
	for _, call := range item.Calls {
		planned := FunctionCall{Set: call.Set, Expand: call.Expand, Width: call.Width,
			Arguments: b.resolveAll(call.Arguments, newLayout(), n)}
		if call.Scalar != nil {
			planned.Scalar = b.resolve(call.Scalar, newLayout(), n)
		}
		node.Calls = append(node.Calls, planned)
	}
	l := newLayout()
	for i := range item.Source.Columns {
		l.columns[columnKey{item.Source, i}] = i
	}
	return b.withPresence(&part{node: node, layout: l, rows: 100}, item.Source)
}
