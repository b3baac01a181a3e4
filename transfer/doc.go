// Package transfer copies lakes from one store to another, between any engines.
//
// # One algorithm
//
// A copy makes the target hold what one snapshot of the source holds: both are read side by side in the order of their
// keys, and what is missing, different or too much in the target is put or deleted, in batches (merge.go). On an empty
// target that is a copy; on the unfinished copy that an interruption left it is the rest of it, also when the source has
// moved on meanwhile. There is no position to keep and none to get wrong; going on costs the reading of what is there.
//
// Then the target is read once more, and its census must be that of what was read from the source, by count and checksum.
//
// # An unfinished copy is no lake
//
// Before anything is copied, each lake of the target gets a mark (mark.go), all of them before the first is filled; and
// they lose it together at the end, when all have been verified. [CheckComplete] refuses a lake that has it, and so does
// everybody who opens one. Other programs that know the layout refuse it for its format: as long as the mark is there,
// sys/format is one that nobody knows.
//
// A lake of the target that already holds what the source holds is left as it is; one that holds anything else is never
// touched.
//
// The package knows keys and values as bytes, but for the mark and the format. It must not know what a lake means.
package transfer
