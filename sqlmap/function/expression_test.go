package function

import (
	"strconv"
	"strings"
	"testing"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// expression is a typed value: what the tests need of a binder and an executor, for expressions of constants.
type expression struct {
	kind  relation.Type
	value relation.Value
}

// evaluator resolves and evaluates parse trees of constant expressions.
type evaluator struct {
	context *Context
}

func testContext(t *testing.T) *Context {
	t.Helper()
	location, ok := FindLocation("America/New_York")
	if !ok {
		t.Fatal("America/New_York is unknown")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	context := &Context{TransactionTime: at, StatementTime: at, ServerStart: at, User: "postgres", Database: "postgres", Format: DefaultFormat()}
	context.Format.Location = location
	context.Format.TransactionTime = at
	return context
}

// evaluateSQL evaluates a select list of one expression.
func (e *evaluator) evaluateSQL(sql string) (expression, error) {
	tree, err := pg_query.Parse("SELECT " + sql)
	if err != nil {
		return expression{}, pgerror.New(pgerror.SyntaxError, "%s", err.Error())
	}
	result, err := e.node(tree.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget().Val)
	if err == nil && result.kind.OID == relation.UnknownOID {
		result.kind = relation.TextType
	}
	return result, err
}

func (e *evaluator) node(n *pg_query.Node) (expression, error) {
	switch n := n.Node.(type) {
	case *pg_query.Node_AConst:
		return e.constant(n.AConst)
	case *pg_query.Node_TypeCast:
		return e.cast(n.TypeCast)
	case *pg_query.Node_FuncCall:
		return e.call(n.FuncCall)
	case *pg_query.Node_AExpr:
		return e.operator(n.AExpr)
	case *pg_query.Node_AArrayExpr:
		return e.array(n.AArrayExpr)
	case *pg_query.Node_RowExpr:
		return e.row(n.RowExpr)
	case *pg_query.Node_CollateClause:
		return e.node(n.CollateClause.Arg)
	}
	return expression{}, pgerror.Unsupported("a node of the test")
}

func (e *evaluator) constant(c *pg_query.A_Const) (expression, error) {
	if c.Isnull {
		return expression{relation.UnknownType, relation.NULL}, nil
	}
	switch v := c.Val.(type) {
	case *pg_query.A_Const_Ival:
		return expression{relation.Int4Type, relation.Int(int64(v.Ival.Ival))}, nil
	case *pg_query.A_Const_Boolval:
		return expression{relation.BoolType, relation.Bool(v.Boolval.Boolval)}, nil
	case *pg_query.A_Const_Sval:
		return expression{relation.UnknownType, relation.Text(v.Sval.Sval)}, nil
	case *pg_query.A_Const_Bsval:
		return e.literal(typeOf(relation.BitOID), v.Bsval.Bsval)
	case *pg_query.A_Const_Fval:
		if value, err := strconv.ParseInt(v.Fval.Fval, 10, 64); err == nil {
			if value == int64(int32(value)) {
				return expression{relation.Int4Type, relation.Int(value)}, nil
			}
			return expression{relation.Int8Type, relation.Int(value)}, nil
		}
		return e.literal(relation.NumericType, v.Fval.Fval)
	}
	return expression{}, pgerror.Unsupported("a constant of the test")
}

func (e *evaluator) literal(t relation.Type, text string) (expression, error) {
	value, err := inputPlain(t, text, &e.context.Format)
	return expression{t, value}, err
}

func names(list []*pg_query.Node) []string {
	var names []string
	for _, n := range list {
		names = append(names, n.GetString_().Sval)
	}
	return names
}

func (e *evaluator) typeName(name *pg_query.TypeName) (relation.Type, error) {
	var modifiers []int32
	for _, modifier := range name.Typmods {
		v, err := e.node(modifier)
		if err != nil {
			return relation.Type{}, err
		}
		modifiers = append(modifiers, int32(v.value.Int()))
	}
	return ResolveTypeName(names(name.Names), modifiers, len(name.ArrayBounds))
}

func (e *evaluator) cast(c *pg_query.TypeCast) (expression, error) {
	target, err := e.typeName(c.TypeName)
	if err != nil {
		return expression{}, err
	}
	if array := c.Arg.GetAArrayExpr(); array != nil && IsArrayType(target) {
		return e.arrayOf(array, target)
	}
	argument, err := e.node(c.Arg)
	if err != nil {
		return expression{}, err
	}
	return e.coerce(argument, target, CastExplicit)
}

func (e *evaluator) coerce(x expression, target relation.Type, context CastContext) (expression, error) {
	if target.OID == AnyOID || (x.kind == target) {
		return x, nil
	}
	evaluate, ok := ResolveCast(x.kind, target, context)
	if !ok {
		return x, CannotCast(x.kind, target)
	}
	result := expression{target, x.value}
	if evaluate == nil || x.value.IsNull() {
		return result, nil
	}
	var err error
	result.value, err = evaluate(e.context, []relation.Value{x.value})
	return result, err
}

func (e *evaluator) call(f *pg_query.FuncCall) (expression, error) {
	parts := names(f.Funcname)
	call := Call{Name: parts[len(parts)-1], Variadic: f.FuncVariadic}
	var arguments []expression
	for i, argument := range f.Args {
		if named := argument.GetNamedArgExpr(); named != nil {
			if call.ArgumentNames == nil {
				call.ArgumentNames = make([]string, len(f.Args))
			}
			call.ArgumentNames[i] = named.Name
			argument = named.Arg
		}
		x, err := e.node(argument)
		if err != nil {
			return x, err
		}
		arguments = append(arguments, x)
		call.Arguments = append(call.Arguments, x.kind)
	}
	if len(arguments) == 1 && IsAggregate(call.Name) {
		return e.aggregate(call, arguments[0])
	}
	if IsSetReturning(call.Name) {
		return e.set(call, arguments)
	}
	scalar, err := Resolve(call)
	if err != nil {
		return expression{}, err
	}
	return e.run(scalar, arguments)
}

func (e *evaluator) arguments(types []relation.Type, arguments []expression) ([]relation.Value, error) {
	values := make([]relation.Value, len(arguments))
	for i := range arguments {
		coerced, err := e.coerce(arguments[i], types[i], CastImplicit)
		if err != nil {
			return nil, err
		}
		values[i] = coerced.value
	}
	return values, nil
}

func (e *evaluator) run(scalar *Scalar, arguments []expression) (expression, error) {
	values, err := e.arguments(scalar.Arguments, arguments)
	if err != nil {
		return expression{}, err
	}
	if scalar.Strict {
		for _, value := range values {
			if value.IsNull() {
				return expression{scalar.Result, relation.NULL}, nil
			}
		}
	}
	value, err := scalar.Evaluate(e.context, values)
	return expression{scalar.Result, value}, err
}

// set gives the rows of a set-returning function as one text.
func (e *evaluator) set(call Call, arguments []expression) (expression, error) {
	set, err := ResolveSetReturning(call)
	if err != nil {
		return expression{}, err
	}
	values, err := e.arguments(set.Arguments, arguments)
	if err != nil {
		return expression{}, err
	}
	var texts []string
	rows, err := set.Rows(e.context, values)
	for _, row := range rows {
		var types []relation.Type
		for _, column := range set.Columns {
			types = append(types, column.Type)
		}
		texts = append(texts, ToText(relation.Type{OID: relation.RecordOID}, NewRecord(types, row), &e.context.Format))
	}
	return expression{relation.TextType, relation.Text(strings.Join(texts, ";"))}, err
}

// aggregate runs an aggregate over the elements of an array, which stands for the rows in these tests.
func (e *evaluator) aggregate(call Call, rows expression) (expression, error) {
	element := ElementType(rows.kind)
	call.Arguments = []relation.Type{element}
	aggregate, err := ResolveAggregate(call)
	if err != nil {
		return expression{}, err
	}
	accumulator := aggregate.New()
	for _, value := range OpenArray(rows.value).Elements {
		if value.IsNull() && aggregate.IgnoresNulls {
			continue
		}
		values, err := e.arguments(aggregate.Arguments, []expression{{element, value}})
		if err != nil {
			return expression{}, err
		}
		if err := accumulator.Add(e.context, values); err != nil {
			return expression{}, err
		}
	}
	value, err := accumulator.Result(e.context)
	return expression{aggregate.Result, value}, err
}

func (e *evaluator) operator(x *pg_query.A_Expr) (expression, error) {
	name := names(x.Name)
	var operands []expression
	var left relation.Type
	if x.Lexpr != nil {
		operand, err := e.node(x.Lexpr)
		if err != nil {
			return operand, err
		}
		left = operand.kind
		operands = append(operands, operand)
	}
	operand, err := e.node(x.Rexpr)
	if err != nil {
		return operand, err
	}
	scalar, err := ResolveOperator(name[len(name)-1], left, operand.kind)
	if err != nil {
		return expression{}, err
	}
	return e.run(scalar, append(operands, operand))
}

func (e *evaluator) array(a *pg_query.A_ArrayExpr) (expression, error) {
	var kinds []relation.Type
	for _, n := range a.Elements {
		x, err := e.node(n)
		if err != nil {
			return x, err
		}
		kinds = append(kinds, x.kind)
	}
	common, err := CommonType(kinds, "ARRAY")
	if err != nil {
		return expression{}, err
	}
	if IsArrayType(common) {
		return e.arrayOf(a, common)
	}
	target, ok := ArrayType(common)
	if !ok {
		return expression{}, pgerror.New(pgerror.UndefinedObject, "could not find array type for data type %s", FormatType(common))
	}
	return e.arrayOf(a, target)
}

func (e *evaluator) arrayOf(a *pg_query.A_ArrayExpr, target relation.Type) (expression, error) {
	element := ElementType(target)
	var values []relation.Value
	nested := false
	for _, n := range a.Elements {
		want := element
		var x expression
		var err error
		if inner := n.GetAArrayExpr(); inner != nil {
			nested, want = true, target
			x, err = e.arrayOf(inner, target)
		} else {
			x, err = e.node(n)
		}
		if err != nil {
			return x, err
		}
		if x, err = e.coerce(x, want, CastExplicit); err != nil {
			return x, err
		}
		values = append(values, x.value)
	}
	if nested {
		value, err := NewNestedArray(element.OID, values)
		return expression{target, value}, err
	}
	return expression{target, NewArray(element.OID, values)}, nil
}

func (e *evaluator) row(r *pg_query.RowExpr) (expression, error) {
	var kinds []relation.Type
	var values []relation.Value
	var columns []relation.Column
	for i, n := range r.Args {
		x, err := e.node(n)
		if err != nil {
			return x, err
		}
		kinds, values = append(kinds, x.kind), append(values, x.value)
		columns = append(columns, relation.Column{Name: "f" + strconv.Itoa(i+1), Type: x.kind})
	}
	return expression{RecordType(columns), NewRecord(kinds, values)}, nil
}
