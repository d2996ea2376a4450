// The terms that templates make of a text: IR syntax, with names that are still those of the text and of the templates. Terms
// are in post-order: a term comes after those that it consists of.
#pragma once

#include "engine/support/symbols.hpp"
#include "grammar/surface/packrat.hpp"

#include <span>

namespace irrewrite::grammar {

using TermId = std::uint32_t;

struct Term {
    Kind kind;
    std::uint8_t flags = 0;
    bool user = false;    // the name stands in the text, not in a template
    bool settled = false; // the name is that of the IR already
    std::uint32_t begin = 0, end = 0;
    SymbolId name, label;
    std::uint32_t first = 0, count = 0; // children
};

class Terms {
  public:
    TermId add(Term term, std::span<const TermId> children = {}) {
        list_.push_back(term);
        set_children(static_cast<TermId>(list_.size() - 1), children);
        return static_cast<TermId>(list_.size() - 1);
    }
    void set_children(TermId id, std::span<const TermId> children) {
        list_[id].first = static_cast<std::uint32_t>(children_.size());
        list_[id].count = static_cast<std::uint32_t>(children.size());
        children_.insert(children_.end(), children.begin(), children.end());
    }
    Term& operator[](TermId id) { return list_[id]; }
    const Term& operator[](TermId id) const { return list_[id]; }
    std::span<TermId> children_of(TermId id) { return {children_.data() + list_[id].first, list_[id].count}; }
    std::span<const TermId> children_of(TermId id) const {
        return {children_.data() + list_[id].first, list_[id].count};
    }
    std::vector<TermId> copy_of_children(TermId id) const {
        const auto children = children_of(id);
        return {children.begin(), children.end()};
    }
    std::size_t size() const { return list_.size(); }

  private:
    std::vector<Term> list_;
    std::vector<TermId> children_;
};

// The name of a part that a node of a template stands for: `e`, `t`, `{b}`; empty if it stands for itself.
std::string_view hole(const SyntaxTree& tree, SyntaxId id);
// True if the name of such a node may be that of a part: a token of the text.
bool takes_name(Kind kind);
bool is_label(const Alternative& alternative, std::string_view name);

// The declarations of the text that was read.
std::vector<TermId> instantiate(const Language& language, std::string_view text, SourceId source,
                                const std::vector<std::uint32_t>& places, const ParseTree& tree, Symbols& symbols,
                                Terms& terms, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
