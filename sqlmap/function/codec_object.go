package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// objectCodecs are the types that name objects of the catalogue: an OID that is written as a name.
func objectCodecs() map[uint32]*codec {
	codecs := map[uint32]*codec{}
	for oid, kind := range map[uint32]objectKind{
		relation.RegclassOID: {"regclass", findRelation, nameRelation},
		RegtypeOID:           {"regtype", findType, nameType},
		relation.RegprocOID:  {"regproc", findFunction, nameFunction},
		RegprocedureOID:      {"regprocedure", findProcedure, nameProcedure},
		RegoperOID:           {"regoper", findOperator, nameOperator},
		RegoperatorOID:       {"regoperator", findOperator, nameOperatorTypes},
		RegnamespaceOID:      {"regnamespace", findSchema, nameSchema},
		RegroleOID:           {"regrole", findRole, nameRole},
		RegcollationOID:      {"regcollation", findCollation, nameCollation},
	} {
		codecs[oid] = &codec{input: kind.input, appendText: kind.appendText, parseBinary: parseUnsigned4Binary,
			appendBinary: appendInt4Binary, compare: compareInt}
	}
	return codecs
}

func isObjectType(oid uint32) bool {
	switch oid {
	case relation.RegclassOID, RegtypeOID, relation.RegprocOID, RegprocedureOID, RegoperOID, RegoperatorOID, RegnamespaceOID,
		RegroleOID, RegcollationOID, RegconfigOID, RegdictionaryOID:
		return true
	}
	return false
}

// objectKind is one of the reg* types: how a name becomes an OID and back. find gives 0 when there is none.
type objectKind struct {
	typeName string
	find     func(text string, f *Format) (uint32, error)
	name     func(oid uint32, f *Format) string
}

func (k objectKind) input(text string, f *Format) (relation.Value, error) {
	word := trimSpace(text)
	if word == "-" {
		return relation.Int(0), nil
	}
	if word != "" && isDigit(word[0]) {
		if oid, err := strconv.ParseUint(word, 10, 32); err == nil {
			return relation.Int(int64(oid)), nil
		}
	}
	oid, err := k.find(word, f)
	return relation.Int(int64(oid)), err
}

func (k objectKind) appendText(dst []byte, v relation.Value, f *Format) []byte {
	oid := uint32(v.Int())
	if oid == 0 {
		return append(dst, '-')
	}
	if name := k.name(oid, f); name != "" {
		return append(dst, name...)
	}
	return strconv.AppendUint(dst, uint64(oid), 10)
}

func (f *Format) catalog() Catalog {
	if f == nil {
		return nil
	}
	return f.Catalog
}

// SplitQualifiedName cuts a possibly quoted, possibly qualified name into its parts, folding what is not quoted to lower
// case. A malformed one is 42602.
func SplitQualifiedName(text string) ([]string, error) {
	var parts []string
	rest := trimSpace(text)
	for {
		var part string
		if strings.HasPrefix(rest, `"`) {
			quoted, after, ok := cutQuoted(rest)
			if !ok || quoted == "" {
				return nil, invalidName()
			}
			part, rest = quoted, after
		} else {
			end := strings.IndexAny(rest, ". \t\n\"")
			if end < 0 {
				end = len(rest)
			}
			part, rest = lowerASCII(rest[:end]), rest[end:]
			if part == "" {
				return nil, invalidName()
			}
		}
		parts = append(parts, truncateName(part))
		rest = trimSpace(rest)
		if rest == "" {
			return parts, nil
		}
		if rest[0] != '.' {
			return nil, invalidName()
		}
		rest = trimSpace(rest[1:])
	}
}

func invalidName() error { return pgerror.New(pgerror.InvalidName, "invalid name syntax") }

// cutQuoted takes a quoted identifier from the start of the text.
func cutQuoted(text string) (name, rest string, ok bool) {
	var part strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			part.WriteByte(text[i])
			continue
		}
		if i+1 == len(text) || text[i+1] != '"' {
			return part.String(), text[i+1:], true
		}
		part.WriteByte('"')
		i++
	}
	return "", "", false
}

