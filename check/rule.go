package check

// Severity says how bad a broken rule is.
type Severity string

// Severities.
const (
	// Error: clients read wrong rows, fail, or will after a later commit.
	Error Severity = "error"
	// Warning: nothing is wrong for clients yet, or DuckLake lets it happen.
	Warning Severity = "warning"
)

// Rule is one invariant of a lake.
type Rule struct {
	Name        string
	Severity    Severity
	Description string // what holds in a sound lake
	Remedy      string // what to do when it does not
}

// Rules gives all rules, in the order of the documentation.
func Rules() []*Rule { return rules }

// Finding is one place where a rule is broken.
type Finding struct {
	Rule *Rule
	// Table is the catalog table that shows the rows in question; "" for records that no table shows.
	Table string
	IDs   string // the ids of the record, "table_id=1 data_file_id=2"
	Found string
}

// maximumFindings bounds the findings of one rule that are reported one by one; the rest is counted.
const maximumFindings = 1000

// collector gathers findings, up to the bound of each rule.
type collector struct {
	findings []Finding
	counts   map[*Rule]int
}

func (c *collector) add(finding Finding) {
	c.counts[finding.Rule]++
	if c.counts[finding.Rule] <= maximumFindings {
		c.findings = append(c.findings, finding)
	}
}
