package sqlmap

import (
	"context"
	"strings"
	"testing"

	"moraine/relation"
)

// standby opens a session as a server has it that only reads.
func (f *fixture) standby() {
	f.t.Helper()
	session, err := NewSession(context.Background(), Options{
		Instance: f.instance, Database: "moraine", User: "postgres", Version: "15.14 (Moraine)", ReadOnly: true,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.sessions["standby"] = session
}

// TestAServerThatOnlyReadsAnswersAsAStandby holds what a hot standby of PostgreSQL 15 refuses, in its words
// (documentation, section "Hot Standby").
func TestAServerThatOnlyReadsAnswersAsAStandby(t *testing.T) {
	f := newFixture(t)
	f.simple("a", "create table t (i int primary key); insert into t values (1)")
	f.standby()
	const readOnly, recovery = "25006 cannot execute %s in a read-only transaction", "25006 cannot execute %s during recovery"
	for query, refusal := range map[string]string{
		"insert into t values (2)":                    strings.Replace(readOnly, "%s", "INSERT", 1),
		"update t set i = 2":                          strings.Replace(readOnly, "%s", "UPDATE", 1),
		"delete from t":                               strings.Replace(readOnly, "%s", "DELETE", 1),
		"truncate t":                                  strings.Replace(readOnly, "%s", "TRUNCATE TABLE", 1),
		"copy t from stdin":                           strings.Replace(readOnly, "%s", "COPY FROM", 1),
		"select * from t for update":                  strings.Replace(readOnly, "%s", "SELECT FOR UPDATE", 1),
		"select * from t for share":                   strings.Replace(readOnly, "%s", "SELECT FOR SHARE", 1),
		"create table u (i int)":                      strings.Replace(readOnly, "%s", "CREATE TABLE", 1),
		"create temp table u (i int)":                 strings.Replace(readOnly, "%s", "CREATE TABLE", 1),
		"create table u as select 1":                  strings.Replace(readOnly, "%s", "CREATE TABLE AS", 1),
		"drop table t":                                strings.Replace(readOnly, "%s", "DROP TABLE", 1),
		"create schema s":                             strings.Replace(readOnly, "%s", "CREATE SCHEMA", 1),
		"create database d":                           strings.Replace(readOnly, "%s", "CREATE DATABASE", 1),
		"create role r":                               strings.Replace(readOnly, "%s", "CREATE ROLE", 1),
		"vacuum":                                      strings.Replace(recovery, "%s", "VACUUM", 1),
		"analyze":                                     strings.Replace(recovery, "%s", "ANALYZE", 1),
		"listen c":                                    strings.Replace(recovery, "%s", "LISTEN", 1),
		"notify c":                                    strings.Replace(recovery, "%s", "NOTIFY", 1),
		"select pg_notify('c', '')":                   strings.Replace(recovery, "%s", "NOTIFY", 1),
		"begin read write":                            "0A000 cannot set transaction read-write mode during recovery",
		"begin; set transaction_read_only = off":      "0A000 cannot set transaction read-write mode during recovery",
		"begin; set transaction read write; select 1": "0A000 cannot set transaction read-write mode during recovery",
	} {
		got := f.simple("standby", query)
		if !strings.Contains(got, refusal) || !strings.Contains(got, relation.ReadOnlyServerHint) {
			t.Errorf("%s: got\n%s", query, got)
		}
		f.simple("standby", "rollback")
	}
	f.expect("standby", "select pg_is_in_recovery(), current_setting('in_hot_standby'), current_setting('transaction_read_only')",
		"pg_is_in_recovery:16 current_setting:25 current_setting:25\nt|on|on\nSELECT 1\n[I]")
	f.expect("standby", "begin read write", f.simple("standby", "begin read write")) // which has begun no block
	f.expect("standby", "begin read only; select i from t; commit", "BEGIN\ni:23\n1\nSELECT 1\nCOMMIT\n[I]")
	f.expect("standby", "set default_transaction_read_only = off; show transaction_read_only; select pg_advisory_lock(1); unlisten c",
		"SET\ntransaction_read_only:25\non\nSHOW\npg_advisory_lock:2278\n''\nSELECT 1\nUNLISTEN\n[I]")
}
