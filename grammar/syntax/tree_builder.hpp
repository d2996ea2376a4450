// Nodes of the syntax tree from texts that productions match: what the parser is that lists.hpp speaks of. Nodes wait for
// their parent on `pending`. Productions that build nodes are not tried in vain.
#pragma once

#include "grammar/syntax/faults.hpp"
#include "grammar/syntax/lists.hpp"

#include <vector>

namespace irrewrite::grammar {

using Input = peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*>;

// The end of a production that matches at `from`, or `from`.
template <class Production> const char* past(const char* from, const char* end) {
    Input input(from, end, "");
    return peg::parse<Production>(input) ? input.current() : from;
}
// The text of that production at the beginning of another one.
template <class Production> std::string_view leading(std::string_view text) {
    return text.substr(
        0, static_cast<std::size_t>(past<Production>(text.data(), text.data() + text.size()) - text.data()));
}

class TreeBuilder {
  public:
    TreeBuilder(SyntaxTree& tree, std::vector<SyntaxId>& pending, Faults& faults)
        : tree(tree), pending(pending), faults(faults) {}

    // A text without the blanks before it.
    template <class Matched> std::string_view text(const Matched& in) const {
        const char* const begin = past_blanks(in.begin(), in.end());
        return {begin, static_cast<std::size_t>(in.end() - begin)};
    }
    std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - tree.text.data()); }
    SyntaxNode& last() { return tree.nodes[pending.back()]; }
    std::string_view from(std::uint32_t begin, const char* end) const {
        return {tree.text.data() + begin, static_cast<std::size_t>(end - tree.text.data()) - begin};
    }

    // Puts a node in the place of the pending ones from `first` on.
    void node(Kind kind, std::string_view text, std::string_view name, std::size_t first, std::uint8_t flags = 0) {
        SyntaxNode& added = add(kind, text, name, flags);
        added.count = static_cast<std::uint32_t>(pending.size() - first);
        for (std::size_t i = first; i < pending.size(); ++i) tree.children.push_back(pending[i]);
        pending.resize(first);
        pending.push_back(static_cast<SyntaxId>(tree.nodes.size() - 1));
    }
    void leaf(Kind kind, std::string_view text, std::size_t sigil = 0) {
        pending.push_back(static_cast<SyntaxId>(tree.nodes.size()));
        add(kind, text, {text.data() + sigil, text.size() - sigil}, 0);
    }
    // Around the last pending nodes, from the first of them on.
    void around(Kind kind, std::size_t children, const char* end, std::string_view name = {}) {
        const std::size_t first = pending.size() - children;
        const std::string_view text = from(tree.nodes[pending[first]].begin, end);
        node(kind, text, name.data() ? name : text.substr(0, 0), first);
    }
    // The same, to the end of the last one.
    void combine(Kind kind, std::size_t children, std::string_view name = {}) {
        around(kind, children, tree.text.data() + last().end, name);
    }

    // -- of lists.hpp --
    void infix(const char* begin, const char* end) {
        combine(Kind::Infix, 2, {begin, static_cast<std::size_t>(end - begin)});
    }
    void chained(const char* at);
    void note_opener(const char* at) { opener_ = offset(at); }
    template <class Item, class Close, template <class...> class Action, template <class...> class Control, class Input>
    void statements(Input& input, const Place& place);
    template <class Item, class Close, template <class...> class Action, template <class...> class Control, class Input>
    void rules(Input& input, const Place& place);
    template <class Item, template <class...> class Action, template <class...> class Control, class Input>
    void declarations(Input& input, const Place& place);

    [[noreturn]] void raise(const char* from, message::Text due, const Place& place, bool in_quotes);
    // Behind marks that no set of rules has: they are told.
    const char* past_wrong_marks(const char* from);
    [[noreturn]] void raise_suffix(const char* from, const Place& place);
    [[noreturn]] void say(const char* at, message::Text text, message::Text help = {});

    // Of the braces between two places, those that are open at the second. The nodes of that text are pending, from the
    // first on.
    std::size_t open_braces(std::size_t first, std::uint32_t begin, std::uint32_t end) const;

    const char* element_end = nullptr; // of the latest `of` and a type
    const char* brace = nullptr;       // of the latest block
    // Of the declaration that is read: its name, what it is marked with, and where the nodes of its header begin.
    std::string_view declared{};
    std::uint8_t marks = 0;
    std::size_t header = 0;
    const ReadBody* read_body = nullptr;
    bool imports_over = false;

    SyntaxTree& tree;
    std::vector<SyntaxId>& pending;
    Faults& faults;

  private:
    [[gnu::always_inline]] SyntaxNode& add(Kind kind, std::string_view text, std::string_view name,
                                           std::uint8_t flags) {
        SyntaxNode& added = tree.nodes.emplace_back();
        added.kind = kind;
        added.flags = flags;
        added.begin = offset(text.data());
        added.end = added.begin + static_cast<std::uint32_t>(text.size());
        added.name_begin = offset(name.data());
        added.name_end = added.name_begin + static_cast<std::uint32_t>(name.size());
        added.first = static_cast<std::uint32_t>(tree.children.size());
        return added;
    }

    std::uint32_t opener_ = UINT32_MAX;
};

// The actions, by production.
template <class Production> struct build : peg::nothing<Production> {};

// Actions that know where their text began, and which nodes were pending: Action::node(builder, text, first).
template <class Self> struct build_node : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        if constexpr (A == peg::apply_mode::nothing)
            return peg::match<Production, A, M, Action, Control>(input, place, builder);
        auto marker = input.template mark<M>();
        const char* const begin = past_blanks(input.current(), input.end());
        const std::size_t first = builder.pending.size();
        if constexpr (requires { Self::begin(builder, begin, place); }) Self::begin(builder, begin, place);
        if (!peg::match<Production, A, peg::rewind_mode::dontcare, Action, Control>(input, place, builder))
            return marker(false);
        Self::node(builder, {begin, static_cast<std::size_t>(input.current() - begin)}, first);
        return marker(true);
    }
};

template <Kind Leaf, std::size_t Sigil = 0> struct build_leaf : build_node<build_leaf<Leaf, Sigil>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) { builder.leaf(Leaf, text, Sigil); }
};
template <Kind Parent> struct build_parent : build_node<build_parent<Parent>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Parent, text, text.substr(0, 0), first);
    }
};
// A node that begins with its name, behind some characters.
template <Kind Parent, class Name, std::size_t Sigil = 0> struct build_named
    : build_node<build_named<Parent, Name, Sigil>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Parent, text, leading<Name>(text).substr(Sigil), first);
    }
};
// A node around the last ones.
template <Kind Parent, std::size_t Children> struct build_around : build_node<build_around<Parent, Children>> {
    static void node(TreeBuilder& builder, std::string_view, std::size_t) { builder.combine(Parent, Children); }
};

} // namespace irrewrite::grammar
