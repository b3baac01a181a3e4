package function

import (
	"crypto/rand"
	"math"
	"strconv"
	"strings"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

// pageSize is PostgreSQL's block size, which sizes of relations are multiples of.
const pageSize = 8192

func systemFunctions() evaluates {
	functions := evaluates{
		"pgsql_version":    version,
		"current_database": func(c *Context, _ []relation.Value) (relation.Value, error) { return relation.Text(c.Database), nil },
		"current_user":     func(c *Context, _ []relation.Value) (relation.Value, error) { return relation.Text(c.User), nil },
		"session_user":     sessionUser, "current_schema": currentSchema, "current_schemas": currentSchemas,
		"current_query": func(c *Context, _ []relation.Value) (relation.Value, error) { return relation.Text(c.Query), nil },
		"pg_backend_pid": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return relation.Int(int64(c.ProcessID)), nil
		},
		"show_config_by_name": currentSetting, "show_config_by_name_missing_ok": currentSetting, "set_config_by_name": setConfig,
		"pg_postmaster_start_time": func(c *Context, _ []relation.Value) (relation.Value, error) { return TimestampOf(c.ServerStart), nil },
		"pg_conf_load_time":        func(c *Context, _ []relation.Value) (relation.Value, error) { return TimestampOf(c.ServerStart), nil },
		"pg_is_in_recovery":        func(c *Context, _ []relation.Value) (relation.Value, error) { return relation.Bool(c.InRecovery), nil },
		"pg_jit_available":         constant(relation.Bool(false)),
		"pg_my_temp_schema":        temporarySchema, "pg_is_other_temp_schema": constant(relation.Bool(false)),
		"pg_trigger_depth": constant(relation.Int(0)), "pg_notification_queue_usage": constant(relation.Float(0)),
		"pg_last_xact_replay_timestamp": constant(relation.NULL), "pg_blocking_pids": constant(NewArray(relation.Int4OID, nil)),
		"pg_current_xact_id": transactionID, "pg_current_xact_id_if_assigned": transactionIDIfAssigned,
		"pg_database_size_name": databaseSize, "pg_database_size_oid": databaseSizeByOID,
		"pg_relation_size": relationSize, "pg_relation_size(regclass)": relationSize, "pg_table_size": relationSize,
		"pg_total_relation_size": relationSize, "pg_indexes_size": indexesSize, "pg_size_pretty": sizePretty, "pg_size_pretty_numeric": sizePrettyNumeric,
		"pg_size_bytes": sizeBytes, "pg_sleep": sleep, "pg_sleep_for(interval)": sleepFor, "pg_sleep_until(timestamptz)": sleepUntil,
		"gen_random_uuid": randomUUID, "pg_cancel_backend": signal(false), "pg_terminate_backend": signal(true),
		"inet_client_addr": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return addressOf(c.ClientAddress.Addr().String(), c.ClientAddress.IsValid()), nil
		},
		"inet_server_addr": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return addressOf(c.ServerAddress.Addr().String(), c.ServerAddress.IsValid()), nil
		},
		"inet_client_port": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return portOf(c.ClientAddress.Port(), c.ClientAddress.IsValid()), nil
		},
		"inet_server_port": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return portOf(c.ServerAddress.Port(), c.ServerAddress.IsValid()), nil
		},
		"PG_encoding_to_char": encodingName, "PG_char_to_encoding": encodingNumber, "pg_client_encoding": clientEncoding,
		"pg_encoding_max_length_sql": constant(relation.Int(4)),
		"pg_advisory_unlock_all":     unlockAllAdvisory, "pg_notify": notify,
	}
	for _, form := range []struct {
		suffix string
		key    func(a []relation.Value) AdvisoryKey
	}{{"int8", keyOfOne}, {"int4", keyOfTwo}} {
		for _, shared := range []string{"", "_shared"} {
			for _, scope := range []string{"", "xact_"} {
				functions["pg_advisory_"+scope+"lock"+shared+"_"+form.suffix] = lockAdvisory(form.key, shared != "", scope != "", true)
				functions["pg_try_advisory_"+scope+"lock"+shared+"_"+form.suffix] = lockAdvisory(form.key, shared != "", scope != "", false)
			}
			functions["pg_advisory_unlock"+shared+"_"+form.suffix] = unlockAdvisory(form.key, shared != "")
		}
	}
	return functions.present()
}

