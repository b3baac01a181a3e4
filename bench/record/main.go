// Command record notes what DuckDB sends to its catalog server while it works on a lake: bench/testdata/conversation.jsonl.
//
// It stands between DuckDB (bench/record/workload.py) and the PostgreSQL 15 that POSTGRES_CONNECTION names, and writes
// the exchanges to standard output:
//
//	scripts/with_postgres.sh go run ./bench/record > bench/testdata/conversation.jsonl
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"strings"

	"moraine/bench/conversation"
)

func main() {
	log.SetFlags(0)
	python := flag.String("python", ".venv/bin/python", "interpreter with DuckDB")
	flag.Parse()
	if err := run(context.Background(), *python); err != nil {
		log.Fatal("record: ", err)
	}
}

func run(ctx context.Context, python string) error {
	target := settings(os.Getenv("POSTGRES_CONNECTION"))
	if target["port"] == "" {
		return fmt.Errorf("POSTGRES_CONNECTION must name the server (scripts/with_postgres.sh does)")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	recorder := &recorder{server: net.JoinHostPort(target["host"], target["port"])}
	go recorder.accept(listener)

	folder, err := os.MkdirTemp("", "record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	connection := fmt.Sprintf("host=127.0.0.1 port=%s user=%s dbname=moraine", port, target["user"])
	// The path must not be longer in a replay than it was here: lengths stand in COPY data.
	data := folder + "/"
	if err := runWorkload(ctx, python, connection, data, recorder); err != nil {
		return err
	}
	exchanges := recorder.finish()
	for i := range exchanges {
		exchanges[i].Replace(data, samePathLength(data))
	}
	out := bufio.NewWriter(os.Stdout)
	if err := conversation.Write(out, exchanges); err != nil {
		return err
	}
	return out.Flush()
}

// runWorkload runs the DuckDB side. It prints the name of each operation before it starts and waits for a line.
func runWorkload(ctx context.Context, python, connection, data string, recorder *recorder) error {
	command := exec.CommandContext(ctx, python, "bench/record/workload.py", connection, data)
	command.Stderr = os.Stderr
	answers, err := command.StdinPipe()
	if err != nil {
		return err
	}
	operations, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(operations); lines.Scan(); {
		recorder.begin(lines.Text())
		if _, err := fmt.Fprintln(answers); err != nil {
			return err
		}
	}
	return command.Wait()
}

// samePathLength gives a path that belongs to no machine, as long as path.
func samePathLength(path string) string {
	const lake = "/lake"
	return lake + strings.Repeat("e", len(path)-len(lake)-1) + "/"
}

// settings splits libpq's keyword=value pairs.
func settings(connection string) map[string]string {
	found := make(map[string]string)
	for _, pair := range strings.Fields(connection) {
		if name, value, ok := strings.Cut(pair, "="); ok {
			found[name] = value
		}
	}
	return found
}