// unqualified gives the last part of a name that is in pg_catalog or not qualified; ok is false for other schemas.
func unqualified(text string) (name string, ok bool, err error) {
	parts, err := SplitQualifiedName(text)
	if err != nil {
		return "", false, err
	}
	return parts[len(parts)-1], len(parts) == 1 || parts[len(parts)-2] == "pg_catalog", nil
}

func findRelation(text string, f *Format) (uint32, error) {
	parts, err := SplitQualifiedName(text)
	if err != nil {
		return 0, err
	}
	schema, name := "", parts[len(parts)-1]
	if len(parts) > 1 {
		schema = parts[len(parts)-2]
	}
	if catalog := f.catalog(); catalog != nil {
		oid, err := catalog.RelationOID(schema, name)
		if err != nil || oid != 0 {
			return oid, err
		}
	}
	return 0, pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts, "."))
}

func nameRelation(oid uint32, f *Format) string {
	catalog := f.catalog()
	if catalog == nil {
		return ""
	}
	schema, name, visible, ok := catalog.RelationName(oid)
	switch {
	case !ok:
		return ""
	case visible:
		return QuoteIdentifier(name)
	}
	return QuoteIdentifier(schema) + "." + QuoteIdentifier(name)
}

// findType reads a type name with its modifiers and brackets; a table's name is that of its row type.
func findType(text string, f *Format) (uint32, error) {
	t, err := ParseTypeName(text)
	return t.OID, err
}

func nameType(oid uint32, _ *Format) string {
	if TypeByOID(oid) == nil {
		return ""
	}
	return FormatType(typeOf(oid))
}

func findFunction(text string, _ *Format) (uint32, error) {
	name, ok, err := unqualified(text)
	if err != nil {
		return 0, err
	}
	overloads := FunctionsByName(name)
	switch {
	case !ok || len(overloads) == 0:
		return 0, pgerror.New(pgerror.UndefinedFunction, "function \"%s\" does not exist", text)
	case len(overloads) > 1:
		return 0, pgerror.New(pgerror.AmbiguousFunction, "more than one function named \"%s\"", text)
	}
	return overloads[0].OID, nil
}

func nameFunction(oid uint32, _ *Format) string {
	info := FunctionByOID(oid)
	if info == nil {
		return ""
	}
	if len(FunctionsByName(info.Name)) > 1 {
		return "pg_catalog." + QuoteIdentifier(info.Name)
	}
	return QuoteIdentifier(info.Name)
}

// findProcedure reads name(type, type, ...).
func findProcedure(text string, _ *Format) (uint32, error) {
	base, list, ok := strings.Cut(text, "(")
	if !ok || !strings.HasSuffix(trimSpace(list), ")") {
		return 0, pgerror.New(pgerror.InvalidTextRepresentation, "expected a left parenthesis")
	}
	name, ok, err := unqualified(base)
	if err != nil {
		return 0, err
	}
	arguments, err := parseTypeList(strings.TrimSuffix(trimSpace(list), ")"))
	if err != nil {
		return 0, err
	}
	for _, info := range FunctionsByName(name) {
		if ok && equalTypes(info.Arguments, arguments) {
			return info.OID, nil
		}
	}
	return 0, pgerror.New(pgerror.UndefinedFunction, "function \"%s\" does not exist", text)
}

func parseTypeList(text string) ([]uint32, error) {
	if trimSpace(text) == "" {
		return nil, nil
	}
	var oids []uint32
	for _, part := range strings.Split(text, ",") {
		t, err := ParseTypeName(part)
		if err != nil {
			return nil, err
		}
		oids = append(oids, t.OID)
	}
	return oids, nil
}

func nameProcedure(oid uint32, _ *Format) string {
	if info := FunctionByOID(oid); info != nil {
		return info.Signature()
	}
	return ""
}

