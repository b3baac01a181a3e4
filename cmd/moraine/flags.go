package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"moraine/lake"
	"moraine/pgwire"
	"moraine/server"
)

// defaultDrainTimeout is how long sessions may take to finish their statement after SIGTERM.
const defaultDrainTimeout = 30 * time.Second

// settings are the flags of `moraine serve`.
type settings struct {
	listen         string
	store          string
	users          string
	certificate    string
	key            string
	maxSessions    int
	maxMessageSize byteSize
	maxIdleHold    time.Duration
	readOnly       bool
	pollInterval   time.Duration
	standby        bool
	heartbeat      time.Duration
	takeoverAfter  time.Duration
	drainTimeout   time.Duration
	logLevel       string
	logFormat      string
}

const serveUsage = `Serve the lakes of a store over the PostgreSQL protocol.

Usage:
  moraine serve [flags]

SIGTERM or SIGINT ends the server: statements under way are finished first, a second signal cuts them off. A server that
another one has replaced on the same store ends with status 1; with --standby, it waits for its turn when it is started again.

Every flag can be given by an environment variable too, such as MORAINE_LISTEN for --listen and MORAINE_LOG_LEVEL for
--log-level; the flag goes first.

Flags:
`

// parseSettings reads the environment and the flags. flag.ErrHelp tells that the help text was asked for and printed.
func parseSettings(arguments []string, environment func(string) string, help io.Writer) (*settings, error) {
	s := &settings{maxMessageSize: pgwire.DefaultMaxMessageSize}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.listen, "listen", server.DefaultListen, "`address` to listen on, host:port; port 0 takes a free one")
	flags.StringVar(&s.store, "store", "./"+server.DefaultStore, "`location` of the store: a directory, which is made when it is missing, or the URL of an object store")
	flags.StringVar(&s.users, "users", "", "`file` of the users that may connect: lines of name:password or name:SCRAM-SHA-256$...; "+
		"without it the users of this machine may connect under any name, and of others only roles with passwords")
	flags.StringVar(&s.certificate, "tls-cert", "", "`file` of the TLS certificate chain (PEM); needs --tls-key")
	flags.StringVar(&s.key, "tls-key", "", "`file` of the certificate's private key (PEM)")
	flags.IntVar(&s.maxSessions, "max-sessions", pgwire.DefaultMaxSessions, "largest `number` of sessions at once")
	flags.Var(&s.maxMessageSize, "max-message-size", "largest message, that is, statement, of a client: `bytes`, or with unit KiB, MiB, GiB")
	flags.DurationVar(&s.maxIdleHold, "max-idle-hold", lake.DefaultMaxIdleHold, "longest `time` that a client may leave its transaction idle while others wait for its locks")
	flags.BoolVar(&s.readOnly, "read-only", false, "serve a store that another server writes, for reading only: --store must be a URL")
	flags.DurationVar(&s.pollInterval, "poll-interval", lake.DefaultPollInterval, "`time` between two looks for new commits with --read-only")
	flags.BoolVar(&s.standby, "standby", false, "wait until the server that serves the store ends or is silent, then take it over: --store must be a URL")
	flags.DurationVar(&s.heartbeat, "heartbeat", server.DefaultHeartbeat, "`time` between two signs of life on a store that servers share; 0 for none: then no standby must watch it")
	flags.DurationVar(&s.takeoverAfter, "takeover-after", server.DefaultTakeoverAfter, "`time` of silence after which a standby takes over")
	flags.DurationVar(&s.drainTimeout, "drain-timeout", defaultDrainTimeout, "`time` that statements may take to finish when the server ends")
	flags.StringVar(&s.logLevel, "log-level", "info", "`level` of the log: debug, info, warn or error")
	flags.StringVar(&s.logFormat, "log-format", "console", "`form` of the log on standard error: console or json")

	if err := setFromEnvironment(flags, environment); err != nil {
		return nil, err
	}
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(help, serveUsage)
			flags.SetOutput(help)
			printFlags(flags)
		}
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return s, s.validate()
}

