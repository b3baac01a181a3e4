package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pair names one commit of one writer: the row that it writes into both tables.
type pair struct{ writer, sequence int }

// acknowledgements are the commits of which the server has told its clients.
type acknowledgements struct {
	mutex sync.Mutex
	pairs []pair
}

func (a *acknowledgements) add(p pair) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pairs = append(a.pairs, p)
}

func (a *acknowledgements) copy() []pair {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return append([]pair(nil), a.pairs...)
}

// target is where clients connect to: a server, or several of which one serves.
type target interface {
	// connection gives the keywords by which clients find a database.
	connection(database string) string
}

// runDuckWriter runs pairs.py until the context ends.
func runDuckWriter(ctx context.Context, interpreter string, s target, data string, writer int, acknowledged *acknowledgements) error {
	return runWriter(ctx, interpreter, writer, acknowledged, "pairs.py", s.connection("moraine"), data, "write", strconv.Itoa(writer), "0")
}

// runWriter runs a script that prints the sequence number of each pair that was acknowledged, until the context ends.
func runWriter(ctx context.Context, interpreter string, writer int, acknowledged *acknowledgements, script string, arguments ...string) error {
	command := exec.CommandContext(ctx, interpreter, append([]string{script}, arguments...)...)
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(output); lines.Scan(); {
		sequence, err := strconv.Atoi(lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", script, err)
		}
		acknowledged.add(pair{writer, sequence})
	}
	if err := command.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", script, err)
	}
	return nil
}

// retryDelay is how long a writer waits for a server that is not there.
const retryDelay = 10 * time.Millisecond

// runWireWriter commits pairs with the statements that DuckDB sends until the context ends. Whenever the connection
// breaks it makes a new one and goes on with the next pair: whether the last one is there is open.
func runWireWriter(ctx context.Context, s target, writer int, acknowledged *acknowledgements) error {
	var connection *pgconn.PgConn
	defer func() {
		if connection != nil {
			_ = connection.Close(context.Background())
		}
	}()
	for sequence := 0; ctx.Err() == nil; {
		if connection == nil || connection.IsClosed() {
			var err error
			if connection, err = pgconn.Connect(ctx, s.connection("moraine")); err != nil {
				connection = nil
				time.Sleep(retryDelay)
				continue
			}
		}
		err := commitPair(ctx, connection, pair{writer, sequence})
		switch {
		case err == nil:
			acknowledged.add(pair{writer, sequence})
			sequence++
		case mayRetry(err):
			if _, err := tryQuery(ctx, connection, "ROLLBACK"); err != nil {
				_ = connection.Close(ctx)
			}
		case isConnectionError(err) || ctx.Err() != nil:
			_ = connection.Close(ctx)
			sequence++
		default:
			return fmt.Errorf("writer %d: %w", writer, err)
		}
	}
	return nil
}

// mayRetry tells whether another commit came first.
func mayRetry(err error) bool {
	state := sqlState(err)
	return state == "23505" || state == "40001"
}

// isConnectionError tells whether the server was lost: it said nothing more, or that it is starting or ending, or that it does
// not know what has become of the commit.
func isConnectionError(err error) bool {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return true
	}
	switch failure.Code {
	case "57P01", "57P02", "57P03", "08007":
		return true
	}
	return false
}

// commitPair writes a row into both tables as DuckDB does: reads the head of the lake and the statistics, then sends one
// batch and COMMIT.
func commitPair(ctx context.Context, connection *pgconn.PgConn, p pair) error {
	const read = `BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM "public".ducklake_snapshot
WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot)`
	head, err := readNumbers(ctx, connection, read)
	if err != nil {
		return err
	}
	snapshot := head[0] + 1
	batch := fmt.Sprintf(`INSERT INTO "public".ducklake_snapshot VALUES (%d, NOW(), %d, %d, %d);`, snapshot, head[1], head[2], head[3]+2)
	for table := 1; table <= 2; table++ {
		part, err := tableBatch(ctx, connection, table, snapshot, p)
		if err != nil {
			return err
		}
		batch += part
	}
	batch += fmt.Sprintf(`INSERT INTO "public".ducklake_snapshot_changes VALUES (%d, 'inlined_insert:1,inlined_insert:2', NULL, NULL, NULL);`, snapshot)
	if _, err := tryQuery(ctx, connection, batch); err != nil {
		return err
	}
	_, err = tryQuery(ctx, connection, "COMMIT")
	return err
}

// tableBatch gives the statements for one of the tables.
func tableBatch(ctx context.Context, connection *pgconn.PgConn, table, snapshot int, p pair) (string, error) {
	statistics, err := readNumbers(ctx, connection, fmt.Sprintf(
		`SELECT record_count, next_row_id FROM "public".ducklake_table_stats WHERE table_id = %d`, table))
	if err != nil {
		return "", err
	}
	row := fmt.Sprintf(`INSERT INTO "public".ducklake_inlined_data_%d_%d VALUES (%%d, %d, NULL, %d, %d);`,
		table, table, snapshot, p.writer, p.sequence)
	if statistics == nil {
		return fmt.Sprintf(`INSERT INTO "public".ducklake_table_stats VALUES (%[1]d, 1, 1, 0);`+
			`INSERT INTO "public".ducklake_table_column_stats VALUES (%[1]d, 1, false, NULL, '%[2]d', '%[2]d', NULL),(%[1]d, 2, false, NULL, '%[3]d', '%[3]d', NULL);`,
			table, p.writer, p.sequence) + fmt.Sprintf(row, 0), nil
	}
	bounds, err := readNumbers(ctx, connection, fmt.Sprintf(
		`SELECT min_value, max_value FROM "public".ducklake_table_column_stats WHERE table_id = %d ORDER BY column_id`, table))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`UPDATE "public".ducklake_table_stats SET record_count=%d, file_size_bytes=0, next_row_id=%d WHERE table_id=%[3]d;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (%[3]d, 1, false, NULL, '%[4]d', '%[5]d', NULL),(%[3]d, 2, false, NULL, '%[6]d', '%[7]d', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid;
`, statistics[0]+1, statistics[1]+1, table, min(bounds[0], p.writer), max(bounds[1], p.writer),
		min(bounds[2], p.sequence), max(bounds[3], p.sequence)) + fmt.Sprintf(row, statistics[1]), nil
}

// readNumbers gives all values of the last statement, row by row; nil when it has no rows.
func readNumbers(ctx context.Context, connection *pgconn.PgConn, text string) ([]int, error) {
	rows, err := tryQuery(ctx, connection, text)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, row := range rows {
		for _, value := range row {
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}
