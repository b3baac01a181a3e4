//go:build slatedb

package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/store/storetest/bucket"
)

var failovers = flag.Int("failovers", 2, "how often TestFailover kills the server that serves")

// medium is where a store is that servers share. Each server has its own way to it.
type medium struct {
	store string
	// way gives the environment of one more server; nil for a directory.
	way func() []string
}

// onMedia runs a test on a directory and on a bucket, both at once: they wait most of the time.
func onMedia(t *testing.T, test func(t *testing.T, medium medium)) {
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		test(t, medium{store: "file://" + t.TempDir()})
	})
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		content := bucket.New(t)
		test(t, medium{
			store: "s3://" + bucket.Name + "/store",
			way:   func() []string { return content.Connect(t).Environment() },
		})
	})
}

// cluster is two servers on one store, of which one serves.
type cluster struct{ servers []*server }

// quick are times with which a test need not wait long. A machine that is too busy for them has more takeovers, no lost commits.
var quick = []string{"--heartbeat", "250ms", "--takeover-after", "3s"}

// slow are times with which no standby takes over while a test runs, unless it is told to.
var slow = []string{"--heartbeat", "200ms", "--takeover-after", "10m"}

// newCluster starts a server and a standby.
func newCluster(t *testing.T, medium medium, flags []string) *cluster {
	t.Helper()
	c := &cluster{servers: []*server{newMember(t, medium, flags), newMember(t, medium, flags)}}
	c.servers[0].start(t)
	c.servers[1].standBy(t)
	return c
}

// newMember gives a server that has not been started.
func newMember(t *testing.T, medium medium, flags []string) *server {
	t.Helper()
	s := &server{port: freePort(t), store: medium.store, flags: flags, log: new(logBuffer)}
	if medium.way != nil {
		s.environment = medium.way()
	}
	t.Cleanup(func() {
		if s.process != nil && !s.hasEnded() {
			s.kill(t)
		}
		if t.Failed() {
			t.Logf("the log of the server at %s:\n%s", s.address(), s.log)
		}
	})
	return s
}

// standBy starts the process as a standby, and waits until it says that it is one, or serves.
func (s *server) standBy(t testing.TB) {
	t.Helper()
	before := s.flags
	s.flags = append(slices.Clone(before), "--standby")
	s.launch(t)
	s.flags = before
	s.await(t, "stand by", func() bool {
		connection, err := pgconn.Connect(t.Context(), s.connection("moraine"))
		if err == nil {
			_ = connection.Close(t.Context())
		}
		return err == nil || strings.Contains(err.Error(), "standby mode")
	})
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// wantFailure waits for the end of a server that was fenced: with a status that is not zero.
func (s *server) wantFailure(t testing.TB) {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(startTimeout):
		t.Fatalf("the server at %s does not end", s.address())
	}
	if status := s.process.ProcessState.ExitCode(); status != 1 {
		t.Errorf("the server at %s ends with status %d", s.address(), status)
	}
}

// connection gives the keywords with both servers: a client that is refused by one tries the other.
func (c *cluster) connection(database string) string {
	var hosts, ports []string
	for _, s := range c.servers {
		hosts, ports = append(hosts, "127.0.0.1"), append(ports, strconv.Itoa(s.port))
	}
	return fmt.Sprintf("host=%s port=%s user=postgres dbname=%s", strings.Join(hosts, ","), strings.Join(ports, ","), database)
}

