package server

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"os"
	"strings"

	"moraine/pgwire"
)

// maxUserLine bounds a line of a users file, in bytes.
const maxUserLine = 64 << 10

// ReadUsers reads a users file: lines of the form name:password or name:verifier, a verifier being what PostgreSQL keeps
// (SCRAM-SHA-256$...). Empty lines and lines that begin with # are skipped. The name ends at the first colon.
func ReadUsers(path string) (map[string]pgwire.Verifier, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("users file: %w", err)
	}
	defer file.Close()
	users := map[string]pgwire.Verifier{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxUserLine)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, verifier, err := parseUser(line)
		if err != nil {
			return nil, fmt.Errorf("users file %s, line %d: %w", path, number, err)
		}
		if _, found := users[name]; found {
			return nil, fmt.Errorf("users file %s, line %d: user %q is there twice", path, number, name)
		}
		users[name] = verifier
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("users file %s: %w", path, err)
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("users file %s names no user; leave it out to let the users of this machine in", path)
	}
	return users, nil
}

func parseUser(line string) (name string, verifier pgwire.Verifier, err error) {
	name, secret, found := strings.Cut(line, ":")
	if !found || name == "" {
		// The line may be a password by mistake, so it is not repeated.
		return "", verifier, fmt.Errorf("a user has the form name:password")
	}
	if strings.HasPrefix(secret, "SCRAM-SHA-256$") {
		verifier, err = pgwire.ParseVerifier(secret)
	} else {
		verifier, err = pgwire.NewVerifier(secret)
	}
	if err != nil {
		return "", verifier, fmt.Errorf("user %q: %w", name, err)
	}
	return name, verifier, nil
}

// LoadTLS reads a certificate chain and its key, both PEM.
func LoadTLS(certificateFile, keyFile string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %s with key %s: %w", certificateFile, keyFile, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, nil
}
