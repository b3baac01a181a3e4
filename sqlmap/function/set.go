package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// MaximumSetRows bounds the rows that one call of a set-returning function makes.
const MaximumSetRows = 1 << 24

// setFunction is the implementation of a set-returning function. rows gets the types of the call.
type setFunction struct {
	rows func(sig *signature) func(context *Context, arguments []relation.Value) ([]relation.Row, error)
	// columns are the columns of functions that pg_proc does not know.
	columns []relation.Column
}

// ResolveSetReturning finds the set-returning function that a call means.
func ResolveSetReturning(call Call) (*SetReturning, error) {
	chosen, err := choose(&call, func(f *FunctionInfo) bool { return f.Kind == PlainFunction && f.ReturnsSet })
	if err != nil {
		return nil, err
	}
	sig, err := chosen.signature(call.Arguments)
	if err != nil {
		return nil, err
	}
	found := catalogue.sets[chosen.info.Source]
	if found.rows == nil {
		return nil, pgerror.Unsupported("function " + chosen.info.Signature())
	}
	columns, err := outputColumns(chosen.info, sig)
	if err != nil {
		return nil, err
	}
	return &SetReturning{Name: call.Name, Arguments: sig.Arguments, Columns: columns, Strict: chosen.info.Strict, Rows: found.rows(sig)}, nil
}

// outputColumns gives the OUT parameters, or one column named after the function.
func outputColumns(info *FunctionInfo, sig *signature) ([]relation.Column, error) {
	var columns []relation.Column
	for i, mode := range []byte(info.Modes) {
		if mode != 'o' && mode != 't' && mode != 'b' {
			continue
		}
		_, of, err := settlePolymorphic(info.Arguments, sig.Arguments, info.AllArguments[i])
		if err != nil {
			return nil, err
		}
		columns = append(columns, relation.Column{Name: info.Names[i], Type: of})
	}
	if len(columns) > 1 || (len(columns) == 1 && sig.Result.OID == relation.RecordOID) {
		return number(columns), nil
	}
	name := info.Name
	if len(columns) == 1 {
		name = columns[0].Name
	}
	return number([]relation.Column{{Name: name, Type: sig.Result}}), nil
}

func number(columns []relation.Column) []relation.Column {
	for i := range columns {
		columns[i].Number = int16(i + 1)
	}
	return columns
}

func tooManyRows() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "set of more than %d rows", MaximumSetRows)
}
