#!/usr/bin/env bash
# Lets the fuzz targets hunt, and keeps what they have learned.
#
#   tests/fuzz/hunt.sh [--minutes N] [--jobs N] [TARGET...]
#
#   tests/fuzz/hunt.sh                              every target for ten minutes
#   tests/fuzz/hunt.sh --minutes 60 sip_stream      one of them for an hour
#
#   --minutes N   of processor time for each target (10), however busy the machine is otherwise
#   --jobs N      targets at a time (as many as there are processors)
#
# Builds preset `fuzz` (clang, ASan, UBSan). What reached new code is added to the target's folder in
# tests/fuzz/corpus, each file adding something and of 4 KiB at most; what broke something is left in
# build/fuzz/found and named. Prints a row for each target (docs/fuzzing.md).
# Exits 0 only when nothing was broken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

minutes=10
jobs=$(nproc)
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) minutes=${2:?a number}; shift ;;
        --jobs) jobs=${2:?a number}; shift ;;
        -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        -*) echo "hunt.sh: '$1' is not known; see --help" >&2; exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
if [ ${#targets[@]} = 0 ]; then
    for file in tests/fuzz/*_fuzz.cpp; do targets+=("$(basename "$file" _fuzz.cpp)"); done
fi
for target in "${targets[@]}"; do
    [ -e "tests/fuzz/${target}_fuzz.cpp" ] || { echo "hunt.sh: no target '$target' in tests/fuzz" >&2; exit 2; }
done

cmake --preset fuzz >build/fuzz.log 2>&1 || { tail -20 build/fuzz.log; exit 1; }
cmake --build --preset fuzz --target "${targets[@]/%/_fuzz}" >>build/fuzz.log 2>&1 || { grep -E 'error|FAILED' build/fuzz.log | head; exit 1; }

# processor_seconds PID: what it has used so far; nothing when it has ended.
processor_seconds() {
    local fields
    fields=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 0
    awk -v ticks="$(getconf CLK_TCK)" '{ print int(($12 + $13) / ticks) }' <<<"$fields"
}

# hunt TARGET: into build/fuzz/found/TARGET (new inputs), .log and .crash-...
hunt() {
    local name=$1 found=build/fuzz/found/$1 corpus=tests/fuzz/corpus/$1 status=0 longest=8192
    # What a datagram holds: time may grow faster than the length does.
    case $name in sip_*) longest=65536 ;; esac
    mkdir -p "$found"
    "build/fuzz/tests/${name}_fuzz" -max_len="$longest" -timeout=10 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="$found." "$found" "$corpus" >"$found.log" 2>&1 &
    local fuzzer=$! used
    while used=$(processor_seconds $fuzzer) && [ -n "$used" ]; do
        [ "$used" -lt $((minutes * 60)) ] || kill -USR1 $fuzzer  # libFuzzer ends after the input at hand
        sleep 1
    done
    wait $fuzzer || status=$?
    local runs edges kept
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")
    edges=$(grep -oE 'cov: [0-9]+' "$found.log" | tail -1 | cut -d' ' -f2)
    # The smallest set that reaches all that was reached; what the corpus has already stays as it is.
    find "$found" -type f -size +4k -delete
    "build/fuzz/tests/${name}_fuzz" -merge=1 "$corpus" "$found" >>"$found.log" 2>&1 || status=1
    kept=$(find "$corpus" -type f | wc -l)
    # shellcheck disable=SC2016
    printf '| `%s` | %s min | %s | %s | %s | %s |\n' "$name" "$minutes" "${runs:-?}" "${edges:-?}" "$kept" \
        "$([ $status = 0 ] && echo none || echo "**see $found.log**")"
    return $status
}
export -f hunt processor_seconds
export minutes
echo '| target | time | inputs tried | edges reached | corpus | broken |'
echo '|---|---|---|---|---|---|'
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'set -uo pipefail; hunt {}'
