package engine

import (
	"strings"
	"testing"
)

func TestRedacted(t *testing.T) {
	for location, want := range map[string]string{
		"/var/lib/moraine":                         "/var/lib/moraine",
		"s3://bucket/a%20path":                     "s3://bucket/a%20path",
		"abfss://container@account.example/path":   "abfss://container@account.example/path",
		"s3://key:secret@bucket/path":              "s3://key:xxxxx@bucket/path",
		"az://container/path?sv=1&sig=secret":      "az://container/path?...",
		"az://container/path#secret":               "az://container/path?...",
		"s3://key:sec%ret@bucket/path":             "s3://...",
		"s3://key:secret/secret@bucket?sig=secret": "s3://...",
	} {
		if got := Redacted(location); got != want {
			t.Errorf("%q is shown as %q, not %q", location, got, want)
		}
		if err := Validate(location); err != nil && strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: %v", location, err)
		}
	}
}
