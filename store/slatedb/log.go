//go:build slatedb

package slatedb

/*
#include <moraine_slatedb.h>

extern void moraineSlateDBLog(uint32_t level, uint8_t *text, size_t length);
*/
import "C"

import (
	"sync"
	"unsafe"
)

// listeners are the Log functions of the open engines. SlateDB's messages do not say which engine they are about.
var listeners = struct {
	sync.Mutex
	install sync.Once
	logs    map[*Engine]func(format string, arguments ...any)
}{logs: map[*Engine]func(string, ...any){}}

// listen gives an engine's Log what SlateDB says, until forget.
func (e *Engine) listen(log func(format string, arguments ...any)) {
	listeners.install.Do(func() {
		C.moraine_log_to(C.moraine_log_callback(C.moraineSlateDBLog))
	})
	listeners.Lock()
	defer listeners.Unlock()
	listeners.logs[e] = log
}

func (e *Engine) forget() {
	listeners.Lock()
	defer listeners.Unlock()
	delete(listeners.logs, e)
}

//export moraineSlateDBLog
func moraineSlateDBLog(level C.uint32_t, message *C.uint8_t, length C.size_t) {
	said := string(unsafe.Slice((*byte)(unsafe.Pointer(message)), int(length)))
	severity := "warning"
	if level == 1 {
		severity = "error"
	}
	listeners.Lock()
	defer listeners.Unlock()
	for _, log := range listeners.logs {
		log("slatedb: %s: %s", severity, said)
	}
}
