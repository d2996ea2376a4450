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
expect "cpp cuda c" "$(bash -c '. "$1"; COMP_WORDS=(irrewrite -emit c); COMP_CWORD=2; _irrewrite; echo "${COMPREPLY[*]}"' - "$prefix/share/bash-completion/completions/irrewrite")" \
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
# Programs as a library of a project that has rules of its own: `imported.rules` is not named, and what it says is a dependency.
if type -P cmake >/dev/null; then
    project=$folder/project
    mkdir -p "$project/rules"
    echo 'func @double(%x: i64) -> i64 { return slow(%x) }' >"$project/double it.ir"
    echo 'func @same(%x: i64) -> i64 { return slow(%x) }' >"$project/same.ir"
    echo 'import "imported.rules"' >"$project/rules/own.rules"
    rule() { printf 'op slow(i64) -> i64  pure total\nrules r { slow: slow(?x) => ?x * %s }\nphase p = innermost(r)\n' "$1" >"$project/rules/imported.rules"; }
    rule 2
    cat >"$project/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.18)
project(uses CXX)
find_package(irrewrite 0.1 REQUIRED)
irrewrite_add_library(numbers SOURCES "double it.ir" same.ir RULES own.rules INCLUDES rules NAMESPACE made)
add_executable(uses uses.cpp)
target_link_libraries(uses PRIVATE numbers)
PROJECT
    printf '#include "double it.hpp"\n#include "same.hpp"\n#include <iostream>\nint main() { std::cout << made::double_it::double_(21) << " " << made::same::same(1) << "\\n"; }\n' \
        >"$project/uses.cpp"
    must "a project with irrewrite_add_library" cmake -S "$project" -B "$project/build" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
    must "building it" cmake --build "$project/build"
    expect "42 2" "$("$project/build/uses")" "what it prints"
    expect "" "$(cmake --build "$project/build" | grep Generating)" "that nothing is made again"
    rule 10
    must "the headers with another rule" cmake --build "$project/build" --target numbers-headers
    expect "1" "$(($(grep -c "10" "$project/build/numbers/same.hpp") > 0))" "what an imported rule makes of them"
    mkdir -p "$project/a" && cp "$project/same.ir" "$project/a"
    for wrong in 'SOURCES same.ir RULE own.rules|no program .RULE' 'WITH same.ir|unknown arguments' 'RULES own.rules|SOURCES names no program' 'SOURCES same.ir a/same.ir|two programs would be'; do
        sed -i "s|^irrewrite_add_library.*|irrewrite_add_library(numbers ${wrong%|*})|" "$project/CMakeLists.txt"
        expect "1" "$(($(cmake -S "$project" -B "$project/wrong" -DCMAKE_PREFIX_PATH="$prefix" 2>&1 | tr '\n' ' ' | tr -s ' ' | grep -c "${wrong#*|}") > 0))" "that '${wrong%|*}' is wrong"
    done
    sed -i 's/find_package(irrewrite 0.1 /find_package(irrewrite 0.2 /' "$project/CMakeLists.txt"
    expect "1" "$(($(cmake -S "$project" -B "$project/newer" -DCMAKE_PREFIX_PATH="$prefix" 2>&1 | grep -c 'version: 0.1.0') > 0))" "that version 0.2 is not there"
fi

# Editors know the files where they look for them.
if type -P nvim >/dev/null; then
    echo 'rules r { a: ?x => ?x }' >"$folder/a.rules"
    expect "irrewrite" "$(XDG_DATA_DIRS="$prefix/share" XDG_CONFIG_HOME="$folder/none" nvim --headless "$folder/a.rules" '+echo &filetype' +q 2>&1)" "the type of a file in Neovim"
fi

# The Debian package holds the same, and what it holds works. (lintian takes long: `make deb`, or PART=deb of `make check-long`.)
if type -P dpkg-deb >/dev/null && [ -z "${SANITIZE:-}" ]; then
    mkdir -p "$folder/deb"
    must "make deb" env CXX="$cxx" DEB_LINTIAN=no DEB_COMPRESSION=none tests/tools/deb.sh "$1" 0.1.0 "$folder/deb"
    package=$(echo "$folder"/deb/*.deb)
    must "taking it apart" dpkg-deb -x "$package" "$folder/taken"
    expect "$(cd "$prefix" && find . -type f | sed 's|^./||; s|site-functions|vendor-completions|; s|\(/man/.*\)|\1.gz|' | sort)" \
        "$(cd "$folder/taken/usr" && find . -type f -not -path '*/doc/*' | sed 's|^./||' | sort)" "what the package holds"
    expect "irrewrite 0.1.0" "$("$folder/taken/usr/bin/irrewrite" -version | head -n 1)" "its version"
    expect "loop" "$("$folder/taken/usr/bin/irrewrite" -rules fusion.rules samples/stats.ir | grep -o loop)" "that it finds its rules"
    expect "1" "$(dpkg-deb -f "$package" Depends | grep -c libfmt)" "what it depends on"
fi
finish
