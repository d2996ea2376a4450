#include "engine/driver/help_pages.hpp"

#include <algorithm>
#include <functional>

namespace irrewrite {

namespace {

bool is_optional(const HelpRow& row) { return row.value.starts_with('='); } // `-stats=json|html`
std::vector<std::string> alternatives(const HelpRow& row) {
    std::vector<std::string> names;
    for (std::size_t begin = 1; is_optional(row) && begin <= row.value.size();) {
        const std::size_t end = std::min(row.value.find('|', begin), row.value.size());
        names.push_back(row.name + "=" + row.value.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}
bool takes_word(const HelpRow& row) { return !row.value.empty() && !is_optional(row); }
bool takes_rules(const HelpRow& row) { return row.name == "-rules" || row.name == "-models"; }
bool takes_file(const HelpRow& row) { return row.value == "FILE"; }
bool takes_folder(const HelpRow& row) { return row.value == "DIR"; }

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

// -- the manual (man(7)) ----------------------------------------------------------------------------

std::string roff(const std::string& text) {
    std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string manual(const std::vector<HelpRow>& rows) {
    std::string text = R"(.TH IRREWRITE 1 "" "irrewrite 0.1.0" "User Commands"
.SH NAME
irrewrite \- rewrites programs by rules
.SH SYNOPSIS
.B irrewrite
.RI [ options ]
.RI [ file ...]
.SH DESCRIPTION
Reads a program and rule files, applies the rules, and prints the result.
A file is a program,
.B .ir
or
.BR .json .
Several files are rewritten one by one; without a file, the program is read from standard input.
Long options take one dash or two.
.SH OPTIONS
)";
    std::string group;
    for (const HelpRow& row : rows) {
        if (row.group != group) text += ".SS " + roff(row.group) + "\n", group = row.group;
        text += ".TP\n.BR " + roff(row.name);
        if (is_optional(row)) text += " [=" + roff(row.value.substr(1)) + "]";
        if (takes_word(row)) text += " \" \" \\fI" + replaced(roff(row.value), " ", "\\ ") + "\\fR";
        text += "\n" + roff(row.text) + "\n";
    }
    return text + R"(.SH EXIT STATUS
.TP
0
done
.TP
1
something is wrong with a file: its text, its types, its rules, reading or writing it
.TP
2
wrong usage
.TP
3
\-check, \-prove, \-lint, \-verify or \-format \-check found something
.TP
4
a limit was reached: fuel, time, memory, depth, or the size of a file
.TP
5
the evaluated program faulted
.TP
70
a bug in the tool
.SH ENVIRONMENT
.TP
.B IRREWRITE_RULES
the folder of the shipped rule files
.TP
.B NO_COLOR
if it is set, messages have no color
.SH SEE ALSO
.BR irrewrite\-ir (5),
.BR irrewrite\-rules (5)
)";
}

// -- shells -----------------------------------------------------------------------------------------

std::string bash(const std::vector<HelpRow>& rows) {
    std::string names, cases;
    for (const HelpRow& row : rows) {
        names += (names.empty() ? "" : " ") + row.name;
        for (const std::string& name : alternatives(row)) names += " " + name;
        if (!takes_word(row)) continue;
        const std::string reply =
            !row.choices.empty() ? "COMPREPLY=($(compgen -W '" + joined(row.choices) + "' -- \"$word\"))"
            : takes_rules(row)   ? "COMPREPLY=($(compgen -f -X '!*.rules' -- \"$word\") $(compgen -d -- \"$word\"))"
            : takes_file(row)    ? "COMPREPLY=($(compgen -f -- \"$word\"))"
            : takes_folder(row)  ? "COMPREPLY=($(compgen -d -- \"$word\"))"
                                 : "COMPREPLY=()";
        cases += "        " + row.name + "|-" + row.name + ") " + reply + "; return ;;\n";
    }
    return "# Completion of irrewrite(1) for bash, made by `irrewrite -help=bash`.\n"
           "_irrewrite() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    case $before in\n" +
           cases +
           "    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W '" +
           names +
           "' -- \"$word\"))\n"
           "    else\n"
           "        COMPREPLY=($(for kind in ir json rules; do compgen -f -X \"!*.$kind\" -- \"$word\"; done) "
           "$(compgen -d -- \"$word\"))\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _irrewrite irrewrite\n";
}

std::string zsh(const std::vector<HelpRow>& rows) {
    const auto quoted = [](std::string text) {
        for (const char* c : {"[", "]", ":"}) text = replaced(text, c, std::string("\\") + c);
        return replaced(text, "'", "'\\''");
    };
    std::string lines;
    for (const HelpRow& row : rows) {
        std::string line = row.repeatable ? "'*" : "'";
        line += row.name + "[" + quoted(row.text) + "]";
        if (takes_word(row)) {
            const std::string action = !row.choices.empty() ? "(" + joined(row.choices) + ")"
                                       : takes_rules(row)   ? "_files -g \"*.rules\""
                                       : takes_file(row)    ? "_files"
                                       : takes_folder(row)  ? "_files -/"
                                                            : " ";
            line += ":" + quoted(row.value) + ":" + action;
        }
        lines += "    " + line + "' \\\n";
        for (const std::string& name : alternatives(row)) lines += "    '" + name + "[" + quoted(row.text) + "]' \\\n";
    }
    return "#compdef irrewrite\n# Completion of irrewrite(1) for zsh, made by `irrewrite -help=zsh`.\n_arguments \\\n" +
           lines + "    '*:file:_files -g \"*.(ir|json|rules)\"'\n";
}

std::string fish(const std::vector<HelpRow>& rows) {
    std::string text = "# Completion of irrewrite(1) for fish, made by `irrewrite -help=fish`.\n";
    for (const HelpRow& row : rows) {
        const std::string name = row.name.substr(1);
        text += "complete -c irrewrite " + std::string(name.size() == 1 ? "-s " : "-o ") + name;
        if (takes_word(row)) text += takes_file(row) || takes_folder(row) ? " -r" : " -x";
        if (!row.choices.empty()) text += " -a '" + joined(row.choices) + "'";
        text += " -d '" + replaced(replaced(row.text, "\\", "\\\\"), "'", "\\'") + "'\n";
        for (const std::string& other : alternatives(row)) text += "complete -c irrewrite -o " + other.substr(1) + "\n";
    }
    return text;
}

} // namespace

std::optional<std::string> help_page(const std::string& kind, const std::vector<HelpRow>& rows) {
    if (kind == "man") return manual(rows);
    if (kind == "bash") return bash(rows);
    if (kind == "zsh") return zsh(rows);
    if (kind == "fish") return fish(rows);
    return std::nullopt;
}

} // namespace irrewrite
