//go:build slatedb

package server_test

import (
	"path/filepath"
	"testing"

	"moraine/internal/golden"
)

// TestTheOriginalsStoreIsServedAndMigrated opens the SlateDB store that the original wrote, byte for byte.
func TestTheOriginalsStoreIsServedAndMigrated(t *testing.T) {
	directory := t.TempDir()
	golden.Unpack(t, filepath.Join(directory, goldenPath.Database, goldenPath.Schema))
	checkGoldenStore(t, "file://"+directory)
}
