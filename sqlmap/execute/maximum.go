package execute

import (
	"moraine/relation"
	"moraine/sqlmap/plan"
)

// maximum is the greatest value of a column, from a relation that may know it without a scan: each commit of DuckLake begins
// with SELECT max(snapshot_id), which must not take longer with each snapshot.
type maximum struct {
	relation relation.Maximal
	column   int // ordinal
}

// maximumOf gives what a node computes when it is max(column) over all rows of a relation; nil otherwise.
func maximumOf(node *plan.Aggregate) *maximum {
	if len(node.Keys) > 0 || node.Sets != nil || len(node.Calls) != 1 {
		return nil
	}
	call := &node.Calls[0]
	if call.Aggregate.Name != "max" || call.Filter != nil || len(call.Arguments) != 1 {
		return nil
	}
	slot, plain := call.Arguments[0].(*plan.Slot)
	scan, direct := node.Input.(*plan.Scan)
	if !plain || !direct || slot.Index >= len(scan.Columns) ||
		len(scan.Predicates) > 0 || scan.Identities != nil || scan.Filter != nil {
		return nil
	}
	maximal, able := scan.Relation.(relation.Maximal)
	if !able {
		return nil
	}
	return &maximum{relation: maximal, column: scan.Columns[slot.Index]}
}

// takeMaximum gives the call the greatest value instead of all of them, when the relation knows it.
func (a *aggregateOperator) takeMaximum() (known bool, err error) {
	if a.maximum == nil {
		return false, nil
	}
	value, known, err := a.maximum.relation.Maximum(a.run.ctx, a.maximum.column)
	if err != nil || !known || value.IsNull() {
		return known, err
	}
	return true, a.order[0].states[0].accumulator.Add(a.run.functions, []relation.Value{value})
}
