package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// describeFunctions tell names and definitions of objects.
func describeFunctions() evaluates {
	functions := evaluates{
		"format_type": formatType, "obj_description(oid,name)": describeObject, "obj_description(oid)": describeObject,
		"col_description(oid,int4)": describeColumn, "shobj_description(oid,name)": constant(relation.NULL), "pg_get_userbyid": userByID,
		"pg_get_expr": expressionText, "pg_get_expr_ext": expressionText,
		"pg_get_constraintdef": constraintDefinition, "pg_get_constraintdef_ext": constraintDefinition,
		"pg_get_indexdef": indexDefinition, "pg_get_indexdef_ext": indexDefinition,
		"pg_get_function_arguments": functionArguments, "pg_get_function_identity_arguments": functionArguments, "pg_get_function_result": functionResult,
		"pg_get_function_arg_default": constant(relation.NULL), "pg_get_function_sqlbody": constant(relation.NULL),
		"pg_get_serial_sequence": serialSequence, "pg_relation_is_publishable": isPublishable, "pg_tablespace_location": constant(relation.Text("")),
		"pg_relation_filenode": relationFileNode, "pg_relation_is_updatable": relationIsUpdatable, "pg_column_is_updatable": constant(relation.Bool(true)),
		"pg_table_is_visible":     tableIsVisible,
		"pg_type_is_visible":      visible(func(oid uint32) bool { return TypeByOID(oid) != nil }, true),
		"pg_function_is_visible":  visible(func(oid uint32) bool { return FunctionByOID(oid) != nil }, false),
		"pg_operator_is_visible":  visible(func(oid uint32) bool { return OperatorByOID(oid) != nil }, false),
		"pg_collation_is_visible": visible(func(oid uint32) bool { return nameCollation(oid, nil) != "" }, false),
		"pg_opclass_is_visible":   visible(anyOID, false), "pg_opfamily_is_visible": visible(anyOID, false),
		"pg_conversion_is_visible": visible(anyOID, false), "pg_ts_config_is_visible": visible(anyOID, false),
		"pg_statistics_obj_is_visible": visible(anyOID, false),
	}
	for _, name := range []string{"pg_get_viewdef", "pg_get_viewdef_ext", "pg_get_viewdef_wrap", "pg_get_viewdef_name", "pg_get_viewdef_name_ext"} {
		functions[name] = constant(relation.NULL)
	}
	for _, name := range []string{"pg_get_triggerdef", "pg_get_triggerdef_ext", "pg_get_ruledef", "pg_get_ruledef_ext", "pg_get_partkeydef",
		"pg_get_partition_constraintdef", "pg_get_statisticsobjdef", "pg_get_statisticsobjdef_columns", "pg_get_functiondef", "pg_get_replica_identity_index",
		"pg_describe_object", "pg_relation_filepath", "pg_sequence_last_value", "pg_collation_actual_version", "pg_database_collation_actual_version"} {
		functions[name] = constant(relation.NULL)
	}
	for name, target := range map[string]uint32{"to_regclass": relation.RegclassOID, "to_regtype": RegtypeOID, "to_regproc": relation.RegprocOID,
		"to_regprocedure": RegprocedureOID, "to_regoper": RegoperOID, "to_regoperator": RegoperatorOID, "to_regnamespace": RegnamespaceOID,
		"to_regrole": RegroleOID, "to_regcollation": RegcollationOID} {
		functions[name] = findObject(target)
	}
	return functions
}

func anyOID(oid uint32) bool { return oid != 0 }

// findObject is to_regclass and its like: NULL instead of an error for what does not exist.
func findObject(target uint32) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if text := trimSpace(a[0].Text()); text != "" && isDigit(text[0]) {
			return relation.NULL, nil
		}
		v, err := inputPlain(typeOf(target), a[0].Text(), &c.Format)
		for _, missing := range []string{pgerror.UndefinedTable, pgerror.UndefinedObject, pgerror.UndefinedFunction, pgerror.AmbiguousFunction,
			pgerror.InvalidSchemaName} {
			if pgerror.HasCode(err, missing) {
				return relation.NULL, nil
			}
		}
		return v, err
	}
}

