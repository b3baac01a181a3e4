package execute

import (
	"fmt"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// evaluator computes an expression over a row.
type evaluator func(row []relation.Value) (relation.Value, error)

// compiler makes operators and evaluators. The evaluators keep scratch memory, so each compiled place has its own.
type compiler struct {
	run *run
	// operand is the value that bind.CaseOperand reads where the compiler stands; subrow the row of bind.SubqueryColumn.
	operand *relation.Value
	subrow  *[]relation.Value
}

func (c *compiler) compileAll(list []bind.Expression) ([]evaluator, error) {
	compiled := make([]evaluator, len(list))
	for i, e := range list {
		var err error
		if compiled[i], err = c.compile(e); err != nil {
			return nil, err
		}
	}
	return compiled, nil
}

// compile makes the evaluator of an expression; nil for nil.
func (c *compiler) compile(e bind.Expression) (evaluator, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case *bind.Constant:
		value := e.Value
		return func([]relation.Value) (relation.Value, error) { return value, nil }, nil
	case *plan.Slot:
		index := e.Index
		return func(row []relation.Value) (relation.Value, error) { return row[index], nil }, nil
	case *plan.Outer:
		place := &c.run.outers[e.Index]
		return func([]relation.Value) (relation.Value, error) { return *place, nil }, nil
	case *bind.Parameter:
		value := c.run.parameters[e.Number-1]
		return func([]relation.Value) (relation.Value, error) { return value, nil }, nil
	case *bind.CaseOperand:
		place := c.operand
		return func([]relation.Value) (relation.Value, error) { return *place, nil }, nil
	case *bind.SubqueryColumn:
		row, index := c.subrow, e.Index
		return func([]relation.Value) (relation.Value, error) { return (*row)[index], nil }, nil
	case *bind.Call:
		return c.call(e.Function, e.Arguments)
	case *bind.Cast:
		return c.cast(e)
	case *bind.Logic:
		return c.logic(e)
	case *bind.Not:
		return c.not(e)
	case *bind.NullTest:
		return c.nullTest(e)
	case *bind.TruthTest:
		return c.truthTest(e)
	case *bind.Case:
		return c.caseExpression(e)
	case *bind.Coalesce:
		return c.coalesce(e)
	case *bind.Extreme:
		return c.extreme(e)
	case *bind.NullIf:
		return c.nullIf(e)
	case *bind.Distinct:
		return c.distinct(e)
	case *bind.In:
		return c.in(e)
	case *bind.AnyArray:
		return c.anyArray(e)
	case *bind.ArrayConstructor:
		return c.array(e)
	case *bind.Subscript:
		return c.subscript(e)
	case *bind.Row:
		return c.row(e)
	case *bind.RowComparison:
		return c.rowComparison(e)
	case *bind.Field:
		return c.field(e)
	case *bind.SessionValue:
		return c.sessionValue(e)
	case *plan.Subplan:
		return c.subplan(e)
	case *plan.GroupingBits:
		index, bits := e.Set.Index, e.BySet
		return func(row []relation.Value) (relation.Value, error) { return relation.Int(bits[row[index].Int()]), nil }, nil
	}
	return nil, pgerror.New(pgerror.InternalError, "expression %T cannot be run", e)
}

// call compiles a function of one or more arguments.
func (c *compiler) call(scalar *function.Scalar, arguments []bind.Expression) (evaluator, error) {
	compiled, err := c.compileAll(arguments)
	if err != nil {
		return nil, err
	}
	scratch := make([]relation.Value, len(compiled))
	evaluate, context, strict := scalar.Evaluate, c.run.functions, scalar.Strict
	if len(compiled) == 2 && strict {
		left, right := compiled[0], compiled[1]
		return func(row []relation.Value) (relation.Value, error) {
			first, err := left(row)
			if err != nil || first.IsNull() {
				return relation.NULL, err
			}
			second, err := right(row)
			if err != nil || second.IsNull() {
				return relation.NULL, err
			}
			scratch[0], scratch[1] = first, second
			return evaluate(context, scratch)
		}, nil
	}
	return func(row []relation.Value) (relation.Value, error) {
		for i, argument := range compiled {
			value, err := argument(row)
			if err != nil {
				return relation.NULL, err
			}
			if strict && value.IsNull() {
				return relation.NULL, nil
			}
			scratch[i] = value
		}
		return evaluate(context, scratch)
	}, nil
}

