package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// MaximumArguments is PostgreSQL's FUNC_MAX_ARGS.
const MaximumArguments = 100

// Call is what the binder knows of a function call.
type Call struct {
	Name string // without pg_catalog
	// Arguments are the types of the arguments as written; UnknownOID for untyped literals and parameters. Those of an
	// ordered-set aggregate are its direct arguments, then those of WITHIN GROUP.
	Arguments []relation.Type
	// ArgumentNames are the names of arguments in named notation, "" for positional ones; nil when all are positional.
	ArgumentNames []string
	Variadic      bool // the last argument is marked VARIADIC
	Star          bool // written as f(*)
}

// Resolve finds the plain function that a call means. Scalar.Arguments tells, in the order of the call, what to cast each
// argument to; an argument that is declared "any" keeps its type. Defaults, named notation and variadic parameters are
// seen to by Evaluate. Errors: 42883, 42725, 42804, and 0A000 when PostgreSQL has the function and Moraine does not.
func Resolve(call Call) (*Scalar, error) {
	if scalar := castByName(&call); scalar != nil {
		return scalar, nil
	}
	chosen, err := choose(&call, func(f *FunctionInfo) bool { return f.Kind == PlainFunction && !f.ReturnsSet })
	if err != nil {
		return nil, err
	}
	sig, err := chosen.signature(call.Arguments)
	if err != nil {
		return nil, err
	}
	evaluate, err := implement(chosen.info, sig)
	if err != nil {
		return nil, err
	}
	return &Scalar{Name: call.Name, Arguments: sig.Arguments, Result: sig.Result, Strict: chosen.info.Strict && !chosen.packs(),
		Volatility: chosen.info.Volatility, Evaluate: chosen.adapt(evaluate)}, nil
}

// castByName is the functional notation of a cast: text(1), date('2026-01-01'). A function that takes exactly the type of
// the argument goes before it.
func castByName(call *Call) *Scalar {
	target := TypeByName(call.Name)
	if target == nil || target.Kind != BaseType || len(call.Arguments) != 1 || call.ArgumentNames != nil {
		return nil
	}
	for _, info := range FunctionsByName(call.Name) {
		if len(info.Arguments) == 1 && info.Arguments[0] == call.Arguments[0].OID {
			return nil
		}
	}
	to := typeOf(target.OID)
	source := call.Arguments[0]
	way, ok := findCoercion(source.OID, to.OID, CastExplicit)
	if !ok || (way.kind != relabel && way.kind != byText) {
		return nil
	}
	evaluate := conversion(source, to, way, CastExplicit)
	if evaluate == nil {
		evaluate = first
	}
	return &Scalar{Name: call.Name, Arguments: []relation.Type{source}, Result: to, Strict: true, Volatility: Stable, Evaluate: evaluate}
}

// first gives its first argument.
func first(_ *Context, arguments []relation.Value) (relation.Value, error) { return arguments[0], nil }

// Exists tells whether there is any function of that name.
func Exists(name string) bool { return len(catalogue.functionsByName[name]) > 0 }

// IsAggregate tells whether the name is that of an aggregate.
func IsAggregate(name string) bool {
	return anyFunction(name, func(f *FunctionInfo) bool { return f.Kind == AggregateFunction })
}

// IsWindow tells whether the name is that of a window function that is no aggregate.
func IsWindow(name string) bool {
	return anyFunction(name, func(f *FunctionInfo) bool { return f.Kind == WindowFunction })
}

// IsSetReturning tells whether the name is that of a set-returning function.
func IsSetReturning(name string) bool {
	return anyFunction(name, func(f *FunctionInfo) bool { return f.ReturnsSet }) || catalogue.sets[name].columns != nil
}

func anyFunction(name string, is func(*FunctionInfo) bool) bool {
	for _, f := range catalogue.functionsByName[name] {
		if is(f) {
			return true
		}
	}
	return false
}