func formatType(c *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() {
		return relation.NULL, nil
	}
	t := typeOf(uint32(a[0].Int()))
	if !a[1].IsNull() {
		t.Modifier = int32(a[1].Int())
	}
	if table, array, ok := relation.TableOfRowType(t.OID); ok && TypeByOID(t.OID) == nil {
		if name := nameRelation(table, &c.Format); name != "" && array {
			return relation.Text(name + "[]"), nil
		} else if name != "" {
			return relation.Text(name), nil
		}
	}
	if a[1].IsNull() {
		return relation.Text(FormatType(t)), nil
	}
	return relation.Text(FormatTypeWithModifier(t)), nil
}

func definitionOf(c *Context, oid uint32) *relation.Definition {
	if c.Catalog == nil {
		return nil
	}
	return c.Catalog.Definition(oid)
}

func textOrNull(text string) relation.Value {
	if text == "" {
		return relation.NULL
	}
	return relation.Text(text)
}

func describeObject(c *Context, a []relation.Value) (relation.Value, error) {
	if len(a) > 1 && a[1].Text() != "pg_class" {
		return relation.NULL, nil
	}
	if definition := definitionOf(c, uint32(a[0].Int())); definition != nil {
		return textOrNull(definition.Comment), nil
	}
	return relation.NULL, nil
}

func describeColumn(c *Context, a []relation.Value) (relation.Value, error) {
	if definition := definitionOf(c, uint32(a[0].Int())); definition != nil {
		for _, column := range definition.Columns {
			if int64(column.Number) == a[1].Int() {
				return textOrNull(column.Comment), nil
			}
		}
	}
	return relation.NULL, nil
}

func userByID(c *Context, a []relation.Value) (relation.Value, error) {
	if name := roleName(uint32(a[0].Int()), &c.Format); name != "" {
		return relation.Text(name), nil
	}
	return relation.Text("unknown (OID=" + string(appendUnsignedText(nil, a[0], nil)) + ")"), nil
}

// expressionText is pg_get_expr: expressions are kept as SQL text.
func expressionText(_ *Context, a []relation.Value) (relation.Value, error) { return a[0], nil }

// constraintOf finds a constraint and its table by the OID of the constraint or its index.
func constraintOf(c *Context, oid uint32) (*relation.Definition, *relation.Constraint) {
	table, i, ok := relation.TableOfConstraint(oid)
	if !ok {
		return nil, nil
	}
	definition := definitionOf(c, table)
	if definition == nil || i >= len(definition.Constraints) {
		return nil, nil
	}
	return definition, &definition.Constraints[i]
}

func columnList(definition *relation.Definition, constraint *relation.Constraint) string {
	names := make([]string, len(constraint.Columns))
	for i, ordinal := range constraint.Columns {
		names[i] = QuoteIdentifier(definition.Columns[ordinal].Name)
	}
	return strings.Join(names, ", ")
}

func constraintDefinition(c *Context, a []relation.Value) (relation.Value, error) {
	definition, constraint := constraintOf(c, uint32(a[0].Int()))
	if definition == nil {
		return relation.NULL, nil
	}
	kind := "PRIMARY KEY"
	if constraint.Kind == relation.Unique {
		kind = "UNIQUE"
	}
	return relation.Text(kind + " (" + columnList(definition, constraint) + ")"), nil
}

// indexDefinition is pg_get_indexdef: the whole statement, or one column of the index.
func indexDefinition(c *Context, a []relation.Value) (relation.Value, error) {
	definition, constraint := constraintOf(c, uint32(a[0].Int()))
	if definition == nil {
		return relation.NULL, nil
	}
	if len(a) > 1 && a[1].Int() != 0 {
		if place := a[1].Int(); place < 1 || place > int64(len(constraint.Columns)) {
			return relation.Text(""), nil
		}
		return relation.Text(QuoteIdentifier(definition.Columns[constraint.Columns[a[1].Int()-1]].Name)), nil
	}
	return relation.Text("CREATE UNIQUE INDEX " + QuoteIdentifier(constraint.Name) + " ON " + QuoteIdentifier(definition.Schema) + "." +
		QuoteIdentifier(definition.Name) + " USING btree (" + columnList(definition, constraint) + ")"), nil
}

