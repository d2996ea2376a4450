// The imports at the top of a rule file, by the production of that name (rule_grammar.hpp).
#include "grammar/syntax/rule_grammar.hpp"

namespace irrewrite::grammar {

namespace {

struct Found {
    SourceId source;
    const char* text;
    std::vector<ImportLine> imports;
};

template <class Production> struct collect : peg::nothing<Production> {};

template <> struct collect<import_path> {
    template <class Matched> static void apply(const Matched& in, const Place&, Found& found) {
        const auto begin = static_cast<std::uint32_t>(in.begin() - found.text);
        const auto end = static_cast<std::uint32_t>(in.end() - found.text);
        const std::string quoted = in.string();
        found.imports.push_back({quoted.substr(1, quoted.size() - 2), {found.source, begin, end}});
    }
};

template <> struct collect<for_sets> {
    static void apply0(const Place&, Found& found) { found.imports.back().for_sets = true; }
};

} // namespace

std::vector<ImportLine> scan_imports(const Sources& sources, SourceId source) {
    const std::string_view text = sources[source].text;
    Found found{source, text.data(), {}};
    if (text.size() >= UINT32_MAX / 2) return found.imports;
    peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*> input(text.data(), text.data() + text.size(),
                                                                                 "");
    const Place place{.rule_file = true};
    try {
        peg::parse<imports, collect>(input, place, found);
    } catch (const peg::parse_error&) { // the parser says it
    }
    return std::move(found.imports);
}

} // namespace irrewrite::grammar
