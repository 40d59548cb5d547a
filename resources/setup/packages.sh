#!/usr/bin/env bash
# Installs the Debian packages that a purpose needs and that are not there yet.
#
#   resources/setup/packages.sh PURPOSE...          build, test, run
#   resources/setup/packages.sh --list PURPOSE...   only prints their names, one a line
#
# The one list of packages of the project, for Debian 12 and 13. Needs no network, and no root, when
# nothing is missing. Services that packages bring along are neither started nor left enabled (an
# sshd, say, on a machine that had none); those that were there before are left alone. The tests and
# ./run start what they need, on their own sockets and ports.
set -euo pipefail

fail() { echo "packages.sh: $*" >&2; exit 1; }

debian_version() {
    local id=none version=0
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && echo "${ID:-none}")
        version=$(. /etc/os-release && echo "${VERSION_ID:-0}")
    fi
    [ "$id" = debian ] || fail "this is '$id', not Debian: install by hand what '$0 --list build test run' prints, by your system's names"
    echo "${version%%.*}"
}

packages_for() {
    case $1 in
        build)
            echo g++ make cmake ninja-build ccache pkg-config dpkg-dev file
            echo libhiredis-dev libsofia-sip-ua-dev libc-ares-dev libssl-dev zlib1g-dev libjemalloc-dev
            echo libfmt-dev libspdlog-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libexpected-dev
            echo libboost-dev libcurl4-openssl-dev
            echo qt6-base-dev qt6-svg-dev qt6-tools-dev qt6-l10n-tools qt6-translations-l10n qtkeychain-qt6-dev
            echo libexpat1-dev libsoci-dev libsqlite3-dev default-libmysqlclient-dev libpq-dev
            ;;
        run)
            echo redis-server ca-certificates tzdata curl
            ;;
        test)
            echo git procps python3 openssl libgtest-dev libgmock-dev libbenchmark-dev
            echo redis-server redis-tools sip-tester baresip-core linphone-cli valgrind
            echo kamailio kamailio-presence-modules kamailio-sqlite-modules
            echo kamailio-tls-modules kamailio-websocket-modules
            echo nftables groff-base curl sqlite3 mariadb-server postgresql kannel kannel-extras
            echo openssh-client openssh-server nodejs npm systemd
            echo xvfb xauth desktop-file-utils appstream fonts-dejavu-core fonts-wqy-microhei
            # Formatting depends on the version of the tool: only Debian 12 has the one we agreed on.
            if [ "$(debian_version)" = 12 ]; then
                echo clang-14 clang-format-14 clang-tidy-14
            else
                echo clang valkey-server
            fi
            ;;
        *) fail "unknown purpose '$1': build, test and run are known" ;;
    esac
}

list_packages() { for purpose in "$@"; do packages_for "$purpose"; done | tr ' ' '\n' | sort -u; }

# Node.js often comes from elsewhere than Debian, with an npm of its own, and its package conflicts
# with Debian's npm: there we need the command, not the package.
is_there() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] && return 0
    case $1 in
        nodejs) command -v node >/dev/null ;;
        npm) command -v node >/dev/null && command -v npm >/dev/null ;;
        *) return 1 ;;
    esac
}

missing_of() {
    for package in "$@"; do is_there "$package" || echo "$package"; done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo -- "$@"
    else fail "needs root to install packages, and there is no sudo: run it as root once, or install: $missing"
    fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@"; }

# The services that start at boot, as links of systemd and of init.
enabled_services() {
    local link
    for link in /etc/systemd/system/{multi-user,graphical,default,sockets}.target.wants/* /etc/rc2.d/S*; do
        if [ -L "$link" ]; then echo "$link"; fi
    done | sort
}

# While packages are set up, invoke-rc.d asks this file: 101 means "do not start it". One that is
# there already is kept. One of ours that a killed run left behind is taken over, as it remembers
# what was enabled before that run.
policy=/usr/sbin/policy-rc.d
policy_marker='written by restante, resources/setup/packages.sh'
enabled_list_header='^exit 101 # enabled before:$'
policy_is_ours=no
hold_services() {
    if [ -e "$policy" ] && ! grep -q "$policy_marker" "$policy"; then
        [ ! -e "$policy.before-restante" ] || fail "$policy.before-restante is in the way: look at it and remove it"
        as_root mv "$policy" "$policy.before-restante"
    fi
    policy_is_ours=yes
    if ! grep -q "$enabled_list_header" "$policy" 2>/dev/null; then
        { printf '#!/bin/sh\n# %s\nexit 101 # enabled before:\n' "$policy_marker"; enabled_services | sed 's/^/# /'; } | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
}
disable_new_services() {
    local link name names=''
    grep -q "$enabled_list_header" "$policy" 2>/dev/null || return 0
    while IFS= read -r link; do
        case $link in
            /etc/rc2.d/*) name=${link#/etc/rc2.d/S[0-9][0-9]}; as_root update-rc.d "$name" disable ;;
            *) name=${link##*/}; as_root deb-systemd-helper disable "$name"; name=${name%.service} ;;
        esac >/dev/null 2>&1 </dev/null || echo "packages.sh: $name could not be disabled; it starts at the next boot" >&2
        case " $names " in *" $name "*) ;; *) names="$names $name" ;; esac
    done < <(comm -13 <(sed -n 's,^# /,/,p' "$policy") <(enabled_services))
    if [ -n "$names" ]; then echo "not enabled (systemctl enable --now NAME does it):$names" >&2; fi
    if [ -n "$names" ] && [ -d /run/systemd/system ]; then as_root systemctl daemon-reload || true; fi
}
release_services() {
    [ "$policy_is_ours" = yes ] || return 0
    disable_new_services
    as_root rm -f "$policy"
    if [ -e "$policy.before-restante" ]; then as_root mv "$policy.before-restante" "$policy"; fi
}

# One line of progress on a terminal; every fiftieth step elsewhere, so that a log shows life.
progress() {
    local line step=0
    while IFS= read -r line; do
        case $line in
            Unpacking* | Setting\ up*)
                step=$((step + 1))
                if [ -t 2 ]; then printf '\r\033[K  %4d  %.90s' "$step" "$line" >&2
                elif [ $((step % 50)) = 0 ]; then printf '  %4d  %s\n' "$step" "$line" >&2
                fi
                ;;
        esac
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

install() {
    local log
    log=$(mktemp)
    echo "installing $(wc -w <<<"$missing") packages and what they need: $missing" >&2
    trap release_services EXIT
    hold_services
    # Finish what a killed run of dpkg has left, because it blocks every installation.
    if [ -n "$(dpkg --audit)" ]; then as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a </dev/null >&2; fi
    # An unreachable extra source of the machine must not stop us: the installation itself decides.
    apt update >"$log" 2>&1 || { echo "  apt-get update was not complete:" >&2; grep -E '^(E|W|Err)' "$log" | head -5 >&2 || true; }
    # shellcheck disable=SC2086
    if ! apt install -y --no-install-recommends $missing 2>&1 </dev/null | tee "$log" | progress; then
        tail -25 "$log" >&2
        fail "apt-get could not install: $missing (whole output: $log)"
    fi
    rm -f "$log"
}

list_only=no
if [ "${1:-}" = --list ]; then list_only=yes; shift; fi
[ $# -gt 0 ] || fail "name a purpose: build, test, run"
debian_version >/dev/null
all=$(list_packages "$@")
if [ "$list_only" = yes ]; then echo "$all"; exit 0; fi
missing=$(missing_of $all | xargs)
if [ -n "$missing" ]; then install; fi
