#!/usr/bin/env bash
# installed.sh BUILD: installs into a folder of its own, and builds and runs samples/testing against what stands there,
# with cmake, and without it from another folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
cxx=${CXX:-g++}
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

finish() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}

# must WHAT COMMAND...
must() {
    local what=$1
    shift
    if "$@" >"$folder/log" 2>&1; then return; fi
    tail -n 30 "$folder/log"
    expect 0 "not 0" "$what"
    finish
}

prefix=$folder/usr
must "what make install puts" install -d "$prefix/bin" "$prefix/share/irrewrite/rules" "$prefix/include/irrewrite" "$prefix/lib"
must "make install" make -s --no-print-directory -o "$1/irrewrite" -o "$1/libirrewrite.a" -o setup install \
    PREFIX="$prefix" CXX="$cxx" SANITIZE="${SANITIZE:-}"
expect "include/irrewrite/testing.hpp
include/irrewrite/testing_rapidcheck.hpp" "$(cd "$prefix" && find include -type f | sort)" "the installed headers"

# Pages of the manual, without a warning where man(1) is, and completions that the shells read.
expect "bash-completion/completions/irrewrite
fish/vendor_completions.d/irrewrite.fish
man/man1/irrewrite.1
man/man5/irrewrite-ir.5
man/man5/irrewrite-rules.5
zsh/site-functions/_irrewrite" "$(cd "$prefix/share" && find bash-completion fish man zsh -type f | sort)" "what is in share"
options=$("$1/irrewrite" -help | sed -nE 's/^  (-[A-Za-z-]+).*/\1/p')
expect "1" "$(($(wc -l <<<"$options") > 30))" "that -help lists the options"
for page in man/man1/irrewrite.1 bash-completion/completions/irrewrite zsh/site-functions/_irrewrite fish/vendor_completions.d/irrewrite.fish; do
    for option in $options; do
        word=${option#-}
        expect "1" "$(($(sed 's/\\-/-/g' "$prefix/share/$page" | grep -cE -- "[-os ]$word([^a-z-]|\$)") > 0))" "$option in $page"
    done
done
if command -v man >/dev/null; then
    for page in "$prefix"/share/man/man*/*; do
        expect "" "$(MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l "$page" 2>&1 >/dev/null | head -n 3)" "warnings about $page"
    done
fi
must "the completion of bash" bash -n "$prefix/share/bash-completion/completions/irrewrite"
expect "-emit" "$(bash -c '. "$1"; COMP_WORDS=(irrewrite -em); COMP_CWORD=1; _irrewrite; echo "${COMPREPLY[*]}"' - "$prefix/share/bash-completion/completions/irrewrite")" \
    "the options that -em begins"
expect "cpp cuda" "$(bash -c '. "$1"; COMP_WORDS=(irrewrite -emit c); COMP_CWORD=2; _irrewrite; echo "${COMPREPLY[*]}"' - "$prefix/share/bash-completion/completions/irrewrite")" \
    "the kinds of output that c begins"
for shell in zsh fish; do
    if ! command -v $shell >/dev/null; then continue; fi
    must "the completion of $shell" $shell -n "$(find "$prefix/share/$shell" -type f)"
done

# Each header alone, without a warning, and with nothing of the source tree in sight.
for header in testing testing_rapidcheck; do
    echo "#include <irrewrite/$header.hpp>" >"$folder/alone.cpp"
    must "$header.hpp alone" "$cxx" -std=c++20 -Wall -Wextra -Wpedantic -Werror -I "$prefix/include" -fsyntax-only "$folder/alone.cpp"
done

# What the README shows.
awk '/^```/ { if (block ~ /#include <irrewrite.testing_rapidcheck/) exit; block = ""; next } { block = block $0 "\n" } END { printf "%s", block }' \
    engine/api/README.md >"$folder/readme.cpp"
must "what the README shows" grep -q TEST_CASE "$folder/readme.cpp"
must "compiling what the README shows" "$cxx" -std=c++20 -Wall -Wextra -Werror -I "$prefix/include" -fsyntax-only "$folder/readme.cpp"

cp samples/testing/laws.cpp samples/testing/laws.rules "$folder"
flags=()
if [ -n "${SANITIZE:-}" ]; then flags=(-fsanitize=address,undefined); fi
must "the tests of samples/testing" "$cxx" -std=c++20 -Wall -Wextra -Werror "${flags[@]}" -DLAWS="\"$folder/laws.rules\"" -I "$prefix/include" \
    "$folder/laws.cpp" -L "$prefix/lib" -lirrewrite -lrapidcheck -lfmt -pthread -o "$folder/laws"
# Nothing says where the rules are but where the header stood.
said=$(cd / && env -u IRREWRITE_RULES "$folder/laws" 2>&1)
expect "0" "$?" "that the tests of samples/testing pass"
expect "All tests passed (7 assertions in 3 test cases)" "$(grep -o 'All tests passed.*' <<<"$said")" "how many tests of samples/testing pass"
expect "1" "$(grep -c "rounding.multiple: wrong" <<<"$said")" "the wrong rule of samples/testing"
expect "1" "$(grep -c -- "-run '@before(" <<<"$said")" "its counterexample"
# The law that holds, made wrong: then the test fails.
sed -i 's/twice: .*/twice: round_to(round_to(?x, #k), #k) => round_to(?x, #(#k + 1))/' "$folder/laws.rules"
(cd / && "$folder/laws" >/dev/null 2>&1)
expect "1" "$(($? > 0))" "that a test of a wrong rule fails"

if type -P cmake >/dev/null && [ -z "${SANITIZE:-}" ]; then
    must "cmake" cmake -S samples/testing -B "$folder/cmake" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
    must "cmake --build" cmake --build "$folder/cmake"
    must "ctest" ctest --test-dir "$folder/cmake"
    passed=$((passed + 1))
fi
finish
