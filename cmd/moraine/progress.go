package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"moraine/transfer"
)

// How often progress is shown: on a terminal in one line that is written anew, elsewhere in lines of a log.
const (
	terminalInterval = 100 * time.Millisecond
	plainInterval    = 10 * time.Second
)

// terminalWidth is how many characters of a line are shown on a terminal: what wraps could not be written anew.
const terminalWidth = 79

// progressLine shows how far a copy is.
type progressLine struct {
	log      io.Writer
	terminal bool
	phase    transfer.Phase
	number   int
	begun    time.Time // the phase of the lake
	shown    time.Time
	open     bool // the line on the terminal has not been ended
}

func newProgressLine(log io.Writer) *progressLine {
	return &progressLine{log: log, terminal: isTerminal(log)}
}

func isTerminal(log io.Writer) bool {
	file, is := log.(*os.File)
	if !is {
		return false
	}
	information, err := file.Stat()
	return err == nil && information.Mode()&os.ModeCharDevice != 0
}

// show is told how far the copy is, much more often than is shown.
func (l *progressLine) show(p transfer.Progress) {
	now := time.Now()
	first := p.Phase != l.phase || p.Number != l.number
	if first {
		l.phase, l.number, l.begun = p.Phase, p.Number, now
	}
	interval := plainInterval
	if l.terminal {
		interval = terminalInterval
	}
	if !first && now.Sub(l.shown) < interval {
		return
	}
	l.shown = now
	text := fmt.Sprintf("%s %s (%d of %d)", p.Phase, p.Path, p.Number, p.Count)
	if p.Keys > 0 {
		text += fmt.Sprintf(": %d records, %s", p.Keys, sizeText(p.Bytes))
	}
	if elapsed := now.Sub(l.begun); p.Keys > 0 && elapsed >= time.Second {
		text += fmt.Sprintf(", %s/s", sizeText(int64(float64(p.Bytes)/elapsed.Seconds())))
	}
	if !l.terminal {
		fmt.Fprintln(l.log, text)
		return
	}
	fmt.Fprintf(l.log, "\r%.*s\x1b[K", terminalWidth, text)
	l.open = true
}

// end takes the line off the terminal.
func (l *progressLine) end() {
	if l.open {
		fmt.Fprint(l.log, "\r\x1b[K")
		l.open = false
	}
}
