package pgcatalog

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"moraine/relation"
)

//go:embed data/zones.txt
var zoneNames string

const microsecondsPerSecond = 1_000_000

// zoneRows gives the time zones with the abbreviation and offset that they have now.
func zoneRows(_ context.Context, s *scan) error {
	now := time.Now()
	for line := range strings.Lines(zoneNames) {
		name := strings.TrimSuffix(line, "\n")
		location, err := time.LoadLocation(name)
		if err != nil {
			continue // this program's tz database is another release
		}
		local := now.In(location)
		abbreviation, offset := local.Zone()
		if !s.emit(relation.Row{
			text(name), text(abbreviation), relation.Interval(int64(offset)*microsecondsPerSecond, 0, 0), relation.Bool(local.IsDST()),
		}) {
			return nil
		}
	}
	return nil
}
