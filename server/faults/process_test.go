//go:build slatedb

package faults

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/server"
	"moraine/store/storetest/bucket"
)

// location is where all processes have their store.
const location = "s3://" + bucket.Name + "/store"

// patience bounds what should happen at once, on a busy machine too.
const patience = time.Minute

// process is a server with its own way to the bucket. It lives in this process, and can die nevertheless: what it would still
// write is lost with its endpoint.
type process struct {
	t        *testing.T
	endpoint *bucket.Endpoint
	launched bool
	up       chan struct{} // closed once the server has started, or has failed to
	server   *server.Server
	child    *exec.Cmd // instead of server, for a process of its own
	address  string
	failure  error
	giveUp   context.CancelFunc // ends the start
	end      sync.Once
	dead     chan struct{} // closed with the end
}

// newProcess gives a process that has not started.
func newProcess(t *testing.T, content *bucket.Bucket) *process {
	p := &process{t: t, endpoint: content.Connect(t), up: make(chan struct{}), dead: make(chan struct{})}
	t.Cleanup(p.kill)
	return p
}

// launch starts the server, without waiting for it.
func (p *process) launch() {
	p.endpoint.Use(p.t)
	p.launched = true
	var ctx context.Context
	ctx, p.giveUp = context.WithCancel(context.Background())
	go func() {
		defer close(p.up)
		p.server, p.failure = server.Start(ctx, config(location))
		if p.failure == nil {
			p.address = p.server.Address()
		}
	}()
}

var heartbeats = flag.Bool("heartbeats", false, "let the servers make claims to their stores, as they do elsewhere")

// config is that of a server whose only requests to the store are those for its lakes, unless there are heartbeats.
func config(store string) server.Config {
	result := server.Config{Listen: "127.0.0.1:0", Store: store, Heartbeat: server.NoHeartbeat, Version: "test"}
	if *heartbeats {
		result.Heartbeat, result.TakeoverAfter = 250*time.Millisecond, 2*time.Second
	}
	return result
}

// await waits until the server has started, or has failed to.
func (p *process) await() error {
	select {
	case <-p.up:
		return p.failure
	case <-time.After(patience):
		return errors.New("the server neither starts nor fails")
	}
}

// running starts a process that must come up.
func running(t *testing.T, content *bucket.Bucket) *process {
	t.Helper()
	p := newProcess(t, content)
	p.launch()
	if err := p.await(); err != nil {
		t.Fatalf("the server does not start: %v", err)
	}
	return p
}

// kill is the death of the process: what is under way is lost, and nothing of it reaches the bucket any more.
func (p *process) kill() {
	p.endpoint.Sever()
	if !p.launched {
		return
	}
	p.end.Do(func() {
		close(p.dead)
		if p.giveUp != nil {
			p.giveUp() // a server that claims its store waits for it as long as it may
		}
		select {
		case <-p.up:
		case <-time.After(patience):
			p.t.Error("a server that has lost its store neither starts nor fails")
			return
		}
		if p.child != nil {
			_ = p.child.Process.Kill()
			_ = p.child.Wait() // it was killed
		}
		if p.server != nil {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = p.server.Shutdown(ended) // its store is dead
		}
	})
}

// stop ends the server in good order.
func (p *process) stop() {
	p.t.Helper()
	p.end.Do(func() {
		close(p.dead)
		if err := p.server.Shutdown(context.Background()); err != nil {
			p.t.Errorf("the server does not end well: %v", err)
		}
	})
}

// connect opens a connection that ends with the test, or with the server.
func (p *process) connect() *pgconn.PgConn {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client, err := p.dial(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	return client
}

// dial is connect for a server that may be dying.
func (p *process) dial(ctx context.Context) (*pgconn.PgConn, error) {
	return p.dialTo(ctx, "moraine")
}

// dialTo is dial for one of the databases.
func (p *process) dialTo(ctx context.Context, database string) (*pgconn.PgConn, error) {
	client, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://faults@%s/%s?sslmode=disable", p.address, database))
	if err != nil {
		return nil, err
	}
	p.t.Cleanup(func() { _ = client.Conn().Close() })
	return client, nil
}

// execute sends statements that must succeed.
func (p *process) execute(client *pgconn.PgConn, statements ...string) {
	p.t.Helper()
	for _, statement := range statements {
		if err := execute(client, statement); err != nil {
			p.t.Fatalf("%.200s: %v", statement, err)
		}
	}
}

func execute(client *pgconn.PgConn, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := client.Exec(ctx, statement).ReadAll()
	return err
}

// read reads the state of the lake.
func (p *process) read() *state {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := read(ctx, p.connect())
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}
