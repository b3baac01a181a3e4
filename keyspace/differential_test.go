package keyspace

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// readDescriptors builds the messages of messages.tsv for the protobuf runtime.
func readDescriptors(t *testing.T) protoreflect.MessageDescriptors {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("store.proto"), Package: proto.String("store"), Syntax: proto.String("proto3"),
	}
	var current *descriptorpb.DescriptorProto
	for _, line := range readGolden(t, "messages.tsv") {
		if current.GetName() != line[0] {
			current = &descriptorpb.DescriptorProto{Name: proto.String(line[0])}
			file.MessageType = append(file.MessageType, current)
		}
		if len(line) > 1 {
			addField(t, current, line[1], line[2], line[3], line[4])
		}
	}
	descriptor, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return descriptor.Messages()
}

func addField(t *testing.T, message *descriptorpb.DescriptorProto, number, name, cardinality, typeName string) {
	t.Helper()
	parsed, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	field := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(name), Number: proto.Int32(int32(parsed)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
	if cardinality == "repeated" {
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	}
	scalars := map[string]descriptorpb.FieldDescriptorProto_Type{
		"uint64": descriptorpb.FieldDescriptorProto_TYPE_UINT64, "int64": descriptorpb.FieldDescriptorProto_TYPE_INT64,
		"string": descriptorpb.FieldDescriptorProto_TYPE_STRING, "bool": descriptorpb.FieldDescriptorProto_TYPE_BOOL,
		"bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
	}
	if scalar, isScalar := scalars[typeName]; isScalar {
		field.Type = scalar.Enum()
	} else {
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		field.TypeName = proto.String(".store." + typeName)
	}
	if cardinality == "optional" {
		field.Proto3Optional = proto.Bool(true)
		field.OneofIndex = proto.Int32(int32(len(message.OneofDecl)))
		message.OneofDecl = append(message.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + name)})
	}
	message.Field = append(message.Field, field)
}

func TestTheProtobufRuntimeReadsAndWritesTheSameMessages(t *testing.T) {
	descriptors := readDescriptors(t)
	random := rand.New(rand.NewPCG(9, 10))
	for _, kind := range Kinds() {
		m := NewMessage(kind)
		if !framed(m) {
			continue
		}
		descriptor := descriptors.ByName(protoreflect.Name(m.name()))
		if descriptor == nil {
			t.Fatalf("messages.tsv lacks %s", m.name())
		}
		for range randomCases {
			m := randomMessage(random, kind)
			payload := m.Append(nil)
			other := dynamicpb.NewMessage(descriptor)
			if err := proto.Unmarshal(payload, other); err != nil {
				t.Fatalf("%s: the runtime refuses %x: %v", m.name(), payload, err)
			}
			if got, want := describeDynamic(other), describe(m); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s %x:\nruntime %v\n   ours %v", m.name(), payload, got, want)
			}
			rewritten, err := proto.MarshalOptions{Deterministic: true}.Marshal(other)
			if err != nil || !bytes.Equal(rewritten, payload) {
				t.Fatalf("%s: the runtime writes %x, ours is %x, error %v", m.name(), rewritten, payload, err)
			}
		}
	}
}

// describeDynamic is describe for a message of the runtime.
func describeDynamic(message protoreflect.Message) map[string]any {
	fields := map[string]any{}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if !field.IsList() {
			fields[string(field.Name())] = describeDynamicValue(value)
			return true
		}
		list := []any{}
		for i := range value.List().Len() {
			list = append(list, describeDynamicValue(value.List().Get(i)))
		}
		fields[string(field.Name())] = list
		return true
	})
	if len(message.GetUnknown()) > 0 {
		fields["unknown"] = hex.EncodeToString(message.GetUnknown())
	}
	return fields
}

func describeDynamicValue(value protoreflect.Value) any {
	switch content := value.Interface().(type) {
	case uint64:
		return strconv.FormatUint(content, 10)
	case int64:
		return strconv.FormatInt(content, 10)
	case []byte:
		return hex.EncodeToString(content)
	case protoreflect.Message:
		return describeDynamic(content)
	default:
		return content
	}
}

func TestNoFieldIsReadFromAnotherWireType(t *testing.T) {
	descriptors := readDescriptors(t)
	for _, kind := range Kinds() {
		m := NewMessage(kind)
		descriptor := descriptors.ByName(protoreflect.Name(m.name()))
		if descriptor == nil {
			continue // values without a frame are no protobuf messages
		}
		for i := range descriptor.Fields().Len() {
			field := descriptor.Fields().Get(i)
			value := AppendMessage(nil, NewMessage(kind))
			value = protowire.AppendTag(value, field.Number(), protowire.Fixed64Type)
			value = protowire.AppendFixed64(value, 1)
			if err := DecodeMessage(value, m); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: field %d as 64 fixed bits: error %v", m.name(), field.Number(), err)
			}
		}
	}
}

func TestUnknownFieldsChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, kind := range Kinds() {
		m := randomMessage(random, kind)
		if !framed(m) || kind == KindFormat || kind == KindHead { // these keep them
			continue
		}
		value := protowire.AppendTag(AppendMessage(nil, m), 900, protowire.BytesType)
		value = protowire.AppendString(value, "of a later version")
		got := NewMessage(kind)
		if err := DecodeMessage(value, got); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: got %+v, want %+v, error %v", m.name(), got, m, err)
		}
	}
}
