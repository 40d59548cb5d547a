#!/usr/bin/env bash
# Draws where the processor's time goes on the four main ways: one flame graph each, of the daemon's
# threads and its Redis beside each other, while that row of the benchmark is measured.
#
#   tests/bench/flame_graphs.sh BENCH RESTANTED FOLDER [NAME ...]
#
# BENCH is restante-bench, RESTANTED the daemon to measure. FOLDER gets NAME.svg for message-stored,
# message-delivered, http-push and http-pop-finish, unless some are named. Needs the packages
# linux-perf and libdevel-nytprof-perl.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
bench=$(realpath "$1") restanted=$(realpath "$2") folder=$3
shift 3
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(message-stored message-delivered http-push http-pop-finish)
draw=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
for needed in perf "$draw"; do
    command -v "$needed" >/dev/null || [ -f "$needed" ] ||
        { echo "flame_graphs: $needed is missing: apt-get install linux-perf libdevel-nytprof-perl" >&2; exit 1; }
done

# The rows of the benchmark, and how each begins or goes on.
declare -A group=([message-stored]=sip [message-delivered]=sip [http-push]=http [http-pop-finish]=http)
declare -A row=([message-stored]='^MESSAGE -> stored -> 202, UDP'
    [message-delivered]='^[0-9]* recipients return at once'
    [http-push]='^HTTP push' [http-pop-finish]='^HTTP pop \+ finish	')
for name in "${names[@]}"; do
    [ -n "${group[$name]:-}" ] || { echo "flame_graphs: '$name' is not known; ${!group[*]} are" >&2; exit 2; }
done

mkdir -p "$folder"
work=$(mktemp -d "${TMPDIR:-/tmp}/flame-XXXXXX")
trap 'rm -rf "$work"' EXIT

# What the benchmark starts as the daemon. Four kilobytes of each stack reach past the frames that matter.
cat >"$work/restanted" <<END
#!/bin/sh
exec perf record --quiet --clockid CLOCK_MONOTONIC --freq 499 --call-graph dwarf,4096 --output "$work/\$\$.data" -- "$restanted" "\$@"
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

measured=''
for name in "${names[@]}"; do
    if [ "$measured" != "${group[$name]}" ]; then
        measured=${group[$name]}
        rm -f "$work"/*.data
        "$bench" --restanted "$work/restanted" --only "$measured" --rounds 1 --scale 4 \
            --intervals "$work/intervals" >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
    fi
    interval=$(grep -m 1 -E "${row[$name]}" "$work/intervals" | awk -F '\t' '{ print $2 "," $3 }')
    for data in "$work"/*.data; do
        perf script --input "$data" --no-inline --time "$interval" --fields comm,ip,sym 2>/dev/null
    done | collapse |
        perl "$draw" --title "CPU: $name" --countname samples --minwidth 8 --width 1200 |
        perl -0777 -pe 's/<script.*?<\/script>\n?//s; s/ on(load|click|mouseover|mouseout)="[^"]*"//g;
            s/<text[^>]*>(Search|Reset Zoom)<\/text>\n?//g' >"$folder/$name.svg"  # a picture, no program
    echo "$folder/$name.svg"
done
