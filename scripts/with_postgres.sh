#!/usr/bin/env bash
# Runs a command beside a PostgreSQL 15 of its own: fresh cluster in a temporary folder, default configuration, fsync on,
# every client trusted, and a database `moraine` as Moraine has it. POSTGRES_CONNECTION tells the command how to reach it
# (dbname is left open).
#
#     scripts/with_postgres.sh COMMAND [ARGUMENT...]
set -euo pipefail

binaries=${POSTGRES_BINARIES:-/usr/lib/postgresql/15/bin}
[ -x "$binaries/initdb" ] || { echo "with_postgres.sh: no PostgreSQL 15 in $binaries (set POSTGRES_BINARIES)" >&2; exit 1; }

folder=$(mktemp -d)
port=$("$(dirname "$0")/free_port.sh")

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}
stop() {
  as_postgres "$binaries/pg_ctl" stop --pgdata "$folder/data" --mode fast >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT

[ "$(id -u)" != 0 ] || chown postgres "$folder"
cd "$folder"
as_postgres "$binaries/initdb" --pgdata "$folder/data" --username postgres --auth trust --encoding UTF8 --locale C.UTF-8 >/dev/null
as_postgres "$binaries/pg_ctl" start --wait --pgdata "$folder/data" --log "$folder/log" \
  --options "-c port=$port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c timezone=UTC" >/dev/null
as_postgres "$binaries/createdb" --host 127.0.0.1 --port "$port" --username postgres moraine
cd - >/dev/null

POSTGRES_CONNECTION="host=127.0.0.1 port=$port user=postgres" "$@"
