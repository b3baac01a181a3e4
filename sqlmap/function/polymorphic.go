package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// isPolymorphic tells whether a declared type stands for the type of the arguments. Ranges are not among Moraine's types.
func isPolymorphic(oid uint32) bool { return polymorphicFamily(oid) != 0 }

// polymorphicFamily gives 'e' for the types that follow anyelement, 'c' for those that follow anycompatible, 0 for others.
func polymorphicFamily(oid uint32) byte {
	switch oid {
	case AnyElementOID, AnyArrayOID, AnyNonArrayOID, AnyEnumOID:
		return 'e'
	case AnyCompatibleOID, AnyCompatArrayOID, AnyCompatNonArray:
		return 'c'
	}
	return 0
}

// isPolymorphicArray tells whether a polymorphic type stands for an array.
func isPolymorphicArray(oid uint32) bool { return oid == AnyArrayOID || oid == AnyCompatArrayOID }

// consistentPolymorphic tells whether the arguments can be the polymorphic parameters at once.
func consistentPolymorphic(parameters, actual []uint32) bool {
	types := make([]relation.Type, len(actual))
	for i, oid := range actual {
		types[i] = typeOf(oid)
	}
	_, err := settleElements(parameters, types)
	return err == nil
}

// settlePolymorphic replaces polymorphic parameters and result by the types that the arguments give them.
func settlePolymorphic(parameters []uint32, actual []relation.Type, result uint32) ([]relation.Type, relation.Type, error) {
	elements, err := settleElements(parameters, actual)
	if err != nil {
		return nil, relation.Type{}, err
	}
	arguments := make([]relation.Type, len(parameters))
	for i, parameter := range parameters {
		switch {
		case parameter == AnyOID:
			arguments[i] = actual[i]
		case isPolymorphicArray(parameter) && isVector(actual[i].OID):
			arguments[i] = typeOf(actual[i].OID)
		case isPolymorphic(parameter):
			if arguments[i], err = elements.concrete(parameter); err != nil {
				return nil, relation.Type{}, err
			}
			if arguments[i].OID == actual[i].OID {
				arguments[i] = actual[i]
			}
		case parameter == relation.RecordOID && actual[i].OID == relation.RecordOID:
			arguments[i] = actual[i]
		default:
			arguments[i] = typeOf(parameter)
		}
	}
	if !isPolymorphic(result) {
		return arguments, typeOf(result), nil
	}
	settled, err := elements.concrete(result)
	if err == nil && settled.OID == relation.RecordOID {
		for _, argument := range actual {
			if argument.OID == relation.RecordOID {
				settled = argument
				break
			}
		}
	}
	return arguments, settled, err
}

func isVector(oid uint32) bool { return oid == relation.Int2VectorOID || oid == relation.OIDVectorOID }

// polymorphicElements is the element type of each family; 0 when no parameter belongs to it.
type polymorphicElements struct{ element, compatible uint32 }

// concrete gives the type that a polymorphic one stands for.
func (p polymorphicElements) concrete(oid uint32) (relation.Type, error) {
	element := p.element
	if polymorphicFamily(oid) == 'c' {
		element = p.compatible
	}
	if element == 0 {
		return relation.Type{}, undeterminedPolymorphic()
	}
	if isPolymorphicArray(oid) {
		return arrayTypeOf(typeOf(element))
	}
	return typeOf(element), nil
}

func undeterminedPolymorphic() error {
	return pgerror.New(pgerror.DatatypeMismatch, "could not determine polymorphic type because input has type unknown")
}

