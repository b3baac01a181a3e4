package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/store"
	"moraine/store/pebble"
	"moraine/transfer"
)

var (
	goldenPath = store.Path{Database: "lakes", Schema: "golden"}
	oddPath    = store.Path{Database: "lakes", Schema: `odd."name`}
)

// goldenStore makes a directory with the golden lake, and an empty one with a name that must be quoted.
func goldenStore(t *testing.T) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "store")
	golden.With(t, directory, goldenPath, func(lake store.Store) { golden.Fill(t, lake, golden.Records(t)) })
	golden.With(t, directory, oddPath, func(store.Store) {})
	return directory
}

func TestCopyCommand(t *testing.T) {
	source, target := goldenStore(t), filepath.Join(t.TempDir(), "target")
	runCommand(t, exitSuccess, []string{
		"copying lakes.golden (1 of 2)\nverifying lakes.golden (1 of 2)\n", "lakes.golden: snapshot 22, 160 records, 11.0 KiB, checksum ",
		`lakes."odd.\"name": 0 records, 0 bytes`, "lakes copied: 2, there already: 0; 160 records, 11.0 KiB in ",
	}, "copy", "--from", source, "--to", target)
	golden.With(t, target, goldenPath, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Records(t)) })
	runCommand(t, exitSuccess, []string{": there already, the same\n", "lakes copied: 0, there already: 1; 0 records, 0 bytes in "},
		"copy", "--from", source, "--to", target, "--lake", "lakes.golden")

	golden.With(t, target, goldenPath, func(lake store.Store) {
		batch := &store.Batch{}
		batch.Put(keyspace.HeadKey().Bytes(), []byte("changed"))
		if err := lake.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	})
	runCommand(t, exitUsage, []string{"nothing was copied: lakes.golden: the target has such a lake already"}, "copy", "--from", source, "--to", target)
	runCommand(t, exitUsage, []string{"nothing was copied: there is no such lake"}, "copy", "--from", source, "--to", target, "--schema", "none")
	runCommand(t, exitUsage, []string{"nothing was copied: there is no store at"}, "copy", "--from", target+"-none", "--to", target)
	if _, err := os.Stat(target + "-none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command has made a store: %v", err)
	}
}

func TestCopyIsInterrupted(t *testing.T) {
	source, target := goldenStore(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var output bytes.Buffer
	log := writer(func(line []byte) (int, error) {
		cancel() // as SIGINT does, when the first lake is reported
		return output.Write(line)
	})
	status := run(ctx, []string{"copy", "--from", source, "--to", target}, noEnvironment, &output, log)
	if status != exitFailure || !strings.Contains(output.String(), "the copy was interrupted. Run the same command again to go on.") {
		t.Errorf("exit status %d: %s", status, output.String())
	}
	unfinished := "lakes.golden: the lake is an unfinished copy from " + source
	runCommand(t, exitUsage, []string{unfinished, `Finish it with "moraine copy --from ` + source}, "check", "--store", target)
	runCommand(t, exitUsage, []string{unfinished}, "migrate", "--store", target)
	runCommand(t, exitSuccess, []string{"\nlakes.golden\n  the lake is an unfinished copy from " + source}, "info", "--store", target)
	runCommand(t, exitSuccess, []string{"lakes copied: 2"}, "copy", "--from", source, "--to", target)
	golden.With(t, target, goldenPath, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Records(t)) })
}

func TestInfoCommand(t *testing.T) {
	source := goldenStore(t)
	runCommand(t, exitSuccess, []string{
		"store " + source + ": Pebble\n\nlakes.golden\n  format 9, stamped by \"0.7.0\"\n  head: snapshot 22, batch 24\n",
		"\n  system                    3             112\n", "\n  in all                  160           11295\n  checksum ",
		"\nlakes.\"odd.\\\"name\"\n  no catalog\n",
	}, "info", "--store", source)
	runCommand(t, exitUsage, []string{"there is no such lake"}, "info", "--store", source, "--database", "none")
}

func TestDumpCommand(t *testing.T) {
	source := goldenStore(t)
	for flags, file := range map[string]string{"": "decoded.jsonl", "--hex": "dump.tsv"} {
		var output bytes.Buffer
		arguments := append([]string{"dump", "--store", source, "--schema", "golden"}, strings.Fields(flags)...)
		if status := run(t.Context(), arguments, noEnvironment, &output, io.Discard); status != exitSuccess {
			t.Errorf("%v: exit status %d", arguments, status)
		}
		recorded, err := os.ReadFile(filepath.Join("..", "..", "testdata", "golden", file))
		if err != nil || bytes.Count(output.Bytes(), []byte("\n")) != bytes.Count(recorded, []byte("\n")) {
			t.Errorf("%v: %v, %d bytes instead of %d", arguments, err, output.Len(), len(recorded))
		}
		if flags == "--hex" && !bytes.Equal(output.Bytes(), recorded) {
			t.Errorf("the dump is not the recorded one")
		}
	}
	runCommand(t, exitSuccess, nil, "dump", "--store", source, "--lake", oddPath.String())
	runCommand(t, exitUsage, []string{`choose one of the lakes with --lake: lakes.golden, lakes."odd.\"name"`}, "dump", "--store", source)
	runCommand(t, exitUsage, []string{"there is no such lake"}, "dump", "--store", source, "--lake", "lakes.none")
	golden.With(t, source, goldenPath, func(lake store.Store) {
		golden.Fill(t, lake, map[string]string{string(keyspace.HeadKey().Bytes()): "damage"})
	})
	runCommand(t, exitBroken, []string{`{"error":"`, "1 records could not be decoded"}, "dump", "--store", source, "--schema", "golden")
}

