package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// CastContext tells where a cast stands; the values are those of pg_cast.castcontext.
type CastContext byte

// Contexts of casts, from the narrowest to the widest.
const (
	CastImplicit   CastContext = 'i' // in an expression
	CastAssignment CastContext = 'a' // to the type of a column
	CastExplicit   CastContext = 'e' // written as CAST or ::
)

// allows tells whether a cast that is declared for one context may be used in another.
func (c CastContext) allows(used CastContext) bool {
	switch used {
	case CastImplicit:
		return c == CastImplicit
	case CastAssignment:
		return c != CastExplicit
	}
	return true
}

type coercionKind byte

const (
	relabel coercionKind = iota
	byFunction
	byText
	byElement
)

// coercion is a way from one type to another.
type coercion struct {
	kind     coercionKind
	function *FunctionInfo
}

// findCoercion finds the way from source to target, without their modifiers; ok is false when there is none in that
// context.
func findCoercion(source, target uint32, context CastContext) (way coercion, ok bool) {
	if source == target {
		return coercion{}, true
	}
	if source == relation.UnknownOID {
		return coercion{kind: byText}, true
	}
	if info := catalogue.castsByKey[castKey{source, target}]; info != nil {
		if !info.Context.allows(context) {
			return coercion{}, false
		}
		switch info.Method {
		case 'b':
			return coercion{kind: relabel}, true
		case 'i':
			return coercion{kind: byText}, true
		}
		return coercion{kind: byFunction, function: FunctionByOID(info.Function)}, true
	}
	if targetInfo := TypeByOID(target); targetInfo != nil && targetInfo.IsArray() {
		if element := ElementType(typeOf(source)); element.OID != 0 {
			if _, ok := findCoercion(element.OID, targetInfo.Element, context); ok {
				return coercion{kind: byElement}, true
			}
		}
	}
	if context == CastExplicit && isString(source) || context != CastImplicit && isString(target) {
		return coercion{kind: byText}, true
	}
	return coercion{}, false
}

func isString(oid uint32) bool {
	info := TypeByOID(oid)
	return info != nil && info.Category == 'S' && info.Kind == BaseType
}

// canCoerce tells whether a value of type source can stand where target is declared; target may be a pseudo-type.
func canCoerce(source, target uint32, context CastContext) bool {
	switch {
	case source == target, source == relation.UnknownOID, target == AnyOID, isPolymorphic(target):
		return true
	case target == relation.RecordOID || target == RecordArrayOID:
		return false
	}
	_, ok := findCoercion(source, target, context)
	return ok
}

// CanCast tells whether there is a cast from one type to another in a context.
func CanCast(from, to relation.Type, context CastContext) bool {
	return canCoerce(from.OID, to.OID, context)
}

// CannotCast is the error for a cast that does not exist: 42846 for an explicit one, otherwise 42804.
func CannotCast(from, to relation.Type) error {
	return pgerror.New(pgerror.CannotCoerce, "cannot cast type %s to %s", FormatType(typeOf(from.OID)), FormatType(typeOf(to.OID)))
}

// ResolveCast finds the cast from one type to another, length coercion by to's modifier included. ok is false when there
// is none in that context (see CannotCast). evaluate takes one argument and is nil when the value stays as it is.
func ResolveCast(from, to relation.Type, context CastContext) (evaluate Evaluate, ok bool) {
	way, ok := findCoercion(from.OID, to.OID, context)
	if !ok {
		return nil, false
	}
	evaluate = conversion(from, to, way, context)
	if to.OID == relation.BitOID && signedInteger(from.OID) && to.Modifier > 0 {
		return bitsFromInt(int(to.Modifier)), true
	}
	if to.Modifier < 0 || (to.Modifier == from.Modifier && to.OID == from.OID) {
		return evaluate, true
	}
	return thenCoerceLength(evaluate, to, context == CastExplicit), true
}

// signedInteger tells whether a type casts to bit by its lowest bits.
func signedInteger(oid uint32) bool { return oid == relation.Int4OID || oid == relation.Int8OID }

