package bind

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// constant gives the value of a literal as it is written: strings and NULL are of unknown type.
func (b *binder) constant(node *pg_query.A_Const) (Expression, error) {
	if node.Isnull {
		return &Constant{Of: relation.UnknownType, Location: node.Location}, nil
	}
	switch value := node.Val.(type) {
	case *pg_query.A_Const_Ival:
		return &Constant{Value: relation.Int(int64(value.Ival.GetIval())), Of: relation.Int4Type}, nil
	case *pg_query.A_Const_Fval:
		return b.number(value.Fval.GetFval(), int(node.Location))
	case *pg_query.A_Const_Sval:
		return &Constant{Value: relation.Text(value.Sval.GetSval()), Of: relation.UnknownType, Location: node.Location}, nil
	case *pg_query.A_Const_Boolval:
		return &Constant{Value: relation.Bool(value.Boolval.GetBoolval()), Of: relation.BoolType}, nil
	case *pg_query.A_Const_Bsval:
		return b.bitString(value.Bsval.GetBsval(), int(node.Location))
	}
	return nil, b.unsupportedAt(int(node.Location), "this literal")
}

// number gives a number the narrowest of int4, int8 and numeric, as PostgreSQL does.
func (b *binder) number(text string, location int) (Expression, error) {
	if integer, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integerConstant(integer), nil
	}
	if strings.ContainsAny(text, "xXoObB_") {
		return nil, b.errorAt(location, pgerror.SyntaxError, "trailing junk after numeric literal at or near \"%s\"", text)
	}
	value, err := b.input(relation.NumericType, text)
	if err != nil {
		return nil, b.at(err, location)
	}
	return &Constant{Value: value, Of: relation.NumericType}, nil
}

func integerConstant(integer int64) *Constant {
	if integer == int64(int32(integer)) {
		return &Constant{Value: relation.Int(integer), Of: relation.Int4Type}
	}
	return &Constant{Value: relation.Int(integer), Of: relation.Int8Type}
}

var hexDigits = [16]string{"0000", "0001", "0010", "0011", "0100", "0101", "0110", "0111",
	"1000", "1001", "1010", "1011", "1100", "1101", "1110", "1111"}

// bitString reads B'...' and X'...', which the grammar gives with the letter in front.
func (b *binder) bitString(text string, location int) (Expression, error) {
	digits := text[1:]
	if text[0] == 'x' {
		var bits strings.Builder
		for i := range len(digits) {
			digit, err := strconv.ParseUint(digits[i:i+1], 16, 8)
			if err != nil {
				return nil, b.errorAt(location, pgerror.InvalidTextRepresentation, "\"%s\" is not a valid hexadecimal digit", digits[i:i+1])
			}
			bits.WriteString(hexDigits[digit])
		}
		digits = bits.String()
	} else if i := strings.IndexFunc(digits, func(c rune) bool { return c != '0' && c != '1' }); i >= 0 {
		return nil, b.errorAt(location, pgerror.InvalidTextRepresentation, "\"%c\" is not a valid binary digit", digits[i])
	}
	return &Constant{Value: relation.Text(digits), Of: relation.Type{OID: relation.BitOID, Modifier: -1}}, nil
}
