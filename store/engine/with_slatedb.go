//go:build slatedb

package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"moraine/store"
	"moraine/store/slatedb"
)

// objectStores are the schemes of the providers.
var objectStores = map[string]bool{"s3": true, "s3a": true, "gs": true, "az": true, "azure": true, "abfs": true, "abfss": true}

// validateObjectStore checks that a URL has the form of one that SlateDB opens.
func validateObjectStore(location string) error {
	parsed, err := url.Parse(location)
	switch {
	case err != nil:
		// The error has the URL in it, with its secrets.
		return fmt.Errorf("the store %q is not a URL: in its names, a space is written %%20, and %% is %%25", Redacted(location))
	case hasPassword(parsed.User):
		return fmt.Errorf("the store %q has a password: credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...)",
			Redacted(location))
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return fmt.Errorf("the store %q has more than a path: credentials and settings come from the environment (AWS_ENDPOINT, AWS_ACCESS_KEY_ID, ...)",
			Redacted(location))
	case parsed.Scheme == "file":
		if parsed.Host != "" || !strings.HasPrefix(parsed.Path, "/") || strings.Trim(parsed.Path, "/") == "" {
			return fmt.Errorf("the store %q names no directory: write file:///path, with three slashes", location)
		}
	case !objectStores[parsed.Scheme]:
		return fmt.Errorf("no engine is known for %s:// stores (%q); there are s3://, gs://, az://, abfss:// and file://, or a plain directory",
			parsed.Scheme, Redacted(location))
	case parsed.Host == "":
		return fmt.Errorf("the store %q names no bucket: write %s://bucket/path", Redacted(location), parsed.Scheme)
	}
	return nil
}

func hasPassword(user *url.Userinfo) bool {
	_, found := user.Password()
	return found
}

func openObjectStore(ctx context.Context, location string, options Options) (store.Engine, error) {
	opened, err := slatedb.Open(ctx, location, slatedb.Options{ReadOnly: options.ReadOnly, Log: options.Log})
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", Redacted(location), err)
	}
	return opened, nil
}
