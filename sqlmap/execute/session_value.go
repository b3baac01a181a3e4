package execute

import (
	"cmp"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

// sessionValue compiles CURRENT_DATE and the like: a value that is the same throughout the execution.
func (c *compiler) sessionValue(e *bind.SessionValue) (evaluator, error) {
	value, err := c.sessionConstant(e)
	if err != nil {
		return nil, err
	}
	return func([]relation.Value) (relation.Value, error) { return value, nil }, nil
}

func (c *compiler) sessionConstant(e *bind.SessionValue) (relation.Value, error) {
	context := c.run.functions
	switch e.Name {
	case "current_user", "current_role", "user":
		return relation.Text(context.User), nil
	case "session_user":
		return relation.Text(cmp.Or(context.SessionUser, context.User)), nil
	case "current_catalog":
		return relation.Text(context.Database), nil
	case "current_schema":
		if path := context.Catalog.SearchPath(false); len(path) > 0 {
			return relation.Text(path[0]), nil
		}
		return relation.NULL, nil
	}
	now := function.TimestampOf(context.TransactionTime)
	if e.Of == relation.TimestampTZType {
		return now, nil
	}
	evaluate, ok := function.ResolveCast(relation.TimestampTZType, e.Of, function.CastExplicit)
	if !ok {
		return relation.NULL, pgerror.Unsupported(e.Name)
	}
	return evaluate(context, []relation.Value{now})
}
