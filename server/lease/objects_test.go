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

	mutex   sync.Mutex
	down    bool
	random  *rand.Rand // nil for no delays
	slowest time.Duration
}

var errDown = fmt.Errorf("%w: out of reach", store.ErrUnavailable)

func (u *unreliable) setDown(down bool) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.down = down
}

// delay waits for a random time, most often a short one.
func (u *unreliable) delay(ctx context.Context) error {
	u.mutex.Lock()
	down, wait := u.down, time.Duration(0)
	if u.random != nil {
		wait = time.Duration(u.random.Int64N(int64(u.slowest)))
		if u.random.IntN(10) > 0 {
			wait /= 20
		}
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
func (u *unreliable) around(ctx context.Context, do func() error) error {
	if err := u.delay(ctx); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return u.delay(ctx)
}

func (u *unreliable) PutObject(ctx context.Context, name string, content []byte, ifAbsent bool) error {
	return u.around(ctx, func() error { return u.Objects.PutObject(ctx, name, content, ifAbsent) })
}

func (u *unreliable) GetObject(ctx context.Context, name string) (content []byte, err error) {
	err = u.around(ctx, func() error {
		content, err = u.Objects.GetObject(ctx, name)
		return err
	})
	return content, err
}

func (u *unreliable) ListObjects(ctx context.Context, prefix string) (names []string, err error) {
	err = u.around(ctx, func() error {
		names, err = u.Objects.ListObjects(ctx, prefix)
		return err
	})
	return names, err
}
