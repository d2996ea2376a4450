#!/usr/bin/env bash
# units.sh FOLDER LINES SOURCE...: writes translation units, each including sources of one folder of about that many lines
# together, to FOLDER, and prints their names. Templates and headers are compiled once for each unit instead of each source.
# A unit that would be as it is stays untouched, so that make compiles what has changed alone.
set -eu
folder=$1 lines=$2
shift 2
mkdir -p "$folder"
wc -l "$@" | awk -v most="$lines" -v out="$folder" '
    $2 == "total" { next }
    {
        home = $2
        sub(/\/[^\/]*$/, "", home)
        if (home != last || size + $1 > most) { number = home == last ? number + 1 : 1; size = 0 }
        last = home
        size += $1
        unit = home
        gsub(/\//, "-", unit)
        unit = out "/" unit "-" number ".cpp"
        if (!(unit in text)) print unit
        text[unit] = text[unit] "#include \"" $2 "\"\n"
    }
    END {
        for (unit in text) {
            old = ""
            while ((getline line < unit) > 0) old = old line "\n"
            close(unit)
            if (old != text[unit]) { printf "%s", text[unit] > unit; close(unit) }
        }
    }'
