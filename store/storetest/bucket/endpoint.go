package bucket

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// maximumBody bounds a request in bytes.
const maximumBody = 1 << 30

// Moment says what becomes of the write at which an endpoint freezes.
type Moment int

const (
	// Lost: the write never reaches the bucket.
	Lost Moment = iota
	// Unanswered: the write is applied, and its client never hears of it.
	Unanswered
)

func (m Moment) String() string {
	if m == Lost {
		return "lost"
	}
	return "unanswered"
}

// Fault is what happens to one request. The zero value is nothing.
type Fault struct {
	// Delay passes before anything else happens.
	Delay time.Duration
	// Status, a number of HTTP, is the answer instead of the bucket's.
	Status int
	// Reset breaks the connection instead of an answer.
	Reset bool
	// Applied lets the bucket apply the request before it is answered by Status or Reset.
	Applied bool
}

func (f Fault) refuses() bool { return f.Status != 0 || f.Reset }

func (f Fault) send(w http.ResponseWriter) {
	if f.Reset {
		abort(w)
		return
	}
	http.Error(w, http.StatusText(f.Status), f.Status)
}

// state of an endpoint.
type state int

const (
	open    state = iota
	frozen        // nothing is answered
	severed       // nothing gets through any more
)

// Endpoint is the way of one client to the bucket. Safe for concurrent use.
type Endpoint struct {
	bucket *Bucket
	url    string

	mutex   sync.Mutex
	state   state
	changed chan struct{} // closed and made anew with each change of the state
	writes  int           // admitted
	armed   bool
	left    int // how many more writes an armed endpoint admits
	moment  Moment
	froze   chan struct{} // closed when the endpoint has frozen; made anew when it is armed
	decide  func(write bool) Fault
	waiting sync.WaitGroup // the requests that are being served
}

// Connect opens an endpoint, which is severed at the end of the test.
func (b *Bucket) Connect(t testing.TB) *Endpoint {
	t.Helper()
	var listening net.ListenConfig
	listener, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &Endpoint{bucket: b, url: "http://" + listener.Addr().String(), changed: make(chan struct{}), froze: make(chan struct{})}
	server := &http.Server{Handler: e, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		e.Sever()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	return e
}

// Environment gives the variables by which a client finds the endpoint, NAME=value.
func (e *Endpoint) Environment() []string {
	return []string{
		"AWS_ENDPOINT=" + e.url, "AWS_ALLOW_HTTP=true", "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	}
}

// Use makes the endpoint the one of the clients that this process opens from now on.
func (e *Endpoint) Use(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ENDPOINT", e.url)
	t.Setenv("AWS_ALLOW_HTTP", "true")
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
}

// URL gives the address of the endpoint.
func (e *Endpoint) URL() string { return e.url }

// Writes gives how many writes have gone through the endpoint: requests that are neither GET nor HEAD.
func (e *Endpoint) Writes() int {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.writes
}

// FreezeAfter lets n more writes through and freezes at the next one. A frozen endpoint must be released first.
func (e *Endpoint) FreezeAfter(n int, moment Moment) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.armed, e.left, e.moment = true, n, moment
	e.froze = make(chan struct{})
}

// Frozen is closed once the endpoint has frozen, with the write that is not answered in the bucket.
func (e *Endpoint) Frozen() <-chan struct{} {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.froze
}

// Release ends the freezing: what waits is applied and answered, even where its client has given up.
func (e *Endpoint) Release() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.state == frozen {
		e.turn(open)
	}
	e.armed = false
}

// Sever drops what waits, and all that comes. It returns when nothing of the endpoint reaches the bucket any more.
func (e *Endpoint) Sever() {
	e.mutex.Lock()
	e.turn(severed)
	e.mutex.Unlock()
	e.waiting.Wait()
}

// Disturb asks decide about every request that comes from now on; nil ends it. It is called by several goroutines.
func (e *Endpoint) Disturb(decide func(write bool) Fault) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.decide = decide
}

// turn changes the state. The mutex is held.
func (e *Endpoint) turn(next state) {
	e.state = next
	close(e.changed)
	e.changed = make(chan struct{})
}

// ServeHTTP serves a request of the client, or what happens instead.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(io.LimitReader(r.Body, maximumBody))
	if err != nil {
		abort(w)
		return
	}
	write := r.Method != http.MethodGet && r.Method != http.MethodHead
	r.Body = io.NopCloser(bytes.NewReader(content))
	fault, alive := e.admit(write)
	if !alive {
		refuse(w)
		return
	}
	defer e.waiting.Done()
	e.pause(fault.Delay)
	if fault.refuses() && !fault.Applied {
		fault.send(w)
		return
	}
	answer := e.apply(r, write)
	switch {
	case answer == nil:
		refuse(w)
	case fault.refuses():
		fault.send(w)
	default:
		send(w, answer)
	}
}

// admit counts a request in, and asks what shall happen to it. It tells whether the endpoint is alive.
func (e *Endpoint) admit(write bool) (Fault, bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.state == severed {
		return Fault{}, false
	}
	e.waiting.Add(1)
	if e.decide == nil {
		return Fault{}, true
	}
	return e.decide(write), true
}

// apply passes a request on to the bucket as soon as the state allows it, and holds its answer back as long as it does not.
// It is nil when the endpoint was severed first.
func (e *Endpoint) apply(r *http.Request, write bool) *httptest.ResponseRecorder {
	admitted, froze := e.pass(write)
	if !admitted {
		return nil
	}
	answer := httptest.NewRecorder()
	e.bucket.handler.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
	if froze != nil {
		close(froze)
	}
	if !e.thawed() {
		return nil
	}
	return answer
}

// pass waits until a request may reach the bucket; it is not admitted when the endpoint is severed. The write that is applied
// and not answered gets the channel to be closed once it is applied.
func (e *Endpoint) pass(write bool) (admitted bool, froze chan struct{}) {
	e.mutex.Lock()
	if write && e.state == open && e.armed {
		if e.left == 0 {
			e.armed = false
			e.turn(frozen)
			if e.moment == Unanswered {
				e.writes++
				froze = e.froze
				e.mutex.Unlock()
				return true, froze
			}
			close(e.froze)
		}
		e.left--
	}
	e.mutex.Unlock()
	if !e.thawed() {
		return false, nil
	}
	if write {
		e.mutex.Lock()
		e.writes++
		e.mutex.Unlock()
	}
	return true, nil
}

// thawed waits as long as the endpoint is frozen; false when it is severed then.
func (e *Endpoint) thawed() bool {
	for {
		e.mutex.Lock()
		current, changed := e.state, e.changed
		e.mutex.Unlock()
		if current != frozen {
			return current == open
		}
		<-changed
	}
}

// pause lets a time pass, unless the state changes.
func (e *Endpoint) pause(duration time.Duration) {
	if duration <= 0 {
		return
	}
	e.mutex.Lock()
	changed := e.changed
	e.mutex.Unlock()
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	}
}

// refuse answers a client that is dead: with a status that no client tries again after, so that what is left of it ends soon.
func refuse(w http.ResponseWriter) {
	http.Error(w, "the endpoint is severed", http.StatusNotFound)
}

// abort breaks the connection as a network does that fails.
func abort(w http.ResponseWriter) {
	if hijacker, ok := w.(http.Hijacker); ok {
		if connection, _, err := hijacker.Hijack(); err == nil {
			if tcp, ok := connection.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a reset instead of an orderly end, where it can be had
			}
			_ = connection.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

func send(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the client may be gone
}