// ResolveOperator finds the operator between two types; left.OID is 0 for a prefix operator.
func ResolveOperator(name string, left, right relation.Type) (*Scalar, error) {
	if name == "!=" {
		name = "<>"
	}
	operator, err := chooseOperator(name, left.OID, right.OID)
	if err != nil {
		return nil, err
	}
	info := FunctionByOID(operator.Function)
	if info == nil {
		return nil, pgerror.Unsupported("operator " + name)
	}
	c := candidate{info: info, parameters: []uint32{operator.Left, operator.Right}, result: operator.Result}
	arguments := []relation.Type{left, right}
	if left.OID == 0 {
		c.parameters, arguments = c.parameters[1:], arguments[1:]
	}
	sig, err := c.signature(arguments)
	if err != nil {
		return nil, err
	}
	evaluate, err := implement(info, sig)
	if err != nil {
		return nil, err
	}
	scalar := &Scalar{Name: name, Arguments: sig.Arguments, Result: sig.Result, Strict: info.Strict, Volatility: info.Volatility, Evaluate: evaluate}
	if other := OperatorByOID(operator.Commutator); other != nil {
		scalar.Commutator = other.Name
	}
	if other := OperatorByOID(operator.Negator); other != nil {
		scalar.Negator = other.Name
	}
	return scalar, nil
}

func chooseOperator(name string, left, right uint32) (*OperatorInfo, error) {
	assumedLeft, assumedRight := left, right
	if left == relation.UnknownOID && right != relation.UnknownOID {
		assumedLeft = right
	} else if right == relation.UnknownOID && left != relation.UnknownOID && left != 0 {
		assumedRight = left
	}
	for _, o := range catalogue.operatorsByName[name] {
		if o.Left == assumedLeft && o.Right == assumedRight {
			return o, nil
		}
	}
	var operators []*OperatorInfo
	var candidates []*candidate
	for _, o := range catalogue.operatorsByName[name] {
		if (o.Left == 0) != (left == 0) {
			continue
		}
		parameters := []uint32{o.Left, o.Right}
		if left == 0 {
			parameters = parameters[1:]
		}
		operators = append(operators, o)
		candidates = append(candidates, &candidate{parameters: parameters, index: len(operators) - 1})
	}
	actual := []uint32{left, right}
	if left == 0 {
		actual = actual[1:]
	}
	best, ambiguous := bestCandidate(candidates, actual)
	if best != nil {
		return operators[best.index], nil
	}
	return nil, noOperator(name, left, right, ambiguous)
}

func noOperator(name string, left, right uint32, ambiguous bool) error {
	text := name + " " + FormatType(typeOf(right))
	if left != 0 {
		text = FormatType(typeOf(left)) + " " + text
	}
	if ambiguous {
		return pgerror.New(pgerror.AmbiguousFunction, "operator is not unique: %s", text).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.")
	}
	return pgerror.New(pgerror.UndefinedFunction, "operator does not exist: %s", text).
		WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
}

// Undefined is the error of a call that no function of its name fits: 42883.
func Undefined(call *Call) error { return noFunction(call, false) }

func noFunction(call *Call, ambiguous bool) error {
	var text strings.Builder
	text.WriteString(call.Name)
	text.WriteByte('(')
	for i, argument := range call.Arguments {
		if i > 0 {
			text.WriteString(", ")
		}
		if i < len(call.ArgumentNames) && call.ArgumentNames[i] != "" {
			text.WriteString(call.ArgumentNames[i])
			text.WriteString(" => ")
		}
		text.WriteString(FormatType(typeOf(argument.OID)))
	}
	text.WriteByte(')')
	if ambiguous {
		return pgerror.New(pgerror.AmbiguousFunction, "function %s is not unique", text.String()).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
	}
	return pgerror.New(pgerror.UndefinedFunction, "function %s does not exist", text.String()).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
}

// implement finds the implementation of a function for the types of a call.
func implement(info *FunctionInfo, sig *signature) (Evaluate, error) {
	found := catalogue.implementations[info.Source]
	switch {
	case found.evaluate != nil:
		return found.evaluate, nil
	case found.specialise != nil:
		return found.specialise(sig)
	}
	return nil, pgerror.Unsupported("function " + info.Signature())
}

// Signature gives name and argument types as regprocedure prints them.
func (f *FunctionInfo) Signature() string {
	types := make([]string, len(f.Arguments))
	for i, argument := range f.Arguments {
		types[i] = FormatType(typeOf(argument))
	}
	return f.Name + "(" + strings.Join(types, ",") + ")"
}

// Supported tells whether Moraine can run the function.
func (f *FunctionInfo) Supported() bool {
	switch {
	case f.Kind == AggregateFunction:
		return catalogue.accumulators[f.Source].make != nil
	case f.Kind == WindowFunction:
		return catalogue.windows[f.Source].evaluate != nil
	case f.ReturnsSet:
		return catalogue.sets[f.Source].rows != nil
	}
	found := catalogue.implementations[f.Source]
	return found.evaluate != nil || found.specialise != nil
}
