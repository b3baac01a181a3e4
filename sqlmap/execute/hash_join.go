package execute

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/plan"
)

// maximumScanKeys is how many keys of the build side restrict a scan of the probe side.
const maximumScanKeys = 4096

// hashJoinOperator keeps the rows of one side in a table and looks the rows of the other up in it.
type hashJoinOperator struct {
	run                  *run
	node                 *plan.HashJoin
	build, probe         operator
	buildKeys, probeKeys []evaluator
	condition            evaluator
	leftWidth, width     int
	buildWidth           int
	// keepBuild and keepProbe tell that rows of the side without a match are in the result too.
	keepBuild, keepProbe bool

	table   *rowStore
	groups  map[string]int32
	integer map[int64]int32 // in place of groups for one integer key
	heads   []int32         // first row of each group
	tails   []int32
	chain   []int32 // next row of the same group, -1 at the end
	matched []bool  // rows of the table, when keepBuild
	writer  keyWriter
	scratch []relation.Value

	// The state between two batches of the result.
	batch     *relation.Batch // of the probe side
	row       int             // in batch
	candidate int32           // the next row of the table to compare with row; -1 for none
	started   bool            // row's first candidate has been looked up
	found     bool            // row has had a match
	probing   bool
	unmatched int // the next row of the table to look at for keepBuild
	out       relation.Batch
}

