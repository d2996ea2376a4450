#include "printers/c/runtime/runtime.hpp"

#include "engine/support/hash.hpp"

#include <array>
#include <cctype>
#include <cstdio>
#include <set>
#include <unordered_map>

namespace irrewrite::printers {
namespace {

struct Embedded {
    std::string_view name, text;
};
constexpr Embedded base_table[] = {
#include "embedded/printers/c/runtime/base.h.inc"
};
constexpr Embedded scalar_table[] = {
#include "embedded/printers/c/runtime/scalars.h.inc"
};
constexpr Embedded text_table[] = {
#include "embedded/printers/c/runtime/text.h.inc"
};
constexpr Embedded number_table[] = {
#include "embedded/printers/c/runtime/numbers.h.inc"
};
constexpr Embedded array_table[] = {
#include "embedded/printers/c/runtime/arrays.h.inc"
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <class F> void words_of(std::string_view text, F&& f) {
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
        } else if (is_word(text[i])) {
            std::size_t end = i;
            while (end < text.size() && is_word(text[end])) ++end;
            f(text.substr(i, end - i), i, end);
            i = end;
        } else {
            ++i;
        }
    }
}

// The end of the list of arguments that opens there.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) return i;
    }
    return text.size();
}

// The last one of a macro's arguments.
std::string last_argument(std::string_view arguments) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        depth += arguments[i] == '(' || arguments[i] == '[' ? 1 : arguments[i] == ')' || arguments[i] == ']' ? -1 : 0;
        if (depth == 0 && arguments[i] == ',') begin = i + 1;
    }
    while (begin < arguments.size() && arguments[begin] == ' ') ++begin;
    return std::string(arguments.substr(begin));
}

// A helper's text for one type: words by `words`; calls of words in `calls`, `KEEP(ELEMENT, x)`, by a text with `$` in the place
// of the last argument. An empty one takes out the statement.
std::string instance(std::string_view text, const CWords& words, const CWords& calls) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_word(text[i])) {
            result += text[i++];
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string_view word = text.substr(i, end - i);
        if (const auto call = calls.find(word); call != calls.end() && end < text.size() && text[end] == '(') {
            const std::size_t close = closing(text, end);
            const std::string argument = instance(last_argument(text.substr(end + 1, close - end - 1)), words, calls);
            i = close + 1;
            if (call->second.empty()) { // with its line
                while (!result.empty() && result.back() == ' ') result.pop_back();
                i = std::min(text.find('\n', i), text.size() - 1) + 1;
                continue;
            }
            std::string made = call->second;
            for (std::size_t at = made.find('$'); at != std::string::npos; at = made.find('$', at + argument.size()))
                made.replace(at, 1, argument);
            result += made;
            continue;
        }
        const auto found = words.find(word);
        result += found == words.end() ? word : std::string_view(found->second);
        i = end;
    }
    return result;
}

struct Kind {
    std::string_view suffix, type, unsigned_type, word, width, least, most;
    bool is_signed;
};
constexpr std::array<Kind, 8> integers = {{
    {"i8", "int8_t", "uint8_t", "uint32_t", "8", "INT8_MIN", "INT8_MAX", true},
    {"i16", "int16_t", "uint16_t", "uint32_t", "16", "INT16_MIN", "INT16_MAX", true},
    {"i32", "int32_t", "uint32_t", "uint32_t", "32", "INT32_MIN", "INT32_MAX", true},
    {"i64", "int64_t", "uint64_t", "uint64_t", "64", "INT64_MIN", "INT64_MAX", true},
    {"u8", "uint8_t", "uint8_t", "uint32_t", "8", "0", "UINT8_MAX", false},
    {"u16", "uint16_t", "uint16_t", "uint32_t", "16", "0", "UINT16_MAX", false},
    {"u32", "uint32_t", "uint32_t", "uint32_t", "32", "0", "UINT32_MAX", false},
    {"u64", "uint64_t", "uint64_t", "uint64_t", "64", "0", "UINT64_MAX", false},
}};

void add_instances(std::vector<CHelper>& list, std::span<const Embedded> table) {
    for (const Kind& kind : integers) {
        const std::string suffix(kind.suffix);
        const CWords words = {{"TYPE", std::string(kind.type)},       {"UNSIGNED", std::string(kind.unsigned_type)},
                              {"WORD", std::string(kind.word)},       {"WIDTH", std::string(kind.width)},
                              {"LEAST", std::string(kind.least)},     {"MOST", std::string(kind.most)},
                              {"SIGNED", kind.is_signed ? "1" : "0"}, {"SUFFIX", "\"" + suffix + "\""}};
        for (const Embedded& helper : table)
            list.push_back(
                {std::string(helper.name) + "_" + suffix,
                 instance(helper.text, words,
                          {{"OF", "$_" + suffix}, {"NEGATIVE", kind.is_signed ? "($ < 0)" : "((void)($), false)"}})});
    }
    if (table.data() != scalar_table) return;
    for (const std::string suffix : {"f32", "f64"}) {
        const CWords words = {{"TYPE", suffix == "f32" ? "float" : "double"}, {"SIGNED", "1"}};
        for (const Embedded& helper : table)
            list.push_back(
                {std::string(helper.name) + "_" + suffix,
                 instance(helper.text, words, {{"OF", "$_" + suffix}, {"FLOAT", suffix == "f32" ? "$f" : "$"}})});
    }
}

