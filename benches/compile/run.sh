#!/bin/sh
# What `#[adapter]` costs the compiler, beside `#[async_trait]` on an adapter and on a wrapper that only delegates.
#
#     benches/compile/run.sh [methods] [runs]
#
# Processor time (user and system) of the compiler alone, without dependencies and without the incremental cache. The two
# take turns, so that a busy machine disturbs both alike.
set -eu
cd "$(dirname "$0")"
methods=${1:-20}
runs=${2:-9}
crates='with-async-trait with-resil with-reads'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_INCREMENTAL=0 RUSTC_WORKSPACE_WRAPPER="$PWD/timed.sh" TIMES="$scratch/ignored"

# A crate, from a template.
generate() {
    mkdir -p "$1/src"
    awk -v methods="$methods" '
        /^ *\/\/<$/ { block = ""; inside = 1; next }
        /^ *\/\/>$/ { inside = 0
            for (n = 1; n <= methods; n++) { text = block; gsub(/@/, n, text); printf "%s", text }
            next }
        inside { block = block $0 "\n"; next }
        { print }' "$2" >"$1/src/lib.rs"
}

# The times of one crate for one command: seconds, one run a line.
measure() {
    touch "$2/src/lib.rs"
    TIMES="$scratch/$1-$2" cargo "$1" --quiet --package "$2"
}

# "0m1.25s 0m0.5s" to seconds, and the one in the middle.
median() {
    awk '{ sum = 0
        for (field = 1; field <= NF; field++) { split($field, part, /[ms]/); sum += part[1] * 60 + part[2] }
        print sum }' "$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

generate with-async-trait with-async-trait/template.rs
generate with-resil with-resil/template.rs
sed 's,//reads: ,,' with-resil/template.rs >"$scratch/template.rs"
generate with-reads "$scratch/template.rs"
# The dependencies.
for crate in $crates; do
    for command in check build; do
        cargo "$command" --quiet --package "$crate"
    done
done
run=0
while [ "$run" -lt "$runs" ]; do
    for command in check build; do
        for crate in $crates; do
            measure "$command" "$crate"
        done
    done
    run=$((run + 1))
done

echo "$methods methods, median of $runs runs, seconds of processor time"
printf '%-8s %18s %12s %8s %12s %8s\n' command '#[async_trait] x 2' '#[adapter]' ratio '+ reads' ratio
for command in check build; do
    base=$(median "$scratch/$command-with-async-trait")
    ours=$(median "$scratch/$command-with-resil")
    reads=$(median "$scratch/$command-with-reads")
    awk -v c="$command" -v b="$base" -v o="$ours" -v r="$reads" \
        'BEGIN { printf "%-8s %18.2f %12.2f %8.2f %12.2f %8.2f\n", c, b, o, o / b, r, r / b }'
done
