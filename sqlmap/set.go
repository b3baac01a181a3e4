package sqlmap

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/setting"
)

// set makes SET and RESET ready.
func (s *Session) set(node *pg_query.VariableSetStmt) *command {
	switch node.Kind {
	case pg_query.VariableSetKind_VAR_RESET:
		return utility("RESET", func() error { return s.resetSetting(node.Name, false) })
	case pg_query.VariableSetKind_VAR_RESET_ALL:
		return utility("RESET", func() error { s.settings.ResetAll(); return nil })
	}
	return utility("SET", func() error {
		if node.IsLocal && !s.inBlock() {
			if err := s.warn(pgerror.NoActiveSQLTransaction, "SET LOCAL can only be used in transaction blocks"); err != nil {
				return err
			}
		}
		switch node.Kind {
		case pg_query.VariableSetKind_VAR_SET_DEFAULT:
			return s.resetSetting(node.Name, node.IsLocal)
		case pg_query.VariableSetKind_VAR_SET_MULTI:
			return s.setCharacteristics(node)
		case pg_query.VariableSetKind_VAR_SET_VALUE:
			value, err := s.settingValue(node)
			if err != nil {
				return err
			}
			return s.setSetting(node.Name, value, node.IsLocal)
		}
		return pgerror.Unsupported("SET ... FROM CURRENT outside of a function")
	})
}

// settingValue gives the value of SET name = a, b as one text.
func (s *Session) settingValue(node *pg_query.VariableSetStmt) (string, error) {
	name := strings.ToLower(node.Name)
	quotes := name == "search_path" || name == "temp_tablespaces"
	if len(node.Args) > 1 && !quotes && name != "datestyle" {
		return "", pgerror.New(pgerror.InvalidParameterValue, "SET %s takes only one argument", node.Name)
	}
	values := make([]string, len(node.Args))
	for i, argument := range node.Args {
		if cast := argument.GetTypeCast(); cast != nil {
			return s.intervalZone(cast)
		}
		value, err := constantText(argument)
		if err != nil {
			return "", err
		}
		if quotes {
			value = function.QuoteIdentifier(value)
		}
		values[i] = value
	}
	return strings.Join(values, ", "), nil
}

// constantText gives a constant of the grammar as text.
func constantText(node *pg_query.Node) (string, error) {
	switch value := node.GetAConst().GetVal().(type) {
	case *pg_query.A_Const_Sval:
		return value.Sval.Sval, nil
	case *pg_query.A_Const_Ival:
		return strconv.Itoa(int(value.Ival.Ival)), nil
	case *pg_query.A_Const_Fval:
		return value.Fval.Fval, nil
	case *pg_query.A_Const_Boolval:
		return strconv.FormatBool(value.Boolval.Boolval), nil
	}
	return "", pgerror.New(pgerror.InvalidParameterValue, "a constant is required here")
}

// intervalZone reads SET TIME ZONE INTERVAL '...'.
func (s *Session) intervalZone(cast *pg_query.TypeCast) (string, error) {
	const microsecondsPerSecond = 1_000_000
	text, err := constantText(cast.Arg)
	if err != nil {
		return "", err
	}
	interval, err := function.Input(relation.IntervalType, text, &s.derived.format)
	if err != nil {
		return "", err
	}
	microseconds, days, months := interval.Interval()
	if days != 0 || months != 0 {
		return "", pgerror.New(pgerror.InvalidParameterValue, "invalid value for parameter \"TimeZone\": \"%s\"", text).
			WithDetail("Cannot specify days or months in time zone interval.")
	}
	return setting.FixedZone(int(microseconds / microsecondsPerSecond)).String(), nil
}

// setSetting changes a run-time parameter. Those of the transaction and of the user are no plain values.
func (s *Session) setSetting(name, value string, local bool) error {
	switch strings.ToLower(name) {
	case "transaction_isolation":
		return s.setIsolation(value)
	case "transaction_read_only":
		value, err := setting.Find(name).Parse(value)
		if err != nil {
			return err
		}
		return s.setReadOnly(value == "on")
	case "transaction_deferrable":
		value, err := setting.Find(name).Parse(value)
		s.transaction.deferrable = value == "on"
		return err
	case "session_authorization":
		if value != s.options.User {
			return pgerror.New(pgerror.InvalidParameterValue, "role \"%s\" does not exist", value)
		}
		return nil
	case "role":
		if err := s.checkSetRole(value); err != nil {
			return err
		}
	}
	if err := s.settings.Set(name, value, local); err != nil {
		return err
	}
	s.authorize()
	s.derive()
	return nil
}

func (s *Session) resetSetting(name string, local bool) error {
	switch name = strings.ToLower(name); name {
	case "session_authorization":
		return nil
	case "transaction_isolation", "transaction_read_only", "transaction_deferrable":
		return s.setSetting(name, s.settings.Raw("default_"+name), local)
	}
	if err := s.settings.Reset(name, local); err != nil {
		return err
	}
	s.authorize()
	s.derive()
	return nil
}

