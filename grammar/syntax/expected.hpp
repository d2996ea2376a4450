// The messages of productions that are due: what is expected where one of them fails.
#pragma once

#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/rule_grammar.hpp"
#include "grammar/syntax/tree_builder.hpp"

#include <type_traits>

namespace irrewrite::grammar {

// clang-format off

template <class Production> inline constexpr message::Text expected{}; // of productions that always match

// Types.
template <> inline constexpr message::Text expected<type>            = message::type;
template <> inline constexpr message::Text expected<types>           = message::type;
template <> inline constexpr message::Text expected<sequence_type>   = message::type;
template <> inline constexpr message::Text expected<shallow_type>    = message::deep_type;
template <> inline constexpr message::Text expected<array_length>    = message::dimension;
template <> inline constexpr message::Text expected<dimension_end>   = message::close_dimension;
template <> inline constexpr message::Text expected<types_end>       = message::types;
template <> inline constexpr message::Text expected<size>            = message::size;
template <> inline constexpr message::Text expected<sizes_end>       = message::sizes;
template <> inline constexpr message::Text expected<type_class>      = message::type_class;

// Items of input languages.
template <> inline constexpr message::Text expected<unlabelled_item> = message::production_item;
template <> inline constexpr message::Text expected<repeated_item>   = message::production_item;
template <> inline constexpr message::Text expected<primary_item>    = message::production_item;
template <> inline constexpr message::Text expected<literal_end>     = message::literal_end;
template <> inline constexpr message::Text expected<class_end>       = message::class_end;
template <> inline constexpr message::Text expected<group_end>       = message::group_end;
template <> inline constexpr message::Text expected<repetitions>     = message::shallow_group;
template <> inline constexpr message::Text expected<shallow_group>   = message::shallow_group;

// clang-format on

// Inside of quotes a blank is a character.
template <class Production> constexpr bool in_quotes =
    std::is_same_v<Production, literal_end> || std::is_same_v<Production, class_end>;

struct Fault {
    const char* at;
    message::Text expected;
    bool in_quotes;
};

template <class Production> struct raise_expected : peg::normal<Production> {
    template <class Matched, class... States> [[noreturn]] static void raise(const Matched& in, States&&...) {
        const char* const at = in_quotes<Production> ? in.current() : past<blanks>(in.current(), in.end());
        throw Fault{at, expected<Production>, in_quotes<Production>};
    }
};

} // namespace irrewrite::grammar
