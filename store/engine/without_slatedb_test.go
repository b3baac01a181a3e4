//go:build !slatedb

package engine

import (
	"strings"
	"testing"
)

func TestObjectStoresNeedTheirEngine(t *testing.T) {
	if err := Validate("s3://bucket/path"); err == nil || !strings.Contains(err.Error(), "build with cargo installed") {
		t.Errorf("error %v", err)
	}
	if err := Validate("/a/directory"); err != nil {
		t.Error(err)
	}
}
