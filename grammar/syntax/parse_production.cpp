// Actions and messages for the productions of `items` (rule_grammar.hpp).
#include "grammar/syntax/parse_production.hpp"

#include "engine/support/hex_digit.hpp"
#include "grammar/syntax/expected.hpp"
#include "grammar/syntax/malformed.hpp"

#include <algorithm>

namespace irrewrite::grammar {

template <> struct build<item_class> : build_leaf<Kind::PegClass> {};
template <> struct build<any_character> : build_leaf<Kind::PegAny> {};
template <> struct build<production_reference> : build_leaf<Kind::PegRef> {};

template <> struct build<item_literal> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in), quoted = text.substr(0, text.rfind('"') + 1);
        builder.node(Kind::PegLiteral, text, quoted, 0, quoted.size() < text.size() ? Caseless : 0);
    }
};

template <> struct build<labelled_item> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        const char* const end = past<word>(text.data(), in.end());
        builder.node(Kind::PegLabel, text, text.substr(0, static_cast<std::size_t>(end - text.data())), 1);
    }
};

template <> struct build<item_ahead> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(text[0] == '&' ? Kind::PegAnd : Kind::PegNot, text, text.substr(0, 1), 1);
    }
};

// A repetition goes around the node before it.
template <std::size_t Children, std::size_t Sign> struct build_repetition {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view sign = builder.text(in).substr(0, Sign);
        builder.node(Kind::PegRepeat, builder.text_from(Children, in.end()), sign, Children);
    }
};
template <> struct build<repetition> : build_repetition<1, 1> {};
template <> struct build<separated_items> : build_repetition<2, 2> {};

template <> struct build<group_alternative> : build_parent<Kind::Alternative> {};
template <> struct build<group_items> : build_parent<Kind::PegGroup> {};

// -- faults ---------------------------------------------------------------------------------------

namespace {

// Behind a fault in a literal or class, the rest of it.
struct rest_in_quotes
    : peg::seq<peg::star<peg::sor<malformed_escape, peg::not_one<'"', ']', '\n'>>>, peg::opt<peg::one<'"', ']'>>> {};

// Returns where to go on.
const char* report(const SyntaxTree& tree, const Fault& fault, Diagnostics& diagnostics) {
    const auto at = static_cast<std::uint32_t>(fault.at - tree.text.data());
    const auto end = static_cast<std::uint32_t>(tree.text.size());
    if (fault.in_quotes && at + 1 < end && *fault.at == '\\' && fault.at[1] != '\n')
        diagnostics.error({tree.source, at, at + 2}, std::string(message::malformed_production_escape),
                          std::string(message::production_escapes));
    else
        diagnostics.error({tree.source, at, std::min(at + 1, end)}, "expected " + std::string(fault.expected));
    return fault.in_quotes ? past<rest_in_quotes>(fault.at, tree.text.data() + end) : fault.at;
}

} // namespace

Items parse_items(SyntaxTree& tree, std::uint32_t from, std::vector<SyntaxId>& pending, Diagnostics& diagnostics) {
    const char* const text = tree.text.data();
    Input input(text + from, text + tree.text.size(), "");
    const Place place{.rule_file = true, .pattern = true};
    TreeBuilder builder(tree, pending);
    try {
        peg::parse<items, build, raise_expected>(input, place, builder);
    } catch (const Fault& fault) {
        return {static_cast<std::uint32_t>(report(tree, fault, diagnostics) - text), false};
    }
    return {static_cast<std::uint32_t>(input.current() - text), true};
}

std::optional<std::string> peg_text(std::string_view literal) {
    std::string text;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        if (++i >= literal.size()) return std::nullopt;
        switch (literal[i]) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case 'x': {
            const int high = i + 2 < literal.size() ? hex_digit(literal[i + 1]) : -1;
            const int low = high < 0 ? -1 : hex_digit(literal[i + 2]);
            if (low < 0 || high > 7) return std::nullopt; // above 0x7f it would be a part of a character
            text += static_cast<char>(high * 16 + low), i += 2;
            break;
        }
        case '"':
        case '\\':
        case ']':
        case '[':
        case '^':
        case '-': text += literal[i]; break;
        default: return std::nullopt;
        }
    }
    return text;
}

} // namespace irrewrite::grammar
