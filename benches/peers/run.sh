#!/bin/sh
# Counts, times, and prints the tables as Markdown. An argument is a text that the groups to be timed contain.
set -eu
cd "$(dirname "$0")"
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT

cargo build --quiet --release --bins
bins=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release

"$bins/alloc" > "$counts/alloc.tsv"
# Counts inside `count_row` only, and writes one dump for each row.
valgrind --tool=callgrind --collect-bus=yes --collect-atstart=no \
    --toggle-collect='*count_row*' --dump-after='*print_row*' \
    --callgrind-out-file="$counts/callgrind.out" --log-file="$counts/valgrind.log" \
    "$bins/instr" > "$counts/instr.tsv"

echo "$(rustc --version), release without LTO, $(nproc) cores, load $(cut -d " " -f 1 /proc/loadavg):"
echo
cargo tree --quiet --depth 1 --edges normal --prefix none | awk 'NR > 1 { print "- " $1, substr($2, 2) }'
echo
"$bins/time" "$counts" "$@"
