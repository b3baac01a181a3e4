package keyspace

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// describe shows a message as the golden files do: fields by their names in the specification, numbers as text, bytes in
// hexadecimal, and no field that is not on the wire.
func describe(m Message) map[string]any { return describeStruct(reflect.ValueOf(m).Elem()) }

func describeStruct(value reflect.Value) map[string]any {
	fields := map[string]any{}
	for i := range value.NumField() {
		if shown := describeField(value.Field(i)); shown != nil {
			fields[wireName(value.Type().Field(i).Name)] = shown
		}
	}
	return fields
}

func describeField(value reflect.Value) any {
	if isOptional(value.Type()) {
		if !value.FieldByName("Set").Bool() {
			return nil
		}
		return describePresent(value.FieldByName("Value"))
	}
	if value.Kind() == reflect.Slice && value.Len() == 0 || value.Kind() != reflect.Slice && value.IsZero() {
		return nil
	}
	return describePresent(value)
}

func describePresent(value reflect.Value) any {
	switch content := value.Interface().(type) {
	case uint64:
		return strconv.FormatUint(content, 10)
	case int64:
		return strconv.FormatInt(content, 10)
	case string, bool:
		return content
	case []byte:
		return hex.EncodeToString(content)
	case RowExtension:
		if content.Empty() {
			return nil
		}
	}
	switch value.Kind() {
	case reflect.Struct:
		return describeStruct(value)
	case reflect.Slice:
		list := make([]any, 0, value.Len())
		for i := range value.Len() {
			list = append(list, describePresent(value.Index(i)))
		}
		return list
	}
	panic(fmt.Sprintf("no description of %s", value.Type()))
}

func isOptional(t reflect.Type) bool { return strings.HasPrefix(t.Name(), "Optional[") }

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
