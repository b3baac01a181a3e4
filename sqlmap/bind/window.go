package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// Bits of WindowDef.frameOptions, from PostgreSQL's parsenodes.h.
const (
	frameRange                   = 0x00002
	frameRows                    = 0x00004
	frameGroups                  = 0x00008
	frameStartUnboundedPreceding = 0x00020
	frameEndUnboundedPreceding   = 0x00040
	frameStartUnboundedFollowing = 0x00080
	frameEndUnboundedFollowing   = 0x00100
	frameStartCurrentRow         = 0x00200
	frameEndCurrentRow           = 0x00400
	frameStartOffsetPreceding    = 0x00800
	frameEndOffsetPreceding      = 0x01000
	frameStartOffsetFollowing    = 0x02000
	frameEndOffsetFollowing      = 0x04000
	frameExcludeCurrentRow       = 0x08000
	frameExcludeGroup            = 0x10000
	frameExcludeTies             = 0x20000
	frameDefault                 = frameRange | frameStartUnboundedPreceding | frameEndCurrentRow
)

// windowClause binds WINDOW name AS (...), ....
func (b *binder) windowClause(s *scope, query *Query, list []*pg_query.Node) error {
	for _, node := range list {
		definition := node.GetWindowDef()
		for _, known := range query.Windows {
			if known.Name == definition.Name {
				return b.errorAt(int(definition.Location), pgerror.WindowingError, "window \"%s\" is already defined", definition.Name)
			}
		}
		bound, err := b.window(s, query, definition)
		if err != nil {
			return err
		}
		bound.Name = definition.Name
		query.Windows = append(query.Windows, bound)
	}
	return nil
}

func (q *Query) namedWindow(name string) int {
	for i, window := range q.Windows {
		if window.Name == name {
			return i
		}
	}
	return -1
}

// window binds a window definition, which may build on a named one.
func (b *binder) window(s *scope, query *Query, node *pg_query.WindowDef) (*WindowDefinition, error) {
	location := int(node.Location)
	window := &WindowDefinition{}
	var base *WindowDefinition
	if node.Refname != "" {
		place := query.namedWindow(node.Refname)
		if place < 0 {
			return nil, b.errorAt(location, pgerror.UndefinedObject, "window \"%s\" does not exist", node.Refname)
		}
		base = query.Windows[place]
		if len(node.PartitionClause) > 0 {
			return nil, b.errorAt(location, pgerror.WindowingError, "cannot override PARTITION BY clause of window \"%s\"", node.Refname)
		}
		if len(node.OrderClause) > 0 && len(base.OrderBy) > 0 {
			return nil, b.errorAt(location, pgerror.WindowingError, "cannot override ORDER BY clause of window \"%s\"", node.Refname)
		}
		window.PartitionBy, window.OrderBy = base.PartitionBy, base.OrderBy
	}
	partition := s.within(clausePartition)
	for _, part := range node.PartitionClause {
		bound, err := b.expression(partition, part)
		if err != nil {
			return nil, err
		}
		if bound.Type().OID == relation.UnknownOID {
			if bound, err = b.coerceImplicit(bound, relation.TextType, "PARTITION BY", locationOf(part)); err != nil {
				return nil, err
			}
		}
		if err := b.checkEquality(bound.Type()); err != nil {
			return nil, b.at(err, locationOf(part))
		}
		window.PartitionBy = append(window.PartitionBy, bound)
	}
	order := s.within(clauseWinOrder)
	for _, sort := range node.OrderClause {
		key, err := b.sortKey(order, sort)
		if err != nil {
			return nil, err
		}
		window.OrderBy = append(window.OrderBy, key)
	}
	return window, b.frame(s, window, node)
}

func (b *binder) frame(s *scope, window *WindowDefinition, node *pg_query.WindowDef) error {
	options := node.FrameOptions
	if options&(frameRange|frameRows|frameGroups) == 0 {
		options = frameDefault
	}
	frame := &window.Frame
	offsets := clauseRange
	switch {
	case options&frameRows != 0:
		frame.Mode, offsets = RowsFrame, clauseRows
	case options&frameGroups != 0:
		frame.Mode, offsets = GroupsFrame, clauseGroups
		if len(window.OrderBy) == 0 {
			return b.errorAt(int(node.Location), pgerror.WindowingError, "GROUPS mode requires an ORDER BY clause")
		}
	}
	frame.Start = boundKind(options, frameStartUnboundedPreceding, frameStartOffsetPreceding, frameStartCurrentRow,
		frameStartOffsetFollowing, frameStartUnboundedFollowing)
	frame.End = boundKind(options, frameEndUnboundedPreceding, frameEndOffsetPreceding, frameEndCurrentRow,
		frameEndOffsetFollowing, frameEndUnboundedFollowing)
	switch {
	case options&frameExcludeCurrentRow != 0:
		frame.Exclusion = ExcludeCurrentRow
	case options&frameExcludeGroup != 0:
		frame.Exclusion = ExcludeGroup
	case options&frameExcludeTies != 0:
		frame.Exclusion = ExcludeTies
	}
	var err error
	if frame.StartOffset, frame.StartLimit, err = b.frameOffset(s.within(offsets), window, node.StartOffset, frame.Start, int(node.Location)); err != nil {
		return err
	}
	frame.EndOffset, frame.EndLimit, err = b.frameOffset(s.within(offsets), window, node.EndOffset, frame.End, int(node.Location))
	return err
}

func boundKind(options int32, unboundedPreceding, preceding, current, following, unboundedFollowing int32) FrameBoundKind {
	switch {
	case options&unboundedPreceding != 0:
		return UnboundedPreceding
	case options&preceding != 0:
		return OffsetPreceding
	case options&following != 0:
		return OffsetFollowing
	case options&unboundedFollowing != 0:
		return UnboundedFollowing
	}
	return CurrentRow
}

