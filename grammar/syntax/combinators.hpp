// The vocabulary of the two pages of productions, beyond PEGTL: tokens and lists, and the few questions that are
// not asked of the text alone (Place). Blanks stand before a token: so `next_to` asks for none.
#pragma once

#include "grammar/syntax/syntax.hpp"

#include <tao/pegtl.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace irrewrite::grammar {

namespace peg = tao::pegtl;

// -- tokens ---------------------------------------------------------------------------------------

template <std::size_t Size> struct Spelling {
    char characters[Size]{};
    consteval Spelling(const char (&text)[Size]) { std::copy_n(text, Size, characters); } // from "text"
    constexpr std::string_view view() const { return {characters, Size - 1}; }
};

namespace spelled {

template <Spelling Text, std::size_t... I> auto string(std::index_sequence<I...>) -> peg::string<Text.characters[I]...>;

// The signs of several characters: one of them is not read as a shorter one.
inline constexpr std::string_view long_signs[] = {"->", "==", "=>", "!=", "<=", "<+", ">=", "++", "&&", "||", ":="};

constexpr bool goes_on(std::string_view sign, std::string_view longer) {
    return longer.size() == sign.size() + 1 && longer.starts_with(sign);
}
constexpr std::size_t longer_signs(std::string_view sign) {
    return static_cast<std::size_t>(
        std::count_if(std::begin(long_signs), std::end(long_signs), [&](auto other) { return goes_on(sign, other); }));
}
// The characters that would make a longer sign of it.
template <std::size_t Count> constexpr std::array<char, Count> next_characters(std::string_view sign) {
    std::array<char, Count> found{};
    std::size_t size = 0;
    for (std::string_view other : long_signs)
        if (goes_on(sign, other)) found[size++] = other.back();
    return found;
}
template <Spelling Text, std::size_t... I> auto no_longer(std::index_sequence<I...>)
    -> peg::not_at<peg::one<next_characters<sizeof...(I)>(Text.view())[I]...>>;

} // namespace spelled

// clang-format off

template <Spelling Text> using literal = decltype(spelled::string<Text>(std::make_index_sequence<sizeof(Text.characters) - 1>{}));
template <Spelling Text> using no_longer_sign = decltype(spelled::no_longer<Text>(std::make_index_sequence<spelled::longer_signs(Text.view())>{}));

// Blanks. A comment reaches to the end of its line.
struct space                      : peg::one<' ', '\t', '\r', '\n'> {};
struct comment                    : peg::seq<peg::two<'/'>, peg::star<peg::not_one<'\n'>>> {};
struct blanks                     : peg::star<peg::sor<peg::plus<space>, comment>> {};
struct some_blanks                : peg::plus<peg::sor<peg::plus<space>, comment>> {};
struct line_break                 : peg::seq<peg::star<peg::sor<peg::one<' ', '\t', '\r'>, comment>>, peg::one<'\n'>, blanks> {};
struct end_of_text                : peg::seq<blanks, peg::eof> {};

// A name may have parts, `gen.reduce`: `gen` is not a word of it.
struct name_end                   : peg::not_at<peg::sor<peg::identifier_other, peg::seq<peg::one<'.'>, peg::identifier_first>>> {};

template <class Rule>      struct token   : peg::seq<blanks, Rule> {};
template <Spelling Text>   struct sign    : peg::seq<blanks, literal<Text>, no_longer_sign<Text>> {};
template <Spelling Text>   struct next_to : literal<Text> {};
template <Spelling Text>   struct keyword : peg::seq<blanks, literal<Text>, name_end> {};

// -- lists: once a separator or bracket is read, what must follow it is due ------------------------

template <class Item>                           struct list        : peg::list_must<Item, sign<",">> {};
template <class Open, class Item, class Close>  struct listed      : peg::if_must<Open, peg::opt<list<Item>>, Close> {};
template <class Open, class Item, class Close>  struct listed_tail : peg::if_must<Open, peg::opt<peg::list<Item, sign<",">>, peg::opt<sign<",">>>, Close> {};

// clang-format on

