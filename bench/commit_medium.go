package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const (
	bucketName = "lakes"
	// bucketDelay is what each request to a real bucket takes at least.
	bucketDelay = 20 * time.Millisecond
	// startTimeout bounds how long a server may take to answer.
	startTimeout = 30 * time.Second
)

// medium is where an engine keeps its lakes. Everything that is measured has a location of its own below.
type medium struct {
	name     string
	location string
	bucket   *bucket       // nil for a directory
	delay    time.Duration // of each request to the bucket
}

// newMedia gives a directory for each engine, and a bucket on the loopback interface with and without delay.
func newMedia() ([]medium, func(), error) {
	folder, err := os.MkdirTemp("", "moraine-bench-")
	if err != nil {
		return nil, nil, err
	}
	bucket, err := serveBucket()
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	end := func() {
		bucket.server.Close()
		_ = os.RemoveAll(folder) // it is a temporary one
	}
	return []medium{
		{name: "Pebble, directory", location: filepath.Join(folder, "pebble")},
		{name: "SlateDB, directory", location: "file://" + filepath.Join(folder, "slatedb")},
		{name: "SlateDB, S3", location: "s3://" + bucketName + "/near", bucket: bucket},
		{name: fmt.Sprintf("SlateDB, S3 %v away", bucketDelay), location: "s3://" + bucketName + "/far", bucket: bucket, delay: bucketDelay},
	}, end, nil
}

// use sets the bucket up for what is measured on the medium from now on.
func (m medium) use() {
	if m.bucket != nil {
		m.bucket.delay.Store(int64(m.delay))
	}
}

// bucket is an S3-compatible server in this process.
type bucket struct {
	server *http.Server
	delay  atomic.Int64 // nanoseconds
}

// serveBucket starts the server, and makes it the one of this process and of those that it starts.
func serveBucket() (*bucket, error) {
	objects := s3mem.New()
	if err := objects.CreateBucket(bucketName); err != nil {
		return nil, err
	}
	quiet := gofakes3.StdLog(log.New(io.Discard, "", 0))
	handler := gofakes3.New(objects, gofakes3.WithLogger(quiet), gofakes3.WithTimeSkewLimit(0)).Server()
	result := &bucket{}
	result.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(result.delay.Load()))
		handler.ServeHTTP(w, r)
	})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() { _ = result.server.Serve(listener) }() // until it is closed
	for name, value := range map[string]string{
		"AWS_ENDPOINT": "http://" + listener.Addr().String(), "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench",
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// startedServer is a Moraine that the benchmark runs.
type startedServer struct {
	server
	command *exec.Cmd
}

// startServer runs a binary on a medium, with further flags, and waits until it answers.
func startServer(binary string, m medium, flags ...string) (*startedServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return nil, err
	}
	arguments := []string{"serve", "--listen", "127.0.0.1:" + strconv.Itoa(port), "--store", m.location + "/server"}
	command := exec.Command(binary, append(arguments, flags...)...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		return nil, err
	}
	started := &startedServer{command: command, server: server{
		name: "Moraine", connection: fmt.Sprintf("host=127.0.0.1 port=%d user=postgres", port), process: strconv.Itoa(command.Process.Pid),
	}}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(50 * time.Millisecond) {
		connection, err := pgconn.Connect(context.Background(), started.connection+" dbname=moraine")
		if err == nil {
			return started, connection.Close(context.Background())
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("%s does not answer: %w", binary, err), started.stop(), errors.New(said.String()))
		}
	}
}

// stop ends the server in order.
func (s *startedServer) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}
