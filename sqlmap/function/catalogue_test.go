package function

import (
	"testing"

	"moraine/relation"
)

// A name that pg_proc does not know would be an implementation that nothing can call.
func TestImplementationsBelongToFunctions(t *testing.T) {
	sources := map[string]FunctionKind{}
	for _, f := range Functions() {
		if sources[f.Source] == 0 {
			sources[f.Source] = f.Kind
		}
	}
	for source := range catalogue.implementations {
		if sources[source] != PlainFunction {
			t.Errorf("no function has the source %s", source)
		}
	}
	for source := range catalogue.accumulators {
		if sources[source] != AggregateFunction {
			t.Errorf("no aggregate is %s", source)
		}
	}
	for source := range catalogue.windows {
		if sources[source] != WindowFunction {
			t.Errorf("no window function has the source %s", source)
		}
	}
	for source := range catalogue.sets {
		if _, ok := sources[source]; !ok {
			t.Errorf("no set-returning function has the source %s", source)
		}
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	for _, o := range Operators() {
		if o.Function != 0 && FunctionByOID(o.Function) == nil {
			t.Errorf("operator %d %s has no function", o.OID, o.Name)
		}
		for _, other := range []uint32{o.Commutator, o.Negator} {
			if other != 0 && OperatorByOID(other) == nil {
				t.Errorf("operator %d %s refers to %d", o.OID, o.Name, other)
			}
		}
	}
	for _, c := range Casts() {
		if c.Method == 'f' && FunctionByOID(c.Function) == nil {
			t.Errorf("cast %d has no function", c.OID)
		}
	}
	for _, a := range Aggregates() {
		if FunctionByOID(a.Function) == nil {
			t.Errorf("aggregate %d has no function", a.Function)
		}
	}
	for _, info := range Types() {
		if info.Array != 0 && TypeByOID(info.Array) == nil {
			t.Errorf("type %s has no array type %d", info.Name, info.Array)
		}
	}
}

// PostgreSQL's clients call these; the list follows the statements that they send.
func TestFunctionsThatClientsCallAreSupported(t *testing.T) {
	for _, name := range []string{"version", "current_schema", "current_schemas", "current_database", "current_setting", "set_config", "format_type",
		"pg_get_expr", "pg_get_indexdef", "pg_get_constraintdef", "obj_description", "col_description", "shobj_description", "pg_table_is_visible",
		"pg_type_is_visible", "pg_function_is_visible", "pg_get_userbyid", "pg_encoding_to_char", "to_regtype", "to_regclass", "unnest",
		"generate_series", "generate_subscripts", "array_agg", "string_agg", "array_to_string", "array_upper", "array_lower", "count", "min", "bool_and",
		"json_build_object", "lower", "replace", "substring", "btrim", "quote_ident", "quote_literal", "row_number", "pg_sleep", "pg_table_size",
		"pg_total_relation_size", "pg_database_size", "pg_size_pretty", "pg_tablespace_location", "has_database_privilege", "pg_has_role",
		"pg_get_function_arguments", "pg_get_function_result", "pg_get_functiondef", "pg_relation_is_publishable", "pg_get_statisticsobjdef_columns",
		"pg_operator_is_visible", "pg_opclass_is_visible", "pg_opfamily_is_visible", "pg_timezone_names", "pg_get_keywords", "pg_collation_is_visible",
		"pg_get_serial_sequence", "like_escape", "pg_advisory_unlock_all", "pg_my_temp_schema", "array_position", "array_remove", "pg_options_to_table",
		"pg_get_triggerdef", "max", "now"} {
		found := false
		for _, f := range FunctionsByName(name) {
			found = found || f.Supported()
		}
		if !found {
			t.Errorf("%s is not supported", name)
		}
	}
}

func TestResolutionOfCalls(t *testing.T) {
	integer, unknown, text := relation.Int4Type, relation.UnknownType, relation.TextType
	for _, c := range []struct {
		call Call
		want relation.Type
	}{
		{Call{Name: "sum", Arguments: []relation.Type{integer}}, relation.Int8Type},
		{Call{Name: "sum", Arguments: []relation.Type{relation.Int8Type}}, relation.NumericType},
		{Call{Name: "avg", Arguments: []relation.Type{relation.Float4Type}}, relation.Float8Type},
		{Call{Name: "max", Arguments: []relation.Type{relation.VarcharType}}, text},
		{Call{Name: "max", Arguments: []relation.Type{unknown}}, text},
		{Call{Name: "count", Star: true}, relation.Int8Type},
		{Call{Name: "percentile_cont", Arguments: []relation.Type{relation.NumericType, relation.Int8Type}}, relation.Float8Type},
		{Call{Name: "mode", Arguments: []relation.Type{integer}}, integer},
		{Call{Name: "string_agg", Arguments: []relation.Type{relation.VarcharType, unknown}}, text},
		{Call{Name: "json_object_agg", Arguments: []relation.Type{text, integer}}, typeOf(relation.JSONOID)},
	} {
		aggregate, err := ResolveAggregate(c.call)
		if err != nil || aggregate.Result != c.want {
			t.Errorf("%s%v: %v, %v", c.call.Name, c.call.Arguments, aggregate, err)
		}
	}
	window, err := ResolveWindow(Call{Name: "lag", Arguments: []relation.Type{relation.Int8Type, integer, integer}})
	if err != nil || window.Result != relation.Int8Type || window.Arguments[2] != relation.Int8Type {
		t.Errorf("lag: %v, %v", window, err)
	}
	set, err := ResolveSetReturning(Call{Name: "json_each_text", Arguments: []relation.Type{unknown}})
	if err != nil || len(set.Columns) != 2 || set.Columns[0].Name != "key" || set.Columns[1].Type != text {
		t.Errorf("json_each_text: %v, %v", set, err)
	}
	_, err = Resolve(Call{Name: "to_tsvector", Arguments: []relation.Type{text}})
	if err == nil {
		t.Error("full text search is there")
	}
}

func TestUnsupportedFunctionsNameThemselves(t *testing.T) {
	_, err := Resolve(Call{Name: "int4range", Arguments: []relation.Type{relation.Int4Type, relation.Int4Type}})
	if err == nil || err.Error() != "ERROR: function int4range(integer,integer) is not supported (SQLSTATE 0A000)" {
		t.Error(err)
	}
}
