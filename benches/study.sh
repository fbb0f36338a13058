#!/usr/bin/env bash
# How well 200 equal runs use two cores, and what they cost beside the runs themselves. Usage: benches/study.sh PROGRAM
# Efficiency = time of one thread / (2 × time of two threads), the median of interleaved pairs; the overhead is the time
# with one thread minus the host seconds of its runs, divided by their number. Needs a machine that is idle.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:?usage: benches/study.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/scenarios/tiny.ron "$work"
sed -i 's/examples: 200/examples: 20_000/; s/rounds: 20/rounds: 100/' "$work/tiny.ron"
cat >"$work/equal.ron" <<'EOF'
(
    name: "equal runs",
    base: "tiny.ron",
    replicates: 200,
)
EOF
cd "$work"

seconds() { # THREADS: seconds that all runs take
    rm -rf out
    local start=$EPOCHREALTIME
    "$program" run equal.ron --out out -q --no-figures --threads "$1" >/dev/null
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}

for pair in 1 2 3 4 5; do
    one=$(seconds 1)
    runs=$("$program" status out | awk '/^equal runs/ { print $NF }')
    two=$(seconds 2)
    awk -v one="$one" -v two="$two" -v runs="$runs" 'BEGIN {
        printf "%.3f efficiency, %.3f ms beside a run of %.1f ms\n", one / (2 * two), 1000 * (one / 200 - runs), 1000 * runs
    }'
done | sort | tee all.txt | sed -n 3p
