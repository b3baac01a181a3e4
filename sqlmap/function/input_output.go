package function

import "moraine/relation"

// inputOutputFunctions are the input, output, receive and send functions of the types, for those who call them by name.
func inputOutputFunctions() evaluates {
	functions := evaluates{}
	for _, t := range catalogue.types {
		c := catalogue.codecs[t.OID]
		if c == nil || t.IsArray() {
			continue
		}
		if info := FunctionByOID(t.Input); info != nil && c.input != nil && functions[info.Source] == nil {
			functions[info.Source] = inputFunction(t.OID)
		}
		if info := FunctionByOID(t.Output); info != nil && c.appendText != nil && functions[info.Source] == nil {
			functions[info.Source] = outputFunction(c)
		}
		if info := FunctionByOID(t.Send); info != nil && c.appendBinary != nil && functions[info.Source] == nil {
			functions[info.Source] = sendFunction(c)
		}
	}
	return functions
}

func inputFunction(oid uint32) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		return inputPlain(typeOf(oid), a[0].Text(), &c.Format)
	}
}

func outputFunction(of *codec) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		return relation.Text(string(of.appendText(nil, a[0], &c.Format))), nil
	}
}

func sendFunction(of *codec) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Text(string(of.appendBinary(nil, a[0]))), nil
	}
}
