package lease

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Process names a process of a machine. Where the system does not tell (other than Linux), all but the number is empty.
type Process struct {
	ID int `json:"pid"`
	// Started is when it started, in clock ticks since the machine did.
	Started string `json:"started,omitempty"`
	// Machine is one run of one kernel, and Namespace the processes that see each other's numbers.
	Machine   string `json:"machine,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// thisProcess gives the process that runs.
func thisProcess() Process {
	own := Process{ID: os.Getpid()}
	machine, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return own
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return own
	}
	state, started, err := processState(own.ID)
	if err != nil || state == "" {
		return own
	}
	own.Started, own.Machine, own.Namespace = started, strings.TrimSpace(string(machine)), namespace
	return own
}

// gone tells that the process has certainly ended: it was one of this machine whose number this process would see.
func (p Process) gone(own Process) bool {
	if p.Machine == "" || p.Machine != own.Machine || p.Namespace != own.Namespace || p.ID <= 0 {
		return false
	}
	if process, err := os.FindProcess(p.ID); err == nil {
		signalled := process.Signal(syscall.Signal(0))
		_ = process.Release() // it has no resources that could fail
		if errors.Is(signalled, os.ErrProcessDone) {
			return true
		}
	}
	// What cannot be read may be hidden from this user, and alive.
	state, started, err := processState(p.ID)
	return err == nil && (started != p.Started || state == "Z" || state == "X")
}

// processState reads the fields state and starttime of a process (proc_pid_stat(5)).
func processState(id int) (state, started string, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return "", "", err
	}
	// The name, the second field, may have anything in it; it ends with the last parenthesis.
	_, rest := cutLast(string(text), ")")
	const stateField, startedField = 0, 19 // counted from the third field
	fields := strings.Fields(rest)
	if len(fields) <= startedField {
		return "", "", fmt.Errorf("/proc/%d/stat has too few fields", id)
	}
	return fields[stateField], fields[startedField], nil
}

func cutLast(text, separator string) (before, after string) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return "", text
	}
	return text[:at], text[at+len(separator):]
}
