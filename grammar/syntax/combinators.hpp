// The vocabulary of the two pages of productions, beyond PEGTL: tokens and lists, and the few questions that are
// not asked of the text alone (Place). Blanks stand before a token: so `next_to` asks for none.
#pragma once

#include "engine/support/deep_stack.hpp"
#include "grammar/syntax/characters.hpp"
#include "grammar/syntax/syntax.hpp"

#include <tao/pegtl.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
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

// The characters that would make a longer sign of it: two at most.
constexpr std::array<char, 2> next_characters(std::string_view sign) {
    std::array<char, 2> found{};
    std::size_t count = 0;
    for (const std::string_view other : long_signs)
        if (other.size() == sign.size() + 1 && other.starts_with(sign)) found.at(count++) = other.back();
    return found;
}

} // namespace spelled

// The text from there on, without blanks and comments.
inline const char* past_more_blanks(const char* at, const char* end) {
    for (; at != end; ++at) {
        if (is(at, Blank)) continue;
        if (*at != '/' || at + 1 == end || at[1] != '/') return at;
        const void* const line_end = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        if (!line_end) return end;
        at = static_cast<const char*>(line_end);
    }
    return end;
}
[[gnu::always_inline]] inline const char* past_blanks(const char* at, const char* end) {
    if (at != end && *at == ' ') ++at; // most often that is all
    return at == end || !is(at, Blank | Slash) ? at : past_more_blanks(at, end);
}
inline const char* past_word(const char* at, const char* end) {
    if (at == end || !is(at, First)) return at;
    do ++at;
    while (at != end && is(at, Other));
    return at;
}
inline const char* past_dotted_name(const char* at, const char* end) {
    for (const char* part = past_word(at, end); part != at; part = past_word(at, end)) {
        if (part == end || *part != '.') return part;
        at = part + 1;
        if (at == end || !is(at, First)) return part;
    }
    return at;
}
inline const char* past_value_name(const char* const from, const char* end) {
    if (from == end || *from != '%') return from;
    const char* at = from + 1;
    while (at != end && is(at, Other)) ++at;
    return at == from + 1 ? from : at;
}

// The rules, matched by a function that does what they say.
template <const char* (*Past)(const char*, const char*), class... Rules> struct by_hand {
    using rule_t = by_hand;
    using alone = void; // it needs nothing but the text
    using subs_t = peg::type_list<Rules...>;
    using meaning = peg::seq<Rules...>;
    template <class Input> [[gnu::always_inline]] static bool match(Input& input) {
        const char *const from = input.current(), *const at = Past(from, input.end());
        input.bump(static_cast<std::size_t>(at - from));
        return at != from || Past == past_blanks;
    }
};

// A text behind blanks, if what follows it does not make it another one. The input stays where it is otherwise.
template <Spelling Text, bool Next(const char*, const char*)> struct spelled_token {
    using rule_t = spelled_token;
    using alone = void;
    using subs_t = peg::empty_list;
    template <class Input> [[gnu::always_inline]] static bool match(Input& input) {
        constexpr std::size_t size = Text.view().size();
        const char* const end = input.end();
        const char* const at = past_blanks(input.current(), end);
        if (static_cast<std::size_t>(end - at) < size || *at != Text.characters[0]) return false;
        for (std::size_t i = 1; i < size; ++i)
            if (at[i] != Text.characters[i]) return false;
        if (!Next(at + size, end)) return false;
        input.bump(static_cast<std::size_t>(at + size - input.current()));
        return true;
    }
};
template <Spelling Text> [[gnu::always_inline]] inline bool ends_sign(const char* at, const char* end) {
    constexpr std::array<char, 2> longer = spelled::next_characters(Text.view());
    return longer[0] == 0 || at == end || (*at != longer[0] && (longer[1] == 0 || *at != longer[1]));
}
// A name may have parts, `gen.reduce`: `gen` is not a word of it.
inline bool ends_name(const char* at, const char* end) {
    if (at == end) return true;
    return !is(at, Other) && (*at != '.' || at + 1 == end || !is(at + 1, First));
}

