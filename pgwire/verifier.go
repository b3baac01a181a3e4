package pgwire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"
)

const (
	// scramMechanism is the only way in which a user proves who it is.
	scramMechanism = "SCRAM-SHA-256"
	// scramIterations is PostgreSQL's default.
	scramIterations = 4096
	// maxScramIterations bounds the work that a verifier may ask of each client.
	maxScramIterations = 10_000_000
	scramSaltSize      = 16
)

// Verifier is what the server keeps of a password: enough to check that a client knows it, too little to log in with
// (RFC 5802, section 3: StoredKey and ServerKey).
type Verifier struct {
	iterations int
	salt       []byte
	storedKey  []byte
	serverKey  []byte
}

// NewVerifier makes the verifier of a password, with a salt of its own.
func NewVerifier(password string) (Verifier, error) {
	if password == "" {
		return Verifier{}, errors.New("the password is empty")
	}
	salt := make([]byte, scramSaltSize)
	rand.Read(salt) // never fails
	// A password that SASLprep refuses is taken as it is, as PostgreSQL and its clients do.
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return Verifier{}, err
		}
	}
	credentials, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: scramIterations})
	if err != nil {
		return Verifier{}, err
	}
	return Verifier{iterations: scramIterations, salt: salt, storedKey: credentials.StoredKey, serverKey: credentials.ServerKey}, nil
}

// ParseVerifier reads the form that PostgreSQL keeps in pg_authid.rolpassword:
// SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>, the last three in base64.
func ParseVerifier(text string) (Verifier, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 3 || parts[0] != scramMechanism {
		return Verifier{}, fmt.Errorf("a verifier has the form %s$<iterations>:<salt>$<StoredKey>:<ServerKey>", scramMechanism)
	}
	iterations, salt, hasSalt := strings.Cut(parts[1], ":")
	storedKey, serverKey, hasServerKey := strings.Cut(parts[2], ":")
	if !hasSalt || !hasServerKey {
		return Verifier{}, fmt.Errorf("a verifier has the form %s$<iterations>:<salt>$<StoredKey>:<ServerKey>", scramMechanism)
	}
	var verifier Verifier
	var err error
	if verifier.iterations, err = strconv.Atoi(iterations); err != nil || verifier.iterations < 1 || verifier.iterations > maxScramIterations {
		return Verifier{}, fmt.Errorf("the iterations of a verifier are a number from 1 to %d, not %q", maxScramIterations, iterations)
	}
	if verifier.salt, err = base64.StdEncoding.DecodeString(salt); err != nil || len(verifier.salt) == 0 {
		return Verifier{}, errors.New("the salt of the verifier is not base64")
	}
	if verifier.storedKey, err = decodeKey(storedKey); err != nil {
		return Verifier{}, fmt.Errorf("the StoredKey of the verifier %w", err)
	}
	if verifier.serverKey, err = decodeKey(serverKey); err != nil {
		return Verifier{}, fmt.Errorf("the ServerKey of the verifier %w", err)
	}
	return verifier, nil
}

// String gives the form that ParseVerifier reads.
func (v Verifier) String() string {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", scramMechanism, v.iterations, encode(v.salt), encode(v.storedKey), encode(v.serverKey))
}

func decodeKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("is not base64")
	}
	if len(key) != sha256.Size {
		return nil, fmt.Errorf("has %d bytes instead of %d", len(key), sha256.Size)
	}
	return key, nil
}

// decoyVerifier is asked of users that do not exist, so that a stranger cannot tell them from others: always the same for
// a name, and no password fits.
func decoyVerifier(secret []byte, user string) Verifier {
	derive := func(purpose string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(purpose))
		mac.Write([]byte(user))
		return mac.Sum(nil)
	}
	return Verifier{
		iterations: scramIterations,
		salt:       derive("salt")[:scramSaltSize],
		storedKey:  derive("stored key"),
		serverKey:  derive("server key"),
	}
}

func (v Verifier) credentials() scram.StoredCredentials {
	return scram.StoredCredentials{
		KeyFactors: scram.KeyFactors{Salt: string(v.salt), Iters: v.iterations},
		StoredKey:  v.storedKey,
		ServerKey:  v.serverKey,
	}
}
