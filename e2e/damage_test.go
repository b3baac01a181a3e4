package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/store"
	"moraine/store/engine"
)

// TestDamagedRecord damages the records of one lake that name one of its columns. That lake must say so; the others, and
// the server, go on.
func TestDamagedRecord(t *testing.T) {
	onStores(t, damageOneLake)
}

func damageOneLake(t *testing.T, kind storeKind) {
	interpreter := python(t)
	location, data := kind.new(t), t.TempDir()+"/"
	s := newServer(t, location)
	administration := s.connect(t, "moraine")
	for _, database := range []string{"damaged", "healthy"} {
		query(t, administration, "CREATE DATABASE "+database)
		command := exec.CommandContext(t.Context(), interpreter, "pairs.py", s.connection(database), data, "create")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	s.stop(t)
	if damaged := damageRecords(t, location, store.Path{Database: "damaged", Schema: "public"}, []byte("sequence")); damaged == 0 {
		t.Fatal("no record was found to damage")
	}
	s.start(t)

	connection := s.connect(t, "damaged")
	_, err := tryQuery(t.Context(), connection, "SELECT column_name FROM ducklake_column")
	if state := sqlState(err); state != "XX001" {
		t.Errorf("reading the damaged lake: %v, expected SQLSTATE XX001", err)
	}
	healthy := s.connect(t, "healthy")
	if rows := query(t, healthy, "SELECT column_name FROM ducklake_column"); len(rows) != 4 {
		t.Errorf("the healthy lake has the columns %v, expected 4", rows)
	}
	query(t, healthy, "BEGIN; INSERT INTO ducklake_metadata VALUES ('written', 'yes', NULL, NULL); COMMIT")
	s.checkAnswers(t)
}

// damageRecords overwrites the first byte of all values of a lake that contain the text, and gives their number.
func damageRecords(t *testing.T, location string, path store.Path, text []byte) int {
	t.Helper()
	ctx := t.Context()
	opened, err := engine.Open(ctx, location, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	lake, err := opened.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	batch := damagingBatch(t, lake, text)
	if err := lake.Commit(ctx, batch); err != nil {
		t.Fatal(err)
	}
	return batch.Len()
}

func damagingBatch(t *testing.T, lake store.Store, text []byte) *store.Batch {
	t.Helper()
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	records, err := snapshot.Scan(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	batch := new(store.Batch)
	for records.Next() {
		if value := bytes.Clone(records.Value()); bytes.Contains(value, text) {
			value[0] ^= 0xff
			batch.Put(bytes.Clone(records.Key()), value)
		}
	}
	if err := records.Err(); err != nil {
		t.Fatal(err)
	}
	return batch
}

// TestFullDisk fills the file system of the store. Commits must fail with a clear error while it is full, reads go on,
// and once there is space again so do commits, on the same server.
func TestFullDisk(t *testing.T) {
	onStores(t, testFullDisk)
}

func testFullDisk(t *testing.T, kind storeKind) {
	folder := mountTemporary(t)
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, ballastSize), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, kind.scheme+filepath.Join(folder, "store"))
	connection := s.connect(t, "moraine")
	query(t, connection, "CREATE TABLE filler(id integer, text text)")

	committed, failure := fill(t.Context(), connection)
	if state := sqlState(failure); state != "53100" {
		t.Fatalf("commit %d on a full disk: %v, expected SQLSTATE 53100", committed+1, failure)
	}
	count := func() string { return query(t, s.connect(t, "moraine"), "SELECT count(*) FROM filler")[0][0] }
	if got := count(); got != strconv.Itoa(committed) {
		t.Errorf("on the full disk %s rows are read, %d were committed", got, committed)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := tryQuery(t.Context(), s.connect(t, "moraine"), "INSERT INTO filler VALUES (-1, 'after')"); err != nil {
		t.Fatalf("a commit after space was made: %v", err)
	}
	s.kill(t)
	s.start(t)
	if got := count(); got != strconv.Itoa(committed+1) {
		t.Errorf("after a restart %s rows are read, %d were committed", got, committed+1)
	}
}

// Sizes of the file system of TestFullDisk, in bytes.
const (
	diskSize    = "96m"
	ballastSize = 40 << 20
	fillerSize  = 256 << 10
	maxFillers  = 1000
)

// mountTemporary mounts a small file system in memory.
func mountTemporary(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	output, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+diskSize, "tmpfs", folder).CombinedOutput()
	if err != nil {
		t.Skipf("THE FULL DISK WAS NOT TESTED: a file system cannot be mounted here (it takes root): %v %s", err, output)
	}
	t.Cleanup(func() {
		if output, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, output)
		}
	})
	return folder
}

// fill commits rows until one fails. It gives the number of those that did not.
func fill(ctx context.Context, connection *pgconn.PgConn) (committed int, failure error) {
	noise := rand.NewChaCha8([32]byte{1})
	bytes := make([]byte, fillerSize/2)
	for committed < maxFillers {
		_, _ = noise.Read(bytes) // never fails; noise, so that nothing compresses it
		statement := fmt.Sprintf("INSERT INTO filler VALUES (%d, '%x')", committed, bytes)
		if _, err := tryQuery(ctx, connection, statement); err != nil {
			return committed, err
		}
		committed++
	}
	return committed, nil
}
