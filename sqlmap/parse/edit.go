package parse

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// edit says what is to be changed in a message of a tree: it is the constant of a number, or has some below it.
type edit struct {
	number int // of those of the statement; -1 when it is on the way to some
	fields []fieldEdit
}

// fieldEdit says what is to be changed in a field.
type fieldEdit struct {
	field    protoreflect.FieldDescriptor
	elements []elementEdit // one without an index when the field is no list
}

type elementEdit struct {
	index int
	edit  *edit
}

// newTemplate finds the constants of the numbers in the tree of their statement.
func newTemplate(tree *pg_query.Node, numbers []number) *template {
	finder := constantFinder{numbers: map[int32]int{}, left: len(numbers), found: make([]bool, len(numbers))}
	for i, number := range numbers {
		finder.numbers[int32(number.location)] = i
	}
	finder.all = numbers
	changes := finder.find(tree.ProtoReflect())
	if finder.left > 0 {
		changes = nil
	}
	return &template{tree: tree, edit: changes}
}

type constantFinder struct {
	all     []number
	numbers map[int32]int // by location
	found   []bool
	left    int // numbers that were not found
}

// find gives the edit of a message, nil when there is no number in it.
func (f *constantFinder) find(of protoreflect.Message) *edit {
	if constant, ok := of.Interface().(*pg_query.A_Const); ok {
		return f.constant(constant)
	}
	changes := &edit{number: -1}
	of.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.Kind() != protoreflect.MessageKind {
			return true
		}
		in := fieldEdit{field: field}
		if !field.IsList() {
			if below := f.find(value.Message()); below != nil {
				in.elements = []elementEdit{{edit: below}}
			}
		} else {
			for i, list := 0, value.List(); i < list.Len(); i++ {
				if below := f.find(list.Get(i).Message()); below != nil {
					in.elements = append(in.elements, elementEdit{index: i, edit: below})
				}
			}
		}
		if in.elements != nil {
			changes.fields = append(changes.fields, in)
		}
		return true
	})
	if changes.fields == nil {
		return nil
	}
	return changes
}

func (f *constantFinder) constant(node *pg_query.A_Const) *edit {
	i, known := f.numbers[node.Location]
	if !known || !f.all[i].same(node) {
		return nil
	}
	if !f.found[i] {
		f.found[i] = true
		f.left--
	}
	return &edit{number: i}
}

// apply gives the message with the constants of other numbers. What has none in it is shared.
func (e *edit) apply(of protoreflect.Message, numbers []number) protoreflect.Message {
	if e.number >= 0 {
		return numbers[e.number].constant().ProtoReflect()
	}
	changed := of.New()
	of.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		changed.Set(field, value)
		return true
	})
	for _, in := range e.fields {
		before := of.Get(in.field)
		if !in.field.IsList() {
			changed.Set(in.field, protoreflect.ValueOfMessage(in.elements[0].edit.apply(before.Message(), numbers)))
			continue
		}
		list := changed.NewField(in.field)
		for i, next := 0, in.elements; i < before.List().Len(); i++ {
			element := before.List().Get(i)
			if len(next) > 0 && next[0].index == i {
				element = protoreflect.ValueOfMessage(next[0].edit.apply(element.Message(), numbers))
				next = next[1:]
			}
			list.List().Append(element)
		}
		changed.Set(in.field, list)
	}
	return changed
}
