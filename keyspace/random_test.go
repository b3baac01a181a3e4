package keyspace

import (
	"fmt"
	"math/rand/v2"
	"reflect"
)

// Random content leans to what is special: zero, small numbers, all bits set; empty strings, and the bytes that keys escape.

func randomUint64(random *rand.Rand) uint64 {
	switch random.IntN(5) {
	case 0:
		return 0
	case 1:
		return random.Uint64N(300)
	case 2:
		return ^uint64(0) - random.Uint64N(3)
	}
	return random.Uint64() >> random.IntN(64)
}

func randomBytes(random *rand.Rand) []byte {
	var bytes []byte
	for range random.IntN(12) {
		bytes = append(bytes, []byte{0x00, 0x01, 0x02, 0xff, byte(random.Uint32())}[random.IntN(5)])
	}
	return bytes
}

func randomString(random *rand.Rand) string {
	letters := []rune("\x00\x01\x02ab\"\u00e9\U0001f986")
	text := make([]rune, random.IntN(12))
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

func randomKey(random *rand.Rand, kind Kind) Key {
	key := Key{kind: kind}
	next := 0
	for _, component := range kind.Components() {
		switch {
		case component == CanonicalKey:
			key.text = string(randomBytes(random))
		case component.isString():
			key.text = randomString(random)
		default:
			key.ids[next] = randomUint64(random)
			next++
		}
	}
	return key
}

// randomMessage gives a message of a kind with random content in all its fields.
func randomMessage(random *rand.Rand, kind Kind) Message {
	m := NewMessage(kind)
	fillStruct(random, reflect.ValueOf(m).Elem())
	if options, ok := m.(*OptionScopeValue); ok {
		options.order()
	}
	return m
}

func fillStruct(random *rand.Rand, value reflect.Value) {
	for i := range value.NumField() {
		if value.Type().Field(i).Name == "Unknown" {
			continue // fields that have no name are no bytes of any kind
		}
		fill(random, value.Field(i))
	}
}

func fill(random *rand.Rand, value reflect.Value) {
	if isOptional(value.Type()) {
		if random.IntN(2) == 0 {
			value.FieldByName("Set").SetBool(true)
			fill(random, value.FieldByName("Value"))
		}
		return
	}
	if value.Type() == reflect.TypeFor[[]byte]() {
		value.SetBytes(randomBytes(random))
		return
	}
	switch value.Kind() {
	case reflect.Uint64:
		value.SetUint(randomUint64(random))
	case reflect.Int64:
		value.SetInt(int64(randomUint64(random)))
	case reflect.Bool:
		value.SetBool(random.IntN(2) == 0)
	case reflect.String:
		value.SetString(randomString(random))
	case reflect.Struct:
		fillStruct(random, value)
	case reflect.Slice:
		for range random.IntN(4) {
			element := reflect.New(value.Type().Elem()).Elem()
			fill(random, element)
			value.Set(reflect.Append(value, element))
		}
	default:
		panic(fmt.Sprintf("no random %s", value.Type()))
	}
}
