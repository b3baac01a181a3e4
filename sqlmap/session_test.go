package sqlmap

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"moraine/lake"
	"moraine/pgerror"
	"moraine/store/memory"
)

func (f *fixture) simple(session, query string) string {
	f.t.Helper()
	return f.run(&block{connection: session, query: query})
}

func (f *fixture) expect(session, query, want string) {
	f.t.Helper()
	if got := f.simple(session, query); got != want {
		f.t.Fatalf("%s\n---- got\n%s\n---- want\n%s", query, got, want)
	}
}

func TestUnknownDatabaseAndWrongParametersAreRefused(t *testing.T) {
	instance, err := lake.Open(context.Background(), memory.New(), lake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Close()
	for _, test := range []struct {
		database   string
		parameters map[string]string
		code       string
	}{
		{"nosuch", nil, pgerror.InvalidCatalogName},
		{"moraine", map[string]string{"nosuch": "1"}, pgerror.UndefinedObject},
		{"moraine", map[string]string{"timezone": "Nowhere"}, pgerror.InvalidParameterValue},
		{"moraine", map[string]string{"client_encoding": "SJIS"}, pgerror.FeatureNotSupported},
	} {
		session, err := NewSession(context.Background(), Options{Instance: instance, Database: test.database, User: "me", Version: "15.14", Parameters: test.parameters})
		if err == nil {
			session.Close()
		}
		if !pgerror.HasCode(err, test.code) {
			t.Errorf("%s with %v: got %v, want %s", test.database, test.parameters, err, test.code)
		}
	}
}

func TestStartupParametersAreWhatResetGoesBackTo(t *testing.T) {
	f := newFixture(t)
	reported := map[string]string{}
	session, err := NewSession(context.Background(), Options{
		Instance: f.instance, Database: "moraine", User: "me", Version: "15.14 (Moraine)",
		Parameters: map[string]string{"application_name": "mine", "TimeZone": "Europe/Paris"},
		Report:     func(name, value string) { reported[name] = value },
	})
	if err != nil {
		t.Fatal(err)
	}
	f.sessions["a"] = session
	for name, want := range map[string]string{
		"application_name": "mine", "TimeZone": "Europe/Paris", "session_authorization": "me", "is_superuser": "on",
		"server_version": "15.14 (Moraine)", "client_encoding": "UTF8", "integer_datetimes": "on", "in_hot_standby": "off",
	} {
		if reported[name] != want {
			t.Errorf("%s is reported as %q, want %q", name, reported[name], want)
		}
	}
	clear(reported)
	f.expect("a", "set timezone = 'UTC'; reset timezone; set application_name = 'other'", "SET\nRESET\nSET\n[I]")
	if len(reported) != 1 || reported["application_name"] != "other" {
		t.Errorf("reported %v", reported)
	}
	f.expect("a", "reset all; show application_name", "RESET\napplication_name:25\nmine\nSHOW\n[I]")
	f.expect("a", "show server_version_num", "server_version_num:25\n150014\nSHOW\n[I]")
}

func TestStatementTimeoutEndsAStatement(t *testing.T) {
	f := newFixture(t)
	timeout := "ERROR 57014 canceling statement due to statement timeout"
	f.expect("a", "set statement_timeout = '20ms'", "SET\n[I]")
	f.expect("a", "select pg_sleep(60)", timeout+"\n[I]")
	f.expect("a", "begin; select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b", "BEGIN\n"+timeout+"\n[E]")
	for _, expression := range []string{
		"regexp_replace(text, '(x+x+)+y', '', 'g')", "regexp_count(text, '(x+x+)+y')", "text ~ '(x+x+)+y'", "regexp_match(text, '(x+x+)+y')",
		"(select count(*) from regexp_matches(text, '(x+x+)+y', 'g'))", "regexp_split_to_array(text, '(x+x+)+y')",
		"text like '%' || repeat('x', 100000) || 'y%'",
	} {
		f.expect("a", "rollback; begin; select "+expression+" from repeat('x', 20000000) text", "ROLLBACK\nBEGIN\n"+timeout+"\n[E]")
	}
	f.expect("a", "rollback; set statement_timeout = 0; select pg_sleep(0.001) is null", "ROLLBACK\nSET\n?column?:16\nf\nSELECT 1\n[I]")
	f.expect("a", "begin; set local statement_timeout = 20; select pg_sleep(60)", "BEGIN\nSET\n"+timeout+"\n[E]")
}

func TestCancelledStatementHasItsCause(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
	time.AfterFunc(20*time.Millisecond, func() { cancel(reason) })
	err := f.session("a").Simple(ctx, "select pg_sleep(60)", &transcript{})
	if !errors.Is(err, error(reason)) {
		t.Errorf("got %v", err)
	}
	f.expect("a", "select 1", "?column?:23\n1\nSELECT 1\n[I]")
}

func TestIdleInTransactionEndsTheSession(t *testing.T) {
	f := newFixture(t)
	session := f.session("a")
	f.expect("a", "set idle_in_transaction_session_timeout = '20ms'", "SET\n[I]")
	select {
	case <-session.Done():
		t.Fatal("the session has ended outside of a transaction")
	case <-time.After(60 * time.Millisecond):
	}
	f.expect("a", "begin", "BEGIN\n[T]")
	<-session.Done()
	if err := session.Err(); !pgerror.HasCode(err, pgerror.IdleInTransactionSessionTimeout) || pgerror.From(err).Severity != pgerror.SeverityFatal {
		t.Errorf("the session ended with %v", err)
	}
}

func TestDroppedDatabaseEndsItsSessions(t *testing.T) {
	f := newFixture(t)
	f.expect("a", "create database other", "CREATE DATABASE\n[I]")
	session, err := NewSession(context.Background(), Options{Instance: f.instance, Database: "other", User: "me", Version: "15.14"})
	if err != nil {
		t.Fatal(err)
	}
	f.sessions["other"] = session
	if got := f.simple("a", "drop database other"); !strings.HasPrefix(got, "ERROR 55006 ") {
		t.Errorf("got %q", got)
	}
	f.expect("a", "drop database other with (force)", "DROP DATABASE\n[I]")
	<-session.Done()
	if session.Err() == nil {
		t.Error("the session ended without a reason")
	}
	f.expect("a", "drop database if exists other", "NOTICE 00000 database \"other\" does not exist, skipping\nDROP DATABASE\n[I]")
	f.expect("a", "drop database moraine", "ERROR 55006 cannot drop the currently open database\n[I]")
}

func TestReadCommittedRunsAStatementAgainOnChangedRows(t *testing.T) {
	f := newFixture(t)
	f.expect("a", "create table counter (id int primary key, n int); insert into counter values (1, 0)", "CREATE TABLE\nINSERT 0 1\n[I]")
	const writers, rounds = 4, 25
	done := make(chan string, writers)
	for i := range writers {
		session := f.session(fmt.Sprintf("writer %d", i))
		go func() {
			for range rounds {
				out := &transcript{}
				if err := session.Simple(context.Background(), "update counter set n = n + 1 where id = 1", out); err != nil || out.String() != "UPDATE 1" {
					done <- fmt.Sprint(out.String(), err)
					return
				}
			}
			done <- ""
		}()
	}
	for range writers {
		if failure := <-done; failure != "" {
			t.Error(failure)
		}
	}
	f.expect("a", "select n from counter", fmt.Sprintf("n:23\n%d\nSELECT 1\n[I]", writers*rounds))
}

// messages counts the CopyData messages of COPY TO.
type messages struct {
	transcript
	sizes []int
}

func (m *messages) CopyData(encode func([]byte) ([]byte, error)) error {
	data, err := encode(nil)
	m.sizes = append(m.sizes, len(data))
	return err
}

func TestBinaryCopyIsCutIntoMessagesOfWholeTuples(t *testing.T) {
	f := newFixture(t)
	const header, tuple, trailer, rows = 19, 2 + 4 + 8, 2, 10_000
	for _, test := range []struct {
		spelled string
		most    int // bytes of a message
	}{{`(FORMAT "binary")`, messageBytes + tuple + header}, {"(format binary)", header + tuple}} {
		out := &messages{}
		query := fmt.Sprintf("COPY (SELECT g::int8 FROM generate_series(1, %d) g) TO STDOUT %s", rows, test.spelled)
		if err := f.session("a").Simple(context.Background(), query, out); err != nil {
			t.Fatal(err)
		}
		total := 0
		for i, size := range out.sizes {
			total += size
			if i == 0 {
				size -= header
			}
			if last := i == len(out.sizes)-1; last && size != trailer || !last && (size == 0 || size%tuple != 0) || size > test.most {
				t.Fatalf("%s: message %d of %d has %d bytes", test.spelled, i, len(out.sizes), size)
			}
		}
		if want := header + rows*tuple + trailer; total != want {
			t.Errorf("%s: %d bytes, want %d", test.spelled, total, want)
		}
	}
}

func TestEmptyBinaryCopyIsOneMessage(t *testing.T) {
	f := newFixture(t)
	got := f.simple("a", `COPY (SELECT 1 WHERE false) TO STDOUT (FORMAT "binary")`)
	want := "copy out true 1\n> 0x" + hex.EncodeToString([]byte("PGCOPY\n\xff\r\n\x00")) + "0000000000000000ffff\ncopied\nCOPY 0\n[I]"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsNotSupportedSaysSo(t *testing.T) {
	f := newFixture(t)
	f.expect("a", "create table t (a int)", "CREATE TABLE\n[I]")
	for _, query := range []string{
		"create view v as select 1", "create sequence s", "create function f() returns int as 'select 1' language sql",
		"create table c (a serial)", "create table c (a int generated always as identity)",
		"create table c (a int references t)", "create table p (a int) partition by range (a)", "create table i () inherits (t)",
		"grant select (a) on t to public", "create extension hstore", "lock table t", "do 'x'", "create materialized view m as select 1",
		"begin; lock table t in exclusive mode", "explain create table x (a int)", "comment on database moraine is 'x'", "drop sequence s",
		"alter table t set (fillfactor = 70)", "create trigger x before insert on t execute function f()", "prepare p as create table x (a int)",
	} {
		got := f.simple("a", query)
		if !strings.Contains(got, "ERROR 0A000 ") && !strings.Contains(got, "ERROR 25P01 ") && !strings.Contains(got, "ERROR 42601 ") {
			t.Errorf("%s: got %q", query, got)
		}
		f.simple("a", "rollback")
	}
	f.expect("a", "copy t to '/tmp/x'", "ERROR 42501 COPY to or from a file or program of the server is not allowed\n"+
		"  hint: Use COPY ... TO STDOUT or FROM STDIN; psql's \\copy does so.\n[I]")
}

func TestLimitsOfASession(t *testing.T) {
	f := newFixture(t)
	session := f.session("a")
	ctx := context.Background()
	for i := range MaximumPreparedStatements + 1 {
		err := session.Parse(ctx, fmt.Sprint("s", i), "begin", nil)
		if want := i == MaximumPreparedStatements; pgerror.HasCode(err, pgerror.ConfigurationLimitExceeded) != want {
			t.Fatalf("statement %d: %v", i, err)
		}
	}
	if err := session.Sync(ctx, true); err != nil {
		t.Fatal(err)
	}
	f.expect("a", "deallocate all; begin", "DEALLOCATE ALL\nBEGIN\n[T]")
	for i := range MaximumPortals + 1 {
		got := f.simple("a", fmt.Sprintf("declare c%d cursor for select 1", i))
		if want := i == MaximumPortals; strings.Contains(got, "ERROR 53400") != want {
			t.Fatalf("cursor %d: %s", i, got)
		}
	}
}

func TestCloseRollsBack(t *testing.T) {
	f := newFixture(t)
	f.expect("a", "create table t (a int)", "CREATE TABLE\n[I]")
	f.expect("b", "begin; insert into t values (1)", "BEGIN\nINSERT 0 1\n[T]")
	f.session("b").Close()
	delete(f.sessions, "b")
	f.expect("a", "select count(*) from t", "count:20\n0\nSELECT 1\n[I]")
}

func TestSignalsReachTheServer(t *testing.T) {
	f := newFixture(t)
	var sent []string
	session, err := NewSession(context.Background(), Options{
		Instance: f.instance, Database: "moraine", User: "me", Version: "15.14", VersionText: "PostgreSQL 15.14 of a test",
		SignalBackend: func(processID uint32, terminate bool) bool {
			sent = append(sent, fmt.Sprint(processID, terminate))
			return processID == 7
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.sessions["a"] = session
	f.expect("a", "select pg_cancel_backend(7), pg_terminate_backend(7)", "pg_cancel_backend:16 pg_terminate_backend:16\nt|t\nSELECT 1\n[I]")
	f.expect("a", "select pg_cancel_backend(8)",
		"WARNING 01000 PID 8 is not a PostgreSQL backend process\npg_cancel_backend:16\nf\nSELECT 1\n[I]")
	if got := strings.Join(sent, " "); got != "7 false 7 true 8 false" {
		t.Errorf("sent %s", got)
	}
	f.expect("a", "select version()", "version:25\nPostgreSQL 15.14 of a test\nSELECT 1\n[I]")
}
