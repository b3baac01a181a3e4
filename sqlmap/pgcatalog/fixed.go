package pgcatalog

import (
	"context"
	"embed"
	"strconv"
	"strings"
	"sync"

	"moraine/relation"
)

//go:embed data/pg_*.tsv
var fixedFiles embed.FS

// fixedNames are the catalogs whose rows are recorded, in COPY's text format.
var fixedNames = []string{"pg_am", "pg_opclass", "pg_opfamily", "pg_language", "pg_range", "pg_tablespace", "pg_collation"}

var fixedBuilders = func() map[string]builder {
	all := map[string]builder{}
	for _, name := range fixedNames {
		all[name] = func(_ context.Context, s *scan) error {
			for _, row := range fixedTables()[name] {
				if !s.emit(row) {
					return nil
				}
			}
			return nil
		}
	}
	return all
}()

var fixedTables = sync.OnceValue(func() map[string][]relation.Row {
	tables := map[string][]relation.Row{}
	for _, name := range fixedNames {
		content, err := fixedFiles.ReadFile("data/" + name + ".tsv")
		if err != nil {
			panic("pgcatalog: " + err.Error())
		}
		tables[name] = fixedRows(Definition(Schema, name), string(content))
	}
	return tables
})

func fixedRows(definition *relation.Definition, content string) []relation.Row {
	var rows []relation.Row
	for line := range strings.Lines(content) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != len(definition.Columns) {
			panic("pgcatalog: " + definition.Name + ".tsv has a line of " + strconv.Itoa(len(fields)) + " fields")
		}
		row := make(relation.Row, len(fields))
		for i, field := range fields {
			row[i] = fixedValue(definition.Columns[i].Type.OID, field)
		}
		rows = append(rows, row)
	}
	return rows
}

// fixedValue reads a recorded value: those catalogs hold texts, numbers and booleans only.
func fixedValue(oid uint32, field string) relation.Value {
	if field == `\N` {
		return null
	}
	switch oid {
	case relation.NameOID, relation.TextOID, relation.CharOID:
		return relation.Text(field)
	case relation.BoolOID:
		return relation.Bool(field == "t")
	}
	return relation.Int(number(field))
}
