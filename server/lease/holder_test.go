package lease

import (
	"strings"
	"testing"
)

func TestHolderSaysWhatToDo(t *testing.T) {
	for _, test := range []struct {
		holder     Holder
		name, hint string
	}{
		{Holder{Address: "one:5433"}, "the server at one:5433", "Connect to one:5433."},
		{Holder{Command: "moraine migrate"}, "the command moraine migrate", "Wait until the command has ended."},
	} {
		if got := test.holder.String(); !strings.HasPrefix(got, test.name+" ") {
			t.Errorf("the holder is %q, want %q", got, test.name)
		}
		if got := test.holder.Hint(); got != test.hint {
			t.Errorf("the hint is %q, want %q", got, test.hint)
		}
	}
}