// settleElements finds the element types of the families.
func settleElements(parameters []uint32, actual []relation.Type) (polymorphicElements, error) {
	var settled polymorphicElements
	var compatible []relation.Type
	for i, parameter := range parameters {
		family := polymorphicFamily(parameter)
		if family == 0 {
			continue
		}
		element, err := polymorphicArgument(parameter, actual[i])
		if err != nil {
			return settled, err
		}
		if element.OID == 0 {
			continue
		}
		if family == 'c' {
			compatible = append(compatible, element)
			continue
		}
		if settled.element != 0 && settled.element != element.OID {
			return settled, pgerror.New(pgerror.DatatypeMismatch, "arguments declared \"%s\" are not all alike", TypeByOID(parameter).Name).
				WithDetail("%s versus %s", FormatType(typeOf(settled.element)), FormatType(typeOf(element.OID)))
		}
		settled.element = element.OID
	}
	if compatible != nil {
		common, err := CommonType(compatible, "arguments of anycompatible family")
		if err != nil {
			return settled, err
		}
		settled.compatible = common.OID
	}
	return settled, nil
}

// polymorphicArgument gives the element type that one argument contributes; the zero Type for an unknown one.
func polymorphicArgument(parameter uint32, actual relation.Type) (relation.Type, error) {
	if actual.OID == relation.UnknownOID {
		return relation.Type{}, nil
	}
	element := ElementType(actual)
	switch {
	case isPolymorphicArray(parameter):
		if element.OID == 0 {
			if actual.OID == AnyArrayOID {
				return typeOf(relation.TextOID), nil
			}
			return element, pgerror.New(pgerror.DatatypeMismatch, "argument declared %s is not an array but type %s",
				TypeByOID(parameter).Name, FormatType(typeOf(actual.OID)))
		}
		return typeOf(element.OID), nil
	case (parameter == AnyNonArrayOID || parameter == AnyCompatNonArray) && element.OID != 0:
		return element, pgerror.New(pgerror.DatatypeMismatch, "type matched to anynonarray is an array type: %s", FormatType(typeOf(actual.OID)))
	case parameter == AnyEnumOID:
		return element, pgerror.New(pgerror.DatatypeMismatch, "type matched to anyenum is not an enum type: %s", FormatType(typeOf(actual.OID)))
	}
	return typeOf(actual.OID), nil
}

// CommonType finds the type that a construct of several branches has (UNION, CASE, COALESCE, VALUES, ARRAY, IN, ...):
// text when all are unknown, 42804 when they cannot be matched. construct begins the message of that error.
func CommonType(types []relation.Type, construct string) (relation.Type, error) {
	if len(types) == 0 {
		return relation.TextType, nil
	}
	common := typeOf(types[0].OID)
	for _, t := range types[1:] {
		switch {
		case t.OID == common.OID || t.OID == relation.UnknownOID:
		case common.OID == relation.UnknownOID:
			common = typeOf(t.OID)
		case categoryOf(common.OID) != categoryOf(t.OID):
			return common, cannotMatch(construct, common, t)
		case !TypeByOID(common.OID).Preferred && canCoerce(common.OID, t.OID, CastImplicit) && !canCoerce(t.OID, common.OID, CastImplicit):
			common = typeOf(t.OID)
		}
	}
	if common.OID == relation.UnknownOID {
		return relation.TextType, nil
	}
	for _, t := range types {
		if !canCoerce(t.OID, common.OID, CastImplicit) {
			return common, cannotConvert(construct, t, common)
		}
	}
	return withCommonModifier(common, types), nil
}

// withCommonModifier keeps the modifier that all branches share.
func withCommonModifier(common relation.Type, types []relation.Type) relation.Type {
	for _, t := range types {
		if t.OID != common.OID || t.Modifier != types[0].Modifier {
			return common
		}
	}
	return types[0]
}

func cannotMatch(construct string, a, b relation.Type) error {
	if construct == "arguments of anycompatible family" {
		return pgerror.New(pgerror.DatatypeMismatch, "%s cannot be matched: %s and %s", construct, FormatType(typeOf(a.OID)), FormatType(typeOf(b.OID)))
	}
	return pgerror.New(pgerror.DatatypeMismatch, "%s types %s and %s cannot be matched", construct, FormatType(typeOf(a.OID)), FormatType(typeOf(b.OID)))
}

func cannotConvert(construct string, from, to relation.Type) error {
	return pgerror.New(pgerror.CannotCoerce, "%s could not convert type %s to %s", construct, FormatType(typeOf(from.OID)), FormatType(typeOf(to.OID)))
}
