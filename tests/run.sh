#!/usr/bin/env bash
# run.sh BUILD: every part of the suite, and one line at the end that adds them up.
# Each part ends with such a line of its own, which is taken out here.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'kill 0' INT # what runs beside would go on
summary='^([0-9]+) passed, ([0-9]+) failed$'

# A sanitizer's report must not look like one of the tool's exit codes.
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

# part NAME MAY_BE_EMPTY COMMAND...
part() {
    local name=$1 may_be_empty=$2 log status ok bad began=$SECONDS TIMEFORMAT="%U %S"
    shift 2
    log=$(mktemp -p "$folder")
    echo "== $name"
    { time "$@" </dev/null 2>&1; } 2>"$log.cpu" | tee "$log" | sed -uE "/$summary/d"
    status=${PIPESTATUS[0]}
    read -r ok bad < <(sed -nE "s/$summary/\1 \2/p" "$log" | tail -n 1)
    if [ -z "${ok:-}" ]; then
        echo "$name: ended early (exit code $status)"
        ok=0 bad=1
    elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
        echo "$name: exit code $status"
        bad=1
    elif [ $((ok + bad)) = 0 ] && [ "$may_be_empty" = no ]; then
        echo "$name: no test ran"
        bad=1
    fi
    echo "   $ok of $((ok + bad)), $((SECONDS - began)) s, $(awk 'END { printf "%.0f", $1 + $2 }' "$log.cpu") s of CPU"
    echo "$ok $bad" >>"$folder/counts"
}

# Parts that keep one processor busy run one after the other beside those that use all; what they say comes last.
alone() {
    part unit no "$build/tests"
    part "emitted CUDA on the CPU, many sizes" no python3 tests/tools/cuda.py --tool "$build/irrewrite" --cxx "${CXX:-g++}" \
        --sizes 0,1,33,1025,16385 # more of them: PART=cuda of `make check-long`
    part "regular expressions" no python3 tests/tools/regex.py --tool "$build/irrewrite"
    part "wrong rules" no python3 tests/tools/wrong.py --tool "$build/irrewrite"
    part "random rules" no python3 tests/tools/random_rules.py --tool "$build/irrewrite" --files 60 -j 1
    part "random parameters" no python3 tests/tools/random_parameters.py --tool "$build/irrewrite"
    part proofs no python3 tests/tools/prove.py --tool "$build/irrewrite"
    part "equality saturation" no python3 tests/tools/saturation.py --tool "$build/irrewrite"
    part "matching modulo associativity and commutativity" no python3 tests/tools/modulo.py --tool "$build/irrewrite"
    part "normal forms modulo associativity and commutativity" no python3 tests/tools/bags.py --tool "$build/irrewrite"
    part "input languages" no python3 tests/tools/syntax.py --tool "$build/irrewrite"
    part "benchmark programs as C++ and CUDA" no python3 tests/tools/bench_programs.py --tool "$build/irrewrite"
    part files no python3 tests/tools/files.py --tool "$build/irrewrite"
    part "the layout of texts" no python3 tests/tools/format.py --tool "$build/irrewrite"
    part "the language server" no python3 tests/tools/lsp.py --tool "$build/irrewrite"
    part "the language server and pytest-lsp" yes python3 tests/tools/lsp_client.py --tool "$build/irrewrite"
    part "at a terminal" no python3 tests/tools/terminal.py --tool "$build/irrewrite"
    part "the text of traces" no python3 tests/tools/traces.py --tool "$build/irrewrite"
    part editors no python3 tests/tools/editors.py
    part "the explorer" no python3 tests/tools/explorer.py --tool "$build/irrewrite"
    part "plots of measurements" no python3 tests/tools/bench.py
    part declarations no python3 tests/tools/declarations.py --tool "$build/irrewrite"
    part "lengths beyond memory" no python3 tests/tools/large.py --tool "$build/irrewrite" --cxx "${CXX:-g++}"
    part "bad input, kind by kind" no python3 tests/tools/faults.py --tool "$build/irrewrite" --cxx "${CXX:-g++}"
    part "hostile calls" no python3 tests/tools/calls.py --tool "$build/irrewrite" --compilers "${CXX:-g++}" --calls 60
    part "faults of the system" yes python3 tests/tools/inject.py --tool "$build/irrewrite" --sample 80
    part hostile no python3 tests/tools/hostile.py --tool "$build/irrewrite"
    part "a CMake project" yes env CXX="${CXX:-g++}" tests/tools/cmake.sh "$build/irrewrite"
    part "an installed library" no env CXX="${CXX:-g++}" tests/tools/installed.sh "$build"
}

