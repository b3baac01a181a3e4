package setting

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"moraine/pgerror"
	clientencoding "moraine/sqlmap/encoding"
)

// maximumNameBytes is NAMEDATALEN - 1: longer application names are cut, as in PostgreSQL.
const maximumNameBytes = 63

// parseString checks the values of the text parameters that have a form, and gives them in their canonical spelling.
func (p *Parameter) parseString(value string) (string, error) {
	switch p.Name {
	case "TimeZone", "log_timezone":
		location, err := Zone(value)
		if err != nil {
			return "", p.invalid(value)
		}
		return location.String(), nil
	case "DateStyle":
		return p.parseDateStyle(value)
	case "client_encoding":
		return p.parseEncoding(value)
	case "application_name", "cluster_name":
		return printable(value), nil
	case "timezone_abbreviations":
		if !strings.EqualFold(value, "Default") {
			return "", p.invalid(value)
		}
		return "Default", nil
	case "search_path", "temp_tablespaces":
		if _, ok := SplitIdentifiers(value); !ok {
			return "", p.invalid(value).WithDetail("List syntax is invalid.")
		}
	case "default_table_access_method":
		if value != "heap" {
			return "", p.invalid(value).WithDetail("Table access method \"%s\" does not exist.", value)
		}
	}
	return value, nil
}

// printable replaces what is not printable ASCII by question marks and cuts the text to the length of a name.
func printable(value string) string {
	clean := []byte(value)
	for i, character := range clean {
		if character < 32 || character > 126 {
			clean[i] = '?'
		}
	}
	return string(clean[:min(len(clean), maximumNameBytes)])
}

func (p *Parameter) parseDateStyle(value string) (string, error) {
	style, order := "", ""
	for word := range strings.SplitSeq(value, ",") {
		switch word = strings.ToUpper(strings.TrimSpace(word)); {
		case word == "ISO":
			style = "ISO"
		case word == "SQL":
			style = "SQL"
		case strings.HasPrefix(word, "POSTGRES"):
			style = "Postgres"
		case word == "GERMAN":
			style = "German"
			if order == "" {
				order = "DMY"
			}
		case word == "YMD":
			order = "YMD"
		case word == "DMY", strings.HasPrefix(word, "EURO"):
			order = "DMY"
		case word == "MDY", word == "US", strings.HasPrefix(word, "NONEURO"):
			order = "MDY"
		case word == "DEFAULT":
			style, order = "ISO", "MDY"
		default:
			return "", p.invalid(value).WithDetail("Unrecognized key word: \"%s\".", strings.ToLower(word))
		}
	}
	// What the value leaves open is taken from the present value by the caller.
	switch {
	case style == "":
		return ", " + order, nil
	case order == "":
		return style + ", ", nil
	}
	return style + ", " + order, nil
}

// mergeDateStyle fills the halves that a new value of DateStyle leaves open.
func mergeDateStyle(value, present string) string {
	style, order, _ := strings.Cut(value, ", ")
	presentStyle, presentOrder, _ := strings.Cut(present, ", ")
	if style == "" {
		style = presentStyle
	}
	if order == "" {
		order = presentOrder
	}
	return style + ", " + order
}

// encodings are PostgreSQL's client encodings by their names without punctuation, in lower case.
var encodings = map[string]string{
	"utf8": "UTF8", "unicode": "UTF8", "sqlascii": "SQL_ASCII",
	"latin1": "LATIN1", "iso88591": "LATIN1", "latin2": "LATIN2", "iso88592": "LATIN2", "latin3": "LATIN3", "iso88593": "LATIN3",
	"latin4": "LATIN4", "iso88594": "LATIN4", "latin5": "LATIN5", "iso88599": "LATIN5", "latin6": "LATIN6", "iso885910": "LATIN6",
	"latin7": "LATIN7", "iso885913": "LATIN7", "latin8": "LATIN8", "iso885914": "LATIN8", "latin9": "LATIN9", "iso885915": "LATIN9",
	"latin10": "LATIN10", "iso885916": "LATIN10", "iso88595": "ISO_8859_5", "iso88596": "ISO_8859_6", "iso88597": "ISO_8859_7",
	"iso88598": "ISO_8859_8", "koi8": "KOI8R", "koi8r": "KOI8R", "koi8u": "KOI8U", "win866": "WIN866", "alt": "WIN866",
	"win874": "WIN874", "win1250": "WIN1250", "win1251": "WIN1251", "win": "WIN1251", "win1252": "WIN1252", "win1253": "WIN1253",
	"win1254": "WIN1254", "win1255": "WIN1255", "win1256": "WIN1256", "win1257": "WIN1257", "win1258": "WIN1258",
	"windows1250": "WIN1250", "windows1251": "WIN1251", "windows1252": "WIN1252", "windows1253": "WIN1253", "windows1254": "WIN1254",
	"windows1255": "WIN1255", "windows1256": "WIN1256", "windows1257": "WIN1257", "windows1258": "WIN1258",
	"eucjp": "EUC_JP", "euckr": "EUC_KR", "euccn": "EUC_CN", "euctw": "EUC_TW", "sjis": "SJIS", "shiftjis": "SJIS", "gbk": "GBK",
	"big5": "BIG5", "gb18030": "GB18030", "uhc": "UHC", "johab": "JOHAB",
}

