package history

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"moraine/server"
)

var (
	seedFlag     = flag.Uint64("seed", 0, "run the history of this seed alone")
	durationFlag = flag.Duration("duration", 0, "run random histories for this long")
)

// The short run is of histories that are the same each time: chance belongs into the long run, whose failures somebody reads.
const (
	fixedHistories = 24
	sessions       = 4
	steps          = 120
	// shrinkTime bounds the search for a shorter history that fails.
	shrinkTime = 90 * time.Second
	// restartEvery says how often a server is stopped and started on its store in the end of a history.
	restartEvery = 4
)

//go:embed testdata/catalog.sql
var catalogScript string

var (
	creation    = regexp.MustCompile(`CREATE TABLE (\w+) \((.*)\);`)
	columnShape = regexp.MustCompile(`^(\w+) (.+?)( PRIMARY KEY| NOT NULL)?$`)
)

// catalog gives the definitions of the catalog tables.
func catalog() (definitions []*definition) {
	for i, parts := range creation.FindAllStringSubmatch(catalogScript, -1) {
		d := &definition{name: parts[1], kind: catalogTable, key: -1, identity: -1 - i}
		for place, text := range strings.Split(parts[2], ", ") {
			shape := columnShape.FindStringSubmatch(text)
			if shape[3] == " PRIMARY KEY" {
				d.key = place
			}
			d.columns = append(d.columns, column{name: shape[1], typ: shape[2], notNull: shape[3] != "", fill: null})
		}
		definitions = append(definitions, d)
	}
	return definitions
}

// servers is a store with the server that runs on it now.
type servers struct {
	config    server.Config
	running   *server.Server
	databases int
	// tally counts how statements ended, by SQLSTATE, and what they waited for.
	tally map[string]int
}

func (s *servers) start(ctx context.Context) (err error) {
	s.running, err = server.Start(ctx, s.config)
	return err
}

func (s *servers) restart(ctx context.Context) error {
	if err := s.running.Shutdown(ctx); err != nil {
		return err
	}
	return s.start(ctx)
}

func (s *servers) address() string { return s.running.Address() }

func (s *servers) createDatabase(ctx context.Context) (string, error) {
	s.databases++
	name := fmt.Sprintf("history_%d", s.databases)
	return name, s.administer(ctx, "CREATE DATABASE "+name)
}

func (s *servers) dropDatabase(ctx context.Context, name string) {
	_ = s.administer(ctx, "DROP DATABASE "+name+" WITH (FORCE)") // a failure shows in what follows
}

func (s *servers) administer(ctx context.Context, text string) error {
	administrator, err := connect(ctx, s.address(), server.DefaultDatabase)
	if err != nil {
		return err
	}
	defer administrator.close(ctx)
	_, err = administrator.run(ctx, text)
	return err
}

// newServers starts a server on a store of its own, until the test ends.
func newServers(t *testing.T) *servers {
	t.Helper()
	ctx := context.Background()
	s := &servers{tally: map[string]int{}, config: server.Config{Listen: "127.0.0.1:0", Store: t.TempDir(), Version: "test"}}
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.running.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestHistories runs random histories. -seed N repeats one, -duration D runs for longer.
func TestHistories(t *testing.T) {
	s := newServers(t)
	if *seedFlag != 0 {
		check(t, s, *seedFlag)
		return
	}
	started, count := time.Now(), 0
	for seed := uint64(1); seed <= fixedHistories && !t.Failed(); seed++ {
		check(t, s, seed)
		count++
	}
	for time.Since(started) < *durationFlag && !t.Failed() {
		check(t, s, rand.Uint64()|1<<63)
		count++
	}
	t.Logf("%d histories in %s: %v", count, time.Since(started).Round(time.Millisecond), s.tally)
}

// TestASeedNamesAHistory plays histories twice.
func TestASeedNamesAHistory(t *testing.T) {
	ctx, s := context.Background(), newServers(t)
	for seed := uint64(1); seed <= 4; seed++ {
		one, err := play(ctx, s, newGenerator(seed))
		if err != nil {
			t.Fatal(err)
		}
		other, err := play(ctx, s, newGenerator(seed))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(one) != fmt.Sprint(other) {
			t.Errorf("seed %d names several histories", seed)
		}
	}
}

// check runs the history of a seed, and shrinks it when it fails.
func check(t *testing.T, s *servers, seed uint64) {
	t.Helper()
	ctx := context.Background()
	generator := newGenerator(seed)
	actions, err := play(ctx, s, generator)
	if err == nil {
		return
	}
	all := len(actions)
	actions, err = shrink(ctx, s, generator, actions, err)
	var text strings.Builder
	for _, action := range actions {
		fmt.Fprintln(&text, action)
	}
	t.Errorf("go test ./server/history -run TestHistories -seed %d\n%d of %d steps:\n%s%v", seed, len(actions), all, &text, err)
}

// play makes a history as it goes, and gives its steps.
func play(ctx context.Context, s *servers, generator *generator) (actions []action, err error) {
	r, err := newRunner(ctx, s, sessions)
	if err != nil {
		return nil, err
	}
	defer r.close(ctx)
	for len(actions) < steps {
		next := generator.next(r.model)
		taken, err := r.apply(ctx, next)
		if taken {
			actions = append(actions, next)
		}
		if err != nil {
			return actions, err
		}
	}
	return actions, r.end(ctx, generator.restarts)
}

// replay repeats steps, leaving out those that cannot be taken.
func replay(ctx context.Context, s *servers, actions []action, restarts bool) error {
	r, err := newRunner(ctx, s, sessions)
	if err != nil {
		return err
	}
	defer r.close(ctx)
	for _, action := range actions {
		if _, err := r.apply(ctx, action); err != nil {
			return err
		}
	}
	return r.end(ctx, restarts)
}

// end ends all sessions and compares what is left, also with the store opened again.
func (r *runner) end(ctx context.Context, restarts bool) error {
	for range len(r.clients) {
		for i := range r.clients {
			if r.model.sessions[i].tx == nil {
				continue
			}
			if _, err := r.apply(ctx, action{session: i, deed: cut}); err != nil {
				return fmt.Errorf("when the sessions end: %w", err)
			}
		}
	}
	if err := r.verify(ctx); err != nil || !restarts {
		return err
	}
	if err := r.server.restart(ctx); err != nil {
		return err
	}
	if err := r.verify(ctx); err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	return nil
}

var digits = regexp.MustCompile(`\d+`)

// alike tells whether two failures are of one kind, so that the search does not go from one to another.
func alike(one, other error) bool {
	kind := func(err error) string {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return digits.ReplaceAllString(line, "#")
	}
	return kind(one) == kind(other)
}

// shrink looks for fewer steps that fail.
func shrink(ctx context.Context, s *servers, generator *generator, actions []action, failure error) ([]action, error) {
	deadline := time.Now().Add(shrinkTime)
	for size := len(actions) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(actions) && time.Now().Before(deadline); {
			rest := append(append([]action(nil), actions[:from]...), actions[from+size:]...)
			if err := replay(ctx, s, rest, generator.restarts); err != nil && alike(err, failure) {
				actions, failure, shorter = rest, err, true
				continue
			}
			from += size
		}
		if !shorter || size > len(actions) {
			size /= 2
		}
	}
	return actions, failure
}
