package pgcatalog

import (
	"strings"
	"sync"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// IndexDefinition gives the CREATE INDEX statement of the index behind constraint i, as pg_get_indexdef prints it.
func IndexDefinition(definition *relation.Definition, i int) string {
	constraint := &definition.Constraints[i]
	var statement strings.Builder
	statement.WriteString("CREATE UNIQUE INDEX " + function.QuoteIdentifier(constraint.Name) + " ON " +
		function.QuoteIdentifier(shownSchema(definition.Schema)) + "." + function.QuoteIdentifier(definition.Name) + " USING btree (")
	for place, ordinal := range constraint.Columns {
		if place > 0 {
			statement.WriteString(", ")
		}
		statement.WriteString(function.QuoteIdentifier(definition.Columns[ordinal].Name))
	}
	statement.WriteString(")")
	return statement.String()
}

// operatorClass gives the default btree operator class of a type; 0 when there is none.
func operatorClass(oid uint32) uint32 {
	if oid == relation.VarcharOID {
		oid = relation.TextOID
	}
	if class, ok := btreeClasses()[oid]; ok {
		return class
	}
	if kind := function.TypeByOID(oid); kind != nil && kind.IsArray() {
		return btreeClasses()[function.AnyArrayOID]
	}
	return 0
}

// btreeClasses maps a type to its default btree operator class.
var btreeClasses = sync.OnceValue(func() map[uint32]uint32 {
	const method, input, isDefault = 1, 6, 7 // ordinals of opcmethod, opcintype, opcdefault
	classes := map[uint32]uint32{}
	for _, row := range fixedTables()["pg_opclass"] {
		if row[method].Int() == btreeMethodOID && row[isDefault].Bool() {
			classes[uint32(row[input].Int())] = uint32(row[0].Int())
		}
	}
	return classes
})