func (p *Parameter) parseEncoding(value string) (string, error) {
	name := strings.Map(func(character rune) rune {
		switch {
		case character >= 'A' && character <= 'Z':
			return character + 'a' - 'A'
		case character >= 'a' && character <= 'z', character >= '0' && character <= '9':
			return character
		}
		return -1
	}, value)
	encoding, ok := encodings[name]
	if !ok {
		return "", p.invalid(value)
	}
	if encoding != "UTF8" && encoding != "SQL_ASCII" && clientencoding.Find(encoding) == nil {
		return "", pgerror.New(pgerror.FeatureNotSupported, "client encoding %s is not supported", encoding).
			WithHint("Set client_encoding to UTF8.")
	}
	return encoding, nil
}

// SplitIdentifiers reads a comma-separated list of identifiers, such as search_path: quoted ones verbatim, others in
// lower case. An empty text is an empty list.
func SplitIdentifiers(list string) ([]string, bool) {
	var names []string
	rest := strings.TrimSpace(list)
	if rest == "" {
		return names, true
	}
	for {
		name, after, ok := cutIdentifier(rest)
		if !ok {
			return nil, false
		}
		names = append(names, name)
		after = strings.TrimSpace(after)
		if after == "" {
			return names, true
		}
		if after[0] != ',' {
			return nil, false
		}
		rest = strings.TrimSpace(after[1:])
	}
}

func cutIdentifier(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ", \t\n")
		if end < 0 {
			end = len(text)
		}
		return strings.ToLower(text[:end]), text[end:], end > 0
	}
	var unquoted strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			unquoted.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '"' {
			unquoted.WriteByte('"')
			i++
			continue
		}
		return unquoted.String(), text[i+1:], true
	}
	return "", "", false
}

// maximumZoneHours bounds a zone given as a number of hours, as PostgreSQL does.
const maximumZoneHours = 168

// Zone gives the time zone of a name of the tz database, in any case, of a number of hours east of UTC, or of a POSIX
// form with a fixed offset, such as "<+02>-02".
func Zone(name string) (*time.Location, error) {
	if hours, err := strconv.ParseFloat(name, 64); err == nil {
		if hours > maximumZoneHours || hours < -maximumZoneHours || hours != hours {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "time zone \"%s\" is out of range", name)
		}
		return FixedZone(int(hours * 3600)), nil
	}
	if location, ok := posixZone(name); ok {
		return location, nil
	}
	if strings.EqualFold(name, "default") || name == "" || strings.EqualFold(name, "local") || !utf8.ValidString(name) {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "time zone \"%s\" not recognized", name)
	}
	for _, candidate := range []string{name, strings.ToUpper(name), titled(name)} {
		if location, err := time.LoadLocation(candidate); err == nil {
			return location, nil
		}
	}
	return nil, pgerror.New(pgerror.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// titled spells a zone as the tz database does: each word with a capital.
func titled(name string) string {
	spelled := []byte(strings.ToLower(name))
	for i := range spelled {
		if (i == 0 || strings.IndexByte("/_- ", spelled[i-1]) >= 0) && spelled[i] >= 'a' && spelled[i] <= 'z' {
			spelled[i] -= 'a' - 'A'
		}
	}
	return string(spelled)
}

// FixedZone gives the zone that is always so many seconds east of UTC, named as PostgreSQL names it: "<+02>-02".
func FixedZone(east int) *time.Location {
	sign, opposite := byte('+'), byte('-')
	seconds := east
	if east < 0 {
		sign, opposite, seconds = '-', '+', -east
	}
	digits := twoDigits(seconds / 3600)
	if rest := seconds % 3600; rest != 0 {
		digits += ":" + twoDigits(rest/60)
		if rest%60 != 0 {
			digits += ":" + twoDigits(rest%60)
		}
	}
	return time.FixedZone("<"+string(sign)+digits+">"+string(opposite)+digits, east)
}

func twoDigits(number int) string {
	if number < 10 {
		return "0" + strconv.Itoa(number)
	}
	return strconv.Itoa(number)
}

// posixZone reads "<name>offset" and "NAMEoffset", with the offset in hours west of UTC.
func posixZone(name string) (*time.Location, bool) {
	rest := name
	if strings.HasPrefix(name, "<") {
		_, after, ok := strings.Cut(name, ">")
		if !ok {
			return nil, false
		}
		rest = after
	} else {
		rest = strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
		if len(name)-len(rest) < 3 {
			return nil, false
		}
	}
	sign := 1
	switch {
	case strings.HasPrefix(rest, "+"):
		rest = rest[1:]
	case strings.HasPrefix(rest, "-"):
		rest, sign = rest[1:], -1
	}
	west, scale := 0, 3600
	for part := range strings.SplitSeq(rest, ":") {
		number, err := strconv.Atoi(part)
		if err != nil || number < 0 || number > maximumZoneHours || scale == 0 {
			return nil, false
		}
		west += number * scale
		scale /= 60
	}
	return time.FixedZone(name, -sign*west), true
}
