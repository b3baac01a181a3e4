package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

// benchmark measures one thing on all servers and prints a table.
type benchmark struct {
	name string
	run  func(ctx context.Context, servers []server, options options) error
}

var benchmarks = []benchmark{
	{"replay", runReplay},
	{"copy", runCopy},
	{"scale", runScale},
	{"commit", runCommit},
	{"readers", runReaders},
}

// lengthy are the benchmarks that run only when they are named.
var lengthy = []string{"scale", "commit", "readers"}

type options struct {
	conversation string        // path of the recorded conversation
	rounds       int           // how often the conversation is replayed on each server
	files        int           // data files in the catalog that is copied out
	scale        float64       // what part of the full lake `scale` grows to
	binary       string        // of the servers that `commit` starts
	duration     time.Duration // of each figure of `commit`
}

func main() {
	log.SetFlags(0)
	var chosen options
	only := flag.String("only", "all", "comma-separated benchmarks: replay, copy, all (these two), scale, commit, readers")
	flag.StringVar(&chosen.conversation, "conversation", "bench/testdata/conversation.jsonl", "what to replay")
	flag.IntVar(&chosen.rounds, "rounds", 5, "replays on each server")
	flag.IntVar(&chosen.files, "files", 1_000_000, "data files in the catalog that is copied out")
	flag.Float64Var(&chosen.scale, "scale", 0.1, "what part of a lake with 1 million data files scale grows to")
	flag.StringVar(&chosen.binary, "binary", "bin/moraine", "the server that commit and readers start on each engine")
	flag.DurationVar(&chosen.duration, "duration", 3*time.Second, "how long commit takes for each figure")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*only, ","), chosen); err != nil {
		log.Fatal("bench: ", err)
	}
}

func run(ctx context.Context, only []string, chosen options) error {
	servers, err := serversOfEnvironment()
	if err != nil {
		return err
	}
	for _, b := range benchmarks {
		if slices.Contains(only, b.name) || slices.Contains(only, "all") && !slices.Contains(lengthy, b.name) {
			if err := b.run(ctx, servers, chosen); err != nil {
				return fmt.Errorf("%s: %w", b.name, err)
			}
		}
	}
	return nil
}

// serversOfEnvironment gives PostgreSQL, the reference, and Moraine.
func serversOfEnvironment() ([]server, error) {
	var servers []server
	for _, named := range []struct{ name, variable, process string }{
		{"PostgreSQL", "POSTGRES_CONNECTION", ""},
		{"Moraine", "MORAINE_CONNECTION", os.Getenv("MORAINE_PROCESS")},
	} {
		connection := os.Getenv(named.variable)
		if connection == "" {
			return nil, fmt.Errorf("%s must name a server (make bench starts both)", named.variable)
		}
		servers = append(servers, server{name: named.name, connection: connection, process: named.process})
	}
	return servers, nil
}
