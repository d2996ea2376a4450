// Productions with a shape of their own: lists in brackets, operators by precedence, alternatives that the first character
// tells apart. Each has a `meaning`, the same by the rules of PEGTL. A parser (States) is told the parts that a tree is
// built of; without one, nothing but the text counts, and no character is looked at before its rule is.
#pragma once

#include "grammar/syntax/combinators.hpp"

#include <cstdint>

namespace irrewrite::grammar {

// True if there is a parser, which builds a tree.
template <peg::apply_mode A, class... States>
constexpr bool builds = sizeof...(States) > 0 && A == peg::apply_mode::action;

// Matches a rule that is due.
template <class Rule, peg::apply_mode A, template <class...> class Action, template <class...> class Control,
          class Input, class... States>
void match_due(Input& input, const Place& place, States&... states) {
    if (!Control<Rule>::template match<A, peg::rewind_mode::dontcare, Action, Control>(input, place, states...))
        Control<Rule>::raise(std::as_const(input), place, states...);
}

// -- lists: once a separator or bracket is read, what must follow it is due ------------------------

template <class Open, class Item, class Close, bool Tail> struct in_brackets {
    using rule_t = in_brackets;
    using subs_t = peg::type_list<Open, Item, Close, sign<",">>;
    using meaning = peg::seq<Open, peg::opt<Item, peg::star<sign<",">, Item>>, Close>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        using peg::rewind_mode;
        if (!Control<Open>::template match<A, M, Action, Control>(input, place, states...)) return false;
        [[maybe_unused]] const char* const opener = input.current() - 1;
        const auto closed = [&] {
            return Control<Close>::template match<A, rewind_mode::required, Action, Control>(input, place, states...);
        };
        if (closed()) return true;
        do {
            match_due<Item, A, Action, Control>(input, place, states...);
            if (closed()) return true;
            if (!sign<",">::match(input)) {
                (states.note_opener(opener), ...);
                Control<Close>::raise(std::as_const(input), place, states...);
            }
        } while (!Tail || !closed());
        return true;
    }
};
template <class Open, class Item, class Close> struct listed : in_brackets<Open, Item, Close, false> {};
template <class Open, class Item, class Close> struct listed_tail : in_brackets<Open, Item, Close, true> {};

// No text: a parser says that what stands here is wrong here.
struct misplaced : peg::failure {};

// Items up to what closes them, with or without `;` between them. A parser goes on behind an item that is wrong.
template <class Item, class Close> struct statements_of {
    using rule_t = statements_of;
    using subs_t = peg::type_list<Item, Close, sign<";">>;
    using meaning = peg::seq<peg::star<peg::sor<sign<";">, Item>>, Close>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if constexpr (builds<A, States...>) {
            (states.template statements<Item, Close, Action, Control>(input, place), ...);
            return true;
        } else {
            return Control<peg::must<meaning>>::template match<A, M, Action, Control>(input, place, states...);
        }
    }
};

// Declarations, with or without `;` between them, up to the end of the text; rules up to what closes them.
template <class Item> struct declarations_of {
    using rule_t = declarations_of;
    using subs_t = peg::type_list<Item, sign<";">, end_of_text>;
    using meaning = peg::seq<peg::star<peg::sor<sign<";">, Item>>, end_of_text>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if constexpr (builds<A, States...>) {
            (states.template declarations<Item, Action, Control>(input, place), ...);
            return true;
        } else {
            return Control<peg::must<meaning>>::template match<A, M, Action, Control>(input, place, states...);
        }
    }
};
template <class Item, class Close> struct rules_up_to {
    using rule_t = rules_up_to;
    using subs_t = peg::type_list<Item, Close, sign<";">>;
    using meaning = peg::seq<peg::star<peg::sor<sign<";">, Item>>, Close>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if constexpr (builds<A, States...>) {
            (states.template rules<Item, Close, Action, Control>(input, place), ...);
            return true;
        } else {
            return Control<peg::must<meaning>>::template match<A, M, Action, Control>(input, place, states...);
        }
    }
};

// The rules, of which a parser reads the first, and then says what is wrong with it.
template <class Read, class Rule> struct read_as {
    using rule_t = read_as;
    using subs_t = peg::type_list<Rule>;
    using meaning = Rule;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        using Matched = std::conditional_t<builds<A, States...>, Read, Rule>;
        return Control<Matched>::template match<A, M, Action, Control>(input, place, states...);
    }
};

// -- operators ------------------------------------------------------------------------------------

// The production of the operands that all operators of a level and of tighter ones join.
template <class Level> struct operand_of { using type = Level; };
template <class Level>
requires requires { typename Level::operand_t; }
struct operand_of<Level> : operand_of<typename Level::operand_t> {};

// Behind the first operand of a level: its operators and those of tighter levels, which come first.
template <class Level, peg::apply_mode A, template <class...> class Action, template <class...> class Control,
          class Input, class... States>
void match_operators(Input& input, const Place& place, States&... states) {
    if constexpr (requires { typename Level::operand_t; }) {
        match_operators<typename Level::operand_t, A, Action, Control>(input, place, states...);
        Level::template match_own<A, Action, Control>(input, place, states...);
    }
}

