#!/usr/bin/env bash
# Runs a command beside a Moraine of its own: bin/moraine on a fresh store in a temporary folder. MORAINE_CONNECTION
# tells the command how to reach it (dbname is left open), and MORAINE_PROCESS the id of its process. What the server logs
# is shown when it or the command fails.
#
#     scripts/with_moraine.sh COMMAND [ARGUMENT...]
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
port=$("$top/scripts/free_port.sh")

"$top/bin/moraine" serve --listen "127.0.0.1:$port" --store "$folder/store" >"$folder/log" 2>&1 &
server=$!
stop() {
  status=$?
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ "$status" = 0 ] || tail -n 50 "$folder/log" >&2
  rm -rf "$folder"
}
trap stop EXIT

for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then ready=yes; break; fi
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
[ "${ready:-no}" = yes ] || { echo "with_moraine.sh: the server does not answer" >&2; exit 1; }

MORAINE_CONNECTION="host=127.0.0.1 port=$port user=postgres" MORAINE_PROCESS="$server" "$@"
