package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"moraine/server"
	"moraine/store"
	"moraine/store/pebble"
)

// patience bounds how long a test waits for what must come.
const patience = 20 * time.Second

func noEnvironment(string) string { return "" }

func TestExitStatusAndText(t *testing.T) {
	directory := t.TempDir()
	users := filepath.Join(directory, "users")
	if err := os.WriteFile(users, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name        string
		arguments   []string
		environment map[string]string
		status      int
		output, log string // parts of what is printed
	}{
		{"nothing", nil, nil, exitUsage, "", "Usage:"},
		{"help", []string{"help"}, nil, exitSuccess, "moraine serve", ""},
		{"version", []string{"version"}, nil, exitSuccess, "moraine ", ""},
		{"unknown command", []string{"server"}, nil, exitUsage, "", `unknown command "server"`},
		{"help of serve", []string{"serve", "--help"}, nil, exitSuccess, "--max-message-size bytes", ""},
		{"help of check", []string{"check", "--help"}, nil, exitSuccess, "--connect connection", ""},
		{"check of no store", []string{"check", "--store", filepath.Join(directory, "none")}, nil, exitUsage, "", "there is no store at"},
		{"check of a store by environment", []string{"check"}, map[string]string{"MORAINE_STORE": users}, exitUsage, "", "the check could not be made"},
		{"check with argument", []string{"check", "x"}, nil, exitUsage, "", `unexpected argument "x"`},
		{"check with two databases", []string{"check", "--connect", "dbname=x", "--database", "y"}, nil, exitUsage, "", "do not go with --connect"},
		{"check of no server", []string{"check", "--connect", "host=127.0.0.1 port=1 dbname=x"}, nil, exitUsage, "", "the check could not be made"},
		{"help of migrate", []string{"migrate", "--help"}, nil, exitSuccess, "--dry-run", ""},
		{"migrate with argument", []string{"migrate", "x"}, nil, exitUsage, "", `unexpected argument "x"`},
		{"migrate of no store by environment", []string{"migrate"}, map[string]string{"MORAINE_STORE": filepath.Join(directory, "none")}, exitUsage, "", "there is no store at"},
		{"help of copy", []string{"copy", "--help"}, nil, exitSuccess, "--batch-size bytes", ""},
		{"copy of nothing", []string{"copy", "--to", directory}, nil, exitUsage, "", "--from and --to must be given"},
		{"copy to itself", []string{"copy", "--from", directory, "--to", directory + "/."}, nil, exitUsage, "", "are the same store"},
		{"copy to itself by environment", []string{"copy"}, map[string]string{"MORAINE_FROM": "a", "MORAINE_TO": "./a"}, exitUsage, "", "are the same store"},
		{"copy in no batches", []string{"copy", "--from", "a", "--to", "b", "--batch-size", "0"}, nil, exitUsage, "", "--batch-size must be from 1 byte to 256 MiB"},
		{"copy from nowhere", []string{"copy", "--from", "nothing://x/y", "--to", directory}, nil, exitUsage, "", "for nothing://"},
		{"help of info", []string{"info", "--help"}, nil, exitSuccess, "--lake database.schema", ""},
		{"info with argument", []string{"info", "x"}, nil, exitUsage, "", `unexpected argument "x"`},
		{"help of dump", []string{"dump", "--help"}, nil, exitSuccess, "--hex", ""},
		{"dump of no store", []string{"dump", "--store", filepath.Join(directory, "none")}, nil, exitUsage, "", "there is no store at"},
		{"unknown flag", []string{"serve", "--stor", "x"}, nil, exitUsage, "", "flag provided but not defined"},
		{"argument", []string{"serve", "x"}, nil, exitUsage, "", `unexpected argument "x"`},
		{"bad address", []string{"serve", "--listen", "5433"}, nil, exitUsage, "", "form host:port"},
		{"object store of no kind", []string{"serve", "--store", "ftp://bucket"}, nil, exitUsage, "", "ftp://"},
		{"bad level", []string{"serve", "--log-level", "loud"}, nil, exitUsage, "", "--log-level must be"},
		{"bad format", []string{"serve", "--log-format", "xml"}, nil, exitUsage, "", "--log-format must be"},
		{"bad size", []string{"serve", "--max-message-size", "12MB"}, nil, exitUsage, "", "KiB, MiB or GiB"},
		{"size out of range", []string{"serve", "--max-message-size", "2GiB"}, nil, exitUsage, "", "limit of a message"},
		{"no sessions", []string{"serve", "--max-sessions", "0"}, nil, exitUsage, "", "--max-sessions must be at least 1"},
		{"half of TLS", []string{"serve", "--tls-cert", "x"}, nil, exitUsage, "", "go together"},
		{"certificate missing", []string{"serve", "--tls-cert", "x", "--tls-key", "y"}, nil, exitUsage, "", "TLS certificate x"},
		{"bad users", []string{"serve", "--users", users}, nil, exitUsage, "", "line 1"},
		{"bad environment", []string{"serve"}, map[string]string{"MORAINE_MAX_SESSIONS": "many"}, exitUsage, "", `invalid value "many" for MORAINE_MAX_SESSIONS`},
		{"bad time", []string{"serve", "--drain-timeout", "-1s"}, nil, exitUsage, "", "--drain-timeout must not be negative"},
		{"no idle time", []string{"serve", "--max-idle-hold", "0s"}, nil, exitUsage, "", "--max-idle-hold must be more than nothing"},
		{"read-only on a directory", []string{"serve", "--read-only"}, nil, exitUsage, "", "belongs to one process"},
		{"too long poll interval", []string{"serve", "--poll-interval", "1h"}, nil, exitUsage, "", "poll interval must be between"},
		{"standby on a directory", []string{"serve", "--standby"}, nil, exitUsage, "", "belongs to one process"},
		{"standby without heartbeats", []string{"serve", "--standby", "--heartbeat", "0"}, nil, exitUsage, "", "needs heartbeats"},
		{"heartbeat too short", []string{"serve", "--heartbeat", "1ms"}, nil, exitUsage, "", "at least 50ms"},
		{"negative heartbeat", []string{"serve", "--heartbeat", "-1s"}, nil, exitUsage, "", "--heartbeat must not be negative"},
		{"takeover after too few heartbeats", []string{"serve", "--takeover-after", "3s"}, nil, exitUsage, "", "at least 4 heartbeats"},
		{"no time to a takeover", []string{"serve", "--takeover-after", "0s"}, nil, exitUsage, "", "--takeover-after must be more"},
		{"store is a file", []string{"serve", "--listen", "127.0.0.1:0", "--store", users}, nil, exitFailure, "", "cannot start"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var output, log bytes.Buffer
			status := run(context.Background(), test.arguments, func(name string) string { return test.environment[name] }, &output, &log)
			if status != test.status {
				t.Errorf("exit status %d; log: %s", status, log.String())
			}
			if !strings.Contains(output.String(), test.output) || !strings.Contains(log.String(), test.log) {
				t.Errorf("output: %s\nlog: %s", output.String(), log.String())
			}
		})
	}
}

