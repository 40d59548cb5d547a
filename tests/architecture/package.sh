#!/usr/bin/env bash
# package.sh BUILD_DIR: the Debian package can be made, holds what it should where it should, needs
# what it needs, and its programs run from a tree of their own.
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "package.sh: $*" >&2; exit 1; }

(cd "$build" && cpack -G DEB -B "$work" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; fail "cpack failed"; }
package=$(echo "$work"/restante_*.deb)
[ -f "$package" ] || fail "cpack made no restante_*.deb"

contents=$(dpkg-deb -c "$package" | awk '{print $6}')
for file in ./usr/bin/restanted ./usr/bin/restantectl ./usr/bin/restante-phone ./etc/restante/restante.toml \
    ./usr/include/restante/restante_sip.h ./usr/include/restante/queue.h ./usr/include/restante/core/client/queue.h \
    ./usr/share/man/man8/restanted.8 ./usr/share/man/man1/restantectl.1 ./usr/share/man/man1/restante-phone.1 \
    ./usr/share/man/man5/restante.toml.5 ./usr/share/doc/restante/README.md ./usr/share/doc/restante/operations.md \
    ./usr/share/doc/restante/copyright; do
    grep -qxF "$file" <<<"$contents" || fail "$file is not in the package"
done
admin=org.restante.Admin
for file in ./usr/bin/restante-admin ./usr/share/applications/$admin.desktop ./usr/share/metainfo/$admin.metainfo.xml \
    ./usr/share/icons/hicolor/scalable/apps/$admin.svg $(printf "./usr/share/icons/hicolor/%s/apps/$admin.png " 16x16 32x32 48x48 64x64 128x128 256x256); do
    grep -qxF "$file" <<<"$contents" || fail "$file is not in the package"
done
for file in lib/librestante_core.a lib/cmake/restante/restanteConfig.cmake; do
    grep -qE "^\./usr/lib/(.*/)?${file#lib/}$" <<<"$contents" || fail "$file is not in the package"
done
grep -qE '^\./usr/lib/(.*/)?librestante-sip\.so\.0' <<<"$contents" || fail "librestante-sip.so is not in the package"
grep -qE '^\./(usr/)?lib/systemd/system/restanted\.service$' <<<"$contents" || fail "the unit is not in the package"
shared='(doc/)?restante|man/man[158]|bash-completion/completions|zsh/vendor-completions|applications|metainfo|icons/hicolor'
outside=$(grep -v '/$' <<<"$contents" | grep -vE "^\./(usr/(bin|lib|include/restante|share/($shared))|lib/systemd|etc/restante)/" || true)
[ -z "$outside" ] || fail "files in places that are not ours: $outside"

needs=$(dpkg-deb -f "$package" Depends)
for needed in redis-server adduser libc6 libhiredis libsofia-sip-ua0 libqt6core libqt6gui6 libqt6widgets6 libqt6svg6 libqt6keychain1; do
    grep -qF "$needed" <<<"$needs" || fail "the package does not depend on $needed: $needs"
done
dpkg-deb -e "$package" "$work/control"
for script in postinst prerm postrm; do sh -n "$work/control/$script"; done
grep -qxF /etc/restante/restante.toml "$work/control/conffiles" || fail "the configuration is not a conffile"

grep -qE '^-rw-r----- .* \./etc/restante/restante\.toml$' <<<"$(dpkg-deb -c "$package")" || fail "everybody may read the configuration, which may hold passwords"
dpkg-deb -x "$package" "$work/tree"
grep -qx 'License: Apache-2.0' "$work/tree/usr/share/doc/restante/copyright" || fail "the package does not name its licence"
"$work/tree/usr/bin/restanted" --version
"$work/tree/usr/bin/restantectl" --version
grep -qxF 'state_dir = "/var/lib/restante"' "$work/tree/etc/restante/restante.toml" || fail "the configuration does not name the service's state directory"
"$work/tree/usr/bin/restanted" --config "$work/tree/etc/restante/restante.toml" --set "state_dir=$work/state" --check-config

# The console, in a home where nobody has been, without a screen and without the build tree's help:
# its drawings and texts are inside it.
admin() { env -i HOME="$work/home" PATH="$PATH" QT_QPA_PLATFORM=offscreen "$work/tree/usr/bin/restante-admin" "$@"; }
mkdir "$work/home"
admin --version | grep -q '^restante-admin [0-9]' || fail "restante-admin does not tell its version"
admin --demo --screenshot "$work/out.png" || fail "restante-admin takes no picture in a clean home"
file "$work/out.png" | grep -q 'PNG image data, 1280 x 800' || fail "the picture is $(file -b "$work/out.png")"
python3 - "$work/tree/usr/bin/restante-admin" <<'EMBEDDED' || fail "a resource is not in the console"
import sys
program = open(sys.argv[1], "rb").read()
names = ["restante_zh_CN.qm", "restante_en.qm", "qtbase_zh_CN.qm", "state-dead.svg", "user-trash.svg"]
missing = [name for name in names if name.encode("utf-16-be") not in program]
print("\n".join(missing), file=sys.stderr)
sys.exit(bool(missing))
EMBEDDED
desktop-file-validate "$work/tree/usr/share/applications/$admin.desktop"
grep -qx 'Exec=restante-admin' "$work/tree/usr/share/applications/$admin.desktop" || fail "the desktop file starts something else"
grep -qx "Icon=$admin" "$work/tree/usr/share/applications/$admin.desktop" || fail "the desktop file names an icon that is not there"
appstreamcli validate --no-net "$work/tree/usr/share/metainfo/$admin.metainfo.xml" >/dev/null || fail "the metainfo is not valid"

while read -r program; do
    [ -x "$work/tree$program" ] || fail "the unit starts $program, which is not in the package"
done < <(sed -nE 's/^ExecStart(Pre)?=(\/usr[^ ]*).*/\2/p' "$work"/tree/*/systemd/system/restanted.service "$work"/tree/usr/lib/systemd/system/restanted.service 2>/dev/null)
# What `systemctl enable` makes goes with `purge`. Of the scripts only what asks Debian's helper for
# that, which works in a root of its own; the rest would be done to this machine.
enabled="$work/tree/etc/systemd/system/multi-user.target.wants/restanted.service"
mkdir -p "$(dirname "$enabled")"
ln -s /lib/systemd/system/restanted.service "$enabled"
for script in postinst postrm; do
    grep -E '^ *deb-systemd-helper ' "$work/control/$script" >"$work/$script.helper" || fail "$script does not ask deb-systemd-helper"
    DPKG_ROOT="$work/tree" DPKG_MAINTSCRIPT_PACKAGE=restante sh -e "$work/$script.helper"
done
[ ! -L "$enabled" ] || fail "the unit stays enabled when the package is purged"

dpkg-deb -I "$package" | sed -n 's/^ \(Package\|Version\|Installed-Size\|Depends\)/\1/p'
