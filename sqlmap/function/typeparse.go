package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// typeWords are the SQL spellings of types that are no typname.
var typeWords = map[string]string{
	"boolean": "bool", "bigint": "int8", "smallint": "int2", "integer": "int4", "int": "int4", "real": "float4",
	"double precision": "float8", "float": "float8", "decimal": "numeric", "dec": "numeric", "character": "bpchar", "char": "bpchar",
	"character varying": "varchar", "char varying": "varchar", "bit varying": "varbit",
	"time without time zone": "time", "time with time zone": "timetz",
	"timestamp without time zone": "timestamp", "timestamp with time zone": "timestamptz",
}

// ParseTypeName reads a type name as SQL writes it, with modifiers and brackets: "character varying(10)[]".
func ParseTypeName(text string) (relation.Type, error) {
	rest, bounds := trimSpace(text), 0
	for strings.HasSuffix(rest, "]") {
		open := strings.LastIndexByte(rest, '[')
		if open < 0 {
			return relation.Type{}, noType(text)
		}
		rest, bounds = trimSpace(rest[:open]), bounds+1
	}
	var modifiers []int32
	if before, inside, ok := strings.Cut(rest, "("); ok {
		list, after, closed := strings.Cut(inside, ")")
		if !closed {
			return relation.Type{}, noType(text)
		}
		for _, field := range strings.Split(list, ",") {
			value, err := strconv.ParseInt(trimSpace(field), 10, 32)
			if err != nil {
				return relation.Type{}, noType(text)
			}
			modifiers = append(modifiers, int32(value))
		}
		rest = trimSpace(before + after)
	}
	if name, ok := typeWords[strings.Join(strings.Fields(lowerASCII(rest)), " ")]; ok {
		if name == "bpchar" && modifiers == nil && bounds == 0 {
			modifiers = []int32{1}
		}
		return ResolveTypeName([]string{name}, modifiers, bounds)
	}
	names, err := SplitQualifiedName(rest)
	if err != nil {
		return relation.Type{}, noType(text)
	}
	return ResolveTypeName(names, modifiers, bounds)
}

func noType(text string) error {
	return pgerror.New(pgerror.UndefinedObject, "type \"%s\" does not exist", text)
}
