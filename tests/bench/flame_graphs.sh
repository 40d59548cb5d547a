#!/usr/bin/env bash
# Draws where the processor's time goes while a group of rows is measured: one flame graph a group,
# of the daemon's threads and its Redis beside each other.
#
#   tests/bench/flame_graphs.sh BENCH RESTANTED FOLDER [GROUP ...]
#
# BENCH is restante-bench, RESTANTED the daemon to measure; FOLDER gets GROUP.svg for each group (sip, http
# and journal unless some are named). Needs the packages linux-perf and libdevel-nytprof-perl.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
bench=$(realpath "$1") restanted=$(realpath "$2") folder=$3
shift 3
groups=("$@")
[ ${#groups[@]} -gt 0 ] || groups=(sip http journal)
draw=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
for needed in perf "$draw"; do
    command -v "$needed" >/dev/null || [ -f "$needed" ] ||
        { echo "flame_graphs: $needed is missing: apt-get install linux-perf libdevel-nytprof-perl" >&2; exit 1; }
done

mkdir -p "$folder"
work=$(mktemp -d "${TMPDIR:-/tmp}/flame-XXXXXX")
trap 'rm -rf "$work"' EXIT

# What the benchmark starts as the daemon. Two kilobytes of each stack reach past the frames that matter.
cat >"$work/restanted" <<END
#!/bin/sh
exec perf record --quiet --freq 499 --call-graph dwarf,4096 --output "$work/\$\$.data" -- "$restanted" "\$@"
END
chmod +x "$work/restanted"

# One line a stack, outermost frame first, and how often it was seen: "redis-server;main;aeMain 12".
collapse()
{
    awk '
        /^[^ \t]/ { thread = $1; frames = ""; next }
        NF == 0 { if (frames != "") seen[thread frames]++; frames = ""; next }
        {
            name = $0
            sub(/^[ \t]*[0-9a-f]+ /, "", name)
            sub(/ \([^()]*\)$/, "", name)
            sub(/\+0x[0-9a-f]+$/, "", name)
            gsub(/;/, ":", name)
            frames = ";" name frames
        }
        END { for (stack in seen) print stack, seen[stack] }'
}

for group in "${groups[@]}"; do
    rm -f "$work"/*.data
    "$bench" --restanted "$work/restanted" --only "$group" --rounds 1 --scale 4 >"$work/$group.log" 2>&1 ||
        { tail -5 "$work/$group.log" >&2; exit 1; }
    for data in "$work"/*.data; do
        perf script --input "$data" --no-inline --fields comm,ip,sym 2>/dev/null
    done | collapse |
        perl "$draw" --title "CPU while the rows of '$group' are measured" --countname samples \
            --minwidth 0.4 --width 1400 >"$folder/$group.svg"
    echo "$folder/$group.svg"
done