func (c *compiler) cast(e *bind.Cast) (evaluator, error) {
	argument, err := c.compile(e.Argument)
	if err != nil || e.Evaluate == nil {
		return argument, err
	}
	scratch := make([]relation.Value, 1)
	evaluate, context := e.Evaluate, c.run.functions
	return func(row []relation.Value) (relation.Value, error) {
		value, err := argument(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		scratch[0] = value
		return evaluate(context, scratch)
	}, nil
}

func (c *compiler) logic(e *bind.Logic) (evaluator, error) {
	arguments, err := c.compileAll(e.Arguments)
	if err != nil {
		return nil, err
	}
	decisive := e.Or // the value of one argument that settles the result
	return func(row []relation.Value) (relation.Value, error) {
		unknown := false
		for _, argument := range arguments {
			value, err := argument(row)
			if err != nil {
				return relation.NULL, err
			}
			if value.IsNull() {
				unknown = true
			} else if value.Bool() == decisive {
				return value, nil
			}
		}
		if unknown {
			return relation.NULL, nil
		}
		return relation.Bool(!decisive), nil
	}, nil
}

func (c *compiler) not(e *bind.Not) (evaluator, error) {
	argument, err := c.compile(e.Argument)
	if err != nil {
		return nil, err
	}
	return func(row []relation.Value) (relation.Value, error) {
		value, err := argument(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		return relation.Bool(!value.Bool()), nil
	}, nil
}

func (c *compiler) nullTest(e *bind.NullTest) (evaluator, error) {
	negated := e.Negated
	if row, ok := e.Argument.(*bind.Row); ok && row.Presence == nil {
		fields, err := c.compileAll(row.Fields)
		if err != nil {
			return nil, err
		}
		return func(row []relation.Value) (relation.Value, error) {
			for _, field := range fields {
				value, err := field(row)
				if err != nil {
					return relation.NULL, err
				}
				if value.IsNull() == negated {
					return relation.Bool(false), nil
				}
			}
			return relation.Bool(true), nil
		}, nil
	}
	argument, err := c.compile(e.Argument)
	if err != nil {
		return nil, err
	}
	record := e.Argument.Type().OID == relation.RecordOID
	return func(row []relation.Value) (relation.Value, error) {
		value, err := argument(row)
		if err != nil {
			return relation.NULL, err
		}
		if record && !value.IsNull() {
			_, fields := function.OpenRecord(value)
			for _, field := range fields {
				if field.IsNull() == negated {
					return relation.Bool(false), nil
				}
			}
			return relation.Bool(true), nil
		}
		return relation.Bool(value.IsNull() != negated), nil
	}, nil
}

func (c *compiler) truthTest(e *bind.TruthTest) (evaluator, error) {
	argument, err := c.compile(e.Argument)
	if err != nil {
		return nil, err
	}
	is, negated := e.Is, e.Negated
	return func(row []relation.Value) (relation.Value, error) {
		value, err := argument(row)
		if err != nil {
			return relation.NULL, err
		}
		holds := false
		switch is {
		case bind.True:
			holds = !value.IsNull() && value.Bool()
		case bind.False:
			holds = !value.IsNull() && !value.Bool()
		default:
			holds = value.IsNull()
		}
		return relation.Bool(holds != negated), nil
	}, nil
}

func (c *compiler) caseExpression(e *bind.Case) (evaluator, error) {
	operand, err := c.compile(e.Operand)
	if err != nil {
		return nil, err
	}
	place, outer := new(relation.Value), c.operand
	conditions, results := make([]evaluator, len(e.Whens)), make([]evaluator, len(e.Whens))
	for i, when := range e.Whens {
		if e.Operand != nil {
			c.operand = place
		}
		conditions[i], err = c.compile(when.Condition)
		c.operand = outer
		if err != nil {
			return nil, err
		}
		if results[i], err = c.compile(when.Result); err != nil {
			return nil, err
		}
	}
	otherwise, err := c.compile(e.Else)
	if err != nil {
		return nil, err
	}
	return func(row []relation.Value) (relation.Value, error) {
		if operand != nil {
			value, err := operand(row)
			if err != nil {
				return relation.NULL, err
			}
			*place = value
		}
		for i, condition := range conditions {
			value, err := condition(row)
			if err != nil {
				return relation.NULL, err
			}
			if value.Bool() {
				return results[i](row)
			}
		}
		if otherwise == nil {
			return relation.NULL, nil
		}
		return otherwise(row)
	}, nil
}

func (c *compiler) coalesce(e *bind.Coalesce) (evaluator, error) {
	arguments, err := c.compileAll(e.Arguments)
	if err != nil {
		return nil, err
	}
	return func(row []relation.Value) (relation.Value, error) {
		for _, argument := range arguments {
			value, err := argument(row)
			if err != nil || !value.IsNull() {
				return value, err
			}
		}
		return relation.NULL, nil
	}, nil
}

func (c *compiler) extreme(e *bind.Extreme) (evaluator, error) {
	arguments, err := c.compileAll(e.Arguments)
	if err != nil {
		return nil, err
	}
	compare, sign := function.Comparer(e.Of), -1
	if e.Greatest {
		sign = 1
	}
	return func(row []relation.Value) (relation.Value, error) {
		best := relation.NULL
		for _, argument := range arguments {
			value, err := argument(row)
			if err != nil {
				return relation.NULL, err
			}
			if !value.IsNull() && (best.IsNull() || compare(value, best)*sign > 0) {
				best = value
			}
		}
		return best, nil
	}, nil
}

func (c *compiler) nullIf(e *bind.NullIf) (evaluator, error) {
	sides, err := c.compileAll([]bind.Expression{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	evaluate, context := e.Equal.Evaluate, c.run.functions
	scratch := make([]relation.Value, 2)
	return func(row []relation.Value) (relation.Value, error) {
		left, err := sides[0](row)
		if err != nil || left.IsNull() {
			return relation.NULL, err
		}
		right, err := sides[1](row)
		if err != nil || right.IsNull() {
			return left, err
		}
		scratch[0], scratch[1] = left, right
		same, err := evaluate(context, scratch)
		if err != nil || same.Bool() {
			return relation.NULL, err
		}
		return left, nil
	}, nil
}

func (c *compiler) distinct(e *bind.Distinct) (evaluator, error) {
	sides, err := c.compileAll([]bind.Expression{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	evaluate, context, negated := e.Equal.Evaluate, c.run.functions, e.Negated
	scratch := make([]relation.Value, 2)
	return func(row []relation.Value) (relation.Value, error) {
		left, err := sides[0](row)
		if err != nil {
			return relation.NULL, err
		}
		right, err := sides[1](row)
		if err != nil {
			return relation.NULL, err
		}
		same := left.IsNull() && right.IsNull()
		if !left.IsNull() && !right.IsNull() {
			scratch[0], scratch[1] = left, right
			equal, err := evaluate(context, scratch)
			if err != nil {
				return relation.NULL, err
			}
			same = equal.Bool()
		}
		return relation.Bool(same == negated), nil
	}, nil
}

// field compiles (record).name.
func (c *compiler) field(e *bind.Field) (evaluator, error) {
	record, err := c.compile(e.Record)
	if err != nil {
		return nil, err
	}
	index := e.Index
	return func(row []relation.Value) (relation.Value, error) {
		value, err := record(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		_, fields := function.OpenRecord(value)
		if index >= len(fields) {
			return relation.NULL, pgerror.New(pgerror.InternalError, "record has %d fields, field %d was asked for", len(fields), index+1)
		}
		return fields[index], nil
	}, nil
}

func (c *compiler) row(e *bind.Row) (evaluator, error) {
	fields, err := c.compileAll(e.Fields)
	if err != nil {
		return nil, err
	}
	presence, err := c.compile(e.Presence)
	if err != nil {
		return nil, err
	}
	types := make([]relation.Type, len(fields))
	for i, field := range e.Fields {
		types[i] = field.Type()
	}
	scratch := make([]relation.Value, len(fields))
	return func(row []relation.Value) (relation.Value, error) {
		if presence != nil {
			present, err := presence(row)
			if err != nil || present.IsNull() {
				return relation.NULL, err
			}
		}
		for i, field := range fields {
			value, err := field(row)
			if err != nil {
				return relation.NULL, err
			}
			scratch[i] = value
		}
		return function.NewRecord(types, scratch), nil
	}, nil
}

func (c *compiler) rowComparison(e *bind.RowComparison) (evaluator, error) {
	left, err := c.compileAll(e.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.compileAll(e.Right)
	if err != nil {
		return nil, err
	}
	context, scratch := c.run.functions, make([]relation.Value, 2)
	equality, inequality := e.Operator == "=", e.Operator == "<>"
	return func(row []relation.Value) (relation.Value, error) {
		unknown := false
		for i := range left {
			first, err := left[i](row)
			if err != nil {
				return relation.NULL, err
			}
			second, err := right[i](row)
			if err != nil {
				return relation.NULL, err
			}
			if first.IsNull() || second.IsNull() {
				if !equality && !inequality {
					return relation.NULL, nil
				}
				unknown = true
				continue
			}
			scratch[0], scratch[1] = first, second
			same, err := e.Equal[i].Evaluate(context, scratch)
			if err != nil {
				return relation.NULL, err
			}
			switch {
			case same.Bool() && (equality || inequality || i < len(left)-1):
				continue
			case equality:
				return relation.Bool(false), nil
			case inequality:
				return relation.Bool(true), nil
			}
			scratch[0], scratch[1] = first, second
			return e.Compare[i].Evaluate(context, scratch)
		}
		if unknown {
			return relation.NULL, nil
		}
		return relation.Bool(equality), nil
	}, nil
}

// describe names an operator for an internal error.
func describe(node plan.Node) string { return fmt.Sprintf("%T", node) }