// showSetting gives a parameter as SHOW prints it.
func (s *Session) showSetting(name string) (string, bool) {
	if t := s.transaction; t != nil {
		switch strings.ToLower(name) {
		case "transaction_isolation":
			return t.isolation, true
		case "transaction_read_only":
			return onOff(t.options.ReadOnly), true
		case "transaction_deferrable":
			return onOff(t.deferrable), true
		}
	}
	return s.settings.Get(name)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// setCharacteristics runs SET TRANSACTION and SET SESSION CHARACTERISTICS.
func (s *Session) setCharacteristics(node *pg_query.VariableSetStmt) error {
	switch node.Name {
	case "SESSION CHARACTERISTICS":
		return s.setTransaction(node.Args, true)
	case "TRANSACTION":
		if !s.inBlock() {
			if err := s.warn(pgerror.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"); err != nil {
				return err
			}
		}
		return s.setTransaction(node.Args, false)
	}
	return pgerror.Unsupported("SET TRANSACTION SNAPSHOT")
}

// setTransaction applies the modes of BEGIN, SET TRANSACTION or, with session, of SET SESSION CHARACTERISTICS.
func (s *Session) setTransaction(modes []*pg_query.Node, session bool) error {
	for _, mode := range modes {
		element := mode.GetDefElem()
		value, err := constantText(element.GetArg())
		if err != nil {
			return err
		}
		name := element.GetDefname()
		if session {
			name = "default_" + name
		}
		if err := s.setSetting(name, value, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) setIsolation(value string) error {
	value, err := setting.Find("transaction_isolation").Parse(value)
	if err != nil {
		return err
	}
	t := s.transaction
	if value == t.isolation {
		return nil
	}
	switch {
	case len(t.savepoints) > 0:
		return pgerror.New(pgerror.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
	case t.queried || t.handle != nil && t.handle.Writes():
		return pgerror.New(pgerror.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
	}
	t.rollback() // it has looked up names at most
	t.isolation, t.options.Isolation = value, isolationOf(value)
	return nil
}

func (s *Session) setReadOnly(readOnly bool) error {
	t := s.transaction
	if !readOnly && t.options.ReadOnly && t.queried {
		return pgerror.New(pgerror.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
	}
	if t.options.ReadOnly && !readOnly {
		if s.options.ReadOnly {
			return pgerror.New(pgerror.FeatureNotSupported, "cannot set transaction read-write mode during recovery").
				WithHint(relation.ReadOnlyServerHint)
		}
		t.rollback()
	}
	t.options.ReadOnly = readOnly
	return nil
}

// show makes SHOW ready.
func (s *Session) show(node *pg_query.VariableShowStmt) (*command, error) {
	if strings.EqualFold(node.Name, "all") {
		return textCommand([]string{"name", "setting", "description"}, func([]relation.Value) ([]relation.Row, error) {
			var rows []relation.Row
			for _, parameter := range setting.Parameters() {
				if !parameter.Hidden {
					value, _ := s.showSetting(parameter.Name)
					rows = append(rows, relation.Row{relation.Text(parameter.Name), relation.Text(value), relation.Text(parameter.Description)})
				}
			}
			return rows, nil
		}, func(int) string { return "SHOW" }), nil
	}
	name := node.Name
	if parameter := setting.Find(name); parameter != nil {
		name = parameter.Name
	} else if _, ok := s.settings.Get(name); !ok {
		return nil, setting.Unrecognized(name)
	}
	return textCommand([]string{name}, func([]relation.Value) ([]relation.Row, error) {
		value, _ := s.showSetting(name)
		return []relation.Row{{relation.Text(value)}}, nil
	}, func(int) string { return "SHOW" }), nil
}

// discard runs DISCARD.
func (s *Session) discard(node *pg_query.DiscardStmt) (string, error) {
	switch node.Target {
	case pg_query.DiscardMode_DISCARD_PLANS:
		return "DISCARD PLANS", nil
	case pg_query.DiscardMode_DISCARD_SEQUENCES:
		return "DISCARD SEQUENCES", nil
	case pg_query.DiscardMode_DISCARD_TEMP:
		return "DISCARD TEMP", s.dropTemporary()
	}
	if err := s.insideBlock("DISCARD ALL"); err != nil {
		return "", err
	}
	s.closePortals(func(*portal) bool { return true })
	clear(s.statements)
	s.settings.ResetAll()
	s.listener.UnlistenAll()
	s.advisoryLocks.UnlockAll()
	return "DISCARD ALL", s.connection.DropTemporary(s.context)
}

// dropTemporary drops the temporary tables, within the transaction if it has begun.
func (s *Session) dropTemporary() error {
	if s.transaction.handle == nil && !s.transaction.block {
		return s.connection.DropTemporary(s.context)
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	definitions, err := handle.Definitions(s.context, relation.TemporarySchema)
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if err := handle.DropTable(s.context, definition.Schema, definition.Name); err != nil {
			return err
		}
	}
	s.definitionsChanged()
	return nil
}

func integerText(value int32) string { return strconv.Itoa(int(value)) }
