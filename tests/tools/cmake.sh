#!/usr/bin/env bash
# cmake.sh TOOL: builds samples/cmake with headers that the tool emits, and runs it. Nothing to do without cmake.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! type -P cmake >/dev/null; then
    echo "no cmake here"
    echo "0 passed, 0 failed"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

# expect WANTED GOT WHAT
expect() {
    if [ "$1" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s\n  wanted: %s\n  got: %s\n' "$3" "$1" "$2"
    fi
}

if ! { cmake -S samples/cmake -B "$folder" -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DIRREWRITE="$(realpath "$1")" \
    -Dirrewrite_DIR="$PWD/engine/api" &&
    cmake --build "$folder"; } >"$folder/log" 2>&1; then
    tail -n 30 "$folder/log"
    echo "0 passed, 1 failed"
    exit 1
fi
expect "sum of squares 14, 2 above zero
centre -0.5, 0
centre 3, 2
moved by 1.5
kmeans.ir:3: lengths differ: 3 and 2" "$("$folder/report")" "what the program prints"
# A header is made again when its program changes, and two of one namespace are told apart.
touch samples/stats.ir
expect "Generating programs/stats.hpp" "$(cmake --build "$folder" 2>&1 | grep -o 'Generating .*')" "what is made again"
for name in stats kmeans; do "$1" -rules fusion.rules -emit cpp -header "samples/$name.ir" -o "$folder/$name.hpp"; done
printf '#include "stats.hpp"\n#include "stats.hpp"\n#include "kmeans.hpp"\n' >"$folder/both.cpp"
expect "#error \"another emitted header is in namespace ir: give one of them another, -namespace NAME\"" \
    "$("${CXX:-g++}" -std=c++20 -fopenmp -fsyntax-only "$folder/both.cpp" 2>&1 | grep -o '#error.*' | head -n 1)" "two headers of one namespace"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