// thenCoerceLength applies a modifier to the result of convert, which may be nil.
func thenCoerceLength(convert Evaluate, to relation.Type, explicit bool) Evaluate {
	coerce := lengthCoercion(to, explicit)
	if coerce == nil {
		return convert
	}
	return func(context *Context, arguments []relation.Value) (relation.Value, error) {
		value := arguments[0]
		if convert != nil {
			var err error
			if value, err = convert(context, arguments); err != nil {
				return relation.NULL, err
			}
		}
		if value.IsNull() {
			return value, nil
		}
		return coerce(value)
	}
}

// conversion gives the function of a coercion without modifiers; nil when representations are the same.
func conversion(from, to relation.Type, way coercion, context CastContext) Evaluate {
	switch way.kind {
	case relabel:
		return relabelling(from.OID, to.OID)
	case byText:
		return throughText(from, to)
	case byElement:
		return elementwise(from, to, context)
	}
	return castFunction(way.function, from, to)
}

// castFunction calls the function of a cast; its further parameters (modifier, explicitness) are left to lengthCoercion.
func castFunction(info *FunctionInfo, from, to relation.Type) Evaluate {
	evaluate, err := implement(info, &signature{Arguments: []relation.Type{from}, Result: typeOf(to.OID)})
	if err != nil {
		return failing(err)
	}
	return evaluate
}

// failing is a function that only fails.
func failing(err error) Evaluate {
	return func(*Context, []relation.Value) (relation.Value, error) { return relation.NULL, err }
}

// relabelling converts between types that PostgreSQL stores alike; nil when they are represented alike here too.
func relabelling(from, to uint32) Evaluate {
	if signedness(from) != signedness(to) {
		if signedness(to) == 'u' {
			return func(_ *Context, arguments []relation.Value) (relation.Value, error) {
				return relation.Int(int64(uint32(arguments[0].Int()))), nil
			}
		}
		if to == relation.Int4OID {
			return func(_ *Context, arguments []relation.Value) (relation.Value, error) {
				return relation.Int(int64(int32(arguments[0].Int()))), nil
			}
		}
	}
	return nil
}

// signedness tells how a 32-bit integer type is represented: 's' or 'u', 0 for other types.
func signedness(oid uint32) byte {
	switch oid {
	case relation.Int4OID:
		return 's'
	case relation.OIDOID, relation.XIDOID, CIDOID:
		return 'u'
	}
	if isObjectType(oid) {
		return 'u'
	}
	return 0
}

// throughText writes the value and reads it again.
func throughText(from, to relation.Type) Evaluate {
	target := to
	if from.OID == relation.UnknownOID || representedByText(from.OID) {
		if isString(to.OID) && to.OID != relation.NameOID && to.OID != relation.CharOID {
			return nil
		}
		return func(context *Context, arguments []relation.Value) (relation.Value, error) {
			return inputForModifier(target, arguments[0].Text(), &context.Format)
		}
	}
	encode := TextEncoder(from.OID)
	return func(context *Context, arguments []relation.Value) (relation.Value, error) {
		return inputForModifier(target, string(encode(nil, arguments[0], &context.Format)), &context.Format)
	}
}

// elementwise casts each element of an array.
func elementwise(from, to relation.Type, context CastContext) Evaluate {
	source, target := ElementType(from), ElementType(to)
	way, _ := findCoercion(source.OID, target.OID, context)
	convert := conversion(source, target, way, context)
	return func(context *Context, arguments []relation.Value) (relation.Value, error) {
		a := OpenArray(arguments[0])
		a.Element = target.OID
		if convert == nil {
			return a.Value(), nil
		}
		var argument [1]relation.Value
		for i, element := range a.Elements {
			if element.IsNull() {
				continue
			}
			argument[0] = element
			converted, err := convert(context, argument[:])
			if err != nil {
				return relation.NULL, err
			}
			a.Elements[i] = converted
		}
		return a.Value(), nil
	}
}
