package relation

import "testing"

func TestDerivedOIDsLeadBackToTheirTable(t *testing.T) {
	for _, table := range []uint32{FirstOID, FirstOID + 1, OIDLimit - 1} {
		if got, array, ok := TableOfRowType(RowTypeOID(table)); got != table || array || !ok {
			t.Errorf("row type of %d leads to %d, %v, %v", table, got, array, ok)
		}
		if got, array, ok := TableOfRowType(RowArrayOID(table)); got != table || !array || !ok {
			t.Errorf("row array of %d leads to %d, %v, %v", table, got, array, ok)
		}
		for _, i := range []int{0, 1, MaximumConstraints - 1} {
			oid := ConstraintOID(table, i)
			if got, number, ok := TableOfConstraint(oid); got != table || number != i || !ok || oid > 1<<31-1 {
				t.Errorf("constraint %d of %d has OID %d, which leads to %d, %d, %v", i, table, oid, got, number, ok)
			}
		}
		if _, _, ok := TableOfConstraint(table); ok {
			t.Errorf("the OID %d of a table is taken for a constraint's", table)
		}
	}
}
