package keyspace

import (
	"encoding/hex"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// AppendRecordJSON appends a record as a JSON object: the kind of its key, the components of the key, and the message or,
// where values have no frame, the value in hexadecimal. Strings of keys are in hexadecimal.
//
//	{"kind":"current/schema","components":[1],"framed":true,"value":{"schema_id":"1","schema_name":"sales"}}
//	{"kind":"index/multi","components":[13,"00",2],"framed":false,"raw_value":""}
func AppendRecordJSON(dst []byte, key Key, m Message) []byte {
	dst = AppendJSONString(append(dst, `{"kind":`...), key.Kind().String())
	dst = append(dst, `,"components":[`...)
	for i, component := range key.Kind().Components() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if component.isString() {
			dst = hex.AppendEncode(append(dst, '"'), []byte(key.Text()))
			dst = append(dst, '"')
			continue
		}
		dst = strconv.AppendUint(dst, key.Component(component), 10)
	}
	if !framed(m) {
		dst = hex.AppendEncode(append(dst, `],"framed":false,"raw_value":"`...), m.Append(nil))
		return append(dst, `"}`...)
	}
	return append(AppendJSON(append(dst, `],"framed":true,"value":`...), m), '}')
}

// AppendJSON appends a message as a JSON object, for people and for tools that know the specification and not its bytes:
// the fields by their names there, in order, without those that are not on the wire; 64-bit numbers as text, because many
// readers of JSON keep only 53 bits; bytes in hexadecimal. A string that is not UTF-8 becomes an object with its bytes,
// {"hex": "..."}. It works by reflection and is meant for dumps.
func AppendJSON(dst []byte, m Message) []byte {
	return appendJSONStruct(dst, reflect.ValueOf(m).Elem())
}

func appendJSONStruct(dst []byte, value reflect.Value) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for i, name := range fieldNames(value.Type()) {
		content, present := wireContent(value.Field(i))
		if !present {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(AppendJSONString(dst, name), ':')
		dst = appendJSONValue(dst, content)
	}
	return append(dst, '}')
}

// wireContent gives the content of a field that is on the wire: an optional one that is set, another one that is not its
// default.
func wireContent(field reflect.Value) (content reflect.Value, present bool) {
	if isOptional(field.Type()) {
		return field.FieldByName("Value"), field.FieldByName("Set").Bool()
	}
	if extension, is := field.Interface().(RowExtension); is {
		return field, !extension.Empty()
	}
	if field.Kind() == reflect.Slice {
		return field, field.Len() > 0
	}
	return field, !field.IsZero()
}

func isOptional(t reflect.Type) bool { return strings.HasPrefix(t.Name(), "Optional[") }

func appendJSONValue(dst []byte, value reflect.Value) []byte {
	switch value.Kind() {
	case reflect.Uint64:
		dst = strconv.AppendUint(append(dst, '"'), value.Uint(), 10)
		return append(dst, '"')
	case reflect.Int64:
		dst = strconv.AppendInt(append(dst, '"'), value.Int(), 10)
		return append(dst, '"')
	case reflect.Bool:
		return strconv.AppendBool(dst, value.Bool())
	case reflect.String:
		return AppendJSONString(dst, value.String())
	case reflect.Struct:
		return appendJSONStruct(dst, value)
	case reflect.Slice:
		return appendJSONSlice(dst, value)
	}
	panic("keyspace: no JSON for " + value.Type().String()) // a message of a type that no message has yet
}

func appendJSONSlice(dst []byte, value reflect.Value) []byte {
	if value.Type().Elem().Kind() == reflect.Uint8 {
		dst = hex.AppendEncode(append(dst, '"'), value.Bytes())
		return append(dst, '"')
	}
	dst = append(dst, '[')
	for i := range value.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONValue(dst, value.Index(i))
	}
	return append(dst, ']')
}

// AppendJSONString appends text as JSON; what is not UTF-8 becomes an object with the bytes, as in [AppendJSON].
func AppendJSONString(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		dst = hex.AppendEncode(append(dst, `{"hex":"`...), []byte(text))
		return append(dst, `"}`...)
	}
	dst = append(dst, '"')
	for i := range len(text) {
		switch letter := text[i]; {
		case letter == '"' || letter == '\\':
			dst = append(dst, '\\', letter)
		case letter < ' ' || letter == 0x7f: // 0x7f is no printed character, though JSON allows it
			dst = append(dst, `\u00`...)
			dst = hex.AppendEncode(dst, []byte{letter})
		default:
			dst = append(dst, letter)
		}
	}
	return append(dst, '"')
}

var knownFieldNames sync.Map // reflect.Type to []string

// fieldNames gives the names of a struct's fields in the specification.
func fieldNames(of reflect.Type) []string {
	if known, found := knownFieldNames.Load(of); found {
		return known.([]string)
	}
	names := make([]string, of.NumField())
	for i := range names {
		names[i] = wireName(of.Field(i).Name)
	}
	knownFieldNames.Store(of, names)
	return names
}

var acronyms = strings.NewReplacer("UUID", "Uuid", "SQL", "Sql", "NaN", "Nan", "IDs", "Ids", "ID", "Id",
	"ChunkSequence", "ChunkSeq", "BatchSequence", "BatchSeq")

// wireName turns the name of a struct field into the name in the specification: SchemaID into schema_id.
func wireName(fieldName string) string {
	var name strings.Builder
	for i, letter := range acronyms.Replace(fieldName) {
		if unicode.IsUpper(letter) && i > 0 {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(letter))
	}
	return name.String()
}