func version(c *Context, _ []relation.Value) (relation.Value, error) {
	if server, ok := c.Catalog.(Server); ok {
		return relation.Text(server.VersionText()), nil
	}
	number := "15.0"
	if c.Catalog != nil {
		if setting, ok := c.Catalog.Setting("server_version"); ok {
			number, _, _ = strings.Cut(setting, " ")
		}
	}
	return relation.Text("PostgreSQL " + number + " (Moraine)"), nil
}

// signal is pg_cancel_backend or pg_terminate_backend.
func signal(terminate bool) Evaluate {
	return func(c *Context, arguments []relation.Value) (relation.Value, error) {
		server, ok := c.Catalog.(Server)
		if !ok {
			return relation.NULL, pgerror.Unsupported("a signal to another session")
		}
		found, err := server.SignalBackend(uint32(arguments[0].Int()), terminate)
		return relation.Bool(found), err
	}
}

func sessionUser(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.SessionUser != "" {
		return relation.Text(c.SessionUser), nil
	}
	return relation.Text(c.User), nil
}

func needsCatalog(name string) error {
	return pgerror.Unsupported("function " + name + " without a session")
}

func currentSchema(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("current_schema")
	}
	if path := c.Catalog.SearchPath(false); len(path) > 0 {
		return relation.Text(path[0]), nil
	}
	return relation.NULL, nil
}

func currentSchemas(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("current_schemas")
	}
	var names []relation.Value
	for _, name := range c.Catalog.SearchPath(a[0].Bool()) {
		names = append(names, relation.Text(name))
	}
	return NewArray(relation.NameOID, names), nil
}

func currentSetting(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog != nil {
		if value, ok := c.Catalog.Setting(a[0].Text()); ok {
			return relation.Text(value), nil
		}
	}
	if len(a) > 1 && a[1].Bool() {
		return relation.NULL, nil
	}
	return relation.NULL, pgerror.New(pgerror.UndefinedObject, "unrecognized configuration parameter \"%s\"", a[0].Text())
}

func setConfig(c *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() {
		return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "SET requires parameter name")
	}
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("set_config")
	}
	if err := c.Catalog.SetSetting(a[0].Text(), a[1].Text(), a[2].Bool()); err != nil {
		return relation.NULL, err
	}
	value, _ := c.Catalog.Setting(a[0].Text())
	return relation.Text(value), nil
}

// temporarySchema gives the schema of the session's temporary tables; 0 as long as there is none.
func temporarySchema(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.Catalog != nil {
		for _, name := range c.Catalog.SearchPath(true) {
			if strings.HasPrefix(name, "pg_temp") {
				return relation.Int(int64(c.Catalog.SchemaOID(name))), nil
			}
		}
	}
	return relation.Int(0), nil
}

func transactionID(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.TransactionID == 0 {
		return relation.NULL, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "the transaction has no identifier")
	}
	return relation.Int(int64(c.TransactionID)), nil
}

func transactionIDIfAssigned(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.TransactionID == 0 {
		return relation.NULL, nil
	}
	return relation.Int(int64(c.TransactionID)), nil
}

func databaseSize(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("pg_database_size")
	}
	size, err := c.Catalog.DatabaseSize(a[0].Text())
	return relation.Int(size), err
}

func databaseSizeByOID(c *Context, a []relation.Value) (relation.Value, error) {
	if uint32(a[0].Int()) != c.DatabaseOID {
		return relation.NULL, nil
	}
	return databaseSize(c, []relation.Value{relation.Text(c.Database)})
}

// bytesPerRow estimates the size of a row where the store cannot tell.
const bytesPerRow = 128

func relationSize(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog == nil {
		return relation.NULL, needsCatalog("pg_relation_size")
	}
	oid := uint32(a[0].Int())
	if sizer, ok := c.Catalog.(RelationSizer); ok {
		size, err := sizer.RelationSize(oid)
		return relation.Int(size), err
	}
	definition := c.Catalog.Definition(oid)
	if definition == nil {
		return relation.NULL, nil
	}
	pages := int64(definition.RowEstimate*bytesPerRow)/pageSize + 1
	return relation.Int(pages * pageSize), nil
}

