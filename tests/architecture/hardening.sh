#!/usr/bin/env bash
# hardening.sh BUILD_TYPE FILE...: programs and shared libraries are what
# resources/cmake/RestanteCompiler.cmake makes of them: position independent, with read-only
# relocations that are bound at the start, no executable stack; optimised ones with stack protector,
# _FORTIFY_SOURCE, the assertions of libstdc++ and, where the C start files have it, CET.
set -euo pipefail
type=$1
shift
fail() { echo "hardening.sh: $*" >&2; exit 1; }

# has PATTERN TEXT
has() { grep -qE -- "$1" <<<"$2"; }

examine() {
    local program=$1 header segments dynamic symbols
    header=$(readelf -hW "$program")
    segments=$(readelf -lW "$program")
    dynamic=$(readelf -dW "$program")
    has 'Type: +DYN' "$header" || fail "$program is not position independent"
    # A library has no such mark; what it might have instead is code that is changed as it is loaded.
    case $program in
        *.so | *.so.*) has 'TEXTREL' "$dynamic" && fail "$program has relocations in its code" ;;
        *) has 'FLAGS_1.*PIE' "$dynamic" || fail "$program is not marked as PIE" ;;
    esac
    has 'GNU_RELRO' "$segments" || fail "$program has no RELRO"
    has 'BIND_NOW|FLAGS_1.*NOW' "$dynamic" || fail "$program binds late, so its RELRO is not full"
    has 'GNU_STACK.* RW ' "$segments" || fail "the stack of $program is executable"
    has 'LOAD .* RWE ' "$segments" && fail "$program has memory that is writable and executable"
    [ "$type" != Debug ] || return 0

    symbols=$(readelf --dyn-syms -W "$program")
    has ' __stack_chk_fail' "$symbols" || fail "$program has no stack protector"
    has ' __(memcpy|read|recv|snprintf|vsnprintf|memset|memmove|strcpy|strcat|fdelt|longjmp)_chk' "$symbols" ||
        fail "$program was built without _FORTIFY_SOURCE"
    has '__glibcxx_assert_fail' "$symbols" || fail "$program was built without _GLIBCXX_ASSERTIONS"
    if [ "$(uname -m)" = x86_64 ]; then
        # Counted to the end: a pipe that grep leaves early is a failure.
        [ "$(objdump -d --no-show-raw-insn "$program" | grep -c endbr64)" -gt 0 ] || fail "$program has no landing marks (CET)"
        if readelf -nW "$(g++ -print-file-name=Scrt1.o)" | grep -q IBT &&
            readelf -nW "$(g++ -print-file-name=crti.o)" | grep -q IBT; then
            has 'IBT' "$(readelf -nW "$program")" || fail "$program does not say that it supports CET"
        fi
    fi
}

for program in "$@"; do
    [ -f "$program" ] || fail "$program is not there"
    examine "$program"
done
echo "hardening.sh: $# files of a $type build are as they should be"
