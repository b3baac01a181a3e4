//go:build slatedb

package slatedb

/*
#cgo CFLAGS: -I${SRCDIR}/native/include
#cgo LDFLAGS: ${SRCDIR}/native/target/release/libmoraine_slatedb.a -lm -ldl -lpthread
#include <moraine_slatedb.h>
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"

	"moraine/store"
)

// conditions are the errors that the library's conditions stand for, in the order in which they are told.
var conditions = []struct {
	bit C.uint32_t
	err error
}{
	{C.MORAINE_NOT_APPLIED, store.ErrNotApplied},
	{C.MORAINE_FENCED, store.ErrFenced},
	{C.MORAINE_CORRUPT, store.ErrCorrupt},
	{C.MORAINE_UNAVAILABLE, store.ErrUnavailable},
	{C.MORAINE_NO_SPACE, syscall.ENOSPC},
	{C.MORAINE_REOPEN, store.ErrReopen},
	{C.MORAINE_NOT_FOUND, errNoObject},
	{C.MORAINE_EXISTS, store.ErrExists},
	{C.MORAINE_INVALID, errInvalid},
	{C.MORAINE_CLOSED, store.ErrClosed},
}

// nativeError is what the library said, as the errors of package store.
type nativeError struct {
	text   string
	causes []error
}

func (e *nativeError) Error() string   { return e.text }
func (e *nativeError) Unwrap() []error { return e.causes }

// failure makes an error of a result, and frees its message.
func failure(result C.uint32_t, message *C.moraine_bytes) error {
	if result == 0 {
		return nil
	}
	told := &nativeError{}
	for _, condition := range conditions {
		if result&condition.bit != 0 {
			told.causes = append(told.causes, condition.err)
			told.text += condition.err.Error() + ": "
		}
	}
	told.text += string(taken(message))
	return told
}

// taken copies a buffer and frees it.
func taken(buffer *C.moraine_bytes) []byte {
	bytes := make([]byte, int(buffer.length))
	copy(bytes, unsafe.Slice((*byte)(unsafe.Pointer(buffer.data)), int(buffer.length)))
	C.moraine_bytes_free(buffer)
	return bytes
}

func data(bytes []byte) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(bytes))), C.size_t(len(bytes))
}

func text(name string) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name))
}

// nativeEngine is an object store in the library.
type nativeEngine struct{ engine *C.moraine_engine }

func openNative(url string, options Options) (nativeEngine, error) {
	location, length := text(url)
	given := C.moraine_options{
		cache_bytes:        C.uint64_t(options.CacheSize),
		request_timeout_ms: C.uint64_t(options.RequestTimeout.Milliseconds()),
		commit_timeout_ms:  C.uint64_t(options.CommitTimeout.Milliseconds()),
		create:             C.bool(!options.ReadOnly),
	}
	var opened nativeEngine
	var message C.moraine_bytes
	result := C.moraine_engine_open(location, length, &given, &opened.engine, &message)
	return opened, failure(result, &message)
}

func (n nativeEngine) close() error {
	var message C.moraine_bytes
	result := C.moraine_engine_close(n.engine, &message)
	return failure(result, &message)
}

func (n nativeEngine) put(name string, content []byte, ifAbsent bool) error {
	var message C.moraine_bytes
	at, length := text(name)
	bytes, size := data(content)
	result := C.moraine_object_put(n.engine, at, length, bytes, size, C.bool(ifAbsent), &message)
	return failure(result, &message)
}

func (n nativeEngine) get(name string) ([]byte, error) {
	var content, message C.moraine_bytes
	at, length := text(name)
	result := C.moraine_object_get(n.engine, at, length, &content, &message)
	if err := failure(result, &message); err != nil {
		return nil, err
	}
	return taken(&content), nil
}

func (n nativeEngine) remove(name string) error {
	var message C.moraine_bytes
	at, length := text(name)
	result := C.moraine_object_delete(n.engine, at, length, &message)
	return failure(result, &message)
}

func (n nativeEngine) removeBelow(path string) error {
	var message C.moraine_bytes
	at, length := text(path)
	result := C.moraine_objects_delete_below(n.engine, at, length, &message)
	return failure(result, &message)
}

// entry is an object or folder of a list.
type entry struct {
	name   string
	folder bool
	size   int64
}

// folder lists what is directly below a path.
func (n nativeEngine) folder(path string) ([]entry, error) { return n.list(path, 0) }

// list gives at most limit of the objects below a path.
func (n nativeEngine) list(path string, limit uint) ([]entry, error) {
	var found, message C.moraine_bytes
	at, length := text(path)
	result := C.moraine_objects_list(n.engine, at, length, C.size_t(limit), &found, &message)
	if err := failure(result, &message); err != nil {
		return nil, err
	}
	const header = 1 + 8 + 4
	var entries []entry
	for rest := taken(&found); len(rest) > 0; {
		end := header + int(binary.LittleEndian.Uint32(rest[9:]))
		entries = append(entries, entry{
			name:   string(rest[header:end]),
			folder: rest[0] == 1,
			size:   int64(binary.LittleEndian.Uint64(rest[1:])),
		})
		rest = rest[end:]
	}
	return entries, nil
}

// nativeLake is an open lake in the library.
type nativeLake struct{ lake *C.moraine_lake }

func (n nativeEngine) openLake(path string) (nativeLake, error) {
	var opened nativeLake
	var message C.moraine_bytes
	at, length := text(path)
	result := C.moraine_lake_open(n.engine, at, length, &opened.lake, &message)
	return opened, failure(result, &message)
}

func (n nativeLake) close() error {
	var message C.moraine_bytes
	result := C.moraine_lake_close(n.lake, &message)
	return failure(result, &message)
}

func (n nativeLake) commit(batch *store.Batch) error {
	const header = 1 + 4 + 4
	encoded := make([]byte, 0, batch.Size()+header*batch.Len())
	for _, operation := range batch.Operations() {
		kind := byte(0)
		if operation.Delete {
			kind = 1
		}
		encoded = append(encoded, kind)
		encoded = binary.LittleEndian.AppendUint32(encoded, uint32(len(operation.Key)))
		encoded = binary.LittleEndian.AppendUint32(encoded, uint32(len(operation.Value)))
		encoded = append(append(encoded, operation.Key...), operation.Value...)
	}
	var message C.moraine_bytes
	bytes, length := data(encoded)
	result := C.moraine_lake_commit(n.lake, bytes, length, &message)
	return failure(result, &message)
}

// nativeSnapshot is a pinned state in the library.
type nativeSnapshot struct{ snapshot *C.moraine_snapshot }

func (n nativeLake) snapshot() (nativeSnapshot, error) {
	var pinned nativeSnapshot
	var message C.moraine_bytes
	result := C.moraine_lake_snapshot(n.lake, &pinned.snapshot, &message)
	return pinned, failure(result, &message)
}

func (n nativeSnapshot) get(key []byte) ([]byte, bool, error) {
	var value, message C.moraine_bytes
	var found C.bool
	bytes, length := data(key)
	result := C.moraine_snapshot_get(n.snapshot, bytes, length, &value, &found, &message)
	if err := failure(result, &message); err != nil || !bool(found) {
		return nil, false, err
	}
	return taken(&value), true, nil
}

func (n nativeSnapshot) close() error {
	var message C.moraine_bytes
	result := C.moraine_snapshot_close(n.snapshot, &message)
	return failure(result, &message)
}

// nativeScan is a walk over a range in the library.
type nativeScan struct{ scan *C.moraine_scan }

func (n nativeSnapshot) scan(lower, upper []byte) (nativeScan, error) {
	var opened nativeScan
	var message C.moraine_bytes
	from, fromLength := data(lower)
	to, toLength := data(upper)
	result := C.moraine_scan_open(n.snapshot, from, fromLength, to, toLength, &opened.scan, &message)
	return opened, failure(result, &message)
}

// next appends the next page to a buffer; ended tells that nothing follows it.
func (n nativeScan) next(buffer []byte, limit int) (page []byte, ended bool, err error) {
	var message C.moraine_bytes
	var bytes *C.uint8_t
	var length C.size_t
	var end C.bool
	result := C.moraine_scan_next(n.scan, C.size_t(limit), &bytes, &length, &end, &message)
	if err := failure(result, &message); err != nil {
		return buffer, false, err
	}
	return append(buffer, unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(length))...), bool(end), nil
}

func (n nativeScan) seek(key []byte) error {
	var message C.moraine_bytes
	bytes, length := data(key)
	result := C.moraine_scan_seek(n.scan, bytes, length, &message)
	return failure(result, &message)
}

func (n nativeScan) close() error {
	var message C.moraine_bytes
	result := C.moraine_scan_close(n.scan, &message)
	return failure(result, &message)
}

// cutPair takes the first pair off a page.
func cutPair(page []byte) (key, value, rest []byte, err error) {
	const header = 4 + 4
	if len(page) < header {
		return nil, nil, nil, fmt.Errorf("%w: a page of %d bytes", store.ErrCorrupt, len(page))
	}
	keyEnd := header + int(binary.LittleEndian.Uint32(page))
	valueEnd := keyEnd + int(binary.LittleEndian.Uint32(page[4:]))
	if valueEnd > len(page) {
		return nil, nil, nil, fmt.Errorf("%w: a page of %d bytes with a pair of %d", store.ErrCorrupt, len(page), valueEnd)
	}
	return page[header:keyEnd:keyEnd], page[keyEnd:valueEnd:valueEnd], page[valueEnd:], nil
}
