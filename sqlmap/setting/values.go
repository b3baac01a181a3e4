package setting

import (
	"maps"
	"strings"

	"moraine/pgerror"
)

// Limits on a session's parameters.
const (
	maximumCustom = 1000    // parameters with a dot in their names
	maximumLength = 1 << 20 // bytes of a value
)

// Values is the values of one session's parameters. A State taken before a change can be put back, which is how a
// transaction undoes SET. It is used by one goroutine.
type Values struct {
	reset map[string]string // what RESET goes back to, where it is not the default
	state State
	// generation grows with each change.
	generation uint64
	// notified has what Report has told, at the generation notifiedAt; nil before its first call.
	notified   map[string]string
	notifiedAt uint64
}

// State is the values at one moment. The maps are never changed, only replaced.
type State struct {
	session map[string]string // by lower-case name, as kept
	local   map[string]string // of SET LOCAL
}

// New makes the values of a session. Fixed values (server_version, max_connections) are given by their names; they may be
// those that a client cannot change.
func New(fixed map[string]string) *Values {
	return &Values{reset: maps.Clone(fixed)}
}

// SetStartup gives a parameter the value that the client's startup message or its options ask for; RESET goes back to it.
func (v *Values) SetStartup(name, value string) error {
	key, kept, err := v.check(name, value)
	if err != nil {
		return err
	}
	v.reset[key] = kept
	v.generation++
	return nil
}

// Generation tells whether something changed: it is another number after each change.
func (v *Values) Generation() uint64 { return v.generation }

// check finds the parameter and reads the value; it gives the key and the value to keep.
func (v *Values) check(name, value string) (key, kept string, err error) {
	if len(value) > maximumLength {
		return "", "", pgerror.New(pgerror.InvalidParameterValue, "value of parameter \"%s\" is longer than %d bytes", name, maximumLength)
	}
	parameter := Find(name)
	if parameter == nil {
		return v.checkCustom(name, value)
	}
	key = strings.ToLower(parameter.Name)
	if err := parameter.changeable(); err != nil {
		return "", "", err
	}
	if kept, err = parameter.Parse(value); err != nil {
		return "", "", err
	}
	if parameter.Name == "DateStyle" {
		kept = mergeDateStyle(kept, v.kept(key, parameter))
	}
	return key, kept, parameter.supported(kept)
}

func (v *Values) checkCustom(name, value string) (key, kept string, err error) {
	if !isCustom(name) {
		return "", "", Unrecognized(name)
	}
	key = strings.ToLower(name)
	if _, ok := v.state.session[key]; !ok && len(v.state.session) >= maximumCustom {
		return "", "", pgerror.New(pgerror.ConfigurationLimitExceeded, "more than %d parameters are set", maximumCustom)
	}
	return key, value, nil
}

