package pgcatalog

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"moraine/relation"
)

// Names and OIDs of the two schemas, as in PostgreSQL 15, and of the schema public.
const (
	Schema               = "pg_catalog"
	InformationSchema    = "information_schema"
	SchemaOID            = 11
	InformationSchemaOID = 13207
	toastSchema          = "pg_toast"
	toastSchemaOID       = 99
)

//go:embed data/columns.tsv
var recordedColumns string

// recordedColumnFields is the number of fields of a line of data/columns.tsv: schema, relation, oid, relkind, row type, shared,
// column, type, modifier, not null.
const recordedColumnFields = 10

// shape is what is recorded of one relation beside its definition.
type shape struct {
	definition *relation.Definition
	rowType    uint32
	shared     bool
}

type shapes struct {
	list   []*shape
	byOID  map[uint32]*shape
	byName map[string]*shape // "schema.name"
}

var recorded = sync.OnceValue(func() *shapes {
	all := &shapes{byOID: map[uint32]*shape{}, byName: map[string]*shape{}}
	for line := range strings.Lines(recordedColumns) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(field) != recordedColumnFields {
			panic("pgcatalog: columns.tsv has a line of " + strconv.Itoa(len(field)) + " fields: " + line)
		}
		name := field[0] + "." + field[1]
		known := all.byName[name]
		if known == nil {
			known = &shape{rowType: uint32(number(field[4])), shared: field[5] == "t", definition: &relation.Definition{
				OID: uint32(number(field[2])), Schema: field[0], Name: field[1], Kind: relation.Kind(field[3][0]), Persistence: relation.Permanent,
			}}
			all.list = append(all.list, known)
			all.byOID[known.definition.OID] = known
			all.byName[name] = known
		}
		columns := &known.definition.Columns
		*columns = append(*columns, relation.Column{
			Name: field[6], Type: relation.Type{OID: uint32(number(field[7])), Modifier: int32(number(field[8]))},
			NotNull: field[9] == "t", Number: int16(len(*columns) + 1),
		})
	}
	for name, columns := range selective {
		definition := all.byName[Schema+"."+name].definition
		for _, column := range columns {
			definition.Selective = append(definition.Selective, definition.Ordinal(column))
		}
	}
	for name, estimate := range rowEstimates {
		all.byName[Schema+"."+name].definition.RowEstimate = estimate
	}
	return all
})

// number reads a number of the recorded data, which is known to be one.
func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("pgcatalog: recorded data: " + err.Error())
	}
	return value
}

// selective names the columns by which scans of the large relations are cheap.
var selective = map[string][]string{
	"pg_class":       {"oid", "relname"},
	"pg_attribute":   {"attrelid"},
	"pg_attrdef":     {"adrelid"},
	"pg_constraint":  {"oid", "conrelid", "conindid"},
	"pg_description": {"objoid"},
	"pg_index":       {"indexrelid", "indrelid"},
	"pg_type":        {"oid", "typname", "typrelid"},
	"pg_proc":        {"oid", "proname"},
	"pg_operator":    {"oid"},
	"pg_indexes":     {"tablename"},
	"pg_tables":      {"tablename"},
}

// rowEstimates are sizes for the planner. Those of the relations that are cheap to scan by key are large, so that joins go
// from the few tables that a client asks for to their columns, types, keys and comments, and not the other way round.
var rowEstimates = map[string]float64{
	"pg_class": 1000, "pg_attribute": 20_000, "pg_type": 100_000, "pg_constraint": 100_000, "pg_index": 100_000, "pg_description": 100_000,
	"pg_attrdef": 100_000, "pg_proc": 3000, "pg_operator": 800, "pg_cast": 200, "pg_aggregate": 150, "pg_namespace": 5, "pg_database": 3,
	"pg_settings": 150, "pg_am": 7, "pg_collation": 3, "pg_opclass": 180, "pg_opfamily": 150, "pg_roles": 1, "pg_authid": 1,
	"pg_timezone_names": 500,
}

// Definition gives the definition of a relation of pg_catalog or information_schema; nil when there is none.
func Definition(schema, name string) *relation.Definition {
	if known := recorded().byName[schema+"."+name]; known != nil {
		return known.definition
	}
	return nil
}

// DefinitionByOID gives the definition of a relation of pg_catalog or information_schema; nil when there is none.
func DefinitionByOID(oid uint32) *relation.Definition {
	if known := recorded().byOID[oid]; known != nil {
		return known.definition
	}
	return nil
}