// True if an operator between operands may begin there.
inline bool may_join(const char* at, const char* end, bool condition) {
    if (at == end) return false;
    const char next = at + 1 == end ? ' ' : at[1];
    switch (*at) {
    case '+':
    case '*':
    case '/':
    case '<':
    case '>':
    case '~': return true;
    case '-': return next != '>';
    case '%': return !is(&next, Other);
    case '|':
    case '&': return next == *at;
    case '=':
    case '!': return next == '=';
    case 'a':
    case 'o': return condition;
    default: return false;
    }
}

template <class Self, class Operand> struct operator_level {
    using operand_t = Operand;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        using First = typename operand_of<Operand>::type;
        if (!Control<First>::template match<A, M, Action, Control>(input, place, states...)) return false;
        if constexpr (builds<A, States...>) {
            const char* const at = past_blanks(input.current(), input.end());
            if (!may_join(at, input.end(), place.condition)) return true;
        }
        match_operators<Self, A, Action, Control>(input, place, states...);
        return true;
    }

  protected:
    // An operator and the operand behind it. False: there is no operator.
    template <class Operator, peg::apply_mode A, template <class...> class Action, template <class...> class Control,
              class Input, class... States>
    static bool match_one(Input& input, const Place& place, States&... states) {
        [[maybe_unused]] const char* const before = input.current();
        if (!Control<Operator>::template match<A, peg::rewind_mode::required, Action, Control>(input, place, states...))
            return false;
        [[maybe_unused]] const char* const after = input.current();
        match_due<Operand, A, Action, Control>(input, place, states...);
        if constexpr (builds<A, States...>) (states.infix(past_blanks(before, after), after), ...);
        return true;
    }
};

// Operand (Operator Operand)*, from the left.
template <class Operand, class Operator> struct joined : operator_level<joined<Operand, Operator>, Operand> {
    using rule_t = joined;
    using subs_t = peg::type_list<Operand, Operator>;
    using meaning = peg::list_must<Operand, Operator>;
    template <peg::apply_mode A, template <class...> class Action, template <class...> class Control, class Input,
              class... States>
    static void match_own(Input& input, const Place& place, States&... states) {
        while (joined::template match_one<Operator, A, Action, Control>(input, place, states...)) {
        }
    }
};

// Operand (Operator Operand !Operator)?
template <class Operand, class Operator> struct compared : operator_level<compared<Operand, Operator>, Operand> {
    using rule_t = compared;
    using subs_t = peg::type_list<Operand, Operator>;
    using chained = peg::not_at<Operator>;
    using meaning = peg::seq<Operand, peg::opt<peg::if_must<Operator, Operand, chained>>>;
    template <peg::apply_mode A, template <class...> class Action, template <class...> class Control, class Input,
              class... States>
    static void match_own(Input& input, const Place& place, States&... states) {
        if (!compared::template match_one<Operator, A, Action, Control>(input, place, states...)) return;
        while (!Control<chained>::template match<peg::apply_mode::nothing, peg::rewind_mode::required, Action, Control>(
            input, place, states...)) {
            if constexpr (builds<A, States...>) {
                (states.chained(past_blanks(input.current(), input.end())), ...);
                compared::template match_one<Operator, A, Action, Control>(input, place, states...);
            } else {
                Control<chained>::raise(std::as_const(input), place, states...);
            }
        }
    }
};

// -- alternatives ---------------------------------------------------------------------------------

// A rule that begins with one of those characters, of which `a` stands for all letters and `_`, and `0` for all digits.
template <Spelling Characters, class Rule> struct beginning {};

template <class... Alternatives> struct by_first;
template <Spelling... Characters, class... Rules> struct by_first<beginning<Characters, Rules>...> {
    using rule_t = by_first;
    using subs_t = peg::type_list<Rules...>;
    using meaning = peg::sor<Rules...>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if constexpr (sizeof...(States) == 0)
            return Control<meaning>::template match<A, M, Action, Control>(input, place);
        const char* const at = past_blanks(input.current(), input.end());
        if (at == input.end()) return false;
        return match_one_of<A, Action, Control>(beginnings[static_cast<unsigned char>(*at)],
                                                std::index_sequence_for<Rules...>{}, input, place, states...);
    }

  private:
    template <peg::apply_mode A, template <class...> class Action, template <class...> class Control, std::size_t... I,
              class Input, class... States>
    static bool match_one_of(std::uint16_t possible, std::index_sequence<I...>, Input& input, const Place& place,
                             States&... states) {
        return (
            ((possible & (1u << I)) != 0 &&
             Control<Rules>::template match<A, peg::rewind_mode::required, Action, Control>(input, place, states...)) ||
            ...);
    }

    static_assert(sizeof...(Rules) <= 16);
    static constexpr std::array<std::uint16_t, 256> beginnings = [] {
        std::array<std::uint16_t, 256> table{};
        std::uint16_t one = 1;
        const auto add = [&](std::string_view first) {
            for (const char c : first)
                for (unsigned i = 0; i < 256; ++i) {
                    const bool all = c == 'a' ? char_classes[i] & First : c == '0' && char_classes[i] & Digit;
                    if (all || static_cast<unsigned char>(c) == i) table[i] |= one;
                }
            one = static_cast<std::uint16_t>(one << 1);
        };
        (add(Characters.view()), ...);
        return table;
    }();
};

} // namespace irrewrite::grammar
