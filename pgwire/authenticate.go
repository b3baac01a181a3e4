package pgwire

import (
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"moraine/pgerror"
)

// authenticate lets the user in or gives the FATAL that refuses it.
func (c *connection) authenticate(user string) error {
	verifier, known := c.server.config.Users[user]
	if !known && c.server.config.Account != nil {
		verifier, known = c.server.config.Account(user)
	}
	if known || len(c.server.config.Users) > 0 {
		if err := c.authenticateByPassword(user, verifier, known); err != nil {
			return err
		}
	} else if !local(c.socket.RemoteAddr()) {
		return pgerror.Fatal(pgerror.InvalidAuthorization, "connection from %s refused for user %q: only this machine's own users are let in without a password",
			c.socket.RemoteAddr(), user).
			WithHint("Give the role a password, or the server users with passwords, to accept connections from other machines.")
	}
	return c.output.message(&pgproto3.AuthenticationOk{})
}

// logRefusal tells the operator that a client was not let in. One that has only left, as psql does to ask for a password, was
// not refused.
func (c *connection) logRefusal(startup *Startup, err error) {
	var refusal *pgerror.Error
	if errors.As(err, &refusal) && (refusal.Code == pgerror.InvalidPassword || refusal.Code == pgerror.InvalidAuthorization) {
		c.log.Warn().Str("user", startup.User).Str("database", startup.Database).Msg("not let in: " + refusal.Message)
	}
}

// local tells whether the peer is on this machine.
func local(address net.Addr) bool {
	switch address := address.(type) {
	case *net.TCPAddr:
		return address.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// authenticateByPassword runs SCRAM-SHA-256 (RFC 7677) as section "SASL Authentication" of the protocol embeds it. The
// user is the one of the startup packet, whatever name the client repeats in the exchange.
func (c *connection) authenticateByPassword(user string, verifier Verifier, known bool) error {
	if !known {
		verifier = decoyVerifier(c.server.decoySecret, user)
	}
	exchange, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) {
		return verifier.credentials(), nil
	})
	if err != nil {
		return err
	}
	conversation := exchange.NewConversation()

	if err := c.send(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{scramMechanism}}); err != nil {
		return err
	}
	body, err := c.authenticationMessage()
	if err != nil {
		return err
	}
	var initial pgproto3.SASLInitialResponse
	if err := initial.Decode(body); err != nil {
		return pgerror.Fatal(pgerror.ProtocolViolation, "malformed SASL message").WithCause(err)
	}
	if initial.AuthMechanism != scramMechanism {
		return pgerror.Fatal(pgerror.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	challenge, err := conversation.Step(string(initial.Data))
	if err != nil {
		return pgerror.Fatal(pgerror.ProtocolViolation, "malformed SCRAM message").WithDetail("%s", err.Error())
	}
	if err := c.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(challenge)}); err != nil {
		return err
	}
	if body, err = c.authenticationMessage(); err != nil {
		return err
	}
	signature, err := conversation.Step(string(body))
	if err != nil || !conversation.Valid() || !known {
		return pgerror.Fatal(pgerror.InvalidPassword, "password authentication failed for user %q", user).WithCause(err)
	}
	return c.output.message(&pgproto3.AuthenticationSASLFinal{Data: []byte(signature)})
}

// authenticationMessage gives the body of the client's next answer.
func (c *connection) authenticationMessage() ([]byte, error) {
	_, body, err := c.input.next(func(kind byte) int {
		if kind == 'p' {
			return maxAuthenticationMessageSize
		}
		return 0
	})
	return body, err
}

// send sends one message at once.
func (c *connection) send(message pgproto3.BackendMessage) error {
	if err := c.output.message(message); err != nil {
		return err
	}
	return c.output.flush()
}
