package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// jsonSets are the set-returning functions of json and jsonb.
func jsonSets() map[string]setRows {
	table := map[string]setRows{}
	for prefix, show := range map[string]jsonShow{"json_": showJSON, "jsonb_": showJSONB} {
		table[prefix+"array_elements"] = arrayElementRows(prefix+"array_elements", show)
		table[prefix+"array_elements_text"] = arrayElementRows(prefix+"array_elements_text", showText(show))
		table[prefix+"each"] = eachRows(prefix+"each", show)
		table[prefix+"each_text"] = eachRows(prefix+"each_text", showText(show))
		table[prefix+"object_keys"] = objectKeyRows(prefix + "object_keys")
	}
	return table
}

func arrayElementRows(name string, show jsonShow) setRows {
	return func(_ *Context, a []relation.Value) ([]relation.Row, error) {
		v := openJSON(a[0])
		switch {
		case v.kind == jsonObject && name[4] == 'b':
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot extract elements from an object")
		case v.kind == jsonObject:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call %s on a non-array", name)
		case v.kind != jsonArray && name[4] == 'b':
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot extract elements from a scalar")
		case v.kind != jsonArray:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call %s on a scalar", name)
		}
		values := make([]relation.Value, len(v.elements))
		for i := range values {
			values[i] = show(&v.elements[i])
		}
		return singles(values), nil
	}
}

func eachRows(name string, show jsonShow) setRows {
	return func(_ *Context, a []relation.Value) ([]relation.Row, error) {
		v := openJSON(a[0])
		switch {
		case v.kind == jsonObject:
		case name[4] == 'b':
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call %s on a non-object", name)
		case v.kind == jsonArray:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot deconstruct an array as an object")
		default:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot deconstruct a scalar")
		}
		rows := make([]relation.Row, len(v.elements))
		for i := range rows {
			rows[i] = relation.Row{relation.Text(v.keys[i]), show(&v.elements[i])}
		}
		return rows, nil
	}
}

func objectKeyRows(name string) setRows {
	return func(_ *Context, a []relation.Value) ([]relation.Row, error) {
		v := openJSON(a[0])
		switch v.kind {
		case jsonObject:
		case jsonArray:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call %s on an array", name)
		default:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call %s on a scalar", name)
		}
		values := make([]relation.Value, len(v.keys))
		for i, key := range v.keys {
			values[i] = relation.Text(key)
		}
		return singles(values), nil
	}
}
