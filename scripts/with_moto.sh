#!/usr/bin/env bash
# Runs a command beside an S3 server of its own: moto, with an empty bucket "lakes". The AWS_ variables tell the command how
# to reach it, and MORAINE_FAULTS_STORE names the store. moto is installed into .cache/moto when it is not there.
#
#     scripts/with_moto.sh COMMAND [ARGUMENT...]
set -euo pipefail

version=5.2.5
top=$(cd "$(dirname "$0")/.." && pwd)
environment=$top/.cache/moto
if [ "$(cat "$environment/version" 2>/dev/null)" != "$version" ]; then
  "$top/scripts/install_packages.sh" python3-venv
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet "moto[server]==$version"
  echo "$version" > "$environment/version"
fi

folder=$(mktemp -d)
port=$("$top/scripts/free_port.sh")
"$environment/bin/moto_server" --host 127.0.0.1 --port "$port" >"$folder/log" 2>&1 &
server=$!
stop() {
  status=$?
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ "$status" = 0 ] || tail -n 20 "$folder/log" >&2
  rm -rf "$folder"
}
trap stop EXIT

create='import sys, urllib.request; urllib.request.urlopen(urllib.request.Request(sys.argv[1], method="PUT"))'
for _ in $(seq 300); do
  if python3 -c "$create" "http://127.0.0.1:$port/lakes" 2>/dev/null; then ready=yes; break; fi
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
[ "${ready:-no}" = yes ] || { echo "with_moto.sh: the server does not answer" >&2; exit 1; }

MORAINE_FAULTS_STORE=s3://lakes AWS_ENDPOINT="http://127.0.0.1:$port" AWS_ALLOW_HTTP=true AWS_REGION=us-east-1 \
  AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test "$@"
