package function

import (
	_ "embed"       // the recorded names of time zones
	_ "time/tzdata" // so that zones are known on machines without a database of zones
)

//go:embed catalog/time_zones.tsv
var timeZoneRecords string

// timeZones are the names of the time zones, in order, and by their lower-case spelling.
var timeZones struct {
	names   []string
	byLower map[string]string
}

func loadTimeZones() {
	timeZones.byLower = map[string]string{}
	eachRow(timeZoneRecords, func(r *fieldReader) {
		name := r.text()
		timeZones.names = append(timeZones.names, name)
		timeZones.byLower[lowerASCII(name)] = name
	})
}
