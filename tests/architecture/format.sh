#!/usr/bin/env bash
# format.sh CLANG_FORMAT: every C++ file is formatted as .clang-format says; --fix as second
# argument rewrites those that are not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mode=(--dry-run -Werror)
[ "${2:-}" = --fix ] && mode=(-i)
folders=()
for folder in core sipplugin gui tests; do [ -d "$folder" ] && folders+=("$folder"); done
find "${folders[@]}" -name '*.h' -o -name '*.cpp' | xargs "$1" "${mode[@]}"
