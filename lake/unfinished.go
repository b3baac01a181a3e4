package lake

import (
	"context"
	"errors"

	"moraine/pgerror"
	"moraine/store"
	"moraine/transfer"
)

// checkComplete refuses a lake that is the unfinished copy of another one (55000).
func checkComplete(ctx context.Context, reader store.Reader) error {
	err := transfer.CheckComplete(ctx, reader)
	var unfinished *transfer.Unfinished
	if errors.As(err, &unfinished) {
		return pgerror.New(pgerror.ObjectNotInPrerequisiteState, "%v", unfinished).WithHint("%s", unfinished.Remedy())
	}
	return storeError(err)
}