// The rules, after which the input stays where it is if they do not match, even where nobody asks for that.
template <class... Rules> struct rewinding {
    using rule_t = rewinding;
    using subs_t = peg::type_list<Rules...>;
    using meaning = peg::seq<Rules...>;
    template <peg::apply_mode A, peg::rewind_mode, template <class...> class Action, template <class...> class Control,
              class Input, class... States>
    static bool match(Input& input, States&... states) {
        return Control<meaning>::template match<A, peg::rewind_mode::required, Action, Control>(input, states...);
    }
};

// clang-format off

template <Spelling Text> using literal = decltype(spelled::string<Text>(std::make_index_sequence<sizeof(Text.characters) - 1>{}));

// Blanks. A comment reaches to the end of its line.
struct space                      : peg::one<' ', '\t', '\r', '\n'> {};
struct comment                    : peg::seq<peg::two<'/'>, peg::star<peg::not_one<'\n'>>> {};
struct blanks                     : by_hand<past_blanks, peg::star<peg::sor<peg::plus<space>, comment>>> {};
struct some_blanks                : peg::plus<peg::sor<peg::plus<space>, comment>> {};
struct line_break                 : peg::seq<peg::star<peg::sor<peg::one<' ', '\t', '\r'>, comment>>, peg::one<'\n'>, blanks> {};
struct end_of_text                : peg::seq<blanks, peg::eof> {};
struct name_end                   : peg::not_at<peg::sor<peg::identifier_other, peg::seq<peg::one<'.'>, peg::identifier_first>>> {};

template <class... Rules>  struct token   : rewinding<blanks, Rules...> {};
template <Spelling Text>   struct sign    : spelled_token<Text, ends_sign<Text>> {};
template <Spelling Text>   struct next_to : literal<Text> {};
template <Spelling Text>   struct keyword : spelled_token<Text, ends_name> {};

template <class Item>      struct list    : peg::list_must<Item, sign<",">> {};

// clang-format on

// -- where a production is used -------------------------------------------------------------------

// Of the text that is being matched: the levels of nesting that are open.
struct Nesting {
    std::size_t levels = 0;
};

struct Place {
    const IsLabel* is_label = nullptr;
    Nesting* nesting = nullptr;   // nobody counts
    bool rule_file = false;       // rule files have more declarations
    bool pattern = false;         // metavariables, sequences and parts of input languages may stand here
    bool condition = false;       // `not`, `and` and `or` are operators
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
        if (place.*Member == Value)
            return Control<peg::seq<Rules...>>::template match<A, M, Action, Control>(input, place, states...);
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

// The rules, at a level of their own: texts nest `deepest` levels, and more are refused, wherever the stack of the caller
// ends. What nests deeper than most texts do goes on on stacks for 1,000 levels each.
inline constexpr std::size_t deepest = 10'000, levels_of_a_stack = 1'000, levels_of_the_caller = 200;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IRREWRITE_LARGE_FRAMES
#endif
#endif
#if defined(IRREWRITE_LARGE_FRAMES) || defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
inline constexpr std::size_t bytes_of_a_level = 128 << 10;
#else
inline constexpr std::size_t bytes_of_a_level = 16 << 10;
#endif
struct no_stack : peg::failure {}; // raised where there is no thread to be had

template <class... Rules> struct deeper {
    using rule_t = deeper;
    using subs_t = peg::type_list<Rules...>;
    using meaning = peg::seq<Rules...>;
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    static bool match(Input& input, const Place& place, States&... states) {
        if (!place.nesting) return Control<meaning>::template match<A, M, Action, Control>(input, place, states...);
        const Level level(*place.nesting);
        if (place.nesting->levels > deepest) Control<deeper>::raise(input, place, states...);
        if (place.nesting->levels % levels_of_a_stack != levels_of_the_caller)
            return Control<meaning>::template match<A, M, Action, Control>(input, place, states...);
        bool matched = false;
        const auto go_on = [&] {
            matched = Control<meaning>::template match<A, M, Action, Control>(input, place, states...);
        };
        if (!run_on_stack(levels_of_a_stack * bytes_of_a_level, go_on))
            Control<no_stack>::raise(input, place, states...);
        return matched;
    }

  private:
    struct Level {
        explicit Level(Nesting& nesting) : nesting(&nesting) { ++nesting.levels; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        ~Level() { --nesting->levels; }
        Nesting* nesting;
    };
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
