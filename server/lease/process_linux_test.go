package lease

import (
	"os"
	"os/exec"
	"testing"
)

// A process of this machine that has ended is not waited for.
func TestAcquireFromEndedProcess(t *testing.T) {
	objects := newDirectory(t)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	holder := newLease(testConfig(objects), nil).holder
	holder.Process.ID = ended.Process.Pid
	if err := createEpoch(t.Context(), objects, 7, holder); err != nil {
		t.Fatal(err)
	}
	config := testConfig(objects)
	config.TakeoverAfter = MaxTakeoverAfter
	lease, err := Acquire(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if lease.Epoch() != 8 {
		t.Errorf("epoch %d follows 7", lease.Epoch())
	}
	release(t, lease)
}

func TestProcess(t *testing.T) {
	own := thisProcess()
	if own.Machine == "" || own.Namespace == "" || own.Started == "" || own.gone(own) {
		t.Errorf("this process is %+v, gone: %t", own, own.gone(own))
	}
	follower := own
	follower.Started += "0" // another one has its number now
	if !follower.gone(own) {
		t.Error("a process whose number another one has is taken to be alive")
	}
	elsewhere := follower
	elsewhere.Machine = "another"
	contained := follower
	contained.Namespace = "pid:[1]"
	for _, process := range []Process{elsewhere, contained, {ID: own.ID}} {
		if process.gone(own) {
			t.Errorf("a process that cannot be seen is taken to have ended: %+v", process)
		}
	}
}