func TestEnvironmentAndFlags(t *testing.T) {
	environment := map[string]string{"MORAINE_LISTEN": "127.0.0.1:1", "MORAINE_STORE": "from-environment", "MORAINE_MAX_MESSAGE_SIZE": "8MiB", "MORAINE_LOG_FORMAT": "json"}
	s, err := parseSettings([]string{"--listen", "127.0.0.1:2", "--max-sessions=7"}, func(name string) string { return environment[name] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if s.listen != "127.0.0.1:2" || s.store != "from-environment" || s.maxMessageSize != 8<<20 || s.maxSessions != 7 || s.logFormat != "json" {
		t.Errorf("settings are %+v", s)
	}
}

func TestByteSize(t *testing.T) {
	for text, expected := range map[string]byteSize{"0": 0, "1000": 1000, "64KiB": 64 << 10, "256 MiB": 256 << 20, "1GiB": 1 << 30} {
		var size byteSize
		if err := size.Set(text); err != nil || size != expected {
			t.Errorf("%s: %d, %v", text, size, err)
		}
		var again byteSize
		if err := again.Set(size.String()); err != nil || again != size {
			t.Errorf("%s is shown as %s", text, size.String())
		}
	}
	for _, text := range []string{"", "-1", "1.5GiB", "MiB", "99999999999", "1KB"} {
		var size byteSize
		if size.Set(text) == nil {
			t.Errorf("%q was accepted as %d", text, size)
		}
	}
}

// A server prints the statement that attaches it, refuses a second one on its store, and ends when it is told to.
func TestServe(t *testing.T) {
	directory := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reader, writer := io.Pipe()
	status := make(chan int, 1)
	arguments := []string{"serve", "--listen", "127.0.0.1:0", "--store", directory}
	var log bytes.Buffer
	go func() {
		status <- run(ctx, arguments, noEnvironment, writer, &log)
		writer.Close()
	}()
	printed := make([]byte, 4096)
	n, err := reader.Read(printed)
	if err != nil {
		t.Fatal(err, log.String())
	}
	attach := regexp.MustCompile(`ATTACH 'ducklake:postgres:host=127\.0\.0\.1 port=\d+ dbname=moraine' AS lake \(DATA_PATH '.*-files/'\);`)
	if !attach.Match(printed[:n]) {
		t.Errorf("printed %q", printed[:n])
	}

	var secondLog bytes.Buffer
	if second := run(ctx, arguments, noEnvironment, io.Discard, &secondLog); second != exitFailure || !strings.Contains(secondLog.String(), "in use by another process") {
		t.Errorf("the second server ended with %d: %s", second, secondLog.String())
	}

	cancel()
	select {
	case got := <-status:
		if got != exitSuccess {
			t.Errorf("exit status %d: %s", got, log.String())
		}
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
}

// The lakes of a store are checked beside the server, and after it has ended.
func TestCheck(t *testing.T) {
	directory := t.TempDir()
	running, err := server.Start(context.Background(), server.Config{Listen: "127.0.0.1:0", Store: directory})
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(running.Address())
	if err != nil {
		t.Fatal(err)
	}
	checked := func(status int, text string, arguments ...string) {
		t.Helper()
		var output, log bytes.Buffer
		got := run(context.Background(), append([]string{"check"}, arguments...), noEnvironment, &output, &log)
		if got != status || !strings.Contains(output.String()+log.String(), text) {
			t.Errorf("%v: exit status %d, expected %d\noutput: %s\nlog: %s", arguments, got, status, output.String(), log.String())
		}
	}
	connection := fmt.Sprintf("host=%s port=%s user=moraine dbname=moraine", host, port)
	checked(exitSuccess, "lakes checked: 1, findings: 0", "--connect", connection)
	checked(exitUsage, "there is no such lake", "--connect", connection, "--schema", "none")
	checked(exitUsage, "in use by another process", "--store", directory)
	if err := running.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	checked(exitSuccess, "lakes checked: 2, findings: 0", "--store", directory)
	checked(exitSuccess, "lakes checked: 1, findings: 0", "--store", directory, "--database", "moraine")
	checked(exitUsage, "there is no such lake", "--store", directory, "--schema", "none")
	empty := t.TempDir()
	engine, err := pebble.Open(empty, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	checked(exitUsage, "there are no lakes at "+empty, "--store", empty)

	lake := store.Path{Database: "moraine", Schema: "public"}
	stray := &store.Batch{}
	stray.Put([]byte{0x0c}, nil)
	commit(t, directory, lake, stray)
	checked(exitBroken, "moraine.public: warning: unknown-key key=0c: a key of 1 bytes", "--store", directory)
}

// commit writes a batch into a lake of a store that no server has open.
func commit(t *testing.T, directory string, path store.Path, batch *store.Batch) {
	t.Helper()
	engine, err := pebble.Open(directory, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	lake, err := engine.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	if err := lake.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
}

// TestDrainWithoutStore shuts a server down whose store does not answer.
func TestDrainWithoutStore(t *testing.T) {
	answers := make(chan struct{})
	defer close(answers)
	err := drain(func(context.Context) error {
		<-answers
		return nil
	}, time.Millisecond, time.Millisecond)
	if !errors.Is(err, errNotClosed) {
		t.Errorf("got %v, expected that the server ends without closing the store", err)
	}
}
