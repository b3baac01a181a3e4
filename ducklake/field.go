package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// field is one column of a catalog table and where a message keeps it. R is the row inside the message: the message
// itself, or a view that pairs it with one of its embedded messages.
type field[R any] struct {
	column relation.Column
	// absent tells that a message without the field means NULL.
	absent bool
	// plain is the number of the message's field, for a number that the message has as a plain uint64 and scans filter by; 0
	// for all others.
	plain int
	// get reads the value. Strings lie in the message.
	get func(row *R, strings *arena) (relation.Value, error)
	// set writes the value; false tells that the message cannot say NULL here, so that the row's extension has to.
	set func(row *R, value relation.Value) bool
}

// notNull marks the column NOT NULL, as DuckLake declares it.
func (f field[R]) notNull() field[R] {
	f.column.NotNull = true
	return f
}

// in says that a plain number is the field of the message with that number, so that scans can look at it alone.
func (f field[R]) in(number int) field[R] {
	f.plain = number
	return f
}

func column(name string, columnType relation.Type) relation.Column {
	return relation.Column{Name: name, Type: columnType}
}

// number is a BIGINT that the message has as a plain uint64, by two's complement.
func number[R any](name string, at func(*R) *uint64) field[R] {
	return field[R]{
		column: column(name, relation.Int8Type),
		get: func(row *R, _ *arena) (relation.Value, error) {
			return relation.Int(int64(*at(row))), nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = uint64(value.Int())
			return !value.IsNull()
		},
	}
}

// optionalNumber is a BIGINT whose NULL the message has as an absent field.
func optionalNumber[R any](name string, at func(*R) *keyspace.Optional[uint64]) field[R] {
	return field[R]{
		column: column(name, relation.Int8Type),
		absent: true,
		get: func(row *R, _ *arena) (relation.Value, error) {
			if optional := at(row); optional.Set {
				return relation.Int(int64(optional.Value)), nil
			}
			return relation.NULL, nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = keyspace.Optional[uint64]{Value: uint64(value.Int()), Set: !value.IsNull()}
			return true
		},
	}
}

// keyNumber is a BIGINT that only the record's key has; its row is stored under the key that it names.
func keyNumber[R any](name string, of func(*R) uint64) field[R] {
	return field[R]{
		column: column(name, relation.Int8Type),
		get:    func(row *R, _ *arena) (relation.Value, error) { return relation.Int(int64(of(row))), nil },
		set:    func(*R, relation.Value) bool { return true },
	}
}

// text is a VARCHAR that the message has as a plain string.
func text[R any](name string, at func(*R) *string) field[R] {
	return field[R]{
		column: column(name, relation.VarcharType),
		get: func(row *R, _ *arena) (relation.Value, error) {
			return relation.Text(*at(row)), nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = value.Text()
			return !value.IsNull()
		},
	}
}

// optionalText is a VARCHAR whose NULL the message has as an absent field.
func optionalText[R any](name string, at func(*R) *keyspace.Optional[string]) field[R] {
	return field[R]{
		column: column(name, relation.VarcharType),
		absent: true,
		get: func(row *R, _ *arena) (relation.Value, error) {
			if optional := at(row); optional.Set {
				return relation.Text(optional.Value), nil
			}
			return relation.NULL, nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = keyspace.Optional[string]{Value: value.Text(), Set: !value.IsNull()}
			return true
		},
	}
}

// flag is a BOOLEAN that the message has as a plain bool.
func flag[R any](name string, at func(*R) *bool) field[R] {
	return field[R]{
		column: column(name, relation.BoolType),
		get: func(row *R, _ *arena) (relation.Value, error) {
			return relation.Bool(*at(row)), nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = value.Bool()
			return !value.IsNull()
		},
	}
}

// optionalFlag is a BOOLEAN whose NULL the message has as an absent field.
func optionalFlag[R any](name string, at func(*R) *keyspace.Optional[bool]) field[R] {
	return field[R]{
		column: column(name, relation.BoolType),
		absent: true,
		get: func(row *R, _ *arena) (relation.Value, error) {
			if optional := at(row); optional.Set {
				return relation.Bool(optional.Value), nil
			}
			return relation.NULL, nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = keyspace.Optional[bool]{Value: value.Bool(), Set: !value.IsNull()}
			return true
		},
	}
}

// identifier is a UUID that the message has as text; the empty text is NULL.
func identifier[R any](name string, at func(*R) *string) field[R] {
	return field[R]{
		column: column(name, relation.UUIDType),
		absent: true,
		get: func(row *R, strings *arena) (relation.Value, error) {
			if *at(row) == "" {
				return relation.NULL, nil
			}
			return parseUUID(*at(row), strings)
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = ""
			if !value.IsNull() {
				*at(row) = formatUUID(value.Text())
			}
			return true
		},
	}
}

// epochMicros is 2000-01-01 UTC, where PostgreSQL counts from, in microseconds since 1970-01-01 UTC, where messages do.
const epochMicros = 946_684_800_000_000

// instant is a TIMESTAMPTZ that the message has as microseconds since 1970. The shift wraps around in both directions, so
// the infinities come back too.
func instant[R any](name string, at func(*R) *int64) field[R] {
	return field[R]{
		column: column(name, relation.TimestampTZType),
		get: func(row *R, _ *arena) (relation.Value, error) {
			return relation.Int(*at(row) - epochMicros), nil
		},
		set: func(row *R, value relation.Value) bool {
			*at(row) = 0
			if !value.IsNull() {
				*at(row) = value.Int() + epochMicros
			}
			return !value.IsNull()
		},
	}
}
