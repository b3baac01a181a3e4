//go:build slatedb

package slatedb_test

import (
	"strings"
	"testing"

	"moraine/store/slatedb"
)

// An endpoint that cannot be used is refused by name before anything is asked of it.
func TestEndpoints(t *testing.T) {
	for _, test := range []struct{ name, endpoint, allowHTTP, want string }{
		{"AWS_ENDPOINT", "nonsense", "", "AWS_ENDPOINT is not of the form https://host:port"},
		{"AWS_ENDPOINT", "localhost:9000", "true", "AWS_ENDPOINT is not of the form https://host:port"},
		{"AWS_ENDPOINT", "http://127.0.0.1:9", "", "AWS_ENDPOINT is plain HTTP, which needs AWS_ALLOW_HTTP=true"},
		{"AWS_ENDPOINT_URL", "http://127.0.0.1:9", "false", "AWS_ENDPOINT_URL is plain HTTP, which needs AWS_ALLOW_HTTP=true"},
		{"AWS_ENDPOINT", "", "", "AWS_ENDPOINT is not of the form https://host:port"},
	} {
		t.Run(test.name+"="+test.endpoint+" "+test.allowHTTP, func(t *testing.T) {
			t.Setenv("AWS_ALLOW_HTTP", test.allowHTTP)
			t.Setenv("AWS_REGION", "us-east-1")
			t.Setenv("AWS_ACCESS_KEY_ID", "key")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			t.Setenv(test.name, test.endpoint)
			_, err := slatedb.Open(background, "s3://bucket/lakes", slatedb.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}
