// Package keyspace is the bytes of a lake's catalog: its keys, the frame around its values, and the messages inside.
// It implements the key encoding of RFC 0002 ("SlateDB key encoding for DuckLake catalog state") up to format 12, byte
// for byte as the original implementation writes it; golden vectors under testdata/golden pin the bytes.
//
// Where to look:
//
//   - layout.go is the whole key layout in one table: for each [Kind] the leading bytes, the components, the message.
//   - key.go and entity.go make, write and read keys; scan.go derives the prefixes of range scans from the layout.
//   - identity.go is what a value repeats of its key; format.go, what the formats add, and the directory entries.
//   - index.go builds the canonical key of an equality index entry.
//   - frame.go puts messages into stored values and back; message_*.go are the messages by topic; wire.go and parser.go
//     are the protobuf wire format, without reflection.
//
// Keys order as their components do, compared from left to right: ids as unsigned numbers, strings as bytes. An SQL
// BIGINT becomes an id by two's complement, so negative ids sort after all others.
//
// Everything that reads bytes is total: any input gives a result or an error that wraps [ErrCorrupt], never a panic.
//
// The package knows bytes only. It must not know rows, relations, transactions or a storage engine, and decoding does not
// judge what a record says: a reader that needs to know whether a value is that of its key asks [CheckIdentity].
//
// # Moraine's extensions
//
// The messages are those of the original. Fields that only this implementation writes, and which the original skips:
//
//   - 1000, [RowExtension], in every message that holds a row of a DuckLake table: the columns that are NULL although
//     the message cannot say so, and columns that the message has no field for.
//   - 14 in [SnapshotValue]: a delete without named data files; 1001 and 1002 there: the second row which that record
//     holds, of ducklake_snapshot_changes.
//   - 1000 in [InlineSchemaDroppedValue]: the registry row is gone, the table is not.
//
// All are absent when empty, so that a record without them has the original's bytes.
package keyspace
