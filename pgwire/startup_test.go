package pgwire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"maps"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/rs/zerolog"

	"moraine/pgwire"
)

// packet makes a first packet from its code and content.
func packet(code uint32, content string) []byte {
	bytes := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	bytes = binary.BigEndian.AppendUint32(bytes, code)
	return append(bytes, content...)
}

const (
	version30  = 3 << 16
	tlsRequest = 80877103
	gssRequest = 80877104
	whoAmI     = "user\x00tester\x00\x00"
)

func TestFirstPackets(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	tests := []struct {
		name     string
		bytes    []byte
		expected string
	}{
		{"protocol 3.0", packet(version30, whoAmI), "R S:server_version=15.0 S:client_encoding=UTF8 K Z:I"},
		{"a newer minor version", packet(version30+2, whoAmI), "v:196608: R K Z:I"},
		{"options of the protocol", packet(version30, "_pq_.b\x00on\x00_pq_.a\x00on\x00"+whoAmI), "v:196608:_pq_.a,_pq_.b R K Z:I"},
		{"protocol 2.0", packet(2<<16, whoAmI), "E:FATAL:0A000 EOF"},
		{"protocol 4.0", packet(4<<16, whoAmI), "E:FATAL:0A000 EOF"},
		{"no parameters", packet(version30, "\x00"), "E:FATAL:28000 EOF"},
		{"no user", packet(version30, "database\x00x\x00\x00"), "E:FATAL:28000 EOF"},
		{"nothing", packet(version30, ""), "E:FATAL:08P01 EOF"},
		{"no end", packet(version30, "user\x00tester"), "E:FATAL:08P01 EOF"},
		{"a database that does not exist", packet(version30, "database\x00nowhere\x00"+whoAmI), "R E:FATAL:3D000 EOF"},
		{"replication", packet(version30, "replication\x00database\x00"+whoAmI), "E:FATAL:0A000 EOF"},
		{"no replication", packet(version30, "replication\x00off\x00"+whoAmI), "R K Z:I"},
		{"bad options", packet(version30, "options\x00-x\x00"+whoAmI), "E:FATAL:42601 EOF"},
		{"too long", packet(version30, strings.Repeat("x", 10_001)), "E:FATAL:08P01 EOF"},
		{"too short", []byte{0, 0, 0, 7, 0, 3, 0}, "E:FATAL:08P01 EOF"},
		{"HTTP", []byte("GET / HTTP/1.1\r\n\r\n"), "E:FATAL:08P01 EOF"},
		{"TLS without a certificate", []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), "E:FATAL:08P01 EOF"},
		{"a cancel request for nobody", packet(80877102, "\x00\x00\x00\x09\x00\x00\x00\x09"), "EOF"},
		{"a cancel request without key", packet(80877102, ""), "E:FATAL:08P01 EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, address)
			c.write(test.bytes)
			c.expect(test.expected)
		})
	}
}

func TestEncryptionRefused(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := dial(t, address)
	for _, code := range []uint32{gssRequest, tlsRequest} {
		c.write(packet(code, ""))
		if letter := c.letter(); letter != 'N' {
			t.Fatalf("request %d was answered with %q", code, letter)
		}
	}
	c.startup(map[string]string{"user": "tester"})
	c.expect("R K Z:I")
}

func TestEncryptionRequestsAreBounded(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := dial(t, address)
	for range 4 {
		c.write(packet(gssRequest, ""))
		c.letter()
	}
	c.expect("E:FATAL:08P01 EOF")
}

// What comes in clear behind a request for TLS would be taken for encrypted.
func TestDataBehindEncryptionRequest(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{TLS: testTLS(t)})
	c := dial(t, address)
	c.write(append(packet(tlsRequest, ""), packet(version30, whoAmI)...))
	c.expect("E:FATAL:08P01 EOF")
}

func (c *client) letter() byte {
	c.t.Helper()
	var letter [1]byte
	if _, err := c.socket.Read(letter[:]); err != nil {
		c.t.Fatal(err)
	}
	return letter[0]
}

// encrypt asks for TLS and starts it.
func (c *client) encrypt(protocols ...string) {
	c.t.Helper()
	c.write(packet(tlsRequest, ""))
	if letter := c.letter(); letter != 'S' {
		c.t.Fatalf("answered with %q", letter)
	}
	c.startTLS(protocols...)
}

func (c *client) startTLS(protocols ...string) {
	encrypted := tls.Client(c.socket, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
	c.Frontend, c.socket = pgproto3.NewFrontend(encrypted, encrypted), encrypted
}

func testTLS(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
}

func TestTLS(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{TLS: testTLS(t)})
	tests := []struct {
		name      string
		request   bool
		protocols []string
		expected  string
	}{
		{"after a request", true, nil, "R K Z:I"},
		{"after a request, with ALPN", true, []string{"postgresql"}, "R K Z:I"},
		{"at once", false, []string{"postgresql"}, "R K Z:I"},
		{"at once without ALPN", false, nil, "E:FATAL:08P01"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, address)
			if test.request {
				c.encrypt(test.protocols...)
			} else {
				c.startTLS(test.protocols...)
			}
			c.startup(map[string]string{"user": "tester"})
			c.expect(test.expected)
			if test.expected == "R K Z:I" {
				c.query("rows 2 100000", "T")
			}
		})
	}
}

