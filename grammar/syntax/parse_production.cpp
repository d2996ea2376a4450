// Actions and messages for the productions of `items` (rule_grammar.hpp). A production's node has for children the nodes
// that were built inside of its text: those at the end of `pending` that begin there.
#include "grammar/syntax/parse_production.hpp"

#include "engine/support/hex_digit.hpp"
#include "grammar/syntax/malformed.hpp"
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/rule_grammar.hpp"

#include <algorithm>
#include <type_traits>

namespace irrewrite::grammar {

namespace {

using Input = peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*>;

// The end of a production that matches at `from`, or `from`.
template <class Production> const char* past(const char* from, const char* end) {
    Input input(from, end, "");
    return peg::parse<Production>(input) ? input.current() : from;
}

// -- the tree -------------------------------------------------------------------------------------

class Builder {
  public:
    Builder(SyntaxTree& tree, std::vector<SyntaxId>& pending) : tree_(tree), pending_(pending) {}

    // A text without the blanks before it.
    template <class Matched> std::string_view text(const Matched& in) const {
        const char* const begin = past<blanks>(in.begin(), in.end());
        return {begin, static_cast<std::size_t>(in.end() - begin)};
    }
    // The number of nodes that were built inside of a text.
    std::size_t children_of(std::string_view text) const {
        std::size_t count = 0;
        while (count < pending_.size() && tree_[pending_[pending_.size() - 1 - count]].begin >= offset(text.data()))
            ++count;
        return count;
    }
    // The text of the last nodes begins there.
    const char* begin_of(std::size_t last) const {
        return tree_.text.data() + tree_[pending_[pending_.size() - last]].begin;
    }

    void node(Kind kind, std::string_view text, std::string_view name, std::size_t children, std::uint8_t flags = 0) {
        SyntaxNode& added = tree_.nodes.emplace_back();
        added.kind = kind, added.flags = flags;
        added.begin = offset(text.data()), added.end = offset(text.data() + text.size());
        added.name_begin = offset(name.data()), added.name_end = offset(name.data() + name.size());
        added.first = static_cast<std::uint32_t>(tree_.children.size());
        added.count = static_cast<std::uint32_t>(children);
        const auto first = pending_.end() - static_cast<std::ptrdiff_t>(children);
        tree_.children.insert(tree_.children.end(), first, pending_.end());
        pending_.erase(first, pending_.end());
        pending_.push_back(static_cast<SyntaxId>(tree_.nodes.size() - 1));
    }

  private:
    std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - tree_.text.data()); }

    SyntaxTree& tree_;
    std::vector<SyntaxId>& pending_;
};

template <class Production> struct build : peg::nothing<Production> {};

template <Kind Leaf> struct build_leaf {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(Leaf, text, text, 0);
    }
};
template <> struct build<item_class> : build_leaf<Kind::PegClass> {};
template <> struct build<any_character> : build_leaf<Kind::PegAny> {};
template <> struct build<production_reference> : build_leaf<Kind::PegRef> {};

template <> struct build<item_literal> {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view text = builder.text(in), quoted = text.substr(0, text.rfind('"') + 1);
        builder.node(Kind::PegLiteral, text, quoted, 0, quoted.size() < text.size() ? Caseless : 0);
    }
};

template <> struct build<labelled_item> {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view text = builder.text(in);
        const char* const end = past<word>(text.data(), in.end());
        builder.node(Kind::PegLabel, text, text.substr(0, static_cast<std::size_t>(end - text.data())), 1);
    }
};

template <> struct build<item_ahead> {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(text[0] == '&' ? Kind::PegAnd : Kind::PegNot, text, text.substr(0, 1), 1);
    }
};

// A repetition goes around the node before it.
template <std::size_t Children, std::size_t Sign> struct build_repetition {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view sign = builder.text(in).substr(0, Sign);
        const char* const begin = builder.begin_of(Children);
        builder.node(Kind::PegRepeat, {begin, static_cast<std::size_t>(in.end() - begin)}, sign, Children);
    }
};
template <> struct build<repetition> : build_repetition<1, 1> {};
template <> struct build<separated_items> : build_repetition<2, 2> {};

template <Kind Parent> struct build_parent {
    template <class Matched> static void apply(const Matched& in, const Place&, Builder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(Parent, text, text.substr(0, 0), builder.children_of(text));
    }
};
template <> struct build<group_alternative> : build_parent<Kind::Alternative> {};
template <> struct build<group_items> : build_parent<Kind::PegGroup> {};

// -- messages -------------------------------------------------------------------------------------

using message::Text;

template <class Production> constexpr Text expected{}; // of productions that always match
template <> constexpr Text expected<unlabelled_item> = message::production_item;
template <> constexpr Text expected<repeated_item> = message::production_item;
template <> constexpr Text expected<primary_item> = message::production_item;
template <> constexpr Text expected<literal_end> = message::literal_end;
template <> constexpr Text expected<class_end> = message::class_end;
template <> constexpr Text expected<group_end> = message::group_end;
template <> constexpr Text expected<repetitions> = message::shallow_group;
template <> constexpr Text expected<shallow_group> = message::shallow_group;

template <class Production> constexpr bool in_quotes =
    std::is_same_v<Production, literal_end> || std::is_same_v<Production, class_end>;

struct Fault {
    const char* at;
    Text expected;
    bool in_quotes;
};

template <class Production> struct raise_expected : peg::normal<Production> {
    template <class Matched, class... States> [[noreturn]] static void raise(const Matched& in, States&&...) {
        const char* const at = in_quotes<Production> ? in.current() : past<blanks>(in.current(), in.end());
        throw Fault{at, expected<Production>, in_quotes<Production>};
    }
};

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
    Builder builder(tree, pending);
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
