#!/usr/bin/env bash
# long.sh BUILD [PART...]: what is too slow for every save, part by part. Without PART those that have not passed since the
# tool was built; what a part says stands in BUILD/long/PART.log, and how long it took is shown.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
shift
tool=$build/irrewrite
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p "$build/long"

sanitizers() { make test SANITIZE=1; }                                    # every test, under both sanitizers
clang() { make test CXX=clang++; }                                        # every test, the tool built by the other compiler
properties() { RC_PARAMS=max_success=5000 IRREWRITE_CASES=20 "$build/tests" '~[flow]~[programs]'; }
flow() { IRREWRITE_CASES=34 "$build/tests" '[flow]'; }                    # 10^5 programs with effects
programs() { IRREWRITE_PROGRAMS=100000 "$build/tests" '[programs]'; }     # 10^5 through all shipped phases
# The law of cost: all shipped rule files on all programs that there are, and on 10^5 random ones.
cost() { IRREWRITE_COST_FILES=1 IRREWRITE_COST_PROGRAMS=100000 "$build/tests" '[cost]'; }
# The same of emitted C++: samples, golden programs and 10^4 random ones, unfused and fused; and of 1,000 as CUDA on the CPU.
work() {
    IRREWRITE_COST_FILES=1 python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --work --programs 10000 --batch 100 \
        --compilers g++ --levels=-O0 --jobs "$jobs" --progress &&
        python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --work --cuda --programs 1000 --batch 50 \
            --compilers g++ --levels=-O0 --progress
}
# 10^4 of them as C++, with the sanitizers where nothing is optimized, and 2,000 as CUDA on the CPU.
emitted() {
    python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --programs 10000 --batch 200 --sanitized=-O0 \
        --jobs "$jobs" --progress &&
        python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --programs 10000 --batch 200 --threads 3 --seed 1000000 \
            --compilers g++ --levels=-O0 --jobs "$jobs" --progress &&
        python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --programs 2000 --batch 100 --cuda --seed 2000000 \
            --compilers g++ --levels=-O0 --jobs "$jobs" --progress
}
# What golden tests and random programs emit, on three threads under the thread sanitizer: libomp tells it what OpenMP orders.
threads() {
    TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" python3 tests/tools/golden.py --tool "$tool" --cxx clang++ \
        --cxxflags "-O1 -g -fsanitize=thread" &&
        python3 tests/tools/programs.py --tool "$tool" --tests "$build/tests" --programs 2000 --batch 100 --threads 3 \
            --compilers clang++ --levels=-O1 --sanitized=-O1 --sanitizers thread --jobs "$jobs" --progress
}
checked() { python3 tests/tools/checked.py --tool "$tool" --instances 1000000 --progress; }  # every shipped rule: 2 h on 2 cores
rules() { python3 tests/tools/random_rules.py --tool "$tool" --files 100000 -j "$jobs"; }    # 10^5 random rule files
verify() { python3 tests/tools/verify_samples.py --tool "$tool"; }                           # every sample, stopped at every phase
mutants() { python3 tests/tools/mutate.py --tool "$tool" --instances 300 --again 20 --jobs "$jobs" --progress; }
proofs() { "$tool" -prove -j "$jobs" -rules rules/arith.rules -rules rules/control.rules; }
# All golden files as C, optimized and with the sanitizers; random programs, on one thread and on three; the law of cost.
c() {
    python3 tests/tools/golden_c.py --tool "$tool" && python3 tests/tools/golden_c.py --tool "$tool" --sanitize --cflags=-O0 &&
        python3 tests/tools/c_programs.py --tool "$tool" --tests "$build/tests" --programs 2000 --sanitized --jobs "$jobs" &&
        python3 tests/tools/c_programs.py --tool "$tool" --tests "$build/tests" --programs 1000 --seed 3000000 --threads 3 --jobs "$jobs" &&
        python3 tests/tools/c_programs.py --tool "$tool" --tests "$build/tests" --programs 1000 --work --jobs "$jobs"
}
# All golden files as CUDA on the CPU; loops at sizes around those of warps and blocks.
cuda() { python3 tests/tools/golden.py --tool "$tool" --cuda && python3 tests/tools/cuda.py --tool "$tool" && python3 tests/tools/cuda_programs.py --tool "$tool"; }
optimized() { python3 tests/tools/golden.py --tool "$tool" --cxxflags=-O2; }     # all golden files, as compilers optimize them
huge() { python3 tests/tools/cuda.py --huge --tool "$tool"; }                   # kernels on the CPU, 2^31 indices and more
# Every source and every header by itself: none lives on what another one includes.
alone() {
    find engine grammar printers tests/unit tests/random -name '*.[ch]pp' | sort | xargs -P "$jobs" -I{} sh -c \
        'echo "#include \"{}\"" | g++ -std=c++20 -Wall -Wextra -Werror -I. -I'"$build"' -fsyntax-only -x c++ - || { echo "{} does not compile alone"; exit 1; }'
}
# Damaged texts; then an hour of libFuzzer for each target, under both sanitizers.
fuzz() { make fuzz FUZZ_SECONDS=3600; }

# Emitted C++ of all benchmarks beside what is written by hand, on one thread and two.
workloads() {
    local set failed=0
    for set in first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth; do
        python3 tests/bench/workloads.py --tool "$tool" --set "$set" --check || failed=1
    done
    return "$failed"
}
deb() { make deb; }                                                            # a Debian package, under lintian
inject() { python3 tests/tools/inject.py --tool "$tool" --every; }             # each of them, allocations as well
# Hostile calls of emitted programs under both sanitizers, two compilers.
calls() { python3 tests/tools/calls.py --tool "$tool" --calls 5000 --compilers g++,clang++; }

all="alone deb proofs verify inject calls fuzz cuda c optimized workloads huge threads programs cost work properties checked rules mutants flow emitted clang sanitizers"
failed=0
for part in ${*:-$all}; do
    case " $all " in
    *" $part "*) ;;
    *) echo "no part '$part'; there are: $all" >&2 && exit 2 ;;
    esac
    if [ $# = 0 ] && [ "$build/long/$part.passed" -nt "$tool" ]; then
        echo "== $part: passed before"
        continue
    fi
    began=$SECONDS
    rm -f "$build/long/$part.passed"
    echo "== $part"
    if "$part" </dev/null >"$build/long/$part.log" 2>&1; then
        touch "$build/long/$part.passed"
        echo "   passed, $((SECONDS - began)) s: $(grep . "$build/long/$part.log" | tail -n 1)"
    else
        failed=1
        echo "   FAILED, $((SECONDS - began)) s; the end of $build/long/$part.log:"
        tail -n 20 "$build/long/$part.log"
    fi
done
exit "$failed"