// frameOffset binds the offset of a frame's bound. For RANGE it also makes the expression of the limit out of the value
// of the order key.
func (b *binder) frameOffset(s *scope, window *WindowDefinition, node *pg_query.Node, kind FrameBoundKind, definition int) (offset, limit Expression, err error) {
	if node == nil {
		return nil, nil, nil
	}
	location := locationOf(node)
	if offset, err = b.expression(s, node); err != nil {
		return nil, nil, err
	}
	if usesSources(offset, s.level.sources) {
		return nil, nil, b.errorAt(location, pgerror.InvalidColumnReference, "argument of %s must not contain variables", s.clause.name[len("window "):])
	}
	if window.Frame.Mode != RangeFrame {
		offset, err = b.coerceAssignable(offset, relation.Int8Type, s.clause.name[len("window "):], location)
		return offset, nil, err
	}
	if len(window.OrderBy) != 1 {
		return nil, nil, b.errorAt(definition, pgerror.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
	}
	key := &window.OrderBy[0]
	name := "+"
	if (kind == OffsetPreceding) != key.Descending {
		name = "-"
	}
	operand := &CaseOperand{Of: key.Expression.Type()}
	if info := function.TypeByOID(operand.Of.OID); info == nil || info.Category != 'N' && info.Category != 'D' && info.Category != 'T' {
		return nil, nil, b.errorAt(location, pgerror.FeatureNotSupported,
			"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", typeName(operand.Of))
	} else if info.Category != 'N' {
		if offset, err = b.coerceAssignable(offset, relation.IntervalType, s.clause.name[len("window "):], location); err != nil {
			return nil, nil, err
		}
	}
	limit, err = b.operator(s, name, operand, offset, location)
	if err != nil {
		return nil, nil, b.errorAt(location, pgerror.FeatureNotSupported,
			"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s", typeName(operand.Of), typeName(offset.Type()))
	}
	offset = limit.(*Call).Arguments[1]
	if limit.Type().OID != operand.Of.OID {
		converted, err := b.coerce(key.Expression, limit.Type(), function.CastImplicit, location)
		if err != nil || converted == nil {
			return nil, nil, b.unsupportedAt(location, "RANGE with an offset over type "+typeName(operand.Of))
		}
		key.Expression = converted
		return b.frameOffset(s, window, node, kind, definition)
	}
	return offset, limit, nil
}

// windowCall binds a call with OVER.
func (b *binder) windowCall(s *scope, name string, node *pg_query.FuncCall) (Expression, error) {
	location := int(node.Location)
	if s.clause == clausePartition || s.clause == clauseWinOrder {
		return nil, b.errorAt(location, pgerror.WindowingError, "window functions are not allowed in window definitions")
	}
	if s.inWindow {
		return nil, b.errorAt(location, pgerror.WindowingError, "window function calls cannot be nested")
	}
	if s.inAggregate {
		return nil, b.errorAt(location, pgerror.GroupingError, "aggregate function calls cannot contain window function calls")
	}
	if !s.clause.windows {
		return nil, b.errorAt(location, pgerror.WindowingError, "window functions are not allowed in %s", s.clause.name)
	}
	switch {
	case node.AggDistinct:
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "DISTINCT is not implemented for window functions")
	case node.AggWithinGroup:
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", name)
	case len(node.AggOrder) > 0:
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions")
	}
	inner := *s
	inner.inWindow = true
	arguments, call, err := b.callArguments(&inner, name, node)
	if err != nil {
		return nil, err
	}
	bound := &WindowCall{Star: node.AggStar}
	types := []relation.Type(nil)
	switch {
	case function.IsWindow(name):
		if bound.Window, err = function.ResolveWindow(*call); err == nil {
			types, bound.Of = bound.Window.Arguments, bound.Window.Result
		}
	case function.IsAggregate(name):
		if bound.Aggregate, err = function.ResolveAggregate(*call); err == nil {
			types, bound.Of = bound.Aggregate.Arguments, bound.Aggregate.Result
		}
	default:
		return nil, b.errorAt(location, pgerror.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", name)
	}
	if err != nil {
		return nil, b.at(err, location)
	}
	if err := b.convertArguments(arguments, types, name, location); err != nil {
		return nil, err
	}
	bound.Arguments = arguments
	if node.AggFilter != nil {
		if bound.Window != nil {
			return nil, b.errorAt(location, pgerror.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions")
		}
		if bound.Filter, err = b.condition(inner.within(clauseFilter), node.AggFilter, "FILTER"); err != nil {
			return nil, err
		}
	}
	query := s.level.query
	if bound.Over, err = b.over(&inner, query, node.Over); err != nil {
		return nil, err
	}
	for _, other := range query.WindowCalls {
		if sameCall(other, bound) {
			return other, nil
		}
	}
	query.WindowCalls = append(query.WindowCalls, bound)
	return bound, nil
}

// over finds or makes the window of an OVER clause.
func (b *binder) over(s *scope, query *Query, node *pg_query.WindowDef) (int, error) {
	if node.Name != "" {
		place := query.namedWindow(node.Name)
		if place < 0 {
			return 0, b.errorAt(int(node.Location), pgerror.UndefinedObject, "window \"%s\" does not exist", node.Name)
		}
		return place, nil
	}
	window, err := b.window(s, query, node)
	if err != nil {
		return 0, err
	}
	for i, other := range query.Windows {
		if sameWindow(other, window) {
			return i, nil
		}
	}
	query.Windows = append(query.Windows, window)
	return len(query.Windows) - 1, nil
}