// active waits until a server serves, and gives it and the other one.
func (c *cluster) active(t testing.TB) (active, other *server) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); ; {
		for i, s := range c.servers {
			if s.serves(t) {
				return s, c.servers[1-i]
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no server serves")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *server) serves(t testing.TB) bool {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	connection, err := pgconn.Connect(ctx, s.connection("moraine"))
	if err == nil {
		_ = connection.Close(ctx)
	}
	return err == nil
}

// takenOver waits until a server serves that has stood by, and logs how long that has taken since a moment.
func (s *server) takenOver(t testing.TB, since time.Time, why string) {
	t.Helper()
	s.await(t, "take over", func() bool { return s.serves(t) })
	t.Logf("%s: the standby serves after %d ms", why, time.Since(since).Milliseconds())
}

// load is clients that commit: DuckDB, its statements on the wire, and psycopg.
type load struct {
	interpreter  string
	data         string
	acknowledged *acknowledgements // pairs in the lake
	journal      *acknowledgements // rows of the plain table
}

const journalWriters = 2

// startLoad makes the tables and starts the clients, which end with the test.
func startLoad(t *testing.T, to target) *load {
	t.Helper()
	l := &load{interpreter: python(t), data: t.TempDir() + "/", acknowledged: new(acknowledgements), journal: new(acknowledgements)}
	pairs(t, l.interpreter, to, l.data, "create")
	insist(t, to, "CREATE TABLE IF NOT EXISTS journal (writer integer, sequence integer, PRIMARY KEY (writer, sequence))")
	startWriters(t, l.interpreter, to, l.data, l.acknowledged)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, journalWriters)
	for writer := range journalWriters {
		go func() { done <- runJournal(ctx, l.interpreter, to, writer, l.journal) }()
	}
	t.Cleanup(func() {
		cancel()
		for range journalWriters {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	return l
}

// runJournal runs journal.py until the context ends.
func runJournal(ctx context.Context, interpreter string, to target, writer int, acknowledged *acknowledgements) error {
	return runWriter(ctx, interpreter, writer, acknowledged, "journal.py", to.connection("moraine"), strconv.Itoa(writer))
}

// grow waits until the clients have made so many more commits of each kind.
func (l *load) grow(t testing.TB, commits int) {
	t.Helper()
	wantPairs, wantRows := l.acknowledged.count()+commits, l.journal.count()+commits
	for deadline := time.Now().Add(2 * startTimeout); l.acknowledged.count() < wantPairs || l.journal.count() < wantRows; {
		if time.Now().After(deadline) {
			t.Fatalf("the clients do not go on: %d pairs of %d, %d rows of %d", l.acknowledged.count(), wantPairs, l.journal.count(), wantRows)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (a *acknowledgements) count() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return len(a.pairs)
}

// acknowledgedCommits are what must be in a store.
type acknowledgedCommits struct{ pairs, rows []pair }

func (l *load) must() acknowledgedCommits {
	return acknowledgedCommits{l.acknowledged.copy(), l.journal.copy()}
}

// check holds what a server shows to what was acknowledged before. A server that is kept from its heartbeat, on a busy machine,
// is asked again.
func (must acknowledgedCommits) check(t *testing.T, s target) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
		problems, err := must.problems(t.Context(), s)
		if err != nil && isConnectionError(err) && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) > 0 {
			t.Fatalf("of %d and %d acknowledged commits:\n%s", len(must.pairs), len(must.rows), strings.Join(problems, "\n"))
		}
		return
	}
}

// insist sends statements, and again when the server is lost or does not serve at present. It gives the rows of the last one.
func insist(t *testing.T, s target, text string) [][]string {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
		connection, err := pgconn.Connect(t.Context(), s.connection("moraine"))
		var rows [][]string
		if err == nil {
			rows, err = tryQuery(t.Context(), connection, text)
			_ = connection.Close(t.Context())
		}
		if err == nil {
			return rows
		}
		if !isConnectionError(err) || time.Now().After(deadline) {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

func (must acknowledgedCommits) problems(ctx context.Context, s target) ([]string, error) {
	connection, err := pgconn.Connect(ctx, s.connection("moraine"))
	if err != nil {
		return nil, err
	}
	defer connection.Close(ctx)
	state, err := tryReadLake(ctx, connection)
	if err != nil {
		return nil, err
	}
	problems := state.check(must.pairs)
	r := &lakeReader{ctx: ctx, connection: connection}
	there := map[pair]bool{}
	for _, row := range r.rows("SELECT writer, sequence FROM journal") {
		p := pair{r.number(row[0]), r.number(row[1])}
		if there[p] {
			problems = append(problems, fmt.Sprintf("row %v of the journal is there twice", p))
		}
		there[p] = true
	}
	for _, p := range must.rows {
		if !there[p] {
			problems = append(problems, fmt.Sprintf("row %d of psycopg %d was acknowledged and is lost", p.sequence, p.writer))
		}
	}
	return problems, r.err
}

// checkStore runs `moraine check` on a store that nobody serves.
func checkStore(t *testing.T, s *server) {
	t.Helper()
	command := exec.Command(serverBinary, "check", "--store", s.store)
	command.Env = append(command.Environ(), s.environment...)
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "findings: 0") {
		t.Errorf("moraine check: %v\n%s", err, output)
	}
}

// TestFailover kills the serving server again and again under load. The standby takes over, and shows each acknowledged commit
// once and none in part; the killed one becomes the standby.
func TestFailover(t *testing.T) {
	onMedia(t, func(t *testing.T, medium medium) {
		chosen := max(*seed, 1)
		random := rand.New(rand.NewPCG(chosen, 0))
		c := newCluster(t, medium, quick)
		l := startLoad(t, c)
		for round := range *failovers {
			l.grow(t, 1+random.IntN(20))
			time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
			serving, other := c.active(t)
			if other.hasEnded() { // fenced by a takeover that the machine's business has made
				other.standBy(t)
				continue
			}
			killed := time.Now()
			serving.kill(t)
			must := l.must()
			other.takenOver(t, killed, fmt.Sprintf("kill %d", round+1))
			must.check(t, other)
			serving.standBy(t)
		}
		l.grow(t, 1)
		must := l.must()
		must.check(t, c)
		serving, other := c.active(t)
		t.Logf("%d pairs and %d rows were committed", len(must.pairs), len(must.rows))
		for _, s := range []*server{other, serving} {
			s.stop(t)
		}
		checkStore(t, serving)
	})
}

// TestPausedWriter stops the serving server's process, as a long pause of its machine does, and lets it go on when the standby
// has taken over. It answers nothing from its memory, commits nothing, and ends.
func TestPausedWriter(t *testing.T) {
	onMedia(t, func(t *testing.T, medium medium) {
		c := newCluster(t, medium, quick)
		l := startLoad(t, c)
		l.grow(t, 5)
		paused, standby := c.active(t)
		reader, writer := paused.connect(t, "moraine"), paused.connect(t, "moraine")
		query(t, writer, "BEGIN")
		query(t, writer, "INSERT INTO journal VALUES (1000, 1)")

		stopped := time.Now()
		signal(t, paused, syscall.SIGSTOP)
		must := l.must()
		standby.takenOver(t, stopped, "pause")
		must.check(t, standby)
		// What the paused one would show is old from now on. Its clients wait for it.
		insist(t, standby, "INSERT INTO journal VALUES (2000, 1) ON CONFLICT DO NOTHING")
		must.rows = append(must.rows, pair{2000, 1})

		// These statements are there when it wakes up.
		reads, commits := send(reader, "SELECT count(*) FROM journal"), send(writer, "COMMIT")
		time.Sleep(100 * time.Millisecond)
		signal(t, paused, syscall.SIGCONT)
		wantFenced(t, "a read of the paused server", <-reads)
		wantFenced(t, "its commit", <-commits)
		paused.wantFailure(t)
		must.check(t, standby)
		if rows := insist(t, standby, "SELECT 1 FROM journal WHERE writer = 1000"); len(rows) > 0 {
			t.Error("the commit of the paused server is visible")
		}
		l.grow(t, 1)
	})
}

func signal(t testing.TB, s *server, signal syscall.Signal) {
	t.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// send sends statements, whose answer it gives later.
func send(connection *pgconn.PgConn, text string) <-chan error {
	result := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	go func() {
		defer cancel()
		_, err := tryQuery(ctx, connection, text)
		result <- err
	}()
	return result
}

// wantFenced fails unless the server has refused a statement with a FATAL that DuckLake does not answer by another try, or
// has closed the connection.
func wantFenced(t testing.TB, what string, err error) {
	t.Helper()
	var failure *pgconn.PgError
	switch {
	case err == nil:
		t.Errorf("%s succeeds", what)
	case !errors.As(err, &failure):
		t.Logf("%s: the connection is closed: %v", what, err)
	case failure.Severity != "FATAL" || failure.Code != "57P01" && failure.Code != "57P03":
		t.Errorf("%s: %v", what, err)
	default:
		text := strings.ToLower(failure.Message + failure.Detail + failure.Hint)
		for _, word := range []string{"primary key", "unique", "conflict", "concurrent"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: DuckLake would try again because of %q: %v", what, word, failure)
			}
		}
	}
}

// TestSecondServerFencesTheFirst starts a server on a store that another one serves under load.
func TestSecondServerFencesTheFirst(t *testing.T) {
	onMedia(t, func(t *testing.T, medium medium) {
		first, second := newMember(t, medium, slow), newMember(t, medium, slow)
		first.start(t)
		l := startLoad(t, &cluster{servers: []*server{first, second}})
		l.grow(t, 5)
		idle := first.connect(t, "moraine")
		must, started := l.must(), time.Now()
		second.start(t)
		t.Logf("the second server serves after %d ms", time.Since(started).Milliseconds())
		wantFenced(t, "a session of the first server", <-send(idle, "SELECT 1"))
		first.wantFailure(t)
		must.check(t, second)
		l.grow(t, 5)
		for _, said := range []string{"this server is fenced", second.address()} {
			if !strings.Contains(first.log.String(), said) {
				t.Errorf("the first server's log does not say %q", said)
			}
		}
	})
}

// TestOrderlyHandover ends the serving server in good order: the standby need not wait for its silence.
func TestOrderlyHandover(t *testing.T) {
	onMedia(t, func(t *testing.T, medium medium) {
		c := newCluster(t, medium, slow)
		l := startLoad(t, c)
		l.grow(t, 5)
		ended := time.Now()
		c.servers[0].stop(t)
		must := l.must()
		c.servers[1].takenOver(t, ended, "orderly end")
		must.check(t, c.servers[1])
		if status := c.servers[0].process.ProcessState.ExitCode(); status != 0 {
			t.Errorf("the server ends with status %d", status)
		}
		l.grow(t, 1)
	})
}

// TestTwoServersStartedTogether starts two servers at the same moment: one serves in the end, and the other has ended.
func TestTwoServersStartedTogether(t *testing.T) {
	onMedia(t, func(t *testing.T, medium medium) {
		c := &cluster{servers: []*server{newMember(t, medium, quick), newMember(t, medium, quick)}}
		for _, s := range c.servers {
			s.launch(t)
		}
		select {
		case <-c.servers[0].ended:
		case <-c.servers[1].ended:
		case <-time.After(startTimeout):
			t.Fatal("both servers live")
		}
		active, other := c.active(t)
		other.wantFailure(t)
		active.checkAnswers(t)
	})
}

// TestStoreOutOfReach cuts servers off from the bucket for longer than the time to a takeover.
func TestStoreOutOfReach(t *testing.T) {
	content := bucket.New(t)
	var ways []*bucket.Endpoint
	c := newCluster(t, medium{store: "s3://" + bucket.Name + "/store", way: func() []string {
		ways = append(ways, content.Connect(t))
		return ways[len(ways)-1].Environment()
	}}, quick)
	serving, standby := c.servers[0], c.servers[1]
	standby.kill(t)
	standby.flags = slow // it waits for as long as its own flags say, too
	standby.standBy(t)
	l := startLoad(t, c)
	l.grow(t, 5)
	reader := serving.connect(t, "moraine")
	query(t, reader, "SELECT 1")

	// Nobody reaches the bucket: the server stops answering, and goes on as soon as it is back. The standby reads only.
	ways[0].FreezeAfter(0, bucket.Lost)
	ways[1].Disturb(func(bool) bucket.Fault { return bucket.Fault{Status: 503} })
	serving.await(t, "stop answering", func() bool {
		_, err := pgconn.Connect(t.Context(), serving.connection("moraine"))
		return err != nil && strings.Contains(err.Error(), "cannot reach its store")
	})
	wantFenced(t, "a read while the bucket is out of reach", <-send(reader, "SELECT count(*) FROM journal"))
	must := l.must()
	ways[1].Disturb(nil)
	ways[0].Release()
	serving.await(t, "serve again", func() bool { return serving.serves(t) })
	must.check(t, serving)
	l.grow(t, 1)

	// Only the server is cut off.
	standby.kill(t)
	standby.flags = quick
	standby.standBy(t)
	cut := time.Now()
	ways[0].FreezeAfter(0, bucket.Unanswered)
	<-ways[0].Frozen()
	standby.takenOver(t, cut, "cut off")
	must = l.must()
	must.check(t, standby)
	l.grow(t, 1)
	ways[0].Release()
	serving.wantFailure(t)
	must = l.must()
	must.check(t, standby)
}
