#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, one after the other.
#
#     scripts/fuzz.sh 30s
set -euo pipefail

time=$1
go=${GO:-go}
for package in $("$go" list ./...); do
  for target in $("$go" test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "== $package $target"
    "$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
  done
done
