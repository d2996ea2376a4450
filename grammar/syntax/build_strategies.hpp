// Actions for the productions of strategies.
#pragma once

#include "grammar/syntax/rule_grammar.hpp"
#include "grammar/syntax/tree_builder.hpp"

namespace irrewrite::grammar {

template <> struct build<strategy_variable> : build_leaf<Kind::Meta, 1> {};
template <> struct build<strategy_constant> : build_leaf<Kind::MetaLiteral, 1> {};
template <> struct build<strategy_next> : build_around<Kind::StrategySeq, 2> {};
template <> struct build<choice> : build_around<Kind::StrategyChoice, 2> {};
template <> struct build<conditional> : build_around<Kind::StrategyIf, 3> {};

template <> struct build<recursion> : build_node<build<recursion>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const char* const end = text.data() + text.size();
        const char* const name = past_blanks(text.data() + 3, end); // behind `rec`
        builder.node(Kind::StrategyRec, text, leading<dashed_name>(builder.from(builder.offset(name), end)), first);
    }
};

template <> struct build<strategy_call> : build_node<build<strategy_call>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view name = leading<dashed_name>(text);
        builder.node(name == text ? Kind::StrategyName : Kind::StrategyCall, text, name, first);
    }
};
template <> struct build<strategy_block> : build_parent<Kind::StrategyBlock> {};

// The name before a block becomes its label.
template <class Block> struct build_label : build_node<build_label<Block>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        const std::string_view label = leading<dotted_name>(text);
        builder.last().label_begin = builder.offset(label.data());
        builder.last().label_end = builder.offset(label.data() + label.size());
    }
};
template <> struct build<labelled_strategy> : build_label<strategy_block> {};

} // namespace irrewrite::grammar
