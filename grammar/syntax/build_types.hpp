// Actions for the productions of types.
#pragma once

#include "grammar/syntax/rule_grammar.hpp"
#include "grammar/syntax/tree_builder.hpp"

namespace irrewrite::grammar {

template <> struct build<dimension> : build_node<build<dimension>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        if (text[0] == '?') return builder.leaf(Kind::DimVar, text, 1);
        const bool number = is(text.data(), Digit) || text[0] == '\'';
        builder.leaf(number ? Kind::DimNumber : Kind::DimName, text);
    }
};
template <> struct build<no_dimension> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.leaf(Kind::DimNone, builder.text(in).substr(0, 0));
    }
};
template <> struct build<any_size> : build_leaf<Kind::DimNone> {};
template <> struct build<sequence_of_sizes> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.around(Kind::DimSeq, 1, in.end());
    }
};
template <> struct build<array_type> : build_parent<Kind::TypeArray> {};
template <> struct build<type_class> : build_leaf<Kind::Ident> {};

// A parenthesis around one type is that type; around a sequence it is a tuple.
template <> struct build<tuple_type> : build_node<build<tuple_type>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        if (builder.pending.size() != first + 1 || builder.last().kind == Kind::TypeSeq)
            builder.node(Kind::TypeTuple, text, text.substr(0, 0), first);
    }
};

template <> struct build<mutable_type> : build_node<build<mutable_type>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(text[0] == 'r' ? Kind::TypeRef : Kind::TypeMut, text, text.substr(0, 0), first);
    }
};

template <> struct build<sequence_of_type> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.around(Kind::TypeSeq, 1, in.end());
    }
};

// `List of f64` and `gen(f64)` end alike: an element type is the last part of its own.
template <> struct build<element_type> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.element_end = in.end();
    }
};
template <> struct build<named_type> : build_node<build<named_type>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view name = leading<dotted_name>(text);
        if (name == text) return builder.leaf(Kind::TypeName, text);
        const bool of_element = builder.element_end == text.data() + text.size();
        const std::size_t at = text.find_first_not_of(" \t\r\n", name.size());
        const bool sized = text[at] == '[';
        const unsigned flags = (of_element ? unsigned{OfElement} : 0) | (sized ? unsigned{OfSizes} : 0);
        builder.node(Kind::TypeApply, text, name, first, static_cast<std::uint8_t>(flags));
    }
};
template <> struct build<type_variable> : build_named<Kind::TypeVar, meta_name, 1> {};

} // namespace irrewrite::grammar
