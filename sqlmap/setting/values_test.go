package setting

import (
	"testing"

	"moraine/pgerror"
)

func TestValuesAreReadAndShownAsInPostgreSQL(t *testing.T) {
	for _, test := range []struct{ name, value, shown, code string }{
		{"statement_timeout", "300ms", "300ms", ""},
		{"statement_timeout", "1000", "1s", ""},
		{"statement_timeout", "90s", "90s", ""},
		{"statement_timeout", "1.5 min", "90s", ""},
		{"statement_timeout", "2h", "2h", ""},
		{"statement_timeout", "0", "0", ""},
		{"statement_timeout", "-1", "", pgerror.InvalidParameterValue},
		{"statement_timeout", "1 parsec", "", pgerror.InvalidParameterValue},
		{"work_mem", "64MB", "64MB", ""},
		{"work_mem", "0x1000", "4MB", ""},
		{"work_mem", "1", "", pgerror.InvalidParameterValue},
		{"effective_cache_size", "1GB", "1GB", ""},
		{"extra_float_digits", "3", "3", ""},
		{"extra_float_digits", "4", "", pgerror.InvalidParameterValue},
		{"random_page_cost", "1.5", "1.5", ""},
		{"default_transaction_read_only", "yes", "on", ""},
		{"default_transaction_read_only", "maybe", "", pgerror.InvalidParameterValue},
		{"bytea_output", "ESCAPE", "escape", ""},
		{"bytea_output", "base64", "", pgerror.InvalidParameterValue},
		{"DateStyle", "German", "German, DMY", ""},
		{"datestyle", "ymd", "ISO, YMD", ""},
		{"datestyle", "sql, european", "SQL, DMY", ""},
		{"datestyle", "roman", "", pgerror.InvalidParameterValue},
		{"timezone", "Europe/Paris", "Europe/Paris", ""},
		{"timezone", "europe/paris", "Europe/Paris", ""},
		{"timezone", "utc", "UTC", ""},
		{"timezone", "+2", "<+02>-02", ""},
		{"timezone", "-3.5", "<-03:30>+03:30", ""},
		{"timezone", "Nowhere/Nothing", "", pgerror.InvalidParameterValue},
		{"client_encoding", "utf-8", "UTF8", ""},
		{"client_encoding", "klingon", "", pgerror.InvalidParameterValue},
		{"search_path", `"My Schema", public`, `"My Schema", public`, ""},
		{"search_path", `a b`, "", pgerror.InvalidParameterValue},
		{"application_name", "caf\u00e9", "caf??", ""},
		{"standard_conforming_strings", "off", "", pgerror.FeatureNotSupported},
		{"server_version", "16", "", pgerror.CantChangeRuntimeParameter},
		{"nosuch", "1", "", pgerror.UndefinedObject},
		{"my.var", "x", "x", ""},
		{"my.1var", "x", "", pgerror.UndefinedObject},
	} {
		values := New(nil)
		err := values.Set(test.name, test.value, false)
		if test.code != "" {
			if !pgerror.HasCode(err, test.code) {
				t.Errorf("SET %s = %q: got %v, want %s", test.name, test.value, err, test.code)
			}
			continue
		}
		if shown, _ := values.Get(test.name); err != nil || shown != test.shown {
			t.Errorf("SET %s = %q: shows %q (%v), want %q", test.name, test.value, shown, err, test.shown)
		}
	}
}

func TestRestoreUndoesSessionAndLocalValues(t *testing.T) {
	values := New(map[string]string{})
	if err := values.SetStartup("application_name", "first"); err != nil {
		t.Fatal(err)
	}
	before := values.State()
	mustSet(t, values, "application_name", "second", false)
	mustSet(t, values, "application_name", "third", true)
	expect(t, values, "third")
	values.EndLocal()
	expect(t, values, "second")
	values.Restore(before)
	expect(t, values, "first")
	mustSet(t, values, "application_name", "fourth", false)
	if err := values.Reset("application_name", false); err != nil {
		t.Fatal(err)
	}
	expect(t, values, "first")
}

func mustSet(t *testing.T, values *Values, name, value string, local bool) {
	t.Helper()
	if err := values.Set(name, value, local); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, values *Values, want string) {
	t.Helper()
	if got, _ := values.Get("application_name"); got != want {
		t.Fatalf("application_name is %q, want %q", got, want)
	}
}

func TestReportTellsOnlyChanges(t *testing.T) {
	values := New(map[string]string{"server_version": "15.0"})
	var names []string
	report := func(name, _ string) { names = append(names, name) }
	values.Report(report)
	if len(names) != len(reported) {
		t.Fatalf("the first report names %v", names)
	}
	names = nil
	mustSet(t, values, "timezone", "Europe/Paris", false)
	mustSet(t, values, "work_mem", "64MB", false)
	values.Report(report)
	if len(names) != 1 || names[0] != "TimeZone" {
		t.Fatalf("reported %v, want TimeZone alone", names)
	}
}