// indexesSize is 0: the keys of a relation are its rows.
func indexesSize(c *Context, a []relation.Value) (relation.Value, error) {
	if c.Catalog != nil && c.Catalog.Definition(uint32(a[0].Int())) == nil {
		return relation.NULL, nil
	}
	return relation.Int(0), nil
}

var sizeUnits = []string{"bytes", "kB", "MB", "GB", "TB", "PB"}

// sizePretty shows a size in the largest unit that leaves at least 10, rounded half away from zero.
func sizePretty(_ *Context, a []relation.Value) (relation.Value, error) {
	size := a[0].Int()
	for unit, name := range sizeUnits {
		limit := int64(20480)
		if unit == 0 {
			limit = 10240
		}
		if magnitude(size) < limit || unit == len(sizeUnits)-1 {
			if unit > 0 {
				size = halfRounded(size)
			}
			return relation.Text(strconv.FormatInt(size, 10) + " " + name), nil
		}
		// One bit is kept for rounding at the end.
		if unit == 0 {
			size /= 512
		} else {
			size /= 1024
		}
	}
	return relation.NULL, nil
}

func halfRounded(value int64) int64 {
	if value < 0 {
		return (value - 1) / 2
	}
	return (value + 1) / 2
}

func sizePrettyNumeric(c *Context, a []relation.Value) (relation.Value, error) {
	d := decimalOf(a[0])
	if size, ok := d.int64(); ok && magnitude(size) >= 10240 {
		return sizePretty(c, []relation.Value{relation.Int(size)})
	}
	return relation.Text(d.String() + " bytes"), nil
}

func sizeBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	text := trimSpace(a[0].Text())
	end := 0
	for end < len(text) && (isDigit(text[end]) || strings.IndexByte("+-.eE", text[end]) >= 0 && (end == 0 || text[end]|0x20 != 'e' || end+1 < len(text) && isDigit(text[end+1]))) {
		end++
	}
	number, ok, err := parseDecimal(text[:end])
	if err != nil || !ok {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "invalid size: \"%s\"", a[0].Text())
	}
	multiplier := int64(1)
	if unit := trimSpace(text[end:]); unit != "" {
		place := -1
		for i, name := range sizeUnits {
			if strings.EqualFold(unit, name) || (i == 0 && strings.EqualFold(unit, "b")) {
				place = i
			}
		}
		if place < 0 {
			return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "invalid size: \"%s\"", a[0].Text()).
				WithDetail("Invalid size unit: \"%s\".", unit).
				WithHint("Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
		}
		multiplier <<= 10 * place
	}
	product, _ := multiplyDecimals(number, decimalFromInt(multiplier))
	size, ok := product.int64()
	if !ok {
		return relation.NULL, outOfRange("bigint")
	}
	return relation.Int(size), nil
}

func sleep(c *Context, a []relation.Value) (relation.Value, error) {
	seconds := a[0].Float()
	if !(seconds > 0) {
		return relation.Text(""), nil
	}
	duration := time.Duration(math.MaxInt64)
	if seconds < float64(math.MaxInt64/time.Second) {
		duration = time.Duration(seconds * float64(time.Second))
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return relation.Text(""), nil
	case <-c.Done:
		return relation.NULL, canceled()
	}
}

// isDone tells whether a statement is to stop.
func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func canceled() error {
	return pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
}

func sleepFor(c *Context, a []relation.Value) (relation.Value, error) {
	later, err := addSpan(0, spanOf(a[0]))
	if err != nil {
		return relation.NULL, err
	}
	return sleep(c, []relation.Value{relation.Float(float64(later) / microsecondsPerSecond)})
}

func sleepUntil(c *Context, a []relation.Value) (relation.Value, error) {
	wait := a[0].Int() - microsecondsOf(time.Now())
	return sleep(c, []relation.Value{relation.Float(float64(wait) / microsecondsPerSecond)})
}

func randomUUID(*Context, []relation.Value) (relation.Value, error) {
	var raw [16]byte
	rand.Read(raw[:]) // never fails
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	return relation.Text(string(raw[:])), nil
}

func addressOf(address string, valid bool) relation.Value {
	if !valid {
		return relation.NULL
	}
	return relation.Text(address)
}

