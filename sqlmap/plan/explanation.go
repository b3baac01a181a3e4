package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Explanation is a plan for people to read: its nodes, each before its inputs.
type Explanation []Step

// Step is one node of a plan, or, with a Common and no Name, the title of the node after it, which makes a common table.
type Step struct {
	Depth     int
	Name      string
	Relation  string // that the node reads or changes; "" for none
	Alias     string // of the relation, unless it is its name
	Common    string // the common table that the node reads
	Estimated bool   // Rows and Width are known
	Rows      float64
	Width     int // in columns
	Details   []Detail
}

// Detail is a condition or key of a node.
type Detail struct{ Label, Text string }

// Lines gives the explanation in EXPLAIN's text format.
func (x Explanation) Lines() []string {
	var lines []string
	for i := range x {
		step := &x[i]
		margin := strings.Repeat(" ", 6*step.Depth+2)
		if step.Name == "" {
			lines = append(lines, margin+"CTE "+step.Common)
			continue
		}
		title := step.Name
		if target := step.Relation + step.Common; target != "" {
			title += " on " + target
		}
		if step.Alias != "" {
			title += " " + step.Alias
		}
		if step.Estimated {
			title += fmt.Sprintf("  (rows=%.0f width=%d)", step.Rows, step.Width)
		}
		if step.Depth > 0 {
			title = strings.Repeat(" ", 6*step.Depth-4) + "->  " + title
		}
		lines = append(lines, title)
		for _, detail := range step.Details {
			lines = append(lines, margin+detail.Label+": "+detail.Text)
		}
	}
	return lines
}

// JSON gives the explanation in EXPLAIN's JSON format, with further members beside the plan.
func (x Explanation) JSON(further map[string]any) (string, error) {
	document := map[string]any{}
	if nodes, _ := x.nodes(0); len(nodes) > 0 {
		document["Plan"] = nodes[0]
	}
	maps.Copy(document, further)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode([]any{document})
	return strings.TrimSuffix(text.String(), "\n"), err
}

// nodes gives the nodes that stand at one depth at the beginning of an explanation, with what is below them, and how many steps
// they took.
func (x Explanation) nodes(depth int) (nodes []map[string]any, taken int) {
	for taken < len(x) && x[taken].Depth >= depth {
		step := &x[taken]
		taken++
		if step.Name == "" {
			// The common table's nodes are a level below the node that stands before.
			below, count := x[taken:].nodes(depth + 1)
			taken += count
			if len(below) > 0 && len(nodes) > 0 {
				below[0]["Subplan Name"] = "CTE " + step.Common
				addInputs(nodes[len(nodes)-1], below)
			}
			continue
		}
		node := step.members()
		nodes = append(nodes, node)
		below, count := x[taken:].nodes(depth + 1)
		taken += count
		addInputs(node, below)
	}
	return nodes, taken
}

func addInputs(node map[string]any, inputs []map[string]any) {
	if len(inputs) == 0 {
		return
	}
	known, _ := node["Plans"].([]map[string]any)
	node["Plans"] = append(known, inputs...)
}

func (s *Step) members() map[string]any {
	node := map[string]any{"Node Type": s.Name}
	if s.Estimated {
		node["Plan Rows"], node["Plan Width"] = int64(s.Rows), s.Width
	}
	for name, value := range map[string]string{"Relation Name": s.Relation, "Alias": s.Alias, "CTE Name": s.Common} {
		if value != "" {
			node[name] = value
		}
	}
	for _, detail := range s.Details {
		node[detail.Label] = detail.Text
	}
	return node
}
