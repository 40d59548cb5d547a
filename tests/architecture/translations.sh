#!/usr/bin/env bash
# Every text of the console has its translation, and none is left behind by a changed source.
#
#   translations.sh LUPDATE LRELEASE SOURCE_DIR
set -euo pipefail
lupdate=$1 lrelease=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/resources/i18n/restante_zh_CN.ts" "$source/resources/i18n/restante_en.ts" "$work"
"$lupdate" -silent -no-obsolete -locations none -I "$source" "$source/gui" -ts "$work/restante_zh_CN.ts"
"$lupdate" -silent -pluralonly -no-obsolete -locations none -I "$source" "$source/gui" -ts "$work/restante_en.ts"
failed=0
for language in zh_CN en; do
    told=$("$lrelease" "$work/restante_$language.ts" -qm "$work/$language.qm")
    echo "$language: $(grep Generated <<<"$told")"
    if grep -q 'type="unfinished"' "$work/restante_$language.ts"; then
        grep -B3 'type="unfinished"' "$work/restante_$language.ts" | grep '<source>' | head -20
        failed=1
    fi
done
[ $failed = 0 ] || echo "cmake --build --preset dev --target update_translations, then translate resources/i18n/*.ts"
exit $failed
