# A README as a page of the manual: awk -v name=irrewrite-ir -v title="..." -f manual.awk README.md > irrewrite-ir.5
function roff(text,    out, part, font) {
    gsub(/\\/, "\\e", text)
    out = ""
    while (match(text, /`[^`]*`|\*\*[^*]+\*\*|\[[^][]*\]\([^()]*\)|\*[^* ][^*]*\*/)) { # code, bold, a link, emphasis
        part = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        font = part ~ /^\*[^*]/ ? "I" : "B"
        if (part ~ /^\[/) { # a link is its text
            sub(/^\[/, "", part); sub(/\]\([^()]*\)$/, "", part); gsub(/`/, "", part)
            out = out part
            continue
        }
        if (part ~ /^`/) part = substr(part, 2, length(part) - 2)
        else gsub(/[*`]/, "", part)
        out = out "\\f" font part "\\fR"
    }
    text = out text
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) text = "\\&" text
    return text
}
function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text ~ /^[.']/ ? "\\&" text : text }
# Lines of a paragraph are one text: what stands in backquotes may be broken.
function flush() { if (text_due != "") print roff(text_due); text_due = "" }
BEGIN { printf ".TH %s 5 \"\" \"irrewrite 0.1.0\" \"File Formats\"\n.SH NAME\n%s \\- %s\n", toupper(name), plain(name), title }
/^```/ { flush(); code = !code; print code ? ".PP\n.nf\n.RS 2" : ".RE\n.fi"; table = 0; next }
code { print plain($0); next }
/^!?\[!?\[/ { next }
/^# / { flush(); print ".SH DESCRIPTION"; next }
/^## / { flush(); print ".SH " toupper(roff(substr($0, 4))); next }
/^###* / { flush(); sub(/^#+ /, ""); print ".SS " roff($0); next }
/^\|/ {                                               # a table: the first column, and the others behind it
    flush()
    if ($0 ~ /^\|[-| ]*\|$/) next
    gsub(/\\\|/, "\001")
    count = split($0, cell, "|")
    line = ""
    for (i = 3; i < count; ++i) { gsub(/^ +| +$/, "", cell[i]); line = line (line == "" || cell[i] == "" ? "" : "; ") cell[i] }
    gsub(/^ +| +$/, "", cell[2])
    gsub("\001", "|", cell[2]); gsub("\001", "|", line)
    print ".TP\n" (cell[2] == "" ? "\\&" : roff(cell[2])) "\n" (line == "" ? "\\&" : roff(line))
    next
}
/^ *[-*] / { flush(); sub(/^ *[-*] /, ""); print ".IP \\(bu 2"; text_due = $0; next }
/^ *$/ { flush(); print ".PP"; next }
{ sub(/^ +/, ""); text_due = text_due (text_due == "" ? "" : " ") $0 }
END { flush(); print ".SH SEE ALSO\n.BR irrewrite (1)" }
