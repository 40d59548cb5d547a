#!/usr/bin/env bash
# unit.sh BUILD_DIR SOURCE_DIR: the systemd unit is valid, its exposure is at most 2.0 of 10 by
# systemd's own count, and it is of the type that the daemon speaks.
set -euo pipefail
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "unit.sh: $*" >&2; exit 1; }

# The programs need not be installed for the unit to be read.
sed -e "s|@programs@/restanted|$1/sipplugin/restanted|" -e "s|@configuration@|/etc/restante|" -e "s|@documents@|/usr/share/doc/restante|" \
    "$source/resources/systemd/restanted.service.in" >"$work/restanted.service"
for line in Type=notify NotifyAccess=main WatchdogSec=60 UMask=0077 StateDirectoryMode=0700 Restart=always StartLimitIntervalSec=0; do
    grep -qxF "$line" "$work/restanted.service" || fail "the unit has no $line"
done
command -v systemd-analyze >/dev/null || fail "systemd-analyze is not here; install the package systemd"
said=$(cd "$work" && systemd-analyze verify --man=no ./restanted.service 2>&1) || fail "the unit is not valid: $said"
said=$(cd "$work" && systemd-analyze security --offline=true --threshold=20 --no-pager restanted.service 2>&1) ||
    fail "the unit is exposed by more than 2.0: $said"
tail -1 <<<"$said"
