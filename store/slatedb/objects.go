//go:build slatedb

package slatedb

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"moraine/store"
)

// PutObject writes an object.
func (e *Engine) PutObject(ctx context.Context, name string, content []byte, ifAbsent bool) error {
	end, err := e.begin()
	if err != nil {
		return err
	}
	defer end()
	at, err := e.writableObject(ctx, name)
	if err != nil {
		return err
	}
	return e.native.put(at, content, ifAbsent)
}

// GetObject gives an object.
func (e *Engine) GetObject(ctx context.Context, name string) ([]byte, error) {
	end, err := e.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	at, err := e.objectName(ctx, name)
	if err != nil {
		return nil, err
	}
	content, err := e.native.get(at)
	if errors.Is(err, errNoObject) {
		return nil, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	return content, err
}

// ListObjects gives the names below a path.
func (e *Engine) ListObjects(ctx context.Context, prefix string) ([]string, error) {
	end, err := e.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	at, err := e.objectName(ctx, strings.TrimSuffix(prefix, "/"))
	if err != nil {
		return nil, err
	}
	found, err := e.native.list(at, maxListed)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(found))
	for _, object := range found {
		names = append(names, strings.TrimPrefix(object.name, objectsFolder+"/"))
	}
	sort.Strings(names)
	return names, nil
}

// DeleteObject removes an object.
func (e *Engine) DeleteObject(ctx context.Context, name string) error {
	end, err := e.begin()
	if err != nil {
		return err
	}
	defer end()
	at, err := e.writableObject(ctx, name)
	if err != nil {
		return err
	}
	return e.removeObject(at)
}

// writableObject gives the full name of an object that is to be changed.
func (e *Engine) writableObject(ctx context.Context, name string) (string, error) {
	at, err := e.objectName(ctx, name)
	if err == nil && e.options.ReadOnly {
		return "", fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrReadOnly)
	}
	return at, err
}

// objectName gives the full name of an object.
func (e *Engine) objectName(ctx context.Context, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || encode(part) != part || strings.Contains(part, ".") {
			return "", fmt.Errorf("%w: %w: the object's name %q", store.ErrNotApplied, errInvalid, name)
		}
	}
	return objectsFolder + "/" + name, nil
}