func findOperator(text string, _ *Format) (uint32, error) {
	name, list, typed := strings.Cut(strings.TrimPrefix(text, "pg_catalog."), "(")
	overloads := catalogue.operatorsByName[trimSpace(name)]
	if typed {
		arguments, err := parseTypeList(strings.ReplaceAll(strings.TrimSuffix(trimSpace(list), ")"), "none", "any"))
		if err != nil {
			return 0, err
		}
		for _, o := range overloads {
			if len(arguments) == 2 && (o.Left == arguments[0] || o.Left == 0 && arguments[0] == AnyOID) && o.Right == arguments[1] {
				return o.OID, nil
			}
		}
		overloads = nil
	}
	switch {
	case len(overloads) == 0:
		return 0, pgerror.New(pgerror.UndefinedFunction, "operator does not exist: %s", text)
	case len(overloads) > 1:
		return 0, pgerror.New(pgerror.AmbiguousFunction, "more than one operator named %s", text)
	}
	return overloads[0].OID, nil
}

func nameOperator(oid uint32, _ *Format) string {
	info := OperatorByOID(oid)
	if info == nil {
		return ""
	}
	if len(catalogue.operatorsByName[info.Name]) > 1 {
		return "pg_catalog." + info.Name
	}
	return info.Name
}

func nameOperatorTypes(oid uint32, _ *Format) string {
	info := OperatorByOID(oid)
	if info == nil {
		return ""
	}
	left := "NONE"
	if info.Left != 0 {
		left = FormatType(typeOf(info.Left))
	}
	return info.Name + "(" + left + "," + FormatType(typeOf(info.Right)) + ")"
}

func findSchema(text string, f *Format) (uint32, error) {
	parts, err := SplitQualifiedName(text)
	if err != nil {
		return 0, err
	}
	if catalog := f.catalog(); catalog != nil && len(parts) == 1 {
		if oid := catalog.SchemaOID(parts[0]); oid != 0 {
			return oid, nil
		}
	}
	return 0, pgerror.New(pgerror.InvalidSchemaName, "schema \"%s\" does not exist", strings.Join(parts, "."))
}

func nameSchema(oid uint32, f *Format) string {
	if catalog := f.catalog(); catalog != nil {
		return QuoteIdentifier(catalog.SchemaName(oid))
	}
	return ""
}

// ownerOID is the role that owns everything: PostgreSQL's bootstrap superuser.
const ownerOID uint32 = 10

func findRole(text string, f *Format) (uint32, error) {
	parts, err := SplitQualifiedName(text)
	if err != nil {
		return 0, err
	}
	if len(parts) != 1 {
		return 0, pgerror.New(pgerror.InvalidName, "invalid name syntax")
	}
	return requireRole(parts[0], f)
}

// requireRole finds a role by its name.
func requireRole(name string, f *Format) (uint32, error) {
	if roles, known := f.catalog().(Roles); known {
		if oid := roles.RoleOID(name); oid != 0 {
			return oid, nil
		}
	} else if catalog := f.catalog(); catalog != nil {
		if user, _ := catalog.Setting("session_authorization"); user == name {
			return ownerOID, nil
		}
	}
	return 0, pgerror.New(pgerror.UndefinedObject, "role \"%s\" does not exist", name)
}

// roleName gives the name of a role; "" when there is none.
func roleName(oid uint32, f *Format) string {
	if roles, known := f.catalog().(Roles); known {
		return roles.RoleName(oid)
	}
	if catalog := f.catalog(); catalog != nil && oid == ownerOID {
		name, _ := catalog.Setting("session_authorization")
		return name
	}
	return ""
}

func nameRole(oid uint32, f *Format) string {
	if name := roleName(oid, f); name != "" {
		return QuoteIdentifier(name)
	}
	return ""
}

// collations are the collations of pg_collation that Moraine knows.
var collations = map[string]uint32{"default": 100, "C": 950, "POSIX": 951}

func findCollation(text string, _ *Format) (uint32, error) {
	name, ok, err := unqualified(text)
	if err != nil {
		return 0, err
	}
	if oid := collations[name]; ok && oid != 0 {
		return oid, nil
	}
	return 0, pgerror.New(pgerror.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", text)
}

func nameCollation(oid uint32, _ *Format) string {
	for name, known := range collations {
		if known == oid {
			return QuoteIdentifier(name)
		}
	}
	return ""
}
