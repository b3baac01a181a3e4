package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	valid := Config{Listen: "127.0.0.1:5433", Store: "data"}
	tests := []struct {
		name   string
		change func(*Config)
		want   string // part of the error; empty when there is none
	}{
		{"defaults", func(*Config) {}, ""},
		{"any host", func(c *Config) { c.Listen = ":0" }, ""},
		{"IPv6", func(c *Config) { c.Listen = "[::1]:5433" }, ""},
		{"no port", func(c *Config) { c.Listen = "127.0.0.1" }, "form host:port"},
		{"no number", func(c *Config) { c.Listen = "127.0.0.1:x y" }, "is not a port"},
		{"port too large", func(c *Config) { c.Listen = "127.0.0.1:70000" }, "is not a port"},
		{"no host", func(c *Config) { c.Listen = "a b:5433" }, "is not a host"},
		{"no store", func(c *Config) { c.Store = "" }, "store is empty"},
		{"no such store", func(c *Config) { c.Store = "ftp://host/path" }, "for ftp:// stores"},
		{"sessions", func(c *Config) { c.MaxSessions = -1 }, "limit of sessions"},
		{"short messages", func(c *Config) { c.MaxMessageSize = 1 }, "limit of a message"},
		{"heartbeat", func(c *Config) { c.Heartbeat = 1 }, "time between heartbeats"},
		{"takeover", func(c *Config) { c.TakeoverAfter = 1 }, "at least 4 heartbeats"},
		{"standby on a directory", func(c *Config) { c.Standby = true }, "belongs to one process"},
		{"standby without heartbeats", func(c *Config) { c.Standby, c.Heartbeat = true, NoHeartbeat }, "needs heartbeats"},
		{"no heartbeats", func(c *Config) { c.Heartbeat = NoHeartbeat }, ""},
		{"long messages", func(c *Config) { c.MaxMessageSize = 1 << 30 }, "limit of a message"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := valid
			test.change(&config)
			err := config.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSecretsOfAURLAreNotRepeated(t *testing.T) {
	err := Config{Listen: ":0", Store: "s3://key:hunter2@bucket/x"}.Validate()
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestLoopback(t *testing.T) {
	for address, expected := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true, "0.0.0.0:1": false,
		"[::]:1": false, ":1": false, "192.0.2.1:1": false, "nonsense": false} {
		if loopback(address) != expected {
			t.Errorf("%s: %v", address, !expected)
		}
	}
}

func TestReadUsers(t *testing.T) {
	const verifier = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	tests := []struct {
		name, content string
		users         int
		want          string
	}{
		{"passwords and verifiers", "# people\n\nada:pass:word\r\nuser:" + verifier + "\n", 2, ""},
		{"no colon", "ada\n", 0, "line 1: a user has the form name:password"},
		{"no name", "\n:secret\n", 0, "line 2: a user has the form name:password"},
		{"no password", "ada:\n", 0, "the password is empty"},
		{"bad verifier", "ada:SCRAM-SHA-256$x\n", 0, "a verifier has the form"},
		{"twice", "ada:a\nada:b\n", 0, "line 2: user \"ada\" is there twice"},
		{"nobody", "# nobody\n", 0, "names no user"},
		{"too long", strings.Repeat("x", maxUserLine+1), 0, "too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "users")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			users, err := ReadUsers(path)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v", err)
			}
			if len(users) != test.users {
				t.Errorf("%d users", len(users))
			}
		})
	}
	if _, err := ReadUsers(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist was read")
	}
}