// functionArguments lists the parameters with modes, names and types.
func functionArguments(_ *Context, a []relation.Value) (relation.Value, error) {
	info := FunctionByOID(uint32(a[0].Int()))
	if info == nil {
		return relation.NULL, nil
	}
	types, modes := info.AllArguments, info.Modes
	if types == nil {
		types = info.Arguments
	}
	var defaults []string
	if info.DefaultCount > 0 {
		defaults = strings.Split(info.Defaults, ", ")
	}
	var parts []string
	inputs := 0
	for i, oid := range types {
		mode := byte('i')
		if i < len(modes) {
			mode = modes[i]
		}
		if mode == 't' {
			continue
		}
		part := map[byte]string{'o': "OUT ", 'b': "INOUT ", 'v': "VARIADIC "}[mode]
		if i < len(info.Names) && info.Names[i] != "" {
			part += QuoteIdentifier(info.Names[i]) + " "
		}
		part += FormatType(typeOf(oid))
		if mode != 'o' {
			if place := inputs - (len(info.Arguments) - info.DefaultCount); place >= 0 && place < len(defaults) {
				part += " DEFAULT " + defaults[place]
			}
			inputs++
		}
		parts = append(parts, part)
	}
	return relation.Text(strings.Join(parts, ", ")), nil
}

func functionResult(_ *Context, a []relation.Value) (relation.Value, error) {
	info := FunctionByOID(uint32(a[0].Int()))
	if info == nil || info.Kind == Procedure {
		return relation.NULL, nil
	}
	result := FormatType(typeOf(info.Result))
	if info.ReturnsSet {
		result = "SETOF " + result
	}
	return relation.Text(result), nil
}

// serialSequence checks its arguments; no column has a sequence.
func serialSequence(c *Context, a []relation.Value) (relation.Value, error) {
	oid, err := findRelation(a[0].Text(), &c.Format)
	if err != nil {
		return relation.NULL, err
	}
	definition := definitionOf(c, oid)
	if definition != nil && definition.Ordinal(a[1].Text()) < 0 {
		return relation.NULL, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", a[1].Text(), definition.Name)
	}
	return relation.NULL, nil
}

func isPublishable(c *Context, a []relation.Value) (relation.Value, error) {
	definition := definitionOf(c, uint32(a[0].Int()))
	if definition == nil {
		return relation.NULL, nil
	}
	return relation.Bool(definition.Kind == relation.Table && definition.Persistence == relation.Permanent && definition.OID >= relation.FirstOID), nil
}

func relationFileNode(c *Context, a []relation.Value) (relation.Value, error) {
	if definitionOf(c, uint32(a[0].Int())) == nil {
		return relation.NULL, nil
	}
	return a[0], nil
}

// relationIsUpdatable gives a mask of what a relation takes: 8 insert, 4 update, 16 delete (INSERT, UPDATE and DELETE of
// PostgreSQL's CmdType).
func relationIsUpdatable(c *Context, a []relation.Value) (relation.Value, error) {
	definition := definitionOf(c, uint32(a[0].Int()))
	if definition == nil || definition.Kind != relation.Table {
		return relation.Int(0), nil
	}
	return relation.Int(1<<2 | 1<<3 | 1<<4), nil
}

func tableIsVisible(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("pg_table_is_visible")
	}
	_, _, isVisible, ok := c.Catalog.RelationName(uint32(a[0].Int()))
	if !ok {
		return relation.NULL, nil
	}
	return relation.Bool(isVisible), nil
}

// visible is pg_..._is_visible for objects that are all in pg_catalog; row types follow their tables.
func visible(exists func(oid uint32) bool, rowTypes bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		oid := uint32(a[0].Int())
		if exists(oid) {
			return relation.Bool(true), nil
		}
		if table, _, ok := relation.TableOfRowType(oid); ok && rowTypes {
			return tableIsVisible(c, []relation.Value{relation.Int(int64(table))})
		}
		return relation.NULL, nil
	}
}
