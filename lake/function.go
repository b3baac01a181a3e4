package lake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
)

// Function finds a function that the lake of a schema offers: its domains', or one over the lake as a whole.
func (t *Transaction) Function(ctx context.Context, schema, name string) (*relation.TableFunction, error) {
	if err := t.checkOpen(); err != nil {
		return nil, err
	}
	if schema == relation.TemporarySchema {
		return nil, nil
	}
	part, err := t.part(ctx, schema)
	if err != nil || part == nil {
		return nil, err
	}
	switch name {
	case checkFunction:
		return t.checkFunction(schema), nil
	case replicationFunction:
		return t.replicationFunction(), nil
	}
	for _, domain := range part.domains {
		if source, ok := domain.(overlay.FunctionSource); ok {
			if found := source.Function(name); found != nil {
				return found, nil
			}
		}
	}
	return nil, nil
}
