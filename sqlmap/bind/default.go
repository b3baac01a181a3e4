package bind

import (
	"context"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// Default binds an expression of a statement as the default of a column.
func Default(ctx context.Context, environment Environment, statement *parse.Statement, node *pg_query.Node, column *relation.Column) (Expression, error) {
	b := &binder{ctx: ctx, environment: environment, statement: statement}
	value, err := b.expression(newScope(nil, &Query{}).within(clauseDefault), node)
	if err != nil {
		return nil, err
	}
	if len(b.parameters) > 0 {
		return nil, b.errorAt(locationOf(node), pgerror.UndefinedParameter, "there is no parameter $%d", len(b.parameters))
	}
	converted, err := b.coerce(value, column.Type, function.CastAssignment, -1)
	if err == nil && converted == nil {
		return nil, pgerror.New(pgerror.DatatypeMismatch, "column \"%s\" is of type %s but default expression is of type %s",
			column.Name, typeName(column.Type), typeName(value.Type())).WithHint("You will need to rewrite or cast the expression.")
	}
	return converted, err
}

// SQL writes a bound expression without columns as PostgreSQL's pg_get_expr does: with a type for each literal whose look does
// not tell it, and without the conversions that nobody has written. ok is false for an expression that it has no words for.
func SQL(e Expression) (text string, ok bool) {
	w := &sqlWriter{ok: true}
	w.expression(e, place{})
	return w.text.String(), w.ok
}

type sqlWriter struct {
	text strings.Builder
	ok   bool
}

// place is where an expression stands: in an operator, or nowhere that needs parentheses.
type place struct {
	operator string
	left     bool // before it
}

func (w *sqlWriter) expression(e Expression, within place) {
	switch e := e.(type) {
	case *Constant:
		w.text.WriteString(constantSQL(e))
	case *SessionValue:
		w.text.WriteString(strings.ToUpper(e.Name))
	case *Cast:
		w.cast(e, within)
	case *Call:
		w.call(e, within)
	case *Coalesce:
		w.list("COALESCE(", e.Arguments, ")")
	case *Extreme:
		name := "LEAST("
		if e.Greatest {
			name = "GREATEST("
		}
		w.list(name, e.Arguments, ")")
	case *ArrayConstructor:
		if len(e.Elements) == 0 {
			w.ok = false
		}
		w.list("ARRAY[", e.Elements, "]")
	default:
		w.ok = false
	}
}

func (w *sqlWriter) list(before string, list []Expression, after string) {
	w.text.WriteString(before)
	for i, e := range list {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.expression(e, place{})
	}
	w.text.WriteString(after)
}

func (w *sqlWriter) cast(e *Cast, within place) {
	if !e.Explicit {
		w.expression(e.Argument, within)
		return
	}
	w.text.WriteByte('(')
	w.expression(e.Argument, place{})
	w.text.WriteString(")::" + function.FormatType(e.Of))
}

func (w *sqlWriter) call(e *Call, within place) {
	if e.Operator == "" {
		w.list(function.QuoteIdentifier(e.Function.Name)+"(", e.Arguments, ")")
		return
	}
	parentheses := within.needsParentheses(e)
	if parentheses {
		w.text.WriteByte('(')
	}
	right := e.Arguments[len(e.Arguments)-1]
	if len(e.Arguments) > 1 {
		w.expression(e.Arguments[0], place{operator: e.Operator, left: true})
		w.text.WriteByte(' ')
	}
	w.text.WriteString(e.Operator + " ")
	w.expression(right, place{operator: e.Operator})
	if parentheses {
		w.text.WriteByte(')')
	}
}

// arithmetic ranks the operators whose precedence may take the place of parentheses, as PostgreSQL's isSimpleNode does.
var arithmetic = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}

func (p place) needsParentheses(e *Call) bool {
	if p.operator == "" {
		return false
	}
	outer, inner := arithmetic[p.operator], arithmetic[e.Operator]
	if outer == 0 || inner == 0 || len(e.Arguments) < 2 {
		return true
	}
	return inner < outer || inner == outer && !p.left
}

// constantSQL is PostgreSQL's get_const_expr. A literal that was given a type of limited length shows the type only: the limit
// belongs to the column.
func constantSQL(e *Constant) string {
	of := e.Of
	if of.OID != relation.IntervalOID && of.OID != relation.BitOID {
		of.Modifier = -1
	}
	if e.Value.IsNull() {
		return "NULL::" + function.FormatTypeWithModifier(of)
	}
	format := function.DefaultFormat()
	text := function.ToText(of, e.Value, &format)
	switch of.OID {
	case relation.BoolOID:
		if e.Value.Bool() {
			return "true"
		}
		return "false"
	case relation.Int4OID:
		if text[0] != '-' {
			return text
		}
	case relation.NumericOID:
		if text[0] >= '0' && text[0] <= '9' && strings.ContainsAny(text, ".eE") {
			return text
		}
	}
	if of.OID == relation.BPCharOID {
		text = strings.TrimRight(text, " ")
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'::" + function.FormatTypeWithModifier(of)
}
