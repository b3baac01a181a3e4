//go:build slatedb

package faults

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"moraine/server"
	"moraine/store/storetest/bucket"
)

// childVariable is set in the environment of a process that serves instead of testing.
const childVariable = "MORAINE_FAULTS_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

// serve is the life of a child: it prints its address, and serves until it is killed, or until its parent has ended.
func serve() {
	running, err := server.Start(context.Background(), config(location))
	if err != nil {
		fmt.Println("cannot start:", err)
		return
	}
	fmt.Println(running.Address())
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// runningChild starts a process of its own that must come up.
func runningChild(t *testing.T, content *bucket.Bucket) *process {
	t.Helper()
	p := newProcess(t, content)
	p.launched = true
	p.child = exec.Command(os.Args[0])
	p.child.Env = append(os.Environ(), append(p.endpoint.Environment(), childVariable+"=1")...)
	output, err := p.child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.child.Start(); err != nil {
		t.Fatal(err)
	}
	close(p.up)
	line, err := bufio.NewReader(output).ReadString('\n')
	if p.address = strings.TrimSpace(line); err != nil || strings.Contains(p.address, " ") {
		t.Fatalf("the child does not start: %s, %v", line, err)
	}
	return p
}

// TestKilledInCommit does what the deaths of commits do with processes that are killed by the system.
func TestKilledInCommit(t *testing.T) {
	prepared := filledLake(t)
	for _, moment := range moments {
		everyWriteAt(t, moment, prepared, func(t *trial) bool {
			writer := runningChild(t.T, t.content)
			client := writer.connect()
			writer.execute(client, commitFiles("before", 1))
			t.acknowledged.add("before")
			t.files["before"], t.files["commit"] = 1, commitFilesCount
			return t.dying(writer, func() error { return t.acknowledge("commit", execute(client, commitFiles("commit", commitFilesCount))) })
		}, nil)
	}
}
