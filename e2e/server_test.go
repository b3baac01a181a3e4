package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// serverBinary is the path of the server that the tests run.
var serverBinary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		serverBinary = os.Getenv("MORAINE_E2E_BINARY")
		if serverBinary == "" {
			folder, err := os.MkdirTemp("", "moraine-e2e-")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			defer os.RemoveAll(folder)
			serverBinary = filepath.Join(folder, "moraine")
			if output, err := exec.Command("go", "build", "-tags", strings.Join(buildTags, ","), "-o", serverBinary, "../cmd/moraine").CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "building the server: %v\n%s", err, output)
				return 1
			}
		}
		return m.Run()
	}())
}

// python gives the interpreter that has DuckDB.
func python(t testing.TB) string {
	t.Helper()
	path := os.Getenv("MORAINE_E2E_PYTHON")
	if path == "" {
		path = "../.venv/bin/python"
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("the tests with DuckDB need the Python environment that `make .venv/requirements.txt` makes"+
			" (or MORAINE_E2E_PYTHON): %v", err)
	}
	return path
}

// server is a running binary on a store of its own. It can be killed and started again at the same address.
type server struct {
	port        int
	store       string
	flags       []string // besides those of address and store
	environment []string // besides the test's own, NAME=value
	process     *exec.Cmd
	ended       chan struct{} // closed when the process has ended
	log         *logBuffer
}

const startTimeout = 30 * time.Second

// newServer starts a server on a store in the folder and stops it when the test ends. What it logged is shown when the
// test failed.
func newServer(t testing.TB, store string, flags ...string) *server {
	t.Helper()
	s := &server{port: freePort(t), store: store, flags: flags, log: new(logBuffer)}
	s.start(t)
	t.Cleanup(func() {
		s.stop(t)
		if t.Failed() {
			t.Logf("the server's log:\n%s", s.log)
		}
	})
	return s
}

// start starts the process and waits until it answers.
func (s *server) start(t testing.TB) {
	t.Helper()
	s.launch(t)
	s.await(t, "answer", func() bool {
		connection, err := pgconn.Connect(t.Context(), s.connection("moraine"))
		if err == nil {
			_ = connection.Close(t.Context())
		}
		return err == nil
	})
}

// launch starts the process.
func (s *server) launch(t testing.TB) {
	t.Helper()
	arguments := []string{"serve", "--listen", s.address(), "--store", s.store}
	s.process = exec.Command(serverBinary, append(arguments, s.flags...)...)
	s.process.Env = append(os.Environ(), s.environment...)
	s.process.Stdout, s.process.Stderr = s.log, s.log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	process, ended := s.process, make(chan struct{})
	s.ended = ended
	go func() {
		_ = process.Wait() // its state is what stop and kill look at
		close(ended)
	}()
}

// await waits until the running process does what it is expected to.
func (s *server) await(t testing.TB, what string, does func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); !does(); {
		select {
		case <-s.ended:
			t.Fatalf("the server has ended and does not %s:\n%s", what, s.log)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not %s:\n%s", what, s.log)
		}
	}
}

// kill ends the process as a power cut would, as far as processes go.
func (s *server) kill(t testing.TB) {
	t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		t.Fatalf("killing the server: %v", err)
	}
	s.awaitEnd(t)
}

// stop asks the process to end.
func (s *server) stop(t testing.TB) {
	t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("stopping the server: %v", err)
	}
	s.awaitEnd(t)
}

func (s *server) awaitEnd(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); s.process.Process.Signal(syscall.Signal(0)) == nil; {
		if time.Now().After(deadline) {
			_ = s.process.Process.Kill() // the test fails anyway
			t.Fatal("the server does not end")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// keywords is how clients find the server, without dbname.
func (s *server) keywords() string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres", s.port)
}

// connection is keywords with dbname.
func (s *server) connection(database string) string {
	return s.keywords() + " dbname=" + database
}

func (s *server) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// connect opens a connection that is closed when the test ends.
func (s *server) connect(t testing.TB, database string) *pgconn.PgConn {
	t.Helper()
	connection, err := pgconn.Connect(t.Context(), s.connection(database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(context.Background()) })
	return connection
}

// query runs statements and gives the rows of the last one as text; an error fails the test.
func query(t testing.TB, connection *pgconn.PgConn, text string) [][]string {
	t.Helper()
	rows, err := tryQuery(t.Context(), connection, text)
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return rows
}

func tryQuery(ctx context.Context, connection *pgconn.PgConn, text string) ([][]string, error) {
	results, err := connection.Exec(ctx, text).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	var rows [][]string
	for _, row := range results[len(results)-1].Rows {
		var values []string
		for _, value := range row {
			values = append(values, string(value))
		}
		rows = append(rows, values)
	}
	return rows, nil
}

// checkAnswers fails the test unless a new client is served.
func (s *server) checkAnswers(t testing.TB) {
	t.Helper()
	connection, err := pgconn.Connect(t.Context(), s.connection("moraine"))
	if err != nil {
		t.Fatalf("the server does not take another client: %v", err)
	}
	defer connection.Close(t.Context())
	if rows := query(t, connection, "SELECT 40 + 2"); len(rows) != 1 || rows[0][0] != "42" {
		t.Fatalf("SELECT 40 + 2 gives %v", rows)
	}
}

// sqlState gives the SQLSTATE of an error, or what else it is.
func sqlState(err error) string {
	var failure *pgconn.PgError
	switch {
	case err == nil:
		return "no error"
	case errors.As(err, &failure):
		return failure.Code
	default:
		return err.Error()
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// logBuffer keeps what a process writes.
type logBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(p)
}

// maxShownLog is how much of the end of a log is shown, in bytes.
const maxShownLog = 20_000

func (b *logBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	text := b.text.Bytes()
	return string(text[max(0, len(text)-maxShownLog):])
}
