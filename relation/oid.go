package relation

// OIDs of tables lie in [FirstOID, OIDLimit); PostgreSQL's own objects have smaller ones. What belongs to a table (its row
// type, indexes and constraints) has OIDs that follow from the table's: the upper bits count, so that nothing has to be
// kept and any of them leads back to its table. All fit in 31 bits, for clients that read an OID as a signed number. As
// in PostgreSQL an OID is unique in its catalog only: an index and its constraint have the same.
const (
	FirstOID uint32 = 16384
	OIDLimit uint32 = 1 << derivedShift

	derivedShift = 26
	// MaximumConstraints bounds the constraints of a table.
	MaximumConstraints = 30
)

// RowTypeOID gives the OID in pg_type of the row type of a table.
func RowTypeOID(table uint32) uint32 { return table | 1<<derivedShift }

// RowArrayOID gives the OID in pg_type of the array of a table's row type.
func RowArrayOID(table uint32) uint32 { return table | 2<<derivedShift }

// TableOfRowType gives the table of a row type or of its array; ok is false for the OID of another type.
func TableOfRowType(oid uint32) (table uint32, array, ok bool) {
	slot := oid >> derivedShift
	return oid & (OIDLimit - 1), slot == 2, slot == 1 || slot == 2
}

// ConstraintOID gives the OID in pg_constraint of constraint i of a table, and in pg_class of its index.
func ConstraintOID(table uint32, i int) uint32 { return table | uint32(i+1)<<derivedShift }

// TableOfConstraint gives the table and number of a constraint or its index; ok is false for the OID of anything else.
func TableOfConstraint(oid uint32) (table uint32, i int, ok bool) {
	slot := oid >> derivedShift
	return oid & (OIDLimit - 1), int(slot) - 1, slot >= 1 && slot <= MaximumConstraints
}
