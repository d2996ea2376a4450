#!/usr/bin/env bash
# Dependencies run grammar -> engine <- printers; engine/main*.cpp see all, and nothing sees them.
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0

# sources FOLDER...: their C++ files, all but engine/main*.
sources() { find "$@" \( -name '*.cpp' -o -name '*.hpp' \) ! -path 'engine/main*' | sort; }

# forbid WHAT WHY FILE...: none of the files includes a path that starts like the pattern WHAT.
forbid() {
    local what=$1 why=$2 found
    shift 2
    found=$(grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]([^>\"]*/)?$what" "$@" \
        /dev/null)
    if [ -z "$found" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "includes: $why"
        echo "$found"
    fi
}

forbid '(grammar|printers)/' 'engine/ knows neither grammar/ nor printers/' $(sources engine)
forbid 'grammar/' 'printers/ does not know grammar/' $(sources printers)
forbid 'printers/' 'grammar/ does not know printers/' $(sources grammar)
forbid 'engine/main' 'nothing sees engine/main*' $(sources engine grammar printers tests)
forbid 'tao/pegtl' 'only grammar/ uses PEGTL' engine/main* $(sources engine printers) 2>/dev/null
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
