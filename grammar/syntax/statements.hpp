// Blocks, statement by statement: parsing goes on behind one that is wrong.
#pragma once

#include "grammar/syntax/tree_builder.hpp"

#include <type_traits>

namespace irrewrite::grammar {

struct function_item;

// The statements of one block.
class StatementList {
  public:
    StatementList(TreeBuilder& builder, const Place& place, bool of_function);

    // Finds the beginning of the next statement, or the end of the block. Checks the one before. Raises a fault at a
    // declaration.
    const char* next(const char* from, const char* end);
    bool is_over() const { return over_; }
    // Reports the fault in the latest statement, and finds the place to go on.
    const char* recover(const Fault& fault);
    // Makes results of the last expressions.
    void finish();
    void report_open(const char* at);

  private:
    enum class Item : std::uint8_t { None, Expressions, Bound, Return };

    Item latest() const;
    const char* past_parameters(const char* at);
    void check_latest(std::uint32_t here);
    void raise_declaration(const char* from, const char* at) const;
    bool at_next(Token token, std::uint32_t before, std::size_t& open_braces) const;

    TreeBuilder& builder_;
    const Place& place_;
    bool of_function_;
    bool over_ = false, first_ = true;
    const char* brace_;
    std::size_t item_;                     // where the nodes of the latest one begin
    std::uint32_t begin_ = 0;              // and its text
    std::uint32_t recovered_ = UINT32_MAX; // where parsing went on behind a fault
    std::uint32_t skipped_to_ = 0;         // the end of the last token before that
};

template <class Item, class Close, template <class...> class Action, template <class...> class Control, class Input>
void TreeBuilder::statements(Input& input, const Place& place) {
    StatementList list(*this, place, std::is_same_v<Item, function_item>);
    const auto go_to = [&](const char* at) { input.bump(static_cast<std::size_t>(at - input.current())); };
    for (;;) {
        go_to(list.next(input.current(), input.end()));
        if (list.is_over()) break;
        try {
            match_due<Item, peg::apply_mode::action, Action, Control>(input, place, *this);
        } catch (const Fault& fault) {
            if (fault.ends_blocks() || place.pattern) throw; // half a pattern helps nobody
            go_to(list.recover(fault));
        }
    }
    list.finish();
    if (!Control<Close>::template match<peg::apply_mode::nothing, peg::rewind_mode::required, Action, Control>(
            input, place, *this))
        list.report_open(input.current());
}

} // namespace irrewrite::grammar
