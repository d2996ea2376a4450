// Actions and messages for the productions of `items` (rule_grammar.hpp).
#include "grammar/syntax/parse_production.hpp"

#include "engine/support/hex_digit.hpp"
#include "grammar/syntax/expected.hpp"
#include "grammar/syntax/malformed.hpp"
#include "grammar/syntax/tree_builder.hpp"

#include <algorithm>

namespace irrewrite::grammar {

template <> struct build<item_class> : build_leaf<Kind::PegClass> {};
template <> struct build<any_character> : build_leaf<Kind::PegAny> {};
template <> struct build<production_reference> : build_leaf<Kind::PegRef> {};

template <> struct build<item_literal> : build_node<build<item_literal>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view quoted = text.substr(0, text.rfind('"') + 1);
        builder.node(Kind::PegLiteral, text, quoted, first, quoted.size() < text.size() ? Caseless : 0);
    }
};

template <> struct build<labelled_item> : build_named<Kind::PegLabel, word> {};

template <> struct build<item_ahead> : build_node<build<item_ahead>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(text[0] == '&' ? Kind::PegAnd : Kind::PegNot, text, text.substr(0, 1), first);
    }
};

// A repetition goes around the node before it.
template <std::size_t Children, std::size_t Sign> struct build_repetition : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.around(Kind::PegRepeat, Children, in.end(), builder.text(in).substr(0, Sign));
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
    const char* const text = tree.text.data();
    const auto end = static_cast<std::uint32_t>(tree.text.size());
    if (fault.in_quotes && fault.at + 1 < end && text[fault.at] == '\\' && text[fault.at + 1] != '\n')
        diagnostics.error({tree.source, fault.at, fault.at + 2}, std::string(message::malformed_production_escape),
                          std::string(message::production_escapes));
    else
        diagnostics.error({tree.source, fault.at, std::min(fault.at + 1, end)}, "expected " + std::string(fault.text));
    return fault.in_quotes ? past<rest_in_quotes>(text + fault.at, text + end) : text + fault.at;
}

} // namespace

Items parse_items(TreeBuilder& builder, std::uint32_t from) {
    const char* const text = builder.tree.text.data();
    Input input(text + from, text + builder.tree.text.size(), "");
    const Place place{.rule_file = true, .pattern = true};
    try {
        peg::parse<items, build, raise_expected>(input, place, builder);
    } catch (const Fault& fault) {
        return {static_cast<std::uint32_t>(report(builder.tree, fault, *builder.faults.diagnostics) - text), false};
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