part layers no python3 tests/tools/layers.py
part grammar no python3 tests/tools/grammar.py
alone >"$folder/alone" 2>&1 &
part "texts of operations" no python3 tests/tools/texts.py --tool "$build/irrewrite"
part golden no python3 tests/tools/golden.py --tool "$build/irrewrite" --cxx "${CXX:-g++}" \
    --cxxflags="${EMITTED_FLAGS:-}" --filter "${FILTER:-}"
for way in off graph; do # interpreted, and on the graph
    part "golden, without machine code: $way" no env IRREWRITE_MACHINE_CODE=$way python3 tests/tools/golden.py \
        --tool "$build/irrewrite" --no-cpp --filter "golden/rec"
done
part "shipped rules" no python3 tests/tools/rules.py --tool "$build/irrewrite"
part "shipped rules, checked" no python3 tests/tools/checked.py --tool "$build/irrewrite"
part "shipped rules, lint" no python3 tests/tools/lint.py --tool "$build/irrewrite"
# The others take minutes: `make check-long PART=cuda`.
part "golden, emitted CUDA on the CPU" no python3 tests/tools/golden.py --tool "$build/irrewrite" \
    --cxx "${CXX:-g++}" --cuda --filter "${FILTER:-golden/cuda,golden/gpu}"
part "samples and workloads, emitted CUDA on the CPU" no python3 tests/tools/cuda_programs.py --tool "$build/irrewrite" --cxx "${CXX:-g++}" \
    --sizes 0,1,33,1025 # more of them: PART=cuda of `make check-long`
# The whole set, with sanitizers: `make check-long PART=c`.
part "golden, emitted C" yes python3 tests/tools/golden_c.py --tool "$build/irrewrite" --filter "${FILTER:-}" --sample 4
part "random programs as C" no python3 tests/tools/c_programs.py --tool "$build/irrewrite" --tests "$build/tests" --programs 20 --jobs 2
# What the C++ printer emits is for clang as well.
if [ "${CXX:-g++}" != clang++ ] && command -v clang++ >/dev/null; then
    part "golden, emitted C++ with clang++" yes python3 tests/tools/golden.py --tool "$build/irrewrite" \
        --cxx clang++ --filter "${FILTER:-golden/fusion/l,golden/fusion/s}"
fi
# The flags that emitted text names, for this processor's vectors.
part "golden, emitted C++ with -march=native" no python3 tests/tools/golden.py --tool "$build/irrewrite" --cxx "${CXX:-g++}" \
    --cxxflags="-O3 -march=native" --filter=-lanes --programs "$build/golden-native"
part "random programs as C++" no python3 tests/tools/programs.py --tool "$build/irrewrite" --tests "$build/tests" \
    --programs 12 --batch 12 --levels=-O0
part "random programs as C++, however short on three threads" no python3 tests/tools/programs.py --tool "$build/irrewrite" \
    --tests "$build/tests" --programs 60 --batch 60 --threads 3 --compilers "${CXX:-g++}" --levels=-O0 --sanitized=
part "work of emitted C++" no python3 tests/tools/programs.py --tool "$build/irrewrite" --tests "$build/tests" --work --programs 40 \
    --batch 40 --compilers "${CXX:-g++}" --levels=-O0
part "work of emitted CUDA" no python3 tests/tools/programs.py --tool "$build/irrewrite" --tests "$build/tests" --work --cuda --programs 8 \
    --batch 8 --compilers "${CXX:-g++}" --levels=-O0
part "random programs as CUDA on the CPU" no python3 tests/tools/programs.py --tool "$build/irrewrite" --tests "$build/tests" \
    --cuda --programs 40 --batch 40 --compilers "${CXX:-g++}" --levels=-O0 --sanitized=
part "queries of TPC-H beside SQLite" no python3 tests/bench/tpch.py --check --tool "$build/irrewrite" --cxx "${CXX:-g++}"
part "mutants of rules" no python3 tests/tools/mutate.py --tool "$build/irrewrite" --sample 150 --instances 300 --again 4 \
    --filter '^(arith|fastmath|arrays|control|split|fft)'
part documentation yes python3 tests/tools/docs.py --tool "$build/irrewrite"

wait
cat "$folder/alone"
read -r passed failed < <(awk '{ ok += $1; bad += $2 } END { print ok + 0, bad + 0 }' "$folder/counts")
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
