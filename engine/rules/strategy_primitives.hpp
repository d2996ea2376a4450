// The strategies that the engine runs itself, one row each: name, arguments, what it uses them for, and whether the machine
// remembers its results. All others are equations over them (rules/strategies.rules).
#pragma once

#include "engine/rules/strategy_uses.hpp"

#include <string_view>

namespace irrewrite {

enum class StrategyForm : std::uint8_t {
    Plain,   // s…
    Counted, // n, s
    Message, // perhaps a text, perhaps s
    Phase,   // p, s
    Many,    // s, s…: at least two
    Limited, // s, n
};

struct PrimitiveStrategy {
    std::string_view name;
    StrategyNode::Kind kind;
    std::uint8_t arguments;
    StrategyForm form = StrategyForm::Plain;
    StrategyUse use = StrategyUse::Applies; // of its arguments
    bool remembered = false;                // the machine keeps its result at a node
};

// clang-format off
inline constexpr PrimitiveStrategy primitive_strategies[] = {
    {"id",            StrategyNode::Kind::Id,         0},
    {"fail",          StrategyNode::Kind::Fail,       0},
    {"all",           StrategyNode::Kind::All,        1},
    {"one",           StrategyNode::Kind::One,        1},
    {"some",          StrategyNode::Kind::Some,       1},
    {"child",         StrategyNode::Kind::Child,      2, StrategyForm::Counted},
    {"not",           StrategyNode::Kind::Not,        1, StrategyForm::Plain, StrategyUse::Tests},
    {"test",          StrategyNode::Kind::Test,       1, StrategyForm::Plain, StrategyUse::Tests},
    {"where",         StrategyNode::Kind::Where,      1, StrategyForm::Plain, StrategyUse::Tests},
    {"innermost",     StrategyNode::Kind::Innermost,  1},
    {"outermost",     StrategyNode::Kind::Outermost,  1, StrategyForm::Plain, StrategyUse::Applies, true},
    {"topdown",       StrategyNode::Kind::TopDown,    1, StrategyForm::Plain, StrategyUse::Applies, true},
    {"bottomup",      StrategyNode::Kind::BottomUp,   1, StrategyForm::Plain, StrategyUse::Applies, true},
    {"alltd",         StrategyNode::Kind::AllTopDown, 1, StrategyForm::Plain, StrategyUse::Applies, true},
    {"limit",         StrategyNode::Kind::Limit,      2, StrategyForm::Counted},
    {"memo",          StrategyNode::Kind::Memo,       1, StrategyForm::Plain, StrategyUse::Applies, true},
    {"delayed",       StrategyNode::Kind::Delayed,    0},
    {"inline",        StrategyNode::Kind::Inline,     0},
    {"outline",       StrategyNode::Kind::Outline,    0},
    {"promote",       StrategyNode::Kind::Promote,    0},
    {"unroll",        StrategyNode::Kind::Unroll,     0},
    {"log",           StrategyNode::Kind::Log,        2, StrategyForm::Message},
    {"flow",          StrategyNode::Kind::Flow,       1},
    {"cautious-flow", StrategyNode::Kind::Flow,       1},
    {"debug",         StrategyNode::Kind::Debug,      2, StrategyForm::Message},
    {"delay",         StrategyNode::Kind::Delay,      2, StrategyForm::Phase, StrategyUse::Delays},
    {"choose",        StrategyNode::Kind::Choose,     2, StrategyForm::Many, StrategyUse::Tries, true},
    {"speculate",     StrategyNode::Kind::Speculate,  1, StrategyForm::Plain, StrategyUse::Tries, true},
    {"saturate",      StrategyNode::Kind::Saturate,   2, StrategyForm::Limited, StrategyUse::Tries, true},
};
// clang-format on

// Null: it is none.
constexpr const PrimitiveStrategy* find_primitive_strategy(std::string_view name) {
    for (const PrimitiveStrategy& primitive : primitive_strategies)
        if (primitive.name == name) return &primitive;
    return nullptr;
}
constexpr const PrimitiveStrategy* find_primitive_strategy(StrategyNode::Kind kind) {
    for (const PrimitiveStrategy& primitive : primitive_strategies)
        if (primitive.kind == kind) return &primitive;
    return nullptr;
}

} // namespace irrewrite
