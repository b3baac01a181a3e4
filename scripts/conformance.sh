#!/usr/bin/env bash
# Runs DuckLake's own tests against a fresh Moraine and compares with PostgreSQL 15.
#
#     scripts/conformance.sh SUITE [GLOB]
#
# SUITE is a checkout of the DuckLake repository. Results go to bin/conformance.json.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
suite=${1:-}
filter=${2:-}
if [ ! -f "$suite/test/configs/postgres.json" ]; then
  echo "conformance.sh: '$suite' is no checkout of DuckLake (make conformance SUITE=folder; see conformance/README.md)" >&2
  exit 2
fi

if [ -z "${MORAINE_CONNECTION:-}" ]; then
  "$top/.venv/bin/pip" install --quiet --requirement "$top/conformance/requirements.txt"
  exec "$top/scripts/with_moraine.sh" "$0" "$@"
fi

# partition_inlining.test attaches four databases that must be there and empty.
"$top/.venv/bin/python" - "$MORAINE_CONNECTION" <<'PYTHON'
import sys
import psycopg
with psycopg.connect(sys.argv[1] + " dbname=moraine", autocommit=True) as connection:
    for suffix in ("", "_del", "_nopart", "_transform"):
        connection.execute(f"CREATE DATABASE ducklakedb{suffix}")
PYTHON

"$top/.venv/bin/python" "$top/conformance/ducklake_suite.py" --suite "$suite" \
  --conn "postgres:$MORAINE_CONNECTION dbname=ducklakedb" --config test/configs/postgres.json \
  --json "$top/bin/conformance.json" --baseline "$top/conformance/baseline_postgres15.json" \
  ${filter:+--filter "$filter"}
