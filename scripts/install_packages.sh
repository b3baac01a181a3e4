#!/usr/bin/env bash
# Installs the named Debian packages that are missing, where the machine has apt-get and the user is root. Elsewhere it
# tells what to install.
set -euo pipefail

missing=()
for package in "$@"; do
  case $package in
    postgresql-15) [ -x /usr/lib/postgresql/15/bin/initdb ] || missing+=("$package") ;;
    postgresql-client) command -v psql >/dev/null || missing+=("$package") ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=("$package") ;;
    build-essential) command -v gcc >/dev/null && command -v make >/dev/null || missing+=("$package") ;;
    *) echo "install_packages.sh: how to find $package is not known" >&2; exit 2 ;;
  esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Please install: ${missing[*]} (or its like on this system)." >&2
  exit 1
fi
apt-get update -qq
# The packages' own database cluster is not wanted: the scripts start theirs in temporary folders.
mkdir -p /etc/postgresql-common/createcluster.d
echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/moraine.conf
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