// printFlags lists the flags with two dashes, as they are written everywhere else.
func printFlags(flags *flag.FlagSet) {
	flags.VisitAll(func(f *flag.Flag) {
		name, text := flag.UnquoteUsage(f)
		if f.DefValue != "" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(flags.Output(), "  --%s %s\n        %s\n", f.Name, name, text)
	})
}

// setFromEnvironment takes MORAINE_<FLAG> for each flag.
func setFromEnvironment(flags *flag.FlagSet, environment func(string) string) error {
	var failure error
	flags.VisitAll(func(f *flag.Flag) {
		name := "MORAINE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := environment(name)
		if value == "" || failure != nil {
			return
		}
		if err := f.Value.Set(value); err != nil {
			failure = fmt.Errorf("invalid value %q for %s: %w", value, name, err)
		}
	})
	return failure
}

func (s *settings) validate() error {
	if (s.certificate == "") != (s.key == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	if s.maxSessions < 1 {
		return fmt.Errorf("--max-sessions must be at least 1, not %d", s.maxSessions)
	}
	if s.maxIdleHold <= 0 {
		return fmt.Errorf("--max-idle-hold must be more than nothing, not %s", s.maxIdleHold)
	}
	if s.heartbeat < 0 {
		return fmt.Errorf("--heartbeat must not be negative: %s", s.heartbeat)
	}
	if s.takeoverAfter <= 0 {
		return fmt.Errorf("--takeover-after must be more than nothing, not %s", s.takeoverAfter)
	}
	if s.drainTimeout < 0 {
		return fmt.Errorf("--drain-timeout must not be negative: %s", s.drainTimeout)
	}
	if _, known := logLevels[s.logLevel]; !known {
		return fmt.Errorf("--log-level must be debug, info, warn or error, not %q", s.logLevel)
	}
	if s.logFormat != "console" && s.logFormat != "json" {
		return fmt.Errorf("--log-format must be console or json, not %q", s.logFormat)
	}
	return nil
}

// config reads the files that the settings name.
func (s *settings) config(logger zerolog.Logger) (server.Config, error) {
	config := server.Config{
		Listen:         s.listen,
		Store:          s.store,
		MaxSessions:    s.maxSessions,
		MaxMessageSize: int(s.maxMessageSize),
		MaxIdleHold:    s.maxIdleHold,
		ReadOnly:       s.readOnly,
		PollInterval:   s.pollInterval,
		Standby:        s.standby,
		Heartbeat:      s.heartbeat,
		TakeoverAfter:  s.takeoverAfter,
		Version:        buildVersion(),
		Logger:         logger,
	}
	if s.heartbeat == 0 {
		config.Heartbeat = server.NoHeartbeat
	}
	var err error
	if s.users != "" {
		if config.Users, err = server.ReadUsers(s.users); err != nil {
			return config, err
		}
	}
	if s.certificate != "" {
		if config.TLS, err = server.LoadTLS(s.certificate, s.key); err != nil {
			return config, err
		}
	}
	return config, config.Validate()
}

// byteSize is a flag of bytes with an optional binary unit.
type byteSize int

var byteUnits = []struct {
	name string
	size int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

func (b *byteSize) String() string {
	for i := len(byteUnits) - 1; i >= 0; i-- {
		if unit := byteUnits[i]; *b > 0 && int(*b)%unit.size == 0 {
			return strconv.Itoa(int(*b)/unit.size) + unit.name
		}
	}
	return strconv.Itoa(int(*b))
}

func (b *byteSize) Set(text string) error {
	size := 1
	digits := text
	for _, unit := range byteUnits {
		if number, found := strings.CutSuffix(text, unit.name); found {
			digits, size = number, unit.size
		}
	}
	number, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32)
	if err != nil || number < 0 {
		return errors.New("expected a number of bytes, or a number with KiB, MiB or GiB")
	}
	*b = byteSize(int(number) * size)
	return nil
}
