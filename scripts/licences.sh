#!/usr/bin/env bash
# Prints the table of the modules that the binary links, with their licences: docs/licences.md. Fails when a module's
# licence is not known to be one that we may use.
set -euo pipefail

# name_licence names the licence by the words of its text.
name_licence() {
  local text
  text=$(tr -s ' \r\n\t' ' ' < "$1")
  case $text in
    *"Apache License Version 2.0"*) echo "Apache-2.0" ;;
    *"Permission is hereby granted, free of charge"*) echo "MIT" ;;
    *"Permission to use, copy, modify, and/or distribute"* | *"Permission to use, copy, modify, and distribute"*) echo "ISC" ;;
    *"Neither the name"* | *"names of its contributors"*) echo "BSD-3-Clause" ;;
    *"Redistribution and use in source and binary forms"*) echo "BSD-2-Clause" ;;
    *) return 1 ;;
  esac
}

cat <<'HEADER'
# Licences of what is inside the binary

Moraine itself is under the Apache License 2.0 (`LICENSE`). The binary links these Go modules; the list is made by
`make licences`. libpg_query, inside pg_query_go, contains parts of PostgreSQL under the PostgreSQL licence.

| module | version | licence |
|---|---|---|
HEADER
go list -tags slatedb -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/moraine | sort -u |
  while read -r path version folder; do
    file=$(find "$folder" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' \) | sort | head -n 1)
    licence=$([ -n "$file" ] && name_licence "$file") || { echo "licences.sh: the licence of $path is not known" >&2; exit 1; }
    echo "| $path | $version | $licence |"
  done

# The crates of the SlateDB library, without those that only its compilation needs.
cat <<'HEADER'

Builds with SlateDB (`make build` where there is cargo) link these Rust crates besides.

| crate | version | licence |
|---|---|---|
HEADER
cargo tree --manifest-path store/slatedb/native/Cargo.toml --locked --edges normal,no-proc-macro --prefix none --format '{p}|{l}' |
  sed 's/ (\*)$//' | sort -u |
  while IFS='|' read -r crate licence; do
    read -r name version _ <<<"$crate"
    [ "$name" != moraine-slatedb ] || continue
    # What is left of an expression without the licences that we may use must be empty.
    rest=$(sed -E 's/\b(Apache-2\.0( WITH LLVM-exception)?|MIT(-0)?|BSD-[23]-Clause|ISC|Unicode-3\.0|Zlib|BSL-1\.0|Unlicense|CC0-1\.0|OR|AND)\b//g; s|[ ()/]||g' <<<"$licence")
    [ -n "$licence" ] && [ -z "$rest" ] || { echo "licences.sh: the licence of the crate $name, \"$licence\", is not known to be one that we may use" >&2; exit 1; }
    echo "| $name | ${version#v} | ${licence//|//} |"
  done