func TestStartupParameters(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := dial(t, address)
	c.startup(map[string]string{"user": "tester", "application_name": "test", "DateStyle": "ISO",
		"options": `-c search_path=a\ b,c\\d --statement-timeout=5 -cjit=off  -c application_name=lost`})
	c.expect("R K Z:I")
	startup := handler.startup()
	if startup.User != "tester" || startup.Database != "tester" || startup.ProcessID != c.processID || startup.RemoteAddress == "" {
		t.Errorf("startup is %+v", startup)
	}
	expected := map[string]string{"application_name": "test", "DateStyle": "ISO", "search_path": `a b,c\d`, "statement_timeout": "5", "jit": "off"}
	if !maps.Equal(startup.Parameters, expected) {
		t.Errorf("parameters are %v", startup.Parameters)
	}
}

func TestPasswords(t *testing.T) {
	ada, err := pgwire.NewVerifier("secret, with =")
	if err != nil {
		t.Fatal(err)
	}
	// The verifier of RFC 7677, section 3: user "user", password "pencil".
	user, err := pgwire.ParseVerifier("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=")
	if err != nil {
		t.Fatal(err)
	}
	refusals := make(chan string, 1)
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{
		Users: map[string]pgwire.Verifier{"ada": ada, "user": user}, Logger: zerolog.New(lines(refusals)).Level(zerolog.WarnLevel),
	})
	tests := []struct{ name, user, password, code string }{
		{"right", "ada", "secret, with =", ""},
		{"right by a stored verifier", "user", "pencil", ""},
		{"wrong", "ada", "Secret", "28P01"},
		{"of another user", "user", "secret, with =", "28P01"},
		{"of nobody", "eve", "pencil", "28P01"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config, err := pgx.ParseConfig("postgres://" + address + "/moraine?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			config.User, config.Password = test.user, test.password
			connection, err := pgx.ConnectConfig(context.Background(), config)
			if test.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				connection.Close(context.Background())
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.code) {
				t.Errorf("got %v, expected %s", err, test.code)
			}
			if line := <-refusals; !strings.Contains(line, `"user":"`+test.user+`"`) || !strings.Contains(line, "password authentication failed") {
				t.Errorf("the log says %s", line)
			}
		})
	}
}

// lines is a log of which each line is received.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestBrokenAuthentication(t *testing.T) {
	verifier, err := pgwire.NewVerifier("secret")
	if err != nil {
		t.Fatal(err)
	}
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{Users: map[string]pgwire.Verifier{"tester": verifier}})
	tests := []struct {
		name    string
		message pgproto3.FrontendMessage
	}{
		{"another mechanism", &pgproto3.SASLInitialResponse{AuthMechanism: "PLAIN", Data: []byte("x")}},
		{"no SCRAM", &pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: []byte("x")}},
		{"channel binding that was not offered", &pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: []byte("p=tls-unique,,n=,r=abc")}},
		{"no SASL", &pgproto3.PasswordMessage{Password: ""}},
		{"a query", &pgproto3.Query{String: "rows 1"}},
		{"nothing but the type", &pgproto3.SASLResponse{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, address)
			c.startup(map[string]string{"user": "tester"})
			c.expect("R:SASL:SCRAM-SHA-256")
			c.send(test.message)
			c.expect("E:FATAL:08P01 EOF")
		})
	}
}

func TestParseVerifierRefuses(t *testing.T) {
	for _, text := range []string{"", "md5abc", "SCRAM-SHA-256$4096:AA==$AA==:AA==", "SCRAM-SHA-256$0:AA==$AA==:AA==", "SCRAM-SHA-256$x$y",
		"SCRAM-SHA-256$4096:?$AA==:AA==", "SCRAM-SHA-1$4096:AA==$AA==:AA=="} {
		if _, err := pgwire.ParseVerifier(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if _, err := pgwire.NewVerifier(""); err == nil {
		t.Error("the empty password was accepted")
	}
}

// peerListener makes its connections look as if they came from another machine.
type peerListener struct {
	net.Listener
	peer net.Addr
}

type peerConnection struct {
	net.Conn
	peer net.Addr
}

func (l *peerListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &peerConnection{connection, l.peer}, nil
}

func (c *peerConnection) RemoteAddr() net.Addr { return c.peer }

func TestWithoutUsersOnlyThisMachineIsLetIn(t *testing.T) {
	tests := []struct{ peer, expected string }{
		{"127.0.0.1", "R K Z:I"},
		{"127.1.2.3", "R K Z:I"},
		{"::1", "R K Z:I"},
		{"::ffff:127.0.0.1", "R K Z:I"},
		{"192.0.2.7", "E:FATAL:28000 EOF"},
		{"::ffff:192.0.2.7", "E:FATAL:28000 EOF"},
		{"2001:db8::1", "E:FATAL:28000 EOF"},
	}
	for _, test := range tests {
		t.Run(test.peer, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := pgwire.NewServer(&scriptHandler{}, pgwire.Config{})
			go server.Serve(&peerListener{listener, &net.TCPAddr{IP: net.ParseIP(test.peer), Port: 1}})
			defer server.Shutdown(context.Background())
			c := dial(t, listener.Addr().String())
			c.startup(map[string]string{"user": "tester"})
			c.expect(test.expected)
		})
	}
}
