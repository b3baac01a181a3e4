package plan

import (
	"fmt"
	"strings"

	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

// Explain gives the plan as EXPLAIN shows it: one node after the other, each with its conditions.
func (p *Plan) Explain() Explanation {
	e := &explainer{}
	e.node(p.Root, 0)
	return e.steps
}

type explainer struct{ steps Explanation }

// title adds a node.
func (e *explainer) title(depth int, node Node, name string) *Step {
	e.steps = append(e.steps, Step{Depth: depth, Name: name})
	step := &e.steps[len(e.steps)-1]
	switch node.(type) {
	case *Insert, *Update, *Delete, nil:
	default:
		step.Estimated, step.Rows, step.Width = true, estimate(node), node.Width()
	}
	return step
}

// detail adds a condition to the node above.
func (e *explainer) detail(label, text string) {
	if text != "" {
		step := &e.steps[len(e.steps)-1]
		step.Details = append(step.Details, Detail{label, text})
	}
}

func (e *explainer) node(node Node, depth int) {
	switch node := node.(type) {
	case *Scan:
		e.scan(node, depth)
	case *Values:
		if node.Columns == 0 {
			e.title(depth, node, "Result")
		} else {
			e.title(depth, node, "Values Scan")
		}
	case *Filter:
		e.title(depth, node, "Filter")
		e.detail("Filter", Text(node.Condition))
		e.node(node.Input, depth+1)
	case *Project:
		e.node(node.Input, depth)
	case *HashJoin:
		e.title(depth, node, "Hash "+joinName(node.Kind))
		var keys []string
		for i := range node.LeftKeys {
			keys = append(keys, "("+Text(node.LeftKeys[i])+" = "+Text(node.RightKeys[i])+")")
		}
		e.detail("Hash Cond", strings.Join(keys, " AND "))
		if node.ScanKey != nil {
			e.detail("Scan Key", node.ScanKey.Scan.Relation.Definition().Columns[node.ScanKey.Column].Name)
		}
		if node.Condition != nil {
			e.detail("Join Filter", Text(node.Condition))
		}
		e.node(node.Left, depth+1)
		e.node(node.Right, depth+1)
	case *LoopJoin:
		e.title(depth, node, "Nested Loop"+strings.TrimSuffix(" "+joinName(node.Kind), " Join"))
		if node.Condition != nil {
			e.detail("Join Filter", Text(node.Condition))
		}
		e.node(node.Left, depth+1)
		e.node(node.Right, depth+1)
	case *Aggregate:
		name := "HashAggregate"
		if len(node.Keys) == 0 {
			name = "Aggregate"
		}
		e.title(depth, node, name)
		e.detail("Group Key", texts(node.Keys))
		e.node(node.Input, depth+1)
	case *Sort:
		e.title(depth, node, "Sort")
		e.detail("Sort Key", keyTexts(node.Keys))
		e.node(node.Input, depth+1)
	default:
		e.other(node, depth)
	}
}

func (e *explainer) other(node Node, depth int) {
	switch node := node.(type) {
	case *Window:
		e.title(depth, node, "WindowAgg")
		e.node(node.Input, depth+1)
	case *ProjectSet:
		e.title(depth, node, "ProjectSet")
		e.node(node.Input, depth+1)
	case *Distinct:
		e.title(depth, node, "Unique")
		e.node(node.Input, depth+1)
	case *Limit:
		e.title(depth, node, "Limit")
		e.node(node.Input, depth+1)
	case *LockRows:
		e.title(depth, node, "LockRows")
		e.node(node.Input, depth+1)
	case *Append:
		e.title(depth, node, "Append")
		for _, input := range node.Inputs {
			e.node(input, depth+1)
		}
	case *SetOperation:
		name := "Intersect"
		if node.Kind == bind.Except {
			name = "Except"
		}
		if node.All {
			name += " All"
		}
		e.title(depth, node, "HashSetOp "+name)
		e.node(node.Left, depth+1)
		e.node(node.Right, depth+1)
	case *Functions:
		e.title(depth, node, "Function Scan")
	case *With:
		e.node(node.Input, depth)
		for _, common := range node.Commons {
			e.steps = append(e.steps, Step{Depth: depth, Common: common.Name})
			e.node(common.Plan, depth+1)
			if common.Recursive != nil {
				e.node(common.Recursive.Next, depth+1)
			}
		}
	case *CommonScan:
		name := "CTE Scan"
		if node.Working {
			name = "WorkTable Scan"
		}
		e.title(depth, node, name).Common = node.Common.Name
	case *Insert:
		e.title(depth, node, "Insert").Relation = node.Relation.Definition().Name
		if node.Input != nil {
			e.node(node.Input, depth+1)
		}
	case *Update:
		e.title(depth, node, "Update").Relation = node.Relation.Definition().Name
		e.node(node.Input, depth+1)
	case *Delete:
		e.title(depth, node, "Delete").Relation = node.Relation.Definition().Name
		e.node(node.Input, depth+1)
	}
}

func (e *explainer) scan(node *Scan, depth int) {
	definition := node.Relation.Definition()
	name := "Seq Scan"
	switch {
	case node.Identities != nil:
		name = "Tid Scan"
	case usesKey(definition, node.Predicates):
		name = "Key Scan"
	}
	step := e.title(depth, node, name)
	if step.Relation = definition.Name; node.Alias != definition.Name {
		step.Alias = node.Alias
	}
	e.detail("TID Cond", texts(node.Identities))
	var conditions []string
	for i := range node.Predicates {
		conditions = append(conditions, predicateText(definition, &node.Predicates[i]))
	}
	e.detail("Scan Cond", strings.Join(conditions, " AND "))
	if node.Filter != nil {
		e.detail("Filter", Text(node.Filter))
	}
}

func usesKey(definition *relation.Definition, predicates []Predicate) bool {
	for i := range predicates {
		if comparison := predicates[i].Comparison; comparison != relation.Equal && comparison != relation.In {
			continue
		}
		for _, selective := range definition.Selective {
			if selective == predicates[i].Column {
				return true
			}
		}
	}
	return false
}

func joinName(kind bind.JoinKind) string {
	return map[bind.JoinKind]string{bind.InnerJoin: "Join", bind.LeftJoin: "Left Join", bind.RightJoin: "Right Join",
		bind.FullJoin: "Full Join", bind.SemiJoin: "Semi Join", bind.AntiJoin: "Anti Join"}[kind]
}

var comparisonNames = map[relation.Comparison]string{relation.Equal: "=", relation.In: "= ANY", relation.Less: "<",
	relation.LessOrEqual: "<=", relation.Greater: ">", relation.GreaterOrEqual: ">="}

func predicateText(definition *relation.Definition, predicate *Predicate) string {
	name := definition.Columns[predicate.Column].Name
	switch predicate.Comparison {
	case relation.IsNull:
		return "(" + name + " IS NULL)"
	case relation.IsNotNull:
		return "(" + name + " IS NOT NULL)"
	case relation.In:
		return "(" + name + " = ANY (" + texts(predicate.Values) + "))"
	}
	return "(" + name + " " + comparisonNames[predicate.Comparison] + " " + texts(predicate.Values) + ")"
}

func keyTexts(keys []bind.SortKey) string {
	parts := make([]string, len(keys))
	for i := range keys {
		parts[i] = Text(keys[i].Expression)
		if keys[i].Descending {
			parts[i] += " DESC"
		}
		if keys[i].NullsFirst != keys[i].Descending {
			if keys[i].NullsFirst {
				parts[i] += " NULLS FIRST"
			} else {
				parts[i] += " NULLS LAST"
			}
		}
	}
	return strings.Join(parts, ", ")
}

func texts(list []bind.Expression) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = Text(e)
	}
	return strings.Join(parts, ", ")
}

