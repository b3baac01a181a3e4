package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Stamped by the linker: -X main.version=... -X main.buildDate=...
var (
	version   string
	buildDate string
)

// buildVersion gives the stamped version, or else what the Go tool has noted: the module's version or the commit.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, known := debug.ReadBuildInfo()
	if !known {
		return "unknown"
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	if revision := buildSetting(info, "vcs.revision"); len(revision) >= 12 {
		return revision[:12]
	}
	return "devel"
}

func buildSetting(info *debug.BuildInfo, key string) string {
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
}

// describeVersion gives the line that `moraine version` prints.
func describeVersion() string {
	date := ""
	if buildDate != "" {
		date = ", built " + buildDate
	}
	return fmt.Sprintf("moraine %s (%s, %s/%s%s)", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, date)
}
