package execute

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

// in compiles x IN (list). A list of constants whose equality is that of their representation is looked up in a set.
func (c *compiler) in(e *bind.In) (evaluator, error) {
	left, err := c.compile(e.Left)
	if err != nil {
		return nil, err
	}
	if set, hasNull, ok := constantSet(e); ok {
		return membership(left, set, hasNull, e.Negated), nil
	}
	list, err := c.compileAll(e.List)
	if err != nil {
		return nil, err
	}
	evaluate, context, negated := e.Equal.Evaluate, c.run.functions, e.Negated
	scratch := make([]relation.Value, 2)
	return func(row []relation.Value) (relation.Value, error) {
		value, err := left(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		unknown := false
		for _, item := range list {
			other, err := item(row)
			if err != nil {
				return relation.NULL, err
			}
			if other.IsNull() {
				unknown = true
				continue
			}
			scratch[0], scratch[1] = value, other
			same, err := evaluate(context, scratch)
			if err != nil {
				return relation.NULL, err
			}
			if same.Bool() {
				return relation.Bool(!negated), nil
			}
		}
		if unknown {
			return relation.NULL, nil
		}
		return relation.Bool(negated), nil
	}, nil
}

// identityEquality tells whether values of a type are equal exactly when their representations are.
func identityEquality(oid uint32) bool {
	switch oid {
	case relation.BoolOID, relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.OIDOID, relation.TextOID, relation.VarcharOID,
		relation.NameOID, relation.CharOID, relation.UUIDOID, relation.ByteaOID, relation.DateOID, relation.TimestampOID, relation.TimestampTZOID,
		relation.TimeOID, relation.TIDOID, relation.RegclassOID:
		return true
	}
	return false
}

func constantSet(e *bind.In) (set map[relation.Value]struct{}, hasNull, ok bool) {
	if !identityEquality(e.Left.Type().OID) || !identityEquality(e.List[0].Type().OID) {
		return nil, false, false
	}
	set = make(map[relation.Value]struct{}, len(e.List))
	for _, item := range e.List {
		constant, isConstant := item.(*bind.Constant)
		if !isConstant {
			return nil, false, false
		}
		if constant.Value.IsNull() {
			hasNull = true
			continue
		}
		set[constant.Value] = struct{}{}
	}
	return set, hasNull, true
}

func membership(left evaluator, set map[relation.Value]struct{}, hasNull, negated bool) evaluator {
	return func(row []relation.Value) (relation.Value, error) {
		value, err := left(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		if _, found := set[value]; found {
			return relation.Bool(!negated), nil
		}
		if hasNull {
			return relation.NULL, nil
		}
		return relation.Bool(negated), nil
	}
}

// anyArray compiles x operator ANY (array) and ALL.
func (c *compiler) anyArray(e *bind.AnyArray) (evaluator, error) {
	left, err := c.compile(e.Left)
	if err != nil {
		return nil, err
	}
	array, err := c.compile(e.Array)
	if err != nil {
		return nil, err
	}
	evaluate, context, strict, decisive := e.Operator.Evaluate, c.run.functions, e.Operator.Strict, !e.All
	scratch := make([]relation.Value, 2)
	var opened relation.Value // the array whose elements are kept
	var elements []relation.Value
	return func(row []relation.Value) (relation.Value, error) {
		value, err := left(row)
		if err != nil {
			return relation.NULL, err
		}
		list, err := array(row)
		if err != nil || list.IsNull() {
			return relation.NULL, err
		}
		if opened != list {
			opened, elements = list, function.OpenArray(list).Elements
		}
		unknown := false
		for _, element := range elements {
			if strict && (value.IsNull() || element.IsNull()) {
				unknown = true
				continue
			}
			scratch[0], scratch[1] = value, element
			result, err := evaluate(context, scratch)
			if err != nil {
				return relation.NULL, err
			}
			if result.IsNull() {
				unknown = true
			} else if result.Bool() == decisive {
				return result, nil
			}
		}
		if unknown {
			return relation.NULL, nil
		}
		return relation.Bool(!decisive), nil
	}, nil
}

func (c *compiler) array(e *bind.ArrayConstructor) (evaluator, error) {
	elements, err := c.compileAll(e.Elements)
	if err != nil {
		return nil, err
	}
	element, nested := function.ElementType(e.Of).OID, e.Nested
	return func(row []relation.Value) (relation.Value, error) {
		values := make([]relation.Value, len(elements))
		for i, part := range elements {
			value, err := part(row)
			if err != nil {
				return relation.NULL, err
			}
			values[i] = value
		}
		if nested {
			return function.NewNestedArray(element, values)
		}
		return function.NewArray(element, values), nil
	}, nil
}

func (c *compiler) subscript(e *bind.Subscript) (evaluator, error) {
	array, err := c.compile(e.Array)
	if err != nil {
		return nil, err
	}
	lower, upper := make([]evaluator, len(e.Bounds)), make([]evaluator, len(e.Bounds))
	for i, bound := range e.Bounds {
		if lower[i], err = c.compile(bound.Lower); err != nil {
			return nil, err
		}
		if upper[i], err = c.compile(bound.Upper); err != nil {
			return nil, err
		}
	}
	lowers, uppers, indices := make([]relation.Value, len(lower)), make([]relation.Value, len(upper)), make([]int64, len(upper))
	slice := e.Slice
	return func(row []relation.Value) (relation.Value, error) {
		value, err := array(row)
		if err != nil || value.IsNull() {
			return relation.NULL, err
		}
		for i := range lower {
			for _, side := range []struct {
				compute evaluator
				bounds  []relation.Value
			}{{lower[i], lowers}, {upper[i], uppers}} {
				if side.compute == nil {
					side.bounds[i] = relation.NULL
					continue
				}
				bound, err := side.compute(row)
				if err != nil || bound.IsNull() {
					return relation.NULL, err
				}
				side.bounds[i] = bound
			}
		}
		if slice {
			return function.Slice(value, lowers, uppers), nil
		}
		for i := range uppers {
			indices[i] = uppers[i].Int()
		}
		return function.Subscript(value, indices), nil
	}, nil
}
