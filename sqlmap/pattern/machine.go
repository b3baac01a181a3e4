package pattern

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// machine runs an expression over a text as Pike's machine does: all ways to match go on side by side, one character at a time,
// so that the time is at most proportional to the text times the expression.
type machine struct {
	*Expression
	text  string
	stop  <-chan struct{}
	steps int // until the next look at stop

	now, next queue
	free      [][]int // places that no thread uses
	matched   bool
	match     []int // the places of the best match so far
	first     []int // those of a thread that starts
}

// stepsPerLook is how many instructions run between two looks at stop.
const stepsPerLook = 1 << 16

// queue has the threads of one position by priority, each instruction once: index says where an instruction stands, if it does.
type queue struct {
	index   []uint32
	threads []thread
}

// thread is one way to match so far. An instruction that needs no character has led to others, and only keeps its place.
type thread struct {
	instruction uint32
	waits       bool // for the next character, or has matched
	places      []int
}

func newMachine(e *Expression, text string, captures int, stop <-chan struct{}) *machine {
	size := len(e.program.Inst)
	m := &machine{Expression: e, text: text, stop: stop, match: make([]int, captures), first: make([]int, captures)}
	for i := range m.first {
		m.first[i] = -1
	}
	for _, q := range []*queue{&m.now, &m.next} {
		q.index, q.threads = make([]uint32, size), make([]thread, 0, size)
	}
	return m
}

// endOfText is the character before and behind a text.
const endOfText rune = -1

// characterAt gives the character at a position, and its bytes: none at the end.
func (m *machine) characterAt(position int) (rune, int) {
	if position >= len(m.text) {
		return endOfText, 0
	}
	if c := m.text[position]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(m.text[position:])
}

// find looks for the first match that starts at the position or behind it, and leaves its places in match.
func (m *machine) find(position int) (found bool, err error) {
	before := endOfText
	if position > 0 {
		before, _ = utf8.DecodeLastRuneInString(m.text[:position])
	}
	m.matched = false
	defer m.clear(&m.now)
	for {
		if len(m.now.threads) == 0 {
			if m.matched || m.anchored && position > 0 {
				break
			}
			if skipped := m.skip(position); skipped < 0 {
				break
			} else if skipped > 0 {
				position += skipped
				before, _ = utf8.DecodeLastRuneInString(m.text[:position])
			}
		}
		character, width := m.characterAt(position)
		if !m.matched {
			if len(m.first) > 0 {
				m.first[0] = position
			}
			m.add(&m.now, uint32(m.program.Start), position, m.first, m.between(before, character))
		}
		after, _ := m.characterAt(position + width)
		m.step(position, width, character, m.between(character, after))
		if width == 0 || m.matched && len(m.match) == 0 {
			break
		}
		position, before = position+width, character
		m.now, m.next = m.next, m.now
		if m.stopped() {
			return false, ErrStopped
		}
	}
	m.clear(&m.next)
	return m.matched, nil
}

// skip gives the bytes to the next place where the prefix of all matches stands; -1 when there is none.
func (m *machine) skip(position int) int {
	if m.prefix == "" || m.anchored {
		return 0
	}
	return strings.Index(m.text[position:], m.prefix)
}

// between tells what an expression may ask of the place between two characters.
func (m *machine) between(before, after rune) syntax.EmptyOp {
	if !m.contextual {
		return 0
	}
	return syntax.EmptyOpContext(before, after)
}

func (m *machine) take() []int {
	if last := len(m.free) - 1; last >= 0 {
		places := m.free[last]
		m.free = m.free[:last]
		return places
	}
	return make([]int, len(m.match))
}

func (m *machine) give(places []int) { m.free = append(m.free, places) }

func (m *machine) clear(q *queue) {
	for _, thread := range q.threads {
		if thread.waits {
			m.give(thread.places)
		}
	}
	q.threads = q.threads[:0]
}

// stopped looks, now and then, whether the match is to stop.
func (m *machine) stopped() bool {
	if m.steps > 0 {
		return false
	}
	m.steps = stepsPerLook
	select {
	case <-m.stop:
		return true
	default:
		return false
	}
}

// step runs all threads over the character at a position. What holds behind it decides which of them go on.
func (m *machine) step(position, width int, character rune, behind syntax.EmptyOp) {
	m.steps -= len(m.now.threads) + 1
	for i := range m.now.threads {
		thread := &m.now.threads[i]
		if !thread.waits {
			continue
		}
		if m.longest && m.matched && len(m.match) > 0 && m.match[0] < thread.places[0] {
			m.give(thread.places)
			continue
		}
		instruction := &m.program.Inst[thread.instruction]
		if instruction.Op == syntax.InstMatch {
			m.keep(thread, position)
			if !m.longest {
				m.cut(i + 1) // those of lower priority
				break
			}
			continue
		}
		if character != endOfText && matches(instruction, character) {
			m.add(&m.next, instruction.Out, position+width, thread.places, behind)
		}
		m.give(thread.places)
	}
	m.now.threads = m.now.threads[:0]
}

func matches(instruction *syntax.Inst, character rune) bool {
	switch instruction.Op {
	case syntax.InstRune1:
		return character == instruction.Rune[0]
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return character != '\n'
	}
	return instruction.MatchRune(character)
}

// keep makes a thread that has matched the best match, unless a longer one is known.
func (m *machine) keep(thread *thread, position int) {
	if len(m.match) > 0 && (!m.longest || !m.matched || m.match[1] < position) {
		thread.places[1] = position
		copy(m.match, thread.places)
	}
	m.matched = true
	m.give(thread.places)
}

func (m *machine) cut(from int) {
	for _, thread := range m.now.threads[from:] {
		if thread.waits {
			m.give(thread.places)
		}
	}
}

// add puts an instruction into the queue, with all that follow it without a character. places are those of the thread that comes
// here; they are as before afterwards. holds is what is true between the character before the position and the one behind it.
func (m *machine) add(q *queue, at uint32, position int, places []int, holds syntax.EmptyOp) {
	for {
		if i := q.index[at]; int(i) < len(q.threads) && q.threads[i].instruction == at {
			return
		}
		q.index[at] = uint32(len(q.threads))
		q.threads = append(q.threads, thread{instruction: at})
		instruction := &m.program.Inst[at]
		switch instruction.Op {
		case syntax.InstFail:
			return
		case syntax.InstAlt, syntax.InstAltMatch:
			m.add(q, instruction.Out, position, places, holds)
			at = instruction.Arg
			continue
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(instruction.Arg)&^holds != 0 {
				return
			}
		case syntax.InstCapture:
			if place := int(instruction.Arg); place < len(places) {
				before := places[place]
				places[place] = position
				m.add(q, instruction.Out, position, places, holds)
				places[place] = before
				return
			}
		case syntax.InstNop:
		default:
			last := &q.threads[len(q.threads)-1]
			last.places, last.waits = m.take(), true
			copy(last.places, places)
			return
		}
		at = instruction.Out
	}
}
