package memory_test

import (
	"testing"

	"moraine/store"
	"moraine/store/memory"
	"moraine/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Engine { return memory.New() }, nil)
}
