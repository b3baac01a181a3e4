package pebble

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardedFS stands between Pebble and the disk. Once armed, an operation on the log that fails does not return: Pebble
// would answer with a panic, partly while it holds locks and partly with an unlock that the runtime makes fatal. The
// engine fails instead, and the goroutine stays where it is, which is one of Engine.apply or of Pebble's log, and holds
// nothing that reads need.
type guardedFS struct {
	vfs.FS
	failures *failures
	armed    *atomic.Bool // after Pebble was opened; before, errors are for its caller
}

// logSuffix ends the names of Pebble's log files.
const logSuffix = ".log"

func isLog(name string) bool { return strings.HasSuffix(filepath.Base(name), logSuffix) }

// check lets a goroutine go on after an operation on the log that did not fail.
func (g *guardedFS) check(err error) error {
	if err == nil || !g.armed.Load() {
		return err
	}
	_ = g.failures.fail(err)
	select {}
}

// Create creates a file. That of a table waits when a flush or compaction has just failed, because Pebble tries again
// without a pause.
func (g *guardedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if isLog(name) {
		file, err := g.FS.Create(name, category)
		return g.guardLog(file, err)
	}
	if since := time.Now().UnixNano() - g.failures.lastBackground.Load(); since < int64(retryPause) {
		time.Sleep(retryPause - time.Duration(since))
	}
	return g.FS.Create(name, category)
}

// ReuseForWrite renames a file and opens it; Pebble does so with old log files.
func (g *guardedFS) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := g.FS.ReuseForWrite(oldName, newName, category)
	if isLog(newName) {
		return g.guardLog(file, err)
	}
	return file, err
}

func (g *guardedFS) guardLog(file vfs.File, err error) (vfs.File, error) {
	if g.check(err) != nil {
		return nil, err
	}
	return &guardedFile{File: file, fileSystem: g}, nil
}

// OpenDir opens a directory, of which Pebble syncs the log's when it creates a log file.
func (g *guardedFS) OpenDir(name string) (vfs.File, error) {
	file, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: file, fileSystem: g}, nil
}

// Unwrap gives the file system underneath.
func (g *guardedFS) Unwrap() vfs.FS { return g.FS }

// guardedFile is a file of the log, or its directory.
type guardedFile struct {
	vfs.File
	fileSystem *guardedFS
}

// Write writes to the end.
func (f *guardedFile) Write(content []byte) (int, error) {
	written, err := f.File.Write(content)
	return written, f.fileSystem.check(err)
}

// Sync makes content and metadata durable.
func (f *guardedFile) Sync() error { return f.fileSystem.check(f.File.Sync()) }

// SyncData makes the content durable.
func (f *guardedFile) SyncData() error { return f.fileSystem.check(f.File.SyncData()) }

// SyncTo makes the content up to length durable, or more.
func (f *guardedFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.fileSystem.check(err)
}

// Close closes the file.
func (f *guardedFile) Close() error { return f.fileSystem.check(f.File.Close()) }
