package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

var (
	kills = flag.Int("kills", 5, "how often TestKill kills the server")
	seed  = flag.Uint64("seed", 0, "seed of the moments at which TestKill kills; 0 takes one from the clock")
)

// Of the eight writers some are DuckDB itself, the others send what it sends, without its pauses.
const (
	duckWriters = 3
	wireWriters = 5
)

// maxLife is the longest time that a server lives between two kills. The shortest is none: recovery is killed too.
const maxLife = 1500 * time.Millisecond

// firstPair is the snapshot that the first pair of rows makes: 0 is the empty lake, 1 and 2 are its tables.
const firstPair = 3

// TestKill kills the server again and again while eight clients commit, and proves each time that every acknowledged
// commit is there, that none is there in part, and that snapshot ids have no gaps. Each commit writes a row into two
// tables, with their statistics, a snapshot and its changes.
func TestKill(t *testing.T) {
	interpreter := python(t)
	chosen := *seed
	if chosen == 0 {
		chosen = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d: repeat with `make kill SEED=%d KILLS=%d`", chosen, chosen, *kills)
	onStores(t, func(t *testing.T, kind storeKind) {
		killUnderLoad(t, interpreter, newServer(t, kind.new(t)), chosen)
	})
}

func killUnderLoad(t *testing.T, interpreter string, s *server, chosen uint64) {
	random := rand.New(rand.NewPCG(chosen, 0))
	data := t.TempDir() + "/"
	pairs(t, interpreter, s, data, "create")
	acknowledged := new(acknowledgements)
	startWriters(t, interpreter, s, data, acknowledged)

	for kill := range *kills {
		time.Sleep(time.Duration(random.Int64N(int64(maxLife))))
		s.kill(t)
		must := acknowledged.copy()
		s.start(t)
		found := readLake(t, s)
		if problems := found.check(must); len(problems) > 0 {
			t.Fatalf("after kill %d of seed %d, %d acknowledged commits:\n%s",
				kill+1, chosen, len(must), strings.Join(problems, "\n"))
		}
	}
	must := len(acknowledged.copy())
	if must < *kills {
		t.Errorf("only %d commits in %d lives of the server: the test proves little", must, *kills)
	}
	checkCounts(t, pairs(t, interpreter, s, data, "count"), must)
}

// checkCounts holds what a DuckDB that attaches at the end reads, "rows of a, rows of b", to the number of commits that
// were acknowledged before.
func checkCounts(t *testing.T, output string, must int) {
	t.Helper()
	var a, b int
	if _, err := fmt.Sscan(output, &a, &b); err != nil {
		t.Fatalf("%q: %v", output, err)
	}
	if a != b || a < must {
		t.Errorf("DuckDB reads %d and %d rows; %d commits were acknowledged before", a, b, must)
	}
	t.Logf("%d commits survived", a)
}

// startWriters starts the eight clients; they end with the test.
func startWriters(t *testing.T, interpreter string, s target, data string, acknowledged *acknowledgements) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, duckWriters+wireWriters)
	for writer := range duckWriters {
		go func() { done <- runDuckWriter(ctx, interpreter, s, data, writer, acknowledged) }()
	}
	for writer := duckWriters; writer < duckWriters+wireWriters; writer++ {
		go func() { done <- runWireWriter(ctx, s, writer, acknowledged) }()
	}
	t.Cleanup(func() {
		cancel()
		for range duckWriters + wireWriters {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// pairs runs pairs.py to its end and gives its output.
func pairs(t *testing.T, interpreter string, s target, data, command string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), interpreter, "pairs.py", s.connection("moraine"), data, command).Output()
	if err != nil {
		var text []byte
		if exit, ok := err.(*exec.ExitError); ok {
			text = exit.Stderr
		}
		t.Fatalf("pairs.py %s: %v\n%s", command, err, text)
	}
	return string(output)
}

// lakeState is what one transaction reads of the lake.
type lakeState struct {
	snapshots []int          // ids of ducklake_snapshot
	changes   []int          // ids of ducklake_snapshot_changes
	tables    []tableState   // a and b
	texts     map[int]string // changes_made by snapshot
}

// tableState is what belongs to one of the two tables.
type tableState struct {
	rows                     []pairRow
	recordCount, nextRow     int
	minWriter, maxWriter     string
	minSequence, maxSequence string
}

// pairRow is a row of an inlined table.
type pairRow struct {
	id, snapshot int
	pair
}

// readLake reads the whole lake in one transaction, by plain statements.
func readLake(t *testing.T, s target) *lakeState {
	t.Helper()
	connection, err := pgconn.Connect(t.Context(), s.connection("moraine"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	state, err := tryReadLake(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func tryReadLake(ctx context.Context, connection *pgconn.PgConn) (*lakeState, error) {
	r := &lakeReader{ctx: ctx, connection: connection}
	r.rows("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ")
	state := &lakeState{texts: make(map[int]string)}
	for _, row := range r.rows("SELECT snapshot_id FROM ducklake_snapshot ORDER BY snapshot_id") {
		state.snapshots = append(state.snapshots, r.number(row[0]))
	}
	for _, row := range r.rows("SELECT snapshot_id, changes_made FROM ducklake_snapshot_changes ORDER BY snapshot_id") {
		id := r.number(row[0])
		state.changes = append(state.changes, id)
		state.texts[id] = row[1]
	}
	for table := 1; table <= 2; table++ {
		state.tables = append(state.tables, r.table(table))
	}
	r.rows("COMMIT")
	return state, r.err
}

// lakeReader reads rows up to the first error, which stays.
type lakeReader struct {
	ctx        context.Context
	connection *pgconn.PgConn
	err        error
}

func (r *lakeReader) rows(text string) (rows [][]string) {
	if r.err == nil {
		rows, r.err = tryQuery(r.ctx, r.connection, text)
	}
	return rows
}

func (r *lakeReader) number(text string) int {
	value, err := strconv.Atoi(text)
	if r.err == nil {
		r.err = err
	}
	return value
}

func (r *lakeReader) table(table int) tableState {
	var state tableState
	text := fmt.Sprintf("SELECT row_id, begin_snapshot, writer, sequence FROM ducklake_inlined_data_%d_%d ORDER BY row_id", table, table)
	for _, row := range r.rows(text) {
		state.rows = append(state.rows, pairRow{r.number(row[0]), r.number(row[1]), pair{r.number(row[2]), r.number(row[3])}})
	}
	text = fmt.Sprintf("SELECT record_count, next_row_id FROM ducklake_table_stats WHERE table_id = %d", table)
	for _, row := range r.rows(text) {
		state.recordCount, state.nextRow = r.number(row[0]), r.number(row[1])
	}
	text = fmt.Sprintf("SELECT min_value, max_value FROM ducklake_table_column_stats WHERE table_id = %d ORDER BY column_id", table)
	if rows := r.rows(text); len(rows) == 2 {
		state.minWriter, state.maxWriter = rows[0][0], rows[0][1]
		state.minSequence, state.maxSequence = rows[1][0], rows[1][1]
	}
	return state
}

// check tells everything that is wrong with the lake, given the commits that were acknowledged.
func (l *lakeState) check(must []pair) []string {
	var problems []string
	report := func(format string, arguments ...any) {
		problems = append(problems, fmt.Sprintf(format, arguments...))
	}
	for i, id := range l.snapshots {
		if id != i {
			report("snapshot ids have a gap: %d stands at place %d", id, i)
			break
		}
	}
	if !slices.Equal(l.snapshots, l.changes) {
		report("%d snapshots, but changes of %d", len(l.snapshots), len(l.changes))
	}
	for id, text := range l.texts {
		if id >= firstPair && text != "inlined_insert:1,inlined_insert:2" {
			report("snapshot %d has the changes %q", id, text)
		}
	}
	for i, table := range l.tables {
		for _, problem := range table.check(len(l.snapshots)) {
			report("table %d: %s", i+1, problem)
		}
	}
	if !slices.Equal(l.tables[0].rows, l.tables[1].rows) {
		report("the tables differ: a commit is there in part")
	}
	there := make(map[pair]bool)
	for _, row := range l.tables[0].rows {
		there[row.pair] = true
	}
	for _, p := range must {
		if !there[p] {
			report("commit %d of writer %d was acknowledged and is lost", p.sequence, p.writer)
		}
	}
	return problems
}

// check holds the rows of one table to its snapshots and statistics.
func (s *tableState) check(snapshots int) []string {
	var problems []string
	report := func(format string, arguments ...any) {
		problems = append(problems, fmt.Sprintf(format, arguments...))
	}
	if want := max(snapshots-firstPair, 0); len(s.rows) != want {
		report("%d rows of %d commits", len(s.rows), want)
	}
	if s.recordCount != len(s.rows) || s.nextRow != len(s.rows) {
		report("%d rows, but statistics of %d and a next row id of %d", len(s.rows), s.recordCount, s.nextRow)
	}
	seen := make(map[pair]bool)
	for i, row := range s.rows {
		if row.id != i || row.snapshot != firstPair+i {
			report("row %d has id %d and snapshot %d", i, row.id, row.snapshot)
		}
		if seen[row.pair] {
			report("commit %d of writer %d is there twice", row.sequence, row.writer)
		}
		seen[row.pair] = true
	}
	if len(s.rows) == 0 {
		return problems
	}
	byWriter := func(a, b pairRow) int { return a.writer - b.writer }
	bySequence := func(a, b pairRow) int { return a.sequence - b.sequence }
	got := []string{s.minWriter, s.maxWriter, s.minSequence, s.maxSequence}
	want := []string{
		strconv.Itoa(slices.MinFunc(s.rows, byWriter).writer), strconv.Itoa(slices.MaxFunc(s.rows, byWriter).writer),
		strconv.Itoa(slices.MinFunc(s.rows, bySequence).sequence), strconv.Itoa(slices.MaxFunc(s.rows, bySequence).sequence),
	}
	if !slices.Equal(got, want) {
		report("column statistics are %q, the rows say %q", got, want)
	}
	return problems
}

func TestLakeStateCheck(t *testing.T) {
	whole := func() *lakeState {
		table := func() tableState {
			return tableState{
				rows:        []pairRow{{0, 3, pair{1, 0}}, {1, 4, pair{2, 5}}},
				recordCount: 2, nextRow: 2, minWriter: "1", maxWriter: "2", minSequence: "0", maxSequence: "5",
			}
		}
		const changes = "inlined_insert:1,inlined_insert:2"
		return &lakeState{
			snapshots: []int{0, 1, 2, 3, 4}, changes: []int{0, 1, 2, 3, 4},
			tables: []tableState{table(), table()}, texts: map[int]string{3: changes, 4: changes},
		}
	}
	for _, test := range []struct {
		name   string
		damage func(*lakeState)
		want   string
	}{
		{"whole", func(*lakeState) {}, ""},
		{"gap", func(l *lakeState) { l.snapshots[4] = 5 }, "snapshot ids have a gap"},
		{"no changes", func(l *lakeState) { l.changes = l.changes[:4] }, "5 snapshots, but changes of 4"},
		{"row in one table", func(l *lakeState) { l.tables[1].rows = l.tables[1].rows[:1] }, "a commit is there in part"},
		{"old statistics", func(l *lakeState) { l.tables[0].recordCount = 1 }, "statistics of 1"},
		{"old column statistics", func(l *lakeState) { l.tables[0].maxSequence = "4" }, "column statistics are"},
		{"lost", func(l *lakeState) { l.tables[0].rows[1].sequence = 6 }, "commit 5 of writer 2 was acknowledged and is lost"},
		{"twice", func(l *lakeState) { l.tables[0].rows[1].pair = pair{1, 0} }, "is there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			state := whole()
			test.damage(state)
			got := strings.Join(state.check([]pair{{1, 0}, {2, 5}}), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q in it", got, test.want)
			}
		})
	}
}