// isCustom tells whether a name is one of a class of its own, "class.name".
func isCustom(name string) bool {
	class, rest, found := strings.Cut(name, ".")
	if !found {
		return false
	}
	for _, part := range append([]string{class}, strings.Split(rest, ".")...) {
		for i, character := range []byte(part) {
			letter := character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z' || character == '_' || character >= 0x80
			if !letter && (i == 0 || character != '$' && (character < '0' || character > '9')) {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}

// Unrecognized is the error for a parameter that there is not.
func Unrecognized(name string) error {
	return pgerror.New(pgerror.UndefinedObject, "unrecognized configuration parameter \"%s\"", name)
}

// changeable gives the error for a parameter that a session cannot change.
func (p *Parameter) changeable() error {
	switch p.Context {
	case Internal:
		return pgerror.New(pgerror.CantChangeRuntimeParameter, "parameter \"%s\" cannot be changed", p.Name)
	case Postmaster:
		return pgerror.New(pgerror.CantChangeRuntimeParameter, "parameter \"%s\" cannot be changed without restarting the server", p.Name)
	case SigHUP:
		return pgerror.New(pgerror.CantChangeRuntimeParameter, "parameter \"%s\" cannot be changed now", p.Name)
	}
	return nil
}

// onlyValue lists the parameters whose other values would change the meaning of statements in ways that Moraine does not
// have.
var onlyValue = map[string]string{
	"array_nulls": "on", "standard_conforming_strings": "on", "transform_null_equals": "off",
}

func (p *Parameter) supported(value string) error {
	if only, ok := onlyValue[p.Name]; ok && value != only {
		return pgerror.New(pgerror.FeatureNotSupported, "parameter \"%s\" cannot be \"%s\"", p.Name, value).
			WithHint("Only \"%s\" is supported.", only)
	}
	return nil
}

// Set changes a parameter, until the end of the transaction only when local is true: 42704 for an unknown one, 22023 for
// a bad value, 55P02 for one that cannot be changed.
func (v *Values) Set(name, value string, local bool) error {
	key, kept, err := v.check(name, value)
	if err != nil {
		return err
	}
	v.keep(key, kept, local)
	return nil
}

func (v *Values) keep(key, value string, local bool) {
	if local {
		v.state.local = with(v.state.local, key, value)
	} else {
		v.state.session = with(v.state.session, key, value)
		v.state.local = without(v.state.local, key)
	}
	v.generation++
}

func with(values map[string]string, key, value string) map[string]string {
	clone := maps.Clone(values)
	if clone == nil {
		clone = make(map[string]string, 1)
	}
	clone[key] = value
	return clone
}

func without(values map[string]string, key string) map[string]string {
	if _, ok := values[key]; !ok {
		return values
	}
	clone := maps.Clone(values)
	delete(clone, key)
	return clone
}

// Reset gives a parameter back the value that the session began with.
func (v *Values) Reset(name string, local bool) error {
	parameter := Find(name)
	if parameter == nil && !isCustom(name) {
		return Unrecognized(name)
	}
	key := strings.ToLower(name)
	if parameter == nil {
		v.keep(key, "", local)
		return nil
	}
	if err := parameter.changeable(); err != nil {
		return err
	}
	key = strings.ToLower(parameter.Name)
	v.keep(key, v.initial(key, parameter), local)
	return nil
}

// ResetAll gives all parameters but those of the transaction back the values that the session began with.
func (v *Values) ResetAll() {
	v.state = State{}
	v.generation++
}

func (v *Values) initial(key string, parameter *Parameter) string {
	if value, ok := v.reset[key]; ok {
		return value
	}
	return parameter.Default
}

// kept gives the value as it is kept.
func (v *Values) kept(key string, parameter *Parameter) string {
	if value, ok := v.state.local[key]; ok {
		return value
	}
	if value, ok := v.state.session[key]; ok {
		return value
	}
	if parameter == nil {
		return ""
	}
	return v.initial(key, parameter)
}

// Get gives the value as SHOW prints it; ok is false when there is no such parameter.
func (v *Values) Get(name string) (value string, ok bool) {
	parameter := Find(name)
	if parameter == nil {
		key := strings.ToLower(name)
		if value, ok = v.state.local[key]; !ok {
			value, ok = v.state.session[key]
		}
		if !ok {
			value, ok = v.reset[key]
		}
		return value, ok
	}
	return parameter.show(v.kept(strings.ToLower(parameter.Name), parameter)), true
}

// Raw gives the value of a known parameter in its own unit, as pg_settings.setting does.
func (v *Values) Raw(name string) string {
	parameter := Find(name)
	if parameter == nil {
		return ""
	}
	return v.kept(strings.ToLower(parameter.Name), parameter)
}

// Initial gives the value that RESET would set, in the parameter's own unit.
func (v *Values) Initial(parameter *Parameter) string {
	return v.initial(strings.ToLower(parameter.Name), parameter)
}

// State gives the values of this moment.
func (v *Values) State() State { return v.state }

// Restore puts the values of an earlier moment back.
func (v *Values) Restore(state State) {
	v.state = state
	v.generation++
}

// EndLocal ends what SET LOCAL set: the transaction is over.
func (v *Values) EndLocal() {
	if len(v.state.local) > 0 {
		v.state.local = nil
		v.generation++
	}
}

// Report calls report for each parameter of the protocol whose value is another one than at the last call.
func (v *Values) Report(report func(name, value string)) {
	if v.notified != nil && v.notifiedAt == v.generation {
		return
	}
	if v.notified == nil {
		v.notified = make(map[string]string, len(reported))
	}
	v.notifiedAt = v.generation
	for _, name := range reported {
		value, _ := v.Get(name)
		if last, ok := v.notified[name]; !ok || last != value {
			v.notified[name] = value
			report(name, value)
		}
	}
}
