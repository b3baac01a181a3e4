package lake

import (
	"fmt"
	"strings"
	"testing"

	"moraine/pgerror"
	"moraine/store"
)

func TestATooLargeTransactionIsToldItsLimit(t *testing.T) {
	err := stagingError(fmt.Errorf("ducklake_data_file: %w", store.ErrBatchFull))
	if !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) || !strings.Contains(err.Error(), "the transaction writes more than 512 MiB") {
		t.Errorf("got %v", err)
	}
}