// Text writes an expression as EXPLAIN shows it. It is for people, not for parsers.
func Text(e bind.Expression) string {
	switch e := e.(type) {
	case *bind.Constant:
		return constantText(e)
	case *bind.Parameter:
		return fmt.Sprintf("$%d", e.Number)
	case *Slot:
		if e.From == nil {
			return fmt.Sprintf("column%d", e.Index+1)
		}
		return Text(e.From)
	case *Outer:
		return Text(e.From)
	case *bind.Column:
		switch e.Ordinal {
		case bind.IdentityOrdinal:
			return "ctid"
		case bind.TableOrdinal:
			return "tableoid"
		case bind.PresenceOrdinal:
			return e.Source.Alias + ".*"
		}
		if e.Source.Alias == "" {
			return e.Source.Columns[e.Ordinal].Name
		}
		return e.Source.Alias + "." + e.Source.Columns[e.Ordinal].Name
	case *bind.Call:
		if e.Operator != "" && len(e.Arguments) == 2 {
			return "(" + Text(e.Arguments[0]) + " " + e.Operator + " " + Text(e.Arguments[1]) + ")"
		}
		return e.Function.Name + "(" + texts(e.Arguments) + ")"
	case *bind.Cast:
		if !e.Explicit {
			return Text(e.Argument)
		}
		return "(" + Text(e.Argument) + ")::" + function.FormatType(e.Of)
	case *bind.Logic:
		word := " AND "
		if e.Or {
			word = " OR "
		}
		parts := make([]string, len(e.Arguments))
		for i, argument := range e.Arguments {
			parts[i] = Text(argument)
		}
		return "(" + strings.Join(parts, word) + ")"
	case *bind.Not:
		return "(NOT " + Text(e.Argument) + ")"
	case *bind.NullTest:
		if e.Negated {
			return "(" + Text(e.Argument) + " IS NOT NULL)"
		}
		return "(" + Text(e.Argument) + " IS NULL)"
	case *bind.In:
		word := " IN ("
		if e.Negated {
			word = " NOT IN ("
		}
		return "(" + Text(e.Left) + word + texts(e.List) + "))"
	case *bind.AggregateCall:
		if e.Star {
			return e.Aggregate.Name + "(*)"
		}
		return e.Aggregate.Name + "(" + texts(e.Arguments) + ")"
	case *bind.SessionValue:
		return strings.ToUpper(e.Name)
	case *Subplan, *bind.Subquery:
		return "(SubPlan)"
	}
	return "(...)"
}

func constantText(e *bind.Constant) string {
	if e.Value.IsNull() {
		return "NULL"
	}
	format := function.DefaultFormat()
	text := function.ToText(e.Of, e.Value, &format)
	switch e.Of.OID {
	case relation.BoolOID, relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.NumericOID:
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'::" + function.FormatType(e.Of)
}
