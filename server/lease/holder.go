package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"moraine/store"
)

// Holder is what a server, or a command that writes the store, says of itself in the object of its epoch.
type Holder struct {
	// ID is of one start of a server, random.
	ID string `json:"id"`
	// Address is where its clients connect, host:port; empty for a command.
	Address string `json:"address"`
	// Command is what holds the store instead of a server.
	Command string `json:"command,omitempty"`
	Host    string `json:"host"`
	Process Process
	Started time.Time `json:"started"`
	// TakeoverAfter is how long after the beginning of its last renewal it may still answer.
	TakeoverAfter time.Duration `json:"takeover_after_ns"`
	// Sequence counts the renewals.
	Sequence uint64    `json:"sequence"`
	Renewed  time.Time `json:"renewed"`
	// Released says that it answers no more, and has given up the store.
	Released bool `json:"released"`
}

// String names a server in logs and errors.
func (h Holder) String() string {
	what := "the server at " + h.Address
	if h.Command != "" {
		what = "the command " + h.Command
	}
	return fmt.Sprintf("%s (process %d on %s, id %s)", what, h.Process.ID, h.Host, h.ID)
}

// Hint says what a client of another server is to do.
func (h Holder) Hint() string {
	if h.Command != "" {
		return "Wait until the command has ended."
	}
	return fmt.Sprintf("Connect to %s.", h.Address)
}

const (
	// folder holds the objects of the epochs.
	folder = "writer/"
	// epochDigits is the length of an epoch in a name, so that names ascend as epochs do.
	epochDigits = 20
	// maximumObject bounds an object that is read, in bytes.
	maximumObject = 64 << 10
)

func objectName(epoch uint64) string { return fmt.Sprintf("%s%0*d", folder, epochDigits, epoch) }

// listEpochs gives the epochs that have objects, ascending.
func listEpochs(ctx context.Context, objects store.Objects) ([]uint64, error) {
	names, err := objects.ListObjects(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("listing the epochs of writers: %w", err)
	}
	var epochs []uint64
	for _, name := range names {
		digits := strings.TrimPrefix(name, folder)
		var epoch uint64
		if _, err := fmt.Sscanf(digits, "%d", &epoch); err == nil && objectName(epoch) == name {
			epochs = append(epochs, epoch)
		}
	}
	slices.Sort(epochs)
	return epochs, nil
}

// readHolder gives the holder of an epoch; store.ErrNotFound when there is none.
func readHolder(ctx context.Context, objects store.Objects, epoch uint64) (Holder, error) {
	var holder Holder
	content, err := objects.GetObject(ctx, objectName(epoch))
	if err != nil {
		return holder, fmt.Errorf("reading %s: %w", objectName(epoch), err)
	}
	if len(content) > maximumObject {
		return holder, fmt.Errorf("%w: the object %s has %d bytes", store.ErrCorrupt, objectName(epoch), len(content))
	}
	if err := json.Unmarshal(content, &holder); err != nil {
		return holder, fmt.Errorf("%w: the object %s: %w", store.ErrCorrupt, objectName(epoch), err)
	}
	holder.TakeoverAfter = min(holder.TakeoverAfter, MaxTakeoverAfter) // nobody waits longer
	return holder, nil
}

func writeHolder(ctx context.Context, objects store.Objects, epoch uint64, holder Holder, ifAbsent bool) error {
	content, err := json.Marshal(holder)
	if err != nil {
		return err
	}
	if err := objects.PutObject(ctx, objectName(epoch), content, ifAbsent); err != nil {
		return fmt.Errorf("writing %s: %w", objectName(epoch), err)
	}
	return nil
}

// createEpoch creates the object of an epoch; store.ErrExists when another server has. A medium that says so to the repetition
// of a request whose answer was lost speaks of our own object.
func createEpoch(ctx context.Context, objects store.Objects, epoch uint64, holder Holder) error {
	err := writeHolder(ctx, objects, epoch, holder, true)
	if errors.Is(err, store.ErrExists) {
		if found, reading := readHolder(ctx, objects, epoch); reading == nil && found.ID == holder.ID {
			return nil
		}
	}
	return err
}
