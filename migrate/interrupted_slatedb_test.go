//go:build slatedb

package migrate_test

import (
	"path/filepath"
	"testing"

	"moraine/internal/golden"
)

// TestAMigrationOfTheOriginalsStoreGoesOn does so with the SlateDB store that the original wrote.
func TestAMigrationOfTheOriginalsStoreGoesOn(t *testing.T) {
	killEverywhere(t, func() string {
		directory := t.TempDir()
		golden.Unpack(t, filepath.Join(directory, goldenPath.Database, goldenPath.Schema))
		return "file://" + directory
	})
}
