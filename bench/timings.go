package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"moraine/bench/conversation"
)

// timings collects how long servers took for each exchange of a conversation, over several replays.
type timings struct {
	exchanges []conversation.Exchange
	took      [][][]time.Duration // by server, by exchange, by replay
}

func newTimings(exchanges []conversation.Exchange, servers int) *timings {
	t := &timings{exchanges: exchanges, took: make([][][]time.Duration, servers)}
	for s := range t.took {
		t.took[s] = make([][]time.Duration, len(exchanges))
	}
	return t
}

func (t *timings) add(server int, answers []answer) {
	for i, a := range answers {
		t.took[server][i] = append(t.took[server][i], a.took)
	}
}

// comparison is one line of a table: medians of the reference and of the other server.
type comparison struct {
	name      string
	count     int
	reference time.Duration
	other     time.Duration
}

// ratio is above 1 where the other server is faster.
func (c comparison) ratio() float64 { return float64(c.reference) / float64(c.other) }

// print prints the shapes of each operation, then the operations.
func (t *timings) print(servers []server) {
	var operations []comparison
	var all []comparison
	fmt.Printf("%-6s %11s %11s %7s  %s\n", "count", servers[0].name, servers[1].name, "faster", "statement (median ms)")
	for _, operation := range t.operations() {
		shapes := t.shapes(operation)
		fmt.Printf("\n%s\n", operation)
		for _, c := range shapes {
			printComparison(c, shorten(c.name))
		}
		total := t.total(operation)
		operations = append(operations, total)
		all = append(all, shapes...)
		fmt.Printf("%-6s geometric mean of the statements: %.2fx\n", "", geometricMean(shapes, asOftenAsSent))
	}
	fmt.Printf("\nwhole operations (median of the sum of their statements, ms; count is that of the statements)\n")
	for _, c := range operations {
		printComparison(c, c.name)
	}
	fmt.Printf("\ngeometric mean of all operations: %.2fx\n", geometricMean(operations, alike))
	fmt.Printf("geometric mean of all statements, each as often as it is sent: %.2fx\n\n", geometricMean(all, asOftenAsSent))
}

func printComparison(c comparison, label string) {
	fmt.Printf("%-6d %11.3f %11.3f %6.2fx  %s\n", c.count, milliseconds(c.reference), milliseconds(c.other), c.ratio(), label)
}

// operations gives their names in the order of their first appearance.
func (t *timings) operations() []string {
	var names []string
	for _, e := range t.exchanges {
		if !slices.Contains(names, e.Operation) {
			names = append(names, e.Operation)
		}
	}
	return names
}

// shapes compares the statements of an operation, those of one shape together.
func (t *timings) shapes(operation string) []comparison {
	var order []string
	members := make(map[string][]int)
	for i, e := range t.exchanges {
		if e.Operation != operation {
			continue
		}
		shape := shapeOf(e)
		if members[shape] == nil {
			order = append(order, shape)
		}
		members[shape] = append(members[shape], i)
	}
	compared := make([]comparison, len(order))
	for i, shape := range order {
		compared[i] = comparison{shape, len(members[shape]), t.medianOf(0, members[shape]), t.medianOf(1, members[shape])}
	}
	return compared
}

func (t *timings) medianOf(server int, exchanges []int) time.Duration {
	var samples []time.Duration
	for _, i := range exchanges {
		samples = append(samples, t.took[server][i]...)
	}
	return median(samples)
}

// total compares the time that all statements of one run of the operation took together.
func (t *timings) total(operation string) comparison {
	runs := make(map[int][]int)
	for i, e := range t.exchanges {
		if e.Operation == operation {
			runs[e.Run] = append(runs[e.Run], i)
		}
	}
	sums := make([][]time.Duration, len(t.took))
	statements := 0
	for _, members := range runs {
		statements = max(statements, len(members))
		for server := range t.took {
			for replay := range t.took[server][members[0]] {
				var sum time.Duration
				for _, i := range members {
					sum += t.took[server][i][replay]
				}
				sums[server] = append(sums[server], sum)
			}
		}
	}
	return comparison{operation, statements, median(sums[0]), median(sums[1])}
}

var (
	quoted     = regexp.MustCompile(`'(?:[^']|'')*'`)
	numbers    = regexp.MustCompile(`\b\d+(?:\.\d+)?\b|_\d+`)
	lists      = regexp.MustCompile(`\?(?:\s*,\s*\?)+`)
	rowsOfList = regexp.MustCompile(`(\([^()]*\))(?:\s*,\s*\([^()]*\))+`)
	spaces     = regexp.MustCompile(`\s+`)
)

// shapeOf gives the statement without its constants.
func shapeOf(e conversation.Exchange) string {
	if e.Message == conversation.Describe {
		return "(Describe)"
	}
	shape := quoted.ReplaceAllString(e.Text, "?")
	shape = numbers.ReplaceAllString(shape, "?")
	shape = lists.ReplaceAllString(shape, "?...")
	shape = rowsOfList.ReplaceAllString(shape, "$1...")
	shape = strings.TrimSpace(spaces.ReplaceAllString(shape, " "))
	if e.Message == conversation.Parse {
		return "(Parse) " + shape
	}
	return shape
}

const labelLength = 110 // characters of a statement in a table

func shorten(label string) string {
	if len(label) > labelLength {
		return label[:labelLength] + "..."
	}
	return label
}

func median(samples []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

// geometricMean gives that of the ratios, each with a weight.
func geometricMean(compared []comparison, weight func(comparison) float64) float64 {
	var sum, weights float64
	for _, c := range compared {
		sum += weight(c) * math.Log(c.ratio())
		weights += weight(c)
	}
	return math.Exp(sum / weights)
}

// asOftenAsSent and alike are weights.
func asOftenAsSent(c comparison) float64 { return float64(c.count) }
func alike(comparison) float64           { return 1 }