func portOf(port uint16, valid bool) relation.Value {
	if !valid {
		return relation.NULL
	}
	return relation.Int(int64(port))
}

// utf8Encoding is the number of UTF8 among PostgreSQL's encodings.
const utf8Encoding = 6

// encodings are PostgreSQL's encodings by number.
var encodings = []string{"SQL_ASCII", "EUC_JP", "EUC_CN", "EUC_KR", "EUC_TW", "EUC_JIS_2004", "UTF8", "MULE_INTERNAL", "LATIN1",
	"LATIN2", "LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10", "WIN1256", "WIN1258", "WIN866", "WIN874",
	"KOI8R", "WIN1251", "WIN1252", "ISO_8859_5", "ISO_8859_6", "ISO_8859_7", "ISO_8859_8", "WIN1250", "WIN1253", "WIN1254", "WIN1255",
	"WIN1257", "KOI8U", "SJIS", "BIG5", "GBK", "UHC", "GB18030", "JOHAB", "SHIFT_JIS_2004"}

func encodingName(_ *Context, a []relation.Value) (relation.Value, error) {
	if number := a[0].Int(); number >= 0 && number < int64(len(encodings)) {
		return relation.Text(encodings[number]), nil
	}
	return relation.Text(""), nil
}

func encodingNumber(_ *Context, a []relation.Value) (relation.Value, error) {
	wanted := strings.NewReplacer("-", "", "_", "").Replace(a[0].Text())
	for number, name := range encodings {
		if strings.EqualFold(strings.ReplaceAll(name, "_", ""), wanted) {
			return relation.Int(int64(number)), nil
		}
	}
	return relation.Int(-1), nil
}

func clientEncoding(c *Context, _ []relation.Value) (relation.Value, error) {
	if c.Catalog != nil {
		if value, ok := c.Catalog.Setting("client_encoding"); ok {
			return relation.Text(value), nil
		}
	}
	return relation.Text(encodings[utf8Encoding]), nil
}

func keyOfOne(a []relation.Value) AdvisoryKey {
	return AdvisoryKey{High: uint32(a[0].Int() >> 32), Low: uint32(a[0].Int())}
}

func keyOfTwo(a []relation.Value) AdvisoryKey {
	return AdvisoryKey{High: uint32(a[0].Int()), Low: uint32(a[1].Int()), Pair: true}
}

func lockAdvisory(key func([]relation.Value) AdvisoryKey, shared, transaction, wait bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		locks, ok := c.Catalog.(AdvisoryLocks)
		if !ok {
			return relation.NULL, pgerror.Unsupported("an advisory lock")
		}
		taken, err := locks.LockAdvisory(key(a), shared, transaction, wait)
		if wait {
			return relation.Text(""), err
		}
		return relation.Bool(taken), err
	}
}

func unlockAdvisory(key func([]relation.Value) AdvisoryKey, shared bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		locks, ok := c.Catalog.(AdvisoryLocks)
		if !ok {
			return relation.NULL, pgerror.Unsupported("an advisory lock")
		}
		held, err := locks.UnlockAdvisory(key(a), shared)
		return relation.Bool(held), err
	}
}

func unlockAllAdvisory(c *Context, _ []relation.Value) (relation.Value, error) {
	if locks, ok := c.Catalog.(AdvisoryLocks); ok {
		locks.UnlockAllAdvisory()
	}
	return relation.Text(""), nil
}

// notify is pg_notify.
func notify(c *Context, a []relation.Value) (relation.Value, error) {
	channels, ok := c.Catalog.(Channels)
	if !ok {
		return relation.NULL, needsCatalog("pg_notify")
	}
	channel, payload := "", ""
	if !a[0].IsNull() {
		channel = a[0].Text()
	}
	if !a[1].IsNull() {
		payload = a[1].Text()
	}
	return relation.Text(""), channels.Notify(channel, payload)
}

// listeningChannels is pg_listening_channels.
func listeningChannels(c *Context, _ []relation.Value) ([]relation.Row, error) {
	channels, ok := c.Catalog.(Channels)
	if !ok {
		return nil, needsCatalog("pg_listening_channels")
	}
	var values []relation.Value
	for _, channel := range channels.ListeningChannels() {
		values = append(values, relation.Text(channel))
	}
	return singles(values), nil
}
