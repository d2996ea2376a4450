// Actions for the productions of blocks and statements.
#pragma once

#include "grammar/syntax/build_expressions.hpp"
#include "grammar/syntax/statements.hpp"

namespace irrewrite::grammar {

struct operator_name : peg::sor<function_name, meta_name, dotted_name> {};
template <> struct build<operator_block> : build_node<build<operator_block>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        const char* const end = text.data() + text.size();
        const char* const name = past_blanks(text.data() + 1, end); // behind `{`
        builder.leaf(Kind::OperatorBlock, text);
        builder.last().name_begin = builder.offset(name);
        builder.last().name_end = builder.offset(past<operator_name>(name, end));
    }
};

// Statements that are not closed are told with the brace.
struct build_block : build_node<build_block> {
    static void begin(TreeBuilder& builder, const char* at, const Place&) { builder.brace = at; }
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::Block, text, text.substr(0, 0), first);
    }
};
template <> struct build<braced_block> : build_block {};
template <> struct build<expansion> : build_block {};

// An operation behind a label is a block of its own.
template <> struct build<repeated_operation> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched&, const Place&, TreeBuilder& builder) {
        builder.combine(Kind::Results, 1);
        builder.combine(Kind::Block, 1);
    }
};
template <> struct build<labelled_block> : build_label<block> {};

// `%x`, `%x: T`, `%x: *T`, and in a pattern `%x...`.
template <Kind Leaf> struct build_typed : build_node<build_typed<Leaf>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const char *at = past<value_name>(text.data(), text.data() + text.size()), *const end =
                                                                                       text.data() + text.size();
        const std::string_view name(text.data() + 1, static_cast<std::size_t>(at - text.data() - 1));
        std::uint8_t flags = 0;
        at = past_blanks(at, end);
        if (at != end && *at == '.') flags |= Sequence, at = past_blanks(at + 3, end);
        if (at != end && *at == ':') at = past_blanks(at + 1, end);
        if (at != end && *at == '*') flags |= Consumed;
        builder.node(Leaf, text, name, first, flags);
    }
};
template <> struct build<named_parameter> : build_typed<Kind::Param> {};
template <> struct build<optional_type> : build_typed<Kind::Param> {};
template <> struct build<block_of_operation> : build_leaf<Kind::Meta, 1> {};

template <> struct build<target> : build_node<build<target>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        if (text.ends_with("...")) {
            builder.leaf(Kind::Value, leading<value_name>(text), 1);
            return builder.around(Kind::Seq, 1, text.data() + text.size());
        }
        build_typed<Kind::Target>::node(builder, text, first);
    }
};
template <> struct build<binding> : build_node<build<binding>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const SyntaxNode& last_target = builder.tree.nodes[builder.pending[builder.pending.size() - 2]];
        const char* const end = text.data() + text.size();
        const bool assigns = *past_blanks(builder.tree.text.data() + last_target.end, end) == ':';
        builder.node(Kind::Bind, text, text.substr(0, 0), first, assigns ? Assigns : 0);
    }
};
template <> struct build<template_parameter> : build_typed<Kind::Param> {};

template <> struct build<return_statement> : build_node<build<return_statement>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::Results, text, text.substr(0, 0), first, Return);
    }
};

// Behind a list of expressions that is wrong as a statement, that is said.
template <> struct build<expression_list> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const std::size_t first = builder.pending.size();
        check_return(builder, input.current(), input.end());
        if (!peg::match<Production, A, M, Action, Control>(input, place, builder)) return false;
        check_end(builder, first, input.current(), input.end(), place);
        return true;
    }

  private:
    static void check_return(TreeBuilder& builder, const char* from, const char* end);
    static void check_end(TreeBuilder& builder, std::size_t first, const char* from, const char* end,
                          const Place& place);
};

} // namespace irrewrite::grammar
