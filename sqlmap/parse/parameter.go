package parse

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// FirstParameter gives number and location of the parameter $number that is written first in the statement; 0 when there is
// none. It looks at the whole tree, so it is for errors only.
func (s *Statement) FirstParameter() (number, location int) {
	if s.Tree == nil {
		return 0, 0
	}
	visit(s.Tree.ProtoReflect(), func(reference *pg_query.ParamRef) {
		if number == 0 || int(reference.Location) < location {
			number, location = int(reference.Number), int(reference.Location)
		}
	})
	return number, location
}

// visit calls found for each parameter in a tree.
func visit(message protoreflect.Message, found func(*pg_query.ParamRef)) {
	if reference, ok := message.Interface().(*pg_query.ParamRef); ok {
		found(reference)
		return
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Kind() != protoreflect.MessageKind:
		case field.IsList():
			for i := range value.List().Len() {
				visit(value.List().Get(i).Message(), found)
			}
		default:
			visit(value.Message(), found)
		}
		return true
	})
}