// -- where a production is used -------------------------------------------------------------------

struct Place {
    const IsLabel* is_label = nullptr;
    bool rule_file = false;       // rule files have more declarations
    bool pattern = false;         // metavariables, sequences and parts of input languages may stand here
    bool condition = false;       // `not`, `and` and `or` are operators
    std::size_t types = 0;        // that this one is a part of
    std::size_t groups = 0;       // that are open, in a production of an input language
    std::string_view operation{}; // the innermost one, whose blocks are read: `else if(…)` repeats it
};

template <bool Place::*Member> struct in {
    using rule_t = in;
    using subs_t = peg::type_list<>;
    template <peg::apply_mode, peg::rewind_mode, template <class...> class, template <class...> class, class Input,
              class... States>
    static bool match(Input&, const Place& place, States&...) {
        return place.*Member;
    }
};
using in_rule_file = in<&Place::rule_file>;
using in_pattern = in<&Place::pattern>;
using in_condition = in<&Place::condition>;

// The rules, at a place that differs in one thing.
template <auto Member, bool Value, class... Rules> struct within {
    using rule_t = within;
    using subs_t = peg::type_list<Rules...>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        Place inner = place;
        inner.*Member = Value;
        return Control<peg::seq<Rules...>>::template match<A, M, Action, Control>(input, std::as_const(inner),
                                                                                  states...);
    }
};

// The rules, nested at most so many times.
template <auto Member, std::size_t Limit, class... Rules> struct nested {
    using rule_t = nested;
    using subs_t = peg::type_list<Rules...>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if (place.*Member == Limit) return false;
        Place inner = place;
        ++(inner.*Member);
        return Control<peg::seq<Rules...>>::template match<A, M, Action, Control>(input, std::as_const(inner),
                                                                                  states...);
    }
};

// The name of an operation and what belongs to it.
template <class Name, class... Rules> struct operation_named {
    using rule_t = operation_named;
    using subs_t = peg::type_list<Name, Rules...>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        auto marker = input.template mark<M>();
        using peg::rewind_mode;
        if (!Control<blanks>::template match<A, rewind_mode::dontcare, Action, Control>(input, place, states...))
            return false;
        const char* const begin = input.current();
        if (!Control<Name>::template match<A, rewind_mode::dontcare, Action, Control>(input, place, states...))
            return false;
        Place inner = place;
        inner.operation = {begin, static_cast<std::size_t>(input.current() - begin)};
        return marker(Control<peg::seq<Rules...>>::template match<A, rewind_mode::dontcare, Action, Control>(
            input, std::as_const(inner), states...));
    }
};

namespace named {

// Consumes the name at this place, if it is the one that is asked for.
template <class Name, class Input, class Test> bool match_if(Input& input, Test test) {
    auto marker = input.template mark<peg::rewind_mode::required>();
    if (!peg::parse<blanks>(input)) return false;
    const char* const begin = input.current();
    if (!peg::parse<Name>(input)) return false;
    return marker(test(std::string_view(begin, static_cast<std::size_t>(input.current() - begin))));
}

} // namespace named

// The name of the operation whose blocks are read.
template <class Name> struct same_operation {
    using rule_t = same_operation;
    using subs_t = peg::type_list<>;
    template <peg::apply_mode, peg::rewind_mode, template <class...> class, template <class...> class, class Input,
              class... States>
    static bool match(Input& input, const Place& place, States&...) {
        return named::match_if<Name>(input, [&](std::string_view name) { return name == place.operation; });
    }
};

// A name that labels blocks: an operation declares it (engine/ir/operations.hpp).
template <class Name> struct declared_label {
    using rule_t = declared_label;
    using subs_t = peg::type_list<>;
    template <peg::apply_mode, peg::rewind_mode, template <class...> class, template <class...> class, class Input,
              class... States>
    static bool match(Input& input, const Place& place, States&...) {
        return named::match_if<Name>(
            input, [&](std::string_view name) { return place.is_label && *place.is_label && (*place.is_label)(name); });
    }
};

} // namespace irrewrite::grammar
