package keyspace

// Optional is a field that may be absent, which is not the same as its zero value. The zero Optional is absent.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some gives a present field.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Set: true} }
