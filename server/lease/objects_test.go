package lease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"moraine/store"
)

// directory is store.Objects in a directory.
type directory struct{ root string }

func newDirectory(t *testing.T) *directory { return &directory{root: t.TempDir()} }

func (d *directory) PutObject(_ context.Context, name string, content []byte, ifAbsent bool) error {
	path := filepath.Join(d.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	staged, err := os.CreateTemp(d.root, "staged-*")
	if err != nil {
		return err
	}
	_, err = staged.Write(content)
	if err = errors.Join(err, staged.Close()); err != nil {
		return err
	}
	if !ifAbsent {
		return os.Rename(staged.Name(), path)
	}
	defer os.Remove(staged.Name())
	if err := os.Link(staged.Name(), path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", name, store.ErrExists)
	} else if err != nil {
		return err
	}
	return nil
}

func (d *directory) GetObject(_ context.Context, name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(d.root, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, store.ErrNotFound)
	}
	return content, err
}

func (d *directory) ListObjects(_ context.Context, prefix string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.root, strings.TrimSuffix(prefix, "/")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, prefix+entry.Name())
	}
	slices.Sort(names)
	return names, err
}

func (d *directory) DeleteObject(_ context.Context, name string) error {
	if err := os.Remove(filepath.Join(d.root, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unreliable is what one server sees of a medium: it may be out of reach, and slow before and after an operation has taken
// effect.
type unreliable struct {
	store.Objects

	mutex         sync.Mutex
	down          bool
	before, after time.Duration // what a write takes until it has taken effect, and each operation until its answer
	random        *rand.Rand    // nil for no other delays
	slowest       time.Duration
}

var errDown = fmt.Errorf("%w: out of reach", store.ErrUnavailable)

func (u *unreliable) setDown(down bool) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.down = down
}

func (u *unreliable) setDelays(before, after time.Duration) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.before, u.after = before, after
}

// delay waits for a given time and a random one, most often short.
func (u *unreliable) delay(ctx context.Context, given *time.Duration) error {
	u.mutex.Lock()
	down, wait := u.down, *given
	if u.random != nil {
		random := time.Duration(u.random.Int64N(int64(u.slowest)))
		if u.random.IntN(10) > 0 {
			random /= 20
		}
		wait += random
	}
	u.mutex.Unlock()
	if down {
		return errDown
	}
	if wait == 0 {
		return nil
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// around does an operation between two delays: the caller may give up after it has taken effect.
func (u *unreliable) around(ctx context.Context, before *time.Duration, do func() error) error {
	if err := u.delay(ctx, before); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return u.delay(ctx, &u.after)
}

func (u *unreliable) PutObject(ctx context.Context, name string, content []byte, ifAbsent bool) error {
	return u.around(ctx, &u.before, func() error { return u.Objects.PutObject(ctx, name, content, ifAbsent) })
}

func (u *unreliable) GetObject(ctx context.Context, name string) (content []byte, err error) {
	err = u.around(ctx, new(time.Duration), func() error {
		content, err = u.Objects.GetObject(ctx, name)
		return err
	})
	return content, err
}

func (u *unreliable) ListObjects(ctx context.Context, prefix string) (names []string, err error) {
	err = u.around(ctx, new(time.Duration), func() error {
		names, err = u.Objects.ListObjects(ctx, prefix)
		return err
	})
	return names, err
}
