#!/usr/bin/env bash
# Client-rounds per second of the star round, by this program and by SimGrid and ns-3, in turn on the same machine, and the ratios.
#
#     sudo apt-get install -y g++ libsimgrid-dev libns3-dev    # Debian 12: SimGrid 3.32, ns-3.37; half a minute
#     benches/peers/run.sh [CLIENTS [ROUNDS]]                             # default 10000 2
#
# The three programs play the same kind of round (rates, latencies and computing times have one distribution, the seeds differ) and
# print processor seconds without the building of the platform. The fastest of three turns counts.
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=${1:-10000}
rounds=${2:-2}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

peers=()
add() { # NAME SOURCE LIBRARIES...
    local name=$1 source=$2
    shift 2
    if g++ -O2 -o "$build/$name" "benches/peers/$source" "${@/#/-l}" 2>"$build/errors"; then
        peers+=("$name")
    else
        echo "$name cannot be built here and is left out: $(grep -m 1 -E 'error|cannot' "$build/errors")" >&2
    fi
}
add simgrid simgrid_star.cpp simgrid
add ns3 ns3_star.cc ns3-core ns3-network ns3-point-to-point
cargo build --quiet --profile bench -p fedbits-kernel --bench star_round

ours() { cargo bench --quiet -p fedbits-kernel --bench star_round -- "$clients" | awk -v n="$clients" '$1 == n { print $2 }'; }
theirs() { "$build/$1" "$clients" "$rounds" 2>/dev/null | awk '{ print $1 * $2 / $4 }'; }

declare -A best
keep() { best[$1]=$(awk -v a="${best[$1]:-0}" -v b="$2" 'BEGIN { print (a > b) ? a : b }'); }
for turn in 1 2 3; do
    echo "turn $turn" >&2
    keep fedbits "$(ours)"
    for peer in "${peers[@]}"; do
        keep "$peer" "$(theirs "$peer")"
    done
done
printf '%-8s %14.0f client-rounds per second\n' fedbits "${best[fedbits]}"
for peer in "${peers[@]}"; do
    awk -v name="$peer" -v rate="${best[fedbits]}" -v reference="${best[$peer]}" \
        'BEGIN { printf "%-8s %14.0f client-rounds per second: %.0f times\n", name, reference, rate / reference }'
done
