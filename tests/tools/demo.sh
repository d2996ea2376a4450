#!/usr/bin/env bash
# demo.sh TOOL: fuses samples/stats.ir, compiles it before and after, and compares the two.
set -euo pipefail
cd "$(dirname "$0")/../.."
tool=$1
cxx=${CXX:-g++}
flags="-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno"
elements=1000000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

title() { printf '\n== %s\n' "$*"; }

title "samples/stats.ir"
cat samples/stats.ir
title "irrewrite -rules fusion.rules samples/stats.ir"
"$tool" -rules fusion.rules samples/stats.ir

# Times the function alone: the driver spends nearly all its time reading numbers.
cat >"$work/timing.hpp" <<'END'
#undef main
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>
int main() {
    std::vector<double> xs(ELEMENTS);
    for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = (double(i * 7919 % 1601) - 800) / 8;
    std::vector<double> times;
    volatile double sink = 0;
    for (int run = 0; run < 51; ++run) {
        const auto start = std::chrono::steady_clock::now();
        sink = sink + std::get<0>(ir::stats(xs));
        const auto stop = std::chrono::steady_clock::now();
        times.push_back(std::chrono::duration<double, std::milli>(stop - start).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%.3f ms", times[times.size() / 2]);
}
END

title "$cxx $flags"
compile() {
    local name=$1
    printf '#define main driver_main\n#include "%s.cpp"\n#include "timing.hpp"\n' "$name" \
        >"$work/$name-timing.cpp"
    $cxx $flags "$work/$name.cpp" -o "$work/$name"
    $cxx $flags -Wno-return-type -DELEMENTS=$elements "$work/$name-timing.cpp" -o "$work/$name-timing"
}
"$tool" -emit cpp -driver samples/stats.ir -o "$work/before.cpp"
"$tool" -emit cpp -driver -rules fusion.rules samples/stats.ir -o "$work/after.cpp"
compile before &
before=$!
compile after
wait "$before"

# Multiples of 1/8: every sum of their squares is exact, however the terms are grouped.
awk -v n=$elements 'BEGIN {
    printf "@stats([";
    for (i = 0; i < n; ++i) printf "%s%.3f", (i ? ", " : ""), (i * 7919 % 1601 - 800) / 8;
    print "])"
}' >"$work/call"

title "one million elements"
for name in before after; do
    "$work/$name" <"$work/call" >"$work/$name.out"
    time=$("$work/$name-timing")
    printf '%-7s %s   (median time %s)\n' "$name" "$(paste -sd ' ' "$work/$name.out")" "$time"
done
if ! [ -s "$work/before.out" ] || ! cmp -s "$work/before.out" "$work/after.out"; then
    echo "The results differ." >&2
    exit 1
fi
echo "The results are the same."
