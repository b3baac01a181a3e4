#!/usr/bin/env bash
# Holds docs/limits.md to the source: each constant it names must have the value that it gives.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
while IFS= read -r constant; do
  file=${constant%%: *}
  definition=${constant#*: }
  # Between name, = and value the source may have any number of blanks; comments may follow.
  pattern="\\b${definition%% = *}( [a-z]+)? *= *$(sed 's/[*().+]/\\&/g' <<<"${definition#* = }")( *//.*)?$"
  if ! grep -qE "$pattern" "$file"; then
    echo "docs/limits.md: $file has no \"$definition\"" >&2
    status=1
  fi
done < <(grep -oE '`[a-z/]+\.go: [^`]+`' docs/limits.md | tr -d '`')
exit $status