func (c *compiler) hashJoin(node *plan.HashJoin) (operator, error) {
	left, err := c.operator(node.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operator(node.Right)
	if err != nil {
		return nil, err
	}
	j := &hashJoinOperator{run: c.run, node: node, build: right, probe: left, leftWidth: node.Left.Width(),
		width: node.Left.Width() + node.Right.Width(), buildWidth: node.Right.Width(), writer: newKeyWriter(node.KeyTypes),
		scratch: make([]relation.Value, len(node.KeyTypes))}
	leftKeys, err := c.compileAll(node.LeftKeys)
	if err != nil {
		return nil, err
	}
	rightKeys, err := c.compileAll(node.RightKeys)
	if err != nil {
		return nil, err
	}
	c.run.lend(&j.out)
	j.buildKeys, j.probeKeys = rightKeys, leftKeys
	keepLeft := node.Kind == bind.LeftJoin || node.Kind == bind.FullJoin
	keepRight := node.Kind == bind.RightJoin || node.Kind == bind.FullJoin
	j.keepProbe, j.keepBuild = keepLeft, keepRight
	if node.BuildLeft {
		j.build, j.probe, j.buildKeys, j.probeKeys, j.buildWidth = left, right, leftKeys, rightKeys, j.leftWidth
		j.keepProbe, j.keepBuild = keepRight, keepLeft
	}
	j.condition, err = c.compile(node.Condition)
	return j, err
}

func (j *hashJoinOperator) open() error {
	j.close()
	j.table = newRowStore(j.run, j.buildWidth)
	if err := j.fill(); err != nil {
		return err
	}
	if j.node.ScanKey != nil {
		j.restrictScan()
	}
	j.probing, j.unmatched, j.batch, j.row, j.started = true, 0, nil, 0, false
	if len(j.table.rows) == 0 && !j.keepProbe && j.node.Kind != bind.AntiJoin {
		// Without rows on the build side there is no result: the probe side need not be read.
		j.probing = false
		return nil
	}
	return j.probe.open()
}

// fill reads the build side into the table.
func (j *hashJoinOperator) fill() error {
	if err := j.table.addAll(j.build); err != nil {
		return err
	}
	if len(j.node.KeyTypes) == 1 && j.node.KeyTypes[0].OID == relation.Int8OID {
		j.integer = make(map[int64]int32, len(j.table.rows))
	} else {
		j.groups = make(map[string]int32, len(j.table.rows))
	}
	j.chain = make([]int32, len(j.table.rows))
	if j.keepBuild {
		j.matched = make([]bool, len(j.table.rows))
	}
	for i, row := range j.table.rows {
		j.chain[i] = -1
		null, err := j.evaluateKeys(j.buildKeys, row)
		if err != nil {
			return err
		}
		if null {
			continue
		}
		group, known := j.lookup()
		if known {
			j.chain[j.tails[group]] = int32(i)
			j.tails[group] = int32(i)
			continue
		}
		group = int32(len(j.heads))
		j.heads, j.tails = append(j.heads, int32(i)), append(j.tails, int32(i))
		if j.integer != nil {
			j.integer[j.scratch[0].Int()] = group
		} else {
			j.groups[string(j.writer.write(j.scratch))] = group
		}
	}
	return nil
}

// evaluateKeys puts the keys of a row into j.scratch; null tells that one of them is NULL.
func (j *hashJoinOperator) evaluateKeys(keys []evaluator, row []relation.Value) (null bool, err error) {
	for i, key := range keys {
		value, err := key(row)
		if err != nil || value.IsNull() {
			return true, err
		}
		j.scratch[i] = value
	}
	return false, nil
}

// lookup finds the group of the keys in j.scratch.
func (j *hashJoinOperator) lookup() (int32, bool) {
	if j.integer != nil {
		group, ok := j.integer[j.scratch[0].Int()]
		return group, ok
	}
	group, ok := j.groups[string(j.writer.write(j.scratch))]
	return group, ok
}

// restrictScan gives the distinct keys of the table to a scan below the probe side, unless they are many.
func (j *hashJoinOperator) restrictScan() {
	if j.run.scanKeys == nil {
		j.run.scanKeys = map[*plan.Scan]relation.Predicate{}
	}
	delete(j.run.scanKeys, j.node.ScanKey.Scan)
	if len(j.heads) > maximumScanKeys {
		return
	}
	predicate := relation.Predicate{Column: j.node.ScanKey.Column, Comparison: relation.In, Values: []relation.Value{}}
	key := j.buildKeys[j.node.ScanKey.Key]
	known := make(map[relation.Value]bool, len(j.heads))
	for _, head := range j.heads {
		value, err := key(j.table.rows[head])
		if err != nil {
			return
		}
		if !known[value] {
			known[value] = true
			predicate.Values = append(predicate.Values, value)
		}
	}
	j.run.scanKeys[j.node.ScanKey.Scan] = predicate
}

func (j *hashJoinOperator) close() {
	if j.table == nil {
		return
	}
	if j.probing {
		j.probe.close()
	}
	if j.node.ScanKey != nil {
		delete(j.run.scanKeys, j.node.ScanKey.Scan)
	}
	j.table.clear()
	j.table, j.groups, j.integer, j.heads, j.tails, j.chain, j.matched = nil, nil, nil, nil, nil, nil, nil
	j.probing = false
}

func (j *hashJoinOperator) next() (*relation.Batch, error) {
	width := j.node.Width()
	j.out.Reset(width)
	for j.probing && j.out.Length < batchRows {
		if j.batch == nil || j.row == j.batch.Length {
			batch, err := j.probe.next()
			if err != nil {
				return nil, err
			}
			if batch == nil {
				j.probe.close()
				j.probing = false
				break
			}
			if err := j.run.cancelled(); err != nil {
				return nil, err
			}
			j.batch, j.row, j.started = batch, 0, false
		}
		if err := j.probeRow(j.batch.Row(j.row)); err != nil {
			return nil, err
		}
	}
	if !j.probing && j.keepBuild {
		j.addUnmatched()
	}
	if j.out.Length == 0 {
		return nil, nil
	}
	return &j.out, nil
}

// probeRow adds the results of one row of the probe side; it stops, to be called again, when the batch is full.
func (j *hashJoinOperator) probeRow(row []relation.Value) error {
	if !j.started {
		j.started, j.found, j.candidate = true, false, -1
		null, err := j.evaluateKeys(j.probeKeys, row)
		if err != nil {
			return err
		}
		if !null {
			if group, ok := j.lookup(); ok {
				j.candidate = j.heads[group]
			}
		}
	}
	semi := j.node.Kind == bind.SemiJoin || j.node.Kind == bind.AntiJoin
	for j.candidate >= 0 && j.out.Length < batchRows {
		place := j.candidate
		j.candidate = j.chain[place]
		start := j.addPair(row, j.table.rows[place])
		if j.condition != nil {
			pass, err := j.condition(j.out.Values[start:])
			if err != nil {
				return err
			}
			if !pass.Bool() {
				j.out.Values = j.out.Values[:start]
				continue
			}
		}
		j.found = true
		if semi {
			j.out.Values = j.out.Values[:start]
			j.candidate = -1
			break
		}
		j.out.Length++
		if j.matched != nil {
			j.matched[place] = true
		}
	}
	if j.candidate >= 0 {
		return nil
	}
	switch {
	case semi:
		if j.found == (j.node.Kind == bind.SemiJoin) {
			appendRow(&j.out, row)
		}
	case !j.found && j.keepProbe:
		j.addPair(row, nil)
		j.out.Length++
	}
	j.row++
	j.started = false
	return nil
}

// addPair adds the values of a pair of rows to the output, in the order of left and right; a nil row of the table gives
// NULLs. It gives where they begin.
func (j *hashJoinOperator) addPair(probe, build []relation.Value) int {
	start := len(j.out.Values)
	left, right := probe, build
	if j.node.BuildLeft {
		left, right = build, probe
	}
	j.out.Values = addOrNull(j.out.Values, left, j.leftWidth)
	j.out.Values = addOrNull(j.out.Values, right, j.width-j.leftWidth)
	return start
}

func addOrNull(values, row []relation.Value, width int) []relation.Value {
	if row != nil {
		return append(values, row[:width]...)
	}
	for range width {
		values = append(values, relation.NULL)
	}
	return values
}

// addUnmatched adds rows of the table that no row of the probe side has matched.
func (j *hashJoinOperator) addUnmatched() {
	for j.unmatched < len(j.table.rows) && j.out.Length < batchRows {
		row := j.table.rows[j.unmatched]
		if !j.matched[j.unmatched] {
			nulls := j.width - j.buildWidth
			if j.node.BuildLeft {
				j.out.Values = addOrNull(append(j.out.Values, row...), nil, nulls)
			} else {
				j.out.Values = append(addOrNull(j.out.Values, nil, nulls), row...)
			}
			j.out.Length++
		}
		j.unmatched++
	}
}
