package setting

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is pg_settings.vartype.
type Kind string

// Kinds of parameters.
const (
	Bool    Kind = "bool"
	Integer Kind = "integer"
	Real    Kind = "real"
	String  Kind = "string"
	Enum    Kind = "enum"
)

// Context is pg_settings.context: who may change a parameter, and when.
type Context string

// Contexts of parameters.
const (
	Internal   Context = "internal"
	Postmaster Context = "postmaster"
	SigHUP     Context = "sighup"
	Superuser  Context = "superuser"
	User       Context = "user"
)

// Parameter is one run-time parameter.
type Parameter struct {
	Name        string
	Unit        string // "ms", "kB", "8kB", "s" or none
	Category    string
	Description string
	Context     Context
	Kind        Kind
	Minimum     string
	Maximum     string
	Values      []string // of an Enum
	Default     string   // in units of Unit
	Reported    bool     // the protocol reports it by ParameterStatus
	Hidden      bool     // left out of SHOW ALL and pg_settings
}

//go:embed data/settings.tsv
var recorded string

// fields of a line of data/settings.tsv.
const recordedFields = 10

// reported lists the parameters of section "Asynchronous Operations" of the protocol's documentation.
var reported = []string{
	"application_name", "client_encoding", "DateStyle", "default_transaction_read_only", "in_hot_standby", "integer_datetimes",
	"IntervalStyle", "is_superuser", "server_encoding", "server_version", "session_authorization",
	"standard_conforming_strings", "TimeZone",
}

// unlisted are the parameters that PostgreSQL keeps out of pg_settings, and one that its own psql hides from a recording.
var unlisted = []Parameter{
	{Name: "application_name", Category: "Reporting and Logging / What to Log", Context: User, Kind: String,
		Description: "Sets the application name to be reported in statistics and logs."},
	{Name: "is_superuser", Context: Internal, Kind: Bool, Default: "on", Hidden: true},
	{Name: "role", Context: User, Kind: String, Default: "none", Hidden: true},
	{Name: "seed", Context: User, Kind: Real, Minimum: "-1", Maximum: "1", Default: "0", Hidden: true},
	{Name: "session_authorization", Context: User, Kind: String, Hidden: true},
}

var known = sync.OnceValue(func() map[string]*Parameter {
	parameters := make(map[string]*Parameter)
	for line := range strings.Lines(recorded) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(field) != recordedFields {
			panic("setting: settings.tsv has a line of " + strconv.Itoa(len(field)) + " fields: " + line)
		}
		parameter := &Parameter{
			Name: field[0], Unit: field[1], Category: field[2], Description: field[3], Context: Context(field[4]),
			Kind: Kind(field[5]), Minimum: field[6], Maximum: field[7], Default: field[9],
		}
		if field[8] != "" {
			parameter.Values = strings.Split(field[8], ",")
		}
		parameters[strings.ToLower(parameter.Name)] = parameter
	}
	for i := range unlisted {
		parameters[unlisted[i].Name] = &unlisted[i]
	}
	for _, name := range reported {
		parameters[strings.ToLower(name)].Reported = true
	}
	parameters["timezone_abbreviations"].Default = "Default"
	return parameters
})

var sorted = sync.OnceValue(func() []*Parameter {
	list := make([]*Parameter, 0, len(known()))
	for _, parameter := range known() {
		list = append(list, parameter)
	}
	slices.SortFunc(list, func(a, b *Parameter) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return list
})

// Parameters lists all parameters by name. The list is shared: it must not be changed.
func Parameters() []*Parameter { return sorted() }

// Find gives the parameter of that name, in any case; nil when there is none.
func Find(name string) *Parameter { return known()[strings.ToLower(alias(name))] }

// alias translates the two names that SQL has in words: TIME ZONE arrives as "timezone" from the parser, but older names
// of parameters are still accepted, as in PostgreSQL.
func alias(name string) string {
	switch strings.ToLower(name) {
	case "sort_mem":
		return "work_mem"
	case "vacuum_mem":
		return "maintenance_work_mem"
	}
	return name
}
