package e2e

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"moraine/check"
	"moraine/store"
	"moraine/store/engine"
)

var recordLake = flag.Bool("record-lake", false, "write the lake of TestCheck into check/testdata/lake.tsv")

// TestCheck fills a lake with something of every kind of record and checks it: by SQL, by the subcommand beside the running
// server, and by the subcommand on the store that it left.
func TestCheck(t *testing.T) {
	onStores(t, checkFilledLake)
}

func checkFilledLake(t *testing.T, kind storeKind) {
	interpreter := python(t)
	location, data := kind.new(t), t.TempDir()+"/"
	s := newServer(t, location)
	fill := exec.CommandContext(t.Context(), interpreter, "statements.py", s.connection("moraine"), data, "../check/testdata/lake.sql")
	if output, err := fill.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, finding := range query(t, s.connect(t, "moraine"), "SELECT rule, catalog_table, ids, found FROM moraine_check()") {
		t.Errorf("a sound lake has the finding %s", finding)
	}
	checkCommand(t, 0, "lakes checked: 1, findings: 0\n", "--connect", s.connection("moraine"))
	if engine.Remote(location) {
		checkCommand(t, 0, "lakes checked: 2, findings: 0\n", "--store", location)
	} else {
		checkCommand(t, 2, "", "--store", location) // the server has it for itself
	}
	s.stop(t)
	checkCommand(t, 0, "lakes checked: 2, findings: 0\n", "--store", location)
	if *recordLake && !engine.Remote(location) {
		record(t, location, store.Path{Database: "moraine", Schema: "public"})
	}
	if damaged := damageRecords(t, location, store.Path{Database: "moraine", Schema: "public"}, []byte("the name")); damaged == 0 {
		t.Fatal("no record was found to damage")
	}
	checkCommand(t, 1, "undecodable-record", "--store", location, "--database", "moraine")
	s.start(t)
	checkCommand(t, 1, "undecodable-record", "--connect", s.connection("moraine"), "--schema", "public")
}

// checkCommand runs `moraine check` and looks at its exit status and at a part of its output.
func checkCommand(t *testing.T, status int, part string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), serverBinary, append([]string{"check"}, arguments...)...)
	output, err := command.Output()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != status || !strings.Contains(string(output), part) {
		t.Errorf("moraine check %s: exit status %d, expected %d; output:\n%s", strings.Join(arguments, " "), got, status, output)
	}
}

// record writes the keys and values of a sound lake, in hexadecimal, for the tests of package check.
func record(t *testing.T, location string, path store.Path) {
	t.Helper()
	opened, err := engine.Open(t.Context(), location, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	lake, err := opened.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if findings, err := check.Run(t.Context(), snapshot); err != nil || len(findings) > 0 {
		t.Fatalf("%v, %v", findings, err)
	}
	records, err := snapshot.Scan(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	file, err := os.Create("../check/testdata/lake.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	writer := bufio.NewWriter(file)
	for records.Next() {
		fmt.Fprintf(writer, "%x\t%x\n", records.Key(), records.Value())
	}
	if err := writer.Flush(); err != nil || records.Err() != nil {
		t.Fatal(err, records.Err())
	}
}
