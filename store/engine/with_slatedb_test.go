//go:build slatedb

package engine

import (
	"strings"
	"testing"
)

func TestLocationsOfObjectStores(t *testing.T) {
	for location, want := range map[string]string{
		"s3://bucket":           "",
		"s3://bucket/some/path": "",
		"gs://bucket/path":      "",
		"az://container/path":   "",
		"abfss://container@account.dfs.core.windows.net/path": "",
		"file:///var/lib/moraine":                             "",
		"":                                                    "the store is empty",
		"s3:///path":                                          "names no bucket",
		"s3://bucket/path?region=x":                           "come from the environment",
		"s3://key:secret@bucket":                              "come from the environment",
		"file://relative/path":                                "with three slashes",
		"file:///":                                            "names no directory",
		"http://host/path":                                    "no engine is known",
		"memory:///":                                          "no engine is known",
	} {
		err := Validate(location)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", location, err, want)
		}
	}
}
