package pgwire

import (
	"errors"
	"os"
)

// watch begins to look for the end of the stream while nobody waits for a message; next must not be called before
// unwatch. What arrives meanwhile is kept, up to the size of the buffer: a client that sends more than that ahead is not
// watched any further.
func (in *input) watch() {
	in.mutex.Lock()
	in.armed = true
	in.mutex.Unlock()
	in.timer.Reset(disconnectWatchDelay)
}

// unwatch ends what watch began. It may be called without watch.
func (in *input) unwatch() {
	in.timer.Stop()
	in.mutex.Lock()
	in.armed = false
	watcher := in.watcher
	if watcher != nil {
		in.socket.SetReadDeadline(past)
	}
	in.mutex.Unlock()
	if watcher == nil {
		return
	}
	<-watcher
	in.mutex.Lock()
	defer in.mutex.Unlock()
	in.watcher = nil
	if !in.interrupted {
		in.socket.SetReadDeadline(in.deadline)
	}
}

// startWatcher runs in a goroutine of the timer.
func (in *input) startWatcher() {
	in.mutex.Lock()
	if !in.armed || in.watcher != nil {
		in.mutex.Unlock()
		return
	}
	watcher := make(chan struct{})
	in.watcher = watcher
	in.mutex.Unlock()
	defer close(watcher)
	in.readAhead()
}

func (in *input) readAhead() {
	in.compact()
	for in.failure == nil && in.end < len(in.buffer) {
		n, err := in.stream.Read(in.buffer[in.end:])
		in.end += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		in.failure = err
	}
	if in.failure != nil {
		in.lost()
	}
}
