#!/usr/bin/env bash
# Dependencies run grammar -> engine <- printers; engine/driver/*.cpp and engine/api/*.cpp, the command and what other
# projects link, see all, and nothing sees them.
# And what g++ 12 compiles but clang 14 with its library does not: see the end.
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0

# sources FOLDER...: their C++ files, all but engine/driver/* and engine/api/*.
sources() { find "$@" \( -name '*.cpp' -o -name '*.hpp' \) ! -path 'engine/driver/*' ! -path 'engine/api/*' | sort; }

# result WHY FOUND: a check that holds where nothing was found.
result() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "includes: $1"
        echo "$2"
    fi
}

# forbid WHAT WHY FILE...: none of the files includes a path that starts like the pattern WHAT.
forbid() {
    local what=$1 why=$2 found
    shift 2
    found=$(grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]([^>\"]*/)?$what" "$@" \
        /dev/null)
    result "$why" "$found"
}

forbid '(grammar|printers)/' 'engine/ knows neither grammar/ nor printers/' $(sources engine)
forbid 'grammar/' 'printers/ does not know grammar/' $(sources printers)
forbid 'printers/' 'grammar/ does not know printers/' $(sources grammar)
forbid 'engine/driver/' 'nothing sees engine/driver/*' $(sources engine grammar printers tests)
forbid 'engine/api/' 'nothing but tests sees engine/api/*' $(sources engine grammar printers) engine/driver/*
forbid '(engine|grammar|printers|fmt|tsl|nlohmann|tao)/' 'the installed headers need nothing that is not installed' \
    engine/api/testing.hpp engine/api/testing_rapidcheck.hpp
forbid 'tao/pegtl' 'only grammar/ uses PEGTL' engine/driver/* $(sources engine printers) 2>/dev/null

# clang 14 cannot use views of GCC 12's library, nor the algorithms that return a subrange.
algorithms='unique|remove|remove_if|partition|stable_partition|rotate|search|search_n|find_end|equal_range|shift_left|shift_right'
result 'clang 14 does not compile these of <ranges>' \
    "$(grep -HnE "ranges::($algorithms)\(|\<views::" $(sources engine grammar printers tests) engine/driver/* engine/api/*)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
