// Nodes of the syntax tree from texts that productions match. A node has for children the nodes that were built inside of
// its text: those at the end of `pending` that begin there. Productions that build nodes are not tried in vain.
#pragma once

#include "grammar/syntax/combinators.hpp"

#include <vector>

namespace irrewrite::grammar {

using Input = peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*>;

// The end of a production that matches at `from`, or `from`.
template <class Production> const char* past(const char* from, const char* end) {
    Input input(from, end, "");
    return peg::parse<Production>(input) ? input.current() : from;
}

class TreeBuilder {
  public:
    TreeBuilder(SyntaxTree& tree, std::vector<SyntaxId>& pending) : tree_(tree), pending_(pending) {}

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
    const SyntaxNode& last() const { return tree_[pending_.back()]; }
    // From the last nodes to an end.
    std::string_view text_from(std::size_t last, const char* end) const {
        const char* const begin = tree_.text.data() + tree_[pending_[pending_.size() - last]].begin;
        return {begin, static_cast<std::size_t>(end - begin)};
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
    void leaf(Kind kind, std::string_view text, std::size_t sigil = 0) { node(kind, text, text.substr(sigil), 0); }
    void node(Kind kind, std::string_view text, std::size_t children) { node(kind, text, text.substr(0, 0), children); }

    const char* element_end = nullptr; // of the latest `of` and a type

  private:
    std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - tree_.text.data()); }

    SyntaxTree& tree_;
    std::vector<SyntaxId>& pending_;
};

// The actions, by production.
template <class Production> struct build : peg::nothing<Production> {};

template <Kind Leaf, std::size_t Sigil = 0> struct build_leaf {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.leaf(Leaf, builder.text(in), Sigil);
    }
};

template <Kind Parent> struct build_parent {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(Parent, text, builder.children_of(text));
    }
};

} // namespace irrewrite::grammar
