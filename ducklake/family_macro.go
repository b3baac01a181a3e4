package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// macroParameterRow is a row of ducklake_macro_parameters, two levels below its record.
type macroParameterRow struct {
	macro          *keyspace.MacroValue
	implementation *keyspace.MacroImplementation
	parameter      *keyspace.MacroParameter
}

// Macros. DuckLake rebuilds them with LIST() and no ORDER BY, so the rows are served in the order of the ids (RFC 0019).
var macros = func() *family {
	type row = keyspace.MacroValue
	type implementation = embeddedRow[keyspace.MacroValue, keyspace.MacroImplementation]
	macro := &catalogTable{
		name:     "ducklake_macro",
		identity: []string{"macro_id"}, selective: []string{"macro_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("schema_id", func(m *row) *uint64 { return &m.SchemaID }),
			number("macro_id", func(m *row) *uint64 { return &m.MacroID }),
			text("macro_name", func(m *row) *string { return &m.MacroName }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
		),
	}
	implementations := &catalogTable{
		name:     "ducklake_macro_impl",
		identity: []string{"macro_id"}, natural: []string{"impl_id"}, sorted: true, selective: []string{"macro_id"},
		codec: embeddedRows[keyspace.MacroValue, keyspace.MacroImplementation, *keyspace.MacroValue](
			func(m *row) *[]keyspace.MacroImplementation { return &m.Implementations },
			func(m *keyspace.MacroImplementation) *keyspace.RowExtension { return &m.Extension },
			number("macro_id", func(r *implementation) *uint64 { return &r.parent.MacroID }),
			number("impl_id", func(r *implementation) *uint64 { return &r.child.ImplID }),
			text("dialect", func(r *implementation) *string { return &r.child.Dialect }),
			text("sql", func(r *implementation) *string { return &r.child.SQL }),
			text("type", func(r *implementation) *string { return &r.child.MacroType }),
		),
	}
	parameters := &catalogTable{
		name:     "ducklake_macro_parameters",
		identity: []string{"macro_id"}, natural: []string{"impl_id", "column_id"}, sorted: true, selective: []string{"macro_id"},
		codec: &rowsOf[macroParameterRow]{
			countIn: countParameters, roomIn: roomForParameter, view: viewParameter,
			extension: func(r *macroParameterRow) *keyspace.RowExtension { return &r.parameter.Extension },
			fields: []field[macroParameterRow]{
				number("macro_id", func(r *macroParameterRow) *uint64 { return &r.macro.MacroID }),
				number("impl_id", func(r *macroParameterRow) *uint64 { return &r.implementation.ImplID }),
				number("column_id", func(r *macroParameterRow) *uint64 { return &r.parameter.ColumnID }),
				text("parameter_name", func(r *macroParameterRow) *string { return &r.parameter.ParameterName }),
				text("parameter_type", func(r *macroParameterRow) *string { return &r.parameter.ParameterType }),
				optionalText("default_value", func(r *macroParameterRow) *keyspace.Optional[string] { return &r.parameter.DefaultValue }),
				text("default_value_type", func(r *macroParameterRow) *string { return &r.parameter.DefaultValueType }),
			},
		},
	}
	return versionedFamily(keyspace.KindCurrentMacro).of(macro, implementations, parameters)
}()

func countParameters(message keyspace.Message) (count int) {
	for i := range message.(*keyspace.MacroValue).Implementations {
		count += len(message.(*keyspace.MacroValue).Implementations[i].Parameters)
	}
	return count
}

func viewParameter(record *record, index int, scratch *macroParameterRow) *macroParameterRow {
	macro := record.message.(*keyspace.MacroValue)
	for i := range macro.Implementations {
		implementation := &macro.Implementations[i]
		if index < len(implementation.Parameters) {
			*scratch = macroParameterRow{macro: macro, implementation: implementation, parameter: &implementation.Parameters[index]}
			break
		}
		index -= len(implementation.Parameters)
	}
	return scratch
}

// roomForParameter finds a parameter's implementation, which must be the only one with its id.
func roomForParameter(message keyspace.Message, valueOf func(string) relation.Value) (int, bool) {
	id := valueOf("impl_id")
	if id.IsNull() {
		return 0, false
	}
	var found *keyspace.MacroImplementation
	index, before := 0, 0
	implementations := message.(*keyspace.MacroValue).Implementations
	for i := range implementations {
		before += len(implementations[i].Parameters)
		if implementations[i].ImplID != uint64(id.Int()) || implementations[i].Extension.Null("impl_id") {
			continue
		}
		if found != nil {
			return 0, false
		}
		found, index = &implementations[i], before
	}
	if found == nil {
		return 0, false
	}
	found.Parameters = append(found.Parameters, keyspace.MacroParameter{})
	return index, true
}