func TestADumpEndsQuietlyWhenNobodyReadsIt(t *testing.T) {
	source := goldenStore(t)
	var log bytes.Buffer
	closed := writer(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE} })
	status := run(t.Context(), []string{"dump", "--hex", "--store", source, "--lake", "lakes.golden"}, noEnvironment, closed, &log)
	if status != exitSuccess || log.Len() > 0 {
		t.Errorf("exit status %d: %s", status, log.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestAStoreInUseIsNotRead(t *testing.T) {
	source := goldenStore(t)
	opened, err := pebble.Open(source, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	inUse := []string{"the store " + source + " is in use by another process: stop the server first"}
	runCommand(t, exitUsage, inUse, "copy", "--from", source, "--to", t.TempDir())
	runCommand(t, exitUsage, inUse, "copy", "--from", goldenStore(t), "--to", source)
	runCommand(t, exitUsage, inUse, "info", "--store", source)
	runCommand(t, exitUsage, inUse, "dump", "--store", source, "--lake", "lakes.golden")
}

func TestLakesAreChosenByNames(t *testing.T) {
	for _, test := range []struct {
		arguments   []string
		environment map[string]string
		want        store.Path
		refusal     string
	}{
		{arguments: []string{"--database", "a", "--schema", "b.c"}, want: store.Path{Database: "a", Schema: "b.c"}},
		{arguments: []string{"--lake", `"a.b".c`}, want: store.Path{Database: "a.b", Schema: "c"}},
		{arguments: []string{"--lake", "a"}, refusal: "expected database.schema"},
		{arguments: []string{"--lake", "a.b.c"}, refusal: "quote a name"},
		{arguments: []string{"--lake", "a.b", "--schema", "b"}, refusal: "--lake does not go with --database and --schema"},
		{environment: map[string]string{"MORAINE_LAKE": "a.b"}, want: store.Path{Database: "a", Schema: "b"}},
		{arguments: []string{"--schema", "c"}, environment: map[string]string{"MORAINE_LAKE": "a.b"}, want: store.Path{Schema: "c"}},
		{arguments: []string{"--lake", "a.b"}, environment: map[string]string{"MORAINE_DATABASE": "x"}, want: store.Path{Database: "a", Schema: "b"}},
	} {
		selection := &lakeSelection{}
		var log bytes.Buffer
		parsing := &command{name: "test", validate: selection.resolve, define: func(flags *flag.FlagSet) { selection.define(flags, "test") }}
		run, _ := parsing.parse(test.arguments, func(name string) string { return test.environment[name] }, io.Discard, &log)
		got := store.Path{Database: selection.database, Schema: selection.schema}
		if run != (test.refusal == "") || run && got != test.want || !strings.Contains(log.String(), test.refusal) {
			t.Errorf("%v %v: %s, %s", test.arguments, test.environment, got, log.String())
		}
	}
}

func TestProgressIsOneLineOnATerminal(t *testing.T) {
	path := store.Path{Database: "moraine", Schema: "public"}
	var log bytes.Buffer
	line := &progressLine{log: &log, terminal: true}
	show := func(phase transfer.Phase, keys int64) {
		line.show(transfer.Progress{Phase: phase, Path: path, Number: 1, Count: 2, Keys: keys, Bytes: keys << 10})
	}
	show(transfer.Copying, 0)
	show(transfer.Copying, 100) // too soon
	line.shown = line.shown.Add(-terminalInterval)
	line.begun = line.begun.Add(-2 * time.Second)
	show(transfer.Copying, 4096)
	path.Schema = strings.Repeat("ö", 100)
	show(transfer.Verifying, 0)
	line.end()
	line.end()
	lines := strings.Split(log.String(), "\r")
	if len(lines) != 5 || lines[1] != "copying moraine.public (1 of 2)\x1b[K" ||
		!strings.HasPrefix(lines[2], "copying moraine.public (1 of 2): 4096 records, 4.0 MiB, ") || !strings.HasSuffix(lines[2], "/s\x1b[K") ||
		lines[3] != "verifying moraine.\""+strings.Repeat("ö", 79-len("verifying moraine.\""))+"\x1b[K" || lines[4] != "\x1b[K" {
		t.Errorf("got %q", lines)
	}
}
