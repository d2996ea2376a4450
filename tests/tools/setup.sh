#!/usr/bin/env bash
# setup.sh [build|test|format]...: makes sure that what the target needs is installed.
# Silent and quick when nothing is missing; else installs it with apt-get, or names it and fails.
set -u

missing=()
wanted=()

# need PACKAGE COMMAND...: any of the commands will do.
need() {
    local package=$1 command
    shift
    for command; do
        if type -P "$command" >/dev/null; then return; fi
    done
    missing+=("$package")
}

# want PACKAGE COMMAND...: comes along when something is installed, and may be missing.
want() {
    local package=$1 command
    shift
    for command; do
        if type -P "$command" >/dev/null; then return; fi
    done
    wanted+=("$package")
}

# need_header PACKAGE HEADER: the usual folders first; the compiler knows of the others.
need_header() {
    if [ -e "/usr/include/$2" ] || [ -e "/usr/local/include/$2" ]; then return; fi
    if echo "#include <$2>" | ${CXX:-g++} -std=c++20 -E -x c++ - >/dev/null 2>&1; then return; fi
    missing+=("$1")
}

one_exists() {
    local path
    for path; do
        if [ -e "$path" ]; then return; fi
    done
    return 1
}

# need_file PACKAGE PATH...: the paths may be patterns; the first that exists will do. want_file: likewise.
need_file() { one_exists "${@:2}" || missing+=("$1"); }
want_file() { one_exists "${@:2}" || wanted+=("$1"); }

need_to_build() {
    need g++ g++
    need binutils ar
    need_header tao-pegtl-dev tao/pegtl.hpp
    need_header nlohmann-json3-dev nlohmann/json.hpp
    need_header libcli11-dev CLI/CLI.hpp
    need_header libfmt-dev fmt/core.h
    need_header robin-map-dev tsl/robin_map.h
}

need_to_test() {
    need_to_build
    need_header catch2 catch2/catch.hpp
    need_header librapidcheck-dev rapidcheck.h
    need clang clang++
    need_file libomp-dev /usr/lib/llvm-*/lib/libomp.so /usr/lib/*/libomp.so /usr/lib/libomp.so \
        /usr/local/lib/libomp.so
    need python3 python3
    want z3 z3 cvc5
    want cmake cmake
    want chromium chromium chromium-browser
    want neovim nvim
    want_file libedit-dev /usr/include/editline/readline.h
    want_file python3-matplotlib /usr/lib/python3/dist-packages/matplotlib
}

look() {
    local what
    missing=()
    wanted=()
    for what; do
        case $what in
        build) need_to_build ;;
        test) need_to_test ;;
        format) need clang-format clang-format ;;
        *) echo "setup.sh: unknown need '$what'" >&2; exit 2 ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null; }

install_missing() {
    type -P apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || type -P sudo >/dev/null || return 1
    echo "setup: installing ${missing[*]}"
    apt install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
        { apt update >/dev/null && apt install --no-install-recommends "${missing[@]}" >/dev/null; } || return
    local package
    for package in ${wanted[@]+"${wanted[@]}"}; do
        apt install --no-install-recommends "$package" >/dev/null 2>&1 || true
    done
    if [[ " ${wants[*]} " == *" test "* ]]; then want_pytest_lsp; fi
}

# A client of the language server from PyPI, in an environment of its own.
want_pytest_lsp() {
    local place
    place=$(dirname "$0")/../../build/pytest-lsp
    if [ -e "$place" ] || python3 -c 'import pytest_lsp' 2>/dev/null; then return; fi
    python3 -m venv "$place" >/dev/null 2>&1 && timeout 120 "$place/bin/pip" install -q pytest-lsp >/dev/null 2>&1 || rm -rf "$place"
}

if [ $# = 0 ]; then set -- build; fi
wants=("$@")
look "$@"
if [ ${#missing[@]} = 0 ]; then exit 0; fi
install_missing
hash -r
look "$@"
if [ ${#missing[@]} = 0 ]; then exit 0; fi
echo "setup: missing, please install: ${missing[*]}" >&2
exit 1
