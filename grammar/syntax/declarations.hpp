// Declarations of a file and rules of a set, one by one: parsing goes on behind one that is wrong.
#pragma once

#include "grammar/syntax/tree_builder.hpp"

namespace irrewrite::grammar {

class DeclarationList {
  public:
    enum class Of : std::uint8_t { File, Set };

    DeclarationList(TreeBuilder& builder, const Place& place, Of of);

    // Finds the beginning of the next one, or the end of the list.
    const char* next(const char* from, const char* end);
    bool is_over() const { return over_; }
    // Reports the fault in the latest one, and finds the place to go on.
    const char* recover(const Fault& fault);
    void report_open(const char* at);

  private:
    bool ends_set(std::uint32_t before, std::uint32_t at) const;
    bool at_declaration(Token token, std::uint32_t before) const;
    bool at_next(Token token, std::uint32_t before, std::size_t& open_braces) const;
    void spoil(std::uint32_t at) const;

    TreeBuilder& builder_;
    const Place& place_;
    Of of_;
    bool over_ = false;
    const char* brace_;
    std::size_t item_;                     // where the nodes of the latest one begin
    std::uint32_t begin_ = 0;              // and its text
    std::uint32_t recovered_ = UINT32_MAX; // where parsing went on behind a fault
    std::uint32_t skipped_to_ = 0;         // the end of the last token before that
};

template <class Item, template <class...> class Action, template <class...> class Control, class Input>
void read_list(DeclarationList& list, Input& input, const Place& place, TreeBuilder& builder) {
    const auto go_to = [&](const char* at) { input.bump(static_cast<std::size_t>(at - input.current())); };
    for (;;) {
        go_to(list.next(input.current(), input.end()));
        if (list.is_over()) return;
        try {
            match_due<Item, peg::apply_mode::action, Action, Control>(input, place, builder);
        } catch (const Fault& fault) {
            go_to(list.recover(fault));
        }
    }
}

template <class Item, template <class...> class Action, template <class...> class Control, class Input>
void TreeBuilder::declarations(Input& input, const Place& place) {
    DeclarationList list(*this, place, DeclarationList::Of::File);
    read_list<Item, Action, Control>(list, input, place, *this);
}

template <class Item, class Close, template <class...> class Action, template <class...> class Control, class Input>
void TreeBuilder::rules(Input& input, const Place& place) {
    DeclarationList list(*this, place, DeclarationList::Of::Set);
    read_list<Item, Action, Control>(list, input, place, *this);
    if (!Control<Close>::template match<peg::apply_mode::nothing, peg::rewind_mode::required, Action, Control>(
            input, place, *this))
        list.report_open(input.current());
}

} // namespace irrewrite::grammar
