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
# A text that lupdate finds outside a class is not found when the program looks for it.
if grep -q '<name>restante::gui</name>' "$work/restante_zh_CN.ts"; then
    grep -A40 '<name>restante::gui</name>' "$work/restante_zh_CN.ts" | grep '<source>' | head -20
    echo "give these a class with Q_OBJECT or Q_DECLARE_TR_FUNCTIONS, whose name is their context"
    failed=1
fi
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
