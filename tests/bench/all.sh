#!/usr/bin/env bash
# all.sh BUILD [full]: every benchmark one after the other. Their tables are shown, and stand with plots in BUILD/bench.html.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 full=${2:-}
tool=$build/irrewrite
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export BENCH_RESULTS=$folder/results

# one SCRIPT ARGUMENTS...
one() {
    local script=$1
    shift
    PYTHONUNBUFFERED=1 python3 "tests/$script.py" --tool "$tool" "$@" 2>&1 | tee -a "$folder/tables"
    [ "${PIPESTATUS[0]}" = 0 ] || echo "tests/$script.py failed" | tee -a "$folder/failed"
}

# size QUICK FULL
size() { if [ "$full" ]; then echo "$2"; else echo "$1"; fi; }

one bench/stages
one bench/rules --runs "$(size 5 9)"
one bench/rewriting --runs "$(size 3 5)"
one bench/growth --sizes "$(size 500,1000,2000 1000,2000,4000,10000)"
one bench/parsing --parse "$build/bench-parse" --sizes "$(size 1e5,1e6 1e5,1e6,1e7)"
one bench/scale ${full:+--full}
one bench/workloads
one bench/regex
one bench/saturation
one bench/modulo --runs "$(size 3 5)"
one tools/lsp --part speed
one bench/flow
one bench/motion

# Plots are drawn by matplotlib, where one of these has it.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import matplotlib' 2>/dev/null && break
    python=python3
done
"$python" tests/bench/page.py "$folder/results" "$folder/tables" "$build/bench.html"
[ ! -e "$folder/failed" ]
