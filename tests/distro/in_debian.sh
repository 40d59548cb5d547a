#!/usr/bin/env bash
# Runs a command of the project on a bare Debian 12 or 13, made in a folder.
#
#   tests/distro/in_debian.sh [OPTION...] 12|13 COMMAND...
#
#   tests/distro/in_debian.sh 13 ./check
#   tests/distro/in_debian.sh 12 ./run --demo
#
#   --dir DIR      where the systems live (build/distro)
#   --ccache DIR   keeps what is compiled there from run to run
#   --keep         keeps the system with its packages and its build, and goes on in one that was kept
#   --offline      no network but its own loopback: for a system that has its packages (with --keep)
#   --mirror URI   the Debian mirror, instead of that of this machine's apt
#
# The system has what debootstrap's "minbase" has and nothing else: no compiler, no ca-certificates,
# an empty home, no terminal; the tree is a copy without .git and build. It has processes and mounts
# of its own, which the kernel takes away with it: Ctrl-C or a kill leaves nothing running and
# nothing mounted. The bare system is kept in DIR and copied for each run.
#
# Needs root and debootstrap, some 5 GB of disk for ./check, and apt's network for the packages.
# The last line says how long it took; exits with the command's status.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() { printf 'in_debian.sh: %s\n' "$*" >&2; exit 2; }
usage() { fail "$*; see tests/distro/in_debian.sh --help"; }

systems=$source/build/distro ccache='' keep=no offline=no mirror=''
while [ $# -gt 0 ]; do
    case $1 in
        --dir) systems=${2:?a folder}; shift ;;
        --ccache) ccache=${2:?a folder}; shift ;;
        --mirror) mirror=${2:?a URI}; shift ;;
        --keep) keep=yes ;;
        --offline) offline=yes ;;
        -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        -*) usage "'$1' is not known" ;;
        *) break ;;
    esac
    shift
done
case ${1:-} in
    12) codename=bookworm ;;
    13) codename=trixie ;;
    *) usage "name Debian 12 or 13, then a command" ;;
esac
version=$1
shift
[ $# -gt 0 ] || usage "name a command, such as ./check"
[ "$(id -u)" = 0 ] || fail "needs root: debootstrap and chroot do"
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"
for folder in "$systems" "$ccache"; do [ -z "$folder" ] || mkdir -p "$folder"; done
systems=$(cd "$systems" && pwd)
[ -z "$ccache" ] || ccache=$(cd "$ccache" && pwd)
base=$systems/debian$version.base
root=$systems/debian$version

exec 9>"$root.lock"
flock -n 9 || fail "$root is in use by another run; give this one another --dir"

# Everything below runs in namespaces of its own and ends with this process, however that ends.
apart=(setpriv --pdeathsig KILL unshare --mount --pid --ipc --fork --kill-child --)
child=''
stop() {
    trap - EXIT
    if [ -n "$child" ]; then
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    rm -rf "$base.part"
    if [ "$keep" = no ]; then rm -rf --one-file-system "$root"; fi
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# In the background, because bash runs a trap only between commands; without a terminal.
in_background() {
    "$@" </dev/null &
    child=$!
    local status=0
    wait "$child" || status=$?
    child=''
    return $status
}

# The mirror of this machine's apt, by what it says it is: Debian or Debian-Security.
mirror_of() {
    local found
    # shellcheck disable=SC2016
    found=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sed -n "s/^$1 //p" | head -1)
    echo "${found%/}"
}

make_base() {
    mirror=${mirror:-$(mirror_of Debian)}
    [ -n "$mirror" ] || fail "this machine's apt names no mirror of Debian: use --mirror"
    local security include=()
    security=$(mirror_of Debian-Security)
    if [[ $mirror$security == *https:* ]]; then include=(--include=ca-certificates); fi
    echo "in_debian.sh: making a bare Debian $version in $base" >&2
    rm -rf "$base.part"
    in_background "${apart[@]}" debootstrap --variant=minbase "${include[@]}" "$codename" "$base.part" "$mirror" >"$base.log" 2>&1 ||
        fail "debootstrap failed: $(tail -3 "$base.log") (whole output: $base.log)"
    {
        echo "deb $mirror $codename main"
        echo "deb $mirror $codename-updates main"
        if [ -n "$security" ]; then echo "deb $security $codename-security main"; fi
    } >"$base.part/etc/apt/sources.list"
    apt-config dump --format '%f "%v";%n' Acquire::http Acquire::https 2>/dev/null | grep -i proxy >"$base.part/etc/apt/apt.conf.d/90proxy" || true
    rm -f "$base.part"/var/cache/apt/archives/*.deb
    mv "$base.part" "$base"
}

copy_tree() {
    local target=$root/src/restante
    mkdir -p "$target"
    # What the build left behind there stays, for --keep.
    find "$target" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -C "$source" --exclude=./build --exclude=./.git --exclude=./.cache -cf - . | tar -C "$target" --no-same-owner -m -xf -
}

# The first process of the new namespaces. What is missing in a plain chroot: /proc, /dev, /sys.
# shellcheck disable=SC2016
readonly inside='
set -eu
root=$1 ccache=$2 offline=$3
shift 3
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 dev "$root/dev"
for node in null zero full random urandom tty; do
    : >"$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "$root/dev/${stream#*:}"; done
mount -t tmpfs -o mode=755 run "$root/run"
mkdir -m 1777 "$root/run/lock"
if [ -n "$ccache" ]; then
    mkdir -p "$root/ccache"
    mount --bind "$ccache" "$root/ccache"
    set -- CCACHE_DIR=/ccache "$@"
fi
if [ "$offline" = yes ]; then ip link set lo up; fi
rm -rf "$root/home/nobodys"
mkdir "$root/home/nobodys"
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/nobodys \
    chroot "$root" env -C /src/restante "$@"
exit $?  # bash stays the first process, which collects those whose parents have ended
'

[ -d "$base" ] || make_base
if [ "$keep" = no ] || [ ! -e "$root/etc/debian_version" ]; then
    rm -rf --one-file-system "$root"
    cp -a "$base" "$root"
fi
copy_tree
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$root/etc/hosts"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
if [ "$offline" = yes ]; then apart=("${apart[@]:0:4}" --net "${apart[@]:4}"); fi

# Whoever this machine's network presents itself by is believed there, too (npm; apt has its own).
settings=()
if [ -r "${NODE_EXTRA_CA_CERTS:-}" ]; then
    mkdir -p "$root/etc/ssl"
    cp -L "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/network.pem"
    settings=(NODE_EXTRA_CA_CERTS=/etc/ssl/network.pem)
fi

started=$SECONDS
status=0
in_background "${apart[@]}" bash -c "$inside" inside "$root" "$ccache" "$offline" "${settings[@]}" "$@" > >(cat) 2>&1 || status=$?
took=$((SECONDS - started))
printf 'in_debian.sh: Debian %s: %s: exit %d after %d:%02d\n' "$version" "$*" $status $((took / 60)) $((took % 60))
exit $status
