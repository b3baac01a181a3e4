package keyspace

import "encoding/json"

// describe gives a message as a reader of its JSON has it.
func describe(m Message) map[string]any {
	var fields map[string]any
	if err := json.Unmarshal(AppendJSON(nil, m), &fields); err != nil {
		panic(err)
	}
	return fields
}