// All that do not depend on the program's types.
const std::vector<CHelper>& common_helpers() {
    static const std::vector<CHelper> all = [] {
        std::vector<CHelper> list;
        for (const Embedded& helper : base_table) list.push_back({std::string(helper.name), std::string(helper.text)});
        add_instances(list, scalar_table);
        for (const Embedded& helper : text_table) list.push_back({std::string(helper.name), std::string(helper.text)});
        add_instances(list, number_table);
        return list;
    }();
    return all;
}

// Names of functions and types at the begin of lines.
std::vector<std::string> declared_names(const CHelper& helper) {
    std::vector<std::string> names{helper.name};
    const std::string& text = helper.text;
    for (std::size_t begin = 0; begin < text.size(); begin = std::min(text.find('\n', begin), text.size() - 1) + 1) {
        if (text.compare(begin, 7, "static ") != 0) continue;
        const std::size_t line = text.find('\n', begin), open = text.find('(', begin);
        if (open == std::string::npos || open > line) continue;
        std::size_t name = open;
        while (name > begin && is_word(text[name - 1])) --name;
        names.push_back(text.substr(name, open - name));
    }
    return names;
}

} // namespace

std::vector<CHelper> c_array_helpers(const CArrayWords& of) {
    const CWords words = {
        {"ARRAY", of.name}, {"ELEMENT", of.element}, {"ROW", of.row}, {"RANK", std::to_string(of.rank)}};
    const std::string all =
        "for (int64_t i = 0; i < $->count; ++i) " + of.release + "(((" + of.element + " *)ir_elements($))[i])";
    const CWords calls = {{"OF", of.name + "_$"},
                          {"KEEP", of.deep ? of.keep + "($)" : "$"},
                          {"RELEASE", of.deep ? of.release + "($)" : ""},
                          {"RELEASE_ALL", of.deep ? all : ""},
                          {"READ", of.read + "($)"},
                          {"WRITE", of.write + "($)"},
                          {"READ_ROW", of.read_row + "($)"},
                          {"WRITE_ROW", of.write_row + "($)"},
                          {"RELEASE_ROW", of.row + "_release($)"}};
    std::vector<CHelper> list;
    for (const Embedded& helper : array_table) {
        const std::string_view name = helper.name;
        const bool of_rows = name == "push_row" || name == "row" || name == "set_row" || name == "repeated" ||
                             name == "read_rows" || name == "write_rows";
        const bool of_one = name == "push" || name == "filled" || name == "part" || name == "reverse" ||
                            name == "read" || name == "write" || name == "read_text";
        if ((of.rank == 1 && of_rows) || (of.rank > 1 && of_one)) continue;
        list.push_back(
            {name == "type" ? of.name : of.name + "_" + std::string(name), instance(helper.text, words, calls)});
    }
    return list;
}

const std::unordered_set<std::string>& c_runtime_names() {
    static const std::unordered_set<std::string> names = [] {
        std::unordered_set<std::string> set{"ir_run", "IR_FAULT", "IR_UNUSED"};
        for (const CHelper& helper : common_helpers()) {
            set.insert(helper.name);
            words_of(helper.text, [&](std::string_view word, std::size_t, std::size_t) {
                if (word.starts_with("ir_")) set.emplace(word);
            });
        }
        return set;
    }();
    return names;
}

const std::vector<std::string>& c_functions_of_types() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list; // records have some of those of arrays
        for (const Embedded& helper : array_table)
            if (helper.name != "type") list.emplace_back(helper.name);
        return list;
    }();
    return names;
}

namespace {
// The text where no header before has it. A type may have its name in another header, with other fields.
std::string once(const CHelper& helper) {
    const std::string guard = "IR_HAS_" + helper.name;
    const bool is_struct = helper.text.starts_with("typedef struct");
    char print[24] = "";
    if (is_struct) std::snprintf(print, sizeof print, "0x%016zxu", hash_text(helper.text));
    std::string text = "#ifndef " + guard + "\n#define " + guard + (is_struct ? " " : "") + print + "\n" + helper.text;
    if (is_struct)
        text += "#elif " + guard + " != " + print + "\n#error \"another emitted header has a different '" +
                helper.name + "': give one of them other names, -namespace NAME\"\n";
    return text + "#endif\n";
}
} // namespace

std::string c_prelude(std::string_view text, const std::vector<CHelper>& types, bool guarded) {
    std::vector<const CHelper*> all;
    for (const CHelper& helper : common_helpers()) all.push_back(&helper);
    for (const CHelper& helper : types) all.push_back(&helper);
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::string& name : declared_names(*all[i])) index.emplace(std::move(name), i);
    std::set<std::size_t> used{index.at("includes")};
    std::vector<std::string_view> texts{text};
    while (!texts.empty()) {
        const std::string_view next = texts.back();
        texts.pop_back();
        words_of(next, [&](std::string_view name, std::size_t, std::size_t) {
            const auto found = index.find(std::string(name));
            if (found != index.end() && used.insert(found->second).second) texts.push_back(all[found->second]->text);
        });
    }
    std::string prelude;
    for (std::size_t i : used) prelude += (guarded ? once(*all[i]) : all[i]->text) + "\n";
    return prelude;
}

} // namespace irrewrite::printers
