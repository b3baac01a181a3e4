package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"moraine/inspect"
	"moraine/keyspace"
	"moraine/store"
)

// DefaultBatchSize is how many bytes of keys and values are written in one batch when nothing else is asked for. Twice as
// many are in memory at a time. A record that is larger is a batch of its own.
const DefaultBatchSize = 8 << 20

// Options of a copy.
type Options struct {
	// Database and Schema choose the lakes: those of a database, or with that schema; all where a name is empty.
	Database, Schema string
	// Examined is the target opened for reading only, where its engine can do that: what is there already is then looked
	// at without taking it from a server that writes it. Nil examines the target itself.
	Examined store.Engine
	// Claim, unless nil, gives the target for writing. It is called once, when it is known that there is something to write.
	Claim func(context.Context) (store.Engine, error)
	// Source is the location of the source, by which an interrupted copy is known again; no password is in it.
	Source string
	// BatchSize is how many bytes are written in one batch; DefaultBatchSize when 0.
	BatchSize int
	// Progress, unless nil, is told now and then how far the copy is. It must be quick.
	Progress func(Progress)
}

// Phase is what is being done.
type Phase string

// The phases of each lake: existing ones of the target are compared, the others copied and verified.
const (
	Comparing Phase = "comparing"
	Copying   Phase = "copying"
	Verifying Phase = "verifying"
)

// Progress is how far a copy is.
type Progress struct {
	Phase         Phase
	Path          store.Path
	Number, Count int   // of the lake among the selected ones, from 1
	Keys, Bytes   int64 // read of the lake in this phase
}

// Result is what was done to one lake.
type Result struct {
	Path store.Path
	// Census is what both sides hold now.
	Census inspect.Census
	// Head is the head that was copied; absent without a catalog.
	Head keyspace.Optional[keyspace.HeadValue]
	// Put and Deleted are the keys that the target did not have like that before.
	Put, Deleted int64
	// Present says that the target had the lake already, with the same keys and values.
	Present bool
}

// Refused says why nothing was copied, and that nothing was written.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

func refuse(format string, arguments ...any) error {
	return &Refused{Reason: fmt.Sprintf(format, arguments...)}
}

// Mismatch says that a lake of the target does not hold what was read from the source. The copy stays unfinished.
type Mismatch struct {
	Source, Target inspect.Census
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the copy has %d records with checksum %s, the source %d with %s",
		m.Target.Keys, m.Target.Checksum, m.Source.Keys, m.Source.Checksum)
}

// copying is one call of Copy.
type copying struct {
	from, to store.Engine
	options  Options
	begun    time.Time
	total    int // of the selected lakes
}

// lakeCopy is what is known of one lake of it.
type lakeCopy struct {
	*copying
	path    store.Path
	number  int  // from 1
	absent  bool // in the target
	mark    *Unfinished
	counter *inspect.Counter
	format  []byte // sys/format of the source; nil when it has none
	result  Result
}

// Copy copies the selected lakes, with the databases that they are in, and verifies them. The result has them in order. It
// is a [*Refused] when nothing was copied because something is in the way; after any other error the lakes are unfinished,
// and the same call goes on.
func Copy(ctx context.Context, from, to store.Engine, options Options) ([]Result, error) {
	if options.BatchSize == 0 {
		options.BatchSize = DefaultBatchSize
	}
	if options.Examined == nil {
		options.Examined = to
	}
	c := &copying{from: from, to: to, options: options, begun: time.Now().Truncate(time.Second)}
	databases, lakes, err := c.selected(ctx)
	if err != nil {
		return nil, err
	}
	if err := eachLake(ctx, lakes, (*lakeCopy).examine); err != nil {
		return nil, err
	}
	if len(databases) > 0 || slices.ContainsFunc(lakes, func(lake *lakeCopy) bool { return !lake.result.Present }) {
		if err := c.write(ctx, databases, lakes); err != nil {
			return nil, err
		}
	}
	results := make([]Result, 0, len(lakes))
	for _, lake := range lakes {
		results = append(results, lake.result)
	}
	return results, nil
}

// write makes the databases that the target lacks, and copies the lakes.
func (c *copying) write(ctx context.Context, databases []string, lakes []*lakeCopy) (err error) {
	if c.options.Claim != nil {
		if c.to, err = c.options.Claim(ctx); err != nil {
			return err
		}
	}
	for _, database := range databases {
		if err := c.to.Create(ctx, store.Path{Database: database}); err != nil && !errors.Is(err, store.ErrExists) {
			return fmt.Errorf("database %s: %w", store.Path{Database: database}, err)
		}
	}
	for _, step := range []func(*lakeCopy, context.Context) error{(*lakeCopy).begin, (*lakeCopy).fill, (*lakeCopy).finish} {
		if err := eachLake(ctx, lakes, step); err != nil {
			return err
		}
	}
	return nil
}

// eachLake takes a step with each lake that the target does not have yet.
func eachLake(ctx context.Context, lakes []*lakeCopy, step func(*lakeCopy, context.Context) error) error {
	for _, lake := range lakes {
		if lake.result.Present {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(lake, ctx); err != nil {
			return fmt.Errorf("%s: %w", lake.path, err)
		}
	}
	return nil
}

// selected gives the lakes of the source that are meant, and those of their databases that the target does not have.
func (c *copying) selected(ctx context.Context) (missing []string, lakes []*lakeCopy, err error) {
	paths, err := c.from.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	existing, err := c.options.Examined.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	found := false
	for _, path := range paths {
		switch {
		case c.options.Database != "" && path.Database != c.options.Database:
			continue
		case path.Schema != "" && c.options.Schema != "" && path.Schema != c.options.Schema:
			continue
		case path.Schema != "":
			lakes = append(lakes, &lakeCopy{copying: c, path: path, number: len(lakes) + 1, absent: !slices.Contains(existing, path),
				result: Result{Path: path}})
		case c.options.Schema != "":
			continue // the database is selected with its lake
		}
		found = true
		if !slices.Contains(existing, store.Path{Database: path.Database}) && !slices.Contains(missing, path.Database) {
			missing = append(missing, path.Database)
		}
	}
	if !found {
		return nil, nil, refuse("there is no such lake in the source")
	}
	c.total = len(lakes)
	return missing, lakes, nil
}

func (l *lakeCopy) progress(phase Phase, keys, bytes int64) {
	if l.options.Progress != nil {
		l.options.Progress(Progress{Phase: phase, Path: l.path, Number: l.number, Count: l.total, Keys: keys, Bytes: bytes})
	}
}
