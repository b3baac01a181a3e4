//go:build slatedb

package slatedb

/*
#include <moraine_slatedb.h>
*/
import "C"

import "moraine/store"

// nativeFollower is a lake that is read beside its writer, in the library.
type nativeFollower struct{ follower *C.moraine_follower }

func (n nativeEngine) openFollower(path string, options Options) (nativeFollower, error) {
	given := C.moraine_follower_options{
		lifetime_ms: C.uint64_t(options.CheckpointLifetime.Milliseconds()),
		tail_bytes:  C.uint64_t(options.TailSize),
		timeout_ms:  C.uint64_t((refreshRequests * options.RequestTimeout).Milliseconds()),
	}
	var opened nativeFollower
	var message C.moraine_bytes
	at, length := text(path)
	result := C.moraine_follower_open(n.engine, at, length, &given, &opened.follower, &message)
	return opened, failure(result, &message)
}

func (n nativeFollower) refresh() (bool, error) {
	var moved C.bool
	var message C.moraine_bytes
	result := C.moraine_follower_refresh(n.follower, &moved, &message)
	return bool(moved), failure(result, &message)
}

func (n nativeFollower) snapshot() (nativeSnapshot, error) {
	var pinned nativeSnapshot
	var message C.moraine_bytes
	result := C.moraine_follower_snapshot(n.follower, &pinned.snapshot, &message)
	return pinned, failure(result, &message)
}

func (n nativeFollower) cost() store.FollowCost {
	var costs C.moraine_follower_costs
	C.moraine_follower_cost(n.follower, &costs)
	return store.FollowCost{
		TailBytes: int64(costs.tail_bytes), TailEntries: int64(costs.tail_entries),
		LogFiles: int64(costs.log_files), Bases: int64(costs.bases),
	}
}

func (n nativeFollower) close() error {
	var message C.moraine_bytes
	result := C.moraine_follower_close(n.follower, &message)
	return failure(result, &message)
}
