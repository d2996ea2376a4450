// The messages of productions that are due: what is expected where one of them fails.
#pragma once

#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/rule_grammar.hpp"
#include "grammar/syntax/tree_builder.hpp"

#include <type_traits>

namespace irrewrite::grammar {

// clang-format off

template <class Production> inline constexpr message::Text expected{}; // of productions that always match

// Productions that always match are never due.
inline constexpr message::Text never = "nothing";
template <class... Rules> inline constexpr message::Text expected<peg::opt<Rules...>> = never;
template <class... Rules> inline constexpr message::Text expected<peg::star<Rules...>> = never;
template <class... Rules> inline constexpr message::Text expected<peg::list<group_alternative, Rules...>> = never;
template <class Item, class Close> inline constexpr message::Text expected<statements_of<Item, Close>> = never;
template <> inline constexpr message::Text expected<statements>      = never;

template <> inline constexpr message::Text expected<types_of_block>  = never;
template <> inline constexpr message::Text expected<results_of_block> = never;
template <> inline constexpr message::Text expected<rule_end>        = never;
template <> inline constexpr message::Text expected<any_operands>    = never;
template <> inline constexpr message::Text expected<any_results>     = never;
template <> inline constexpr message::Text expected<ir_file>         = never;
template <> inline constexpr message::Text expected<rule_file>       = never;
template <> inline constexpr message::Text expected<alternative>     = never;
template <class Item, class Close> inline constexpr message::Text expected<rules_up_to<Item, Close>> = never;
template <class... Rules> inline constexpr message::Text expected<peg::list_must<alternative, Rules...>> = never;

// Files and functions.
template <> inline constexpr message::Text expected<ir_declaration>  = message::ir_declaration;
template <> inline constexpr message::Text expected<read_declaration> = message::rule_declaration;
template <> inline constexpr message::Text expected<imported_file>   = message::import;
template <> inline constexpr message::Text expected<sets_word>       = message::for_sets;
template <> inline constexpr message::Text expected<function_head>   = message::func;
template <> inline constexpr message::Text expected<declared_function> = message::function_name;
template <> inline constexpr message::Text expected<function_parameters> = message::function_params;
template <> inline constexpr message::Text expected<function_body>   = message::function_body;
template <> inline constexpr message::Text expected<struct_name>     = message::struct_name;
template <> inline constexpr message::Text expected<struct_body>     = message::struct_body;
template <> inline constexpr message::Text expected<field>           = message::field_name;
template <> inline constexpr message::Text expected<field_colon>     = message::field_type;

// Types and operations.
template <> inline constexpr message::Text expected<declared_type>   = message::type_name;
template <> inline constexpr message::Text expected<size_name>   = message::declared_size;
template <> inline constexpr message::Text expected<variable_in_type> = message::declared_element;
template <> inline constexpr message::Text expected<class_name>      = message::class_name;
template <> inline constexpr message::Text expected<class_equal>     = message::class_types;
template <> inline constexpr message::Text expected<declared_operation> = message::op_name;
template <> inline constexpr message::Text expected<attribute_type>  = message::attr_name;
template <> inline constexpr message::Text expected<attribute_types_end> = message::attr_decls;
template <> inline constexpr message::Text expected<attribute_colon> = message::attr_type;
template <> inline constexpr message::Text expected<types_of_results> = message::type;
template <> inline constexpr message::Text expected<block_type_end>  = message::block_type_end;
template <> inline constexpr message::Text expected<trait_arguments_end> = message::trait_arguments;
template <> inline constexpr message::Text expected<target_name>     = message::target_name;
template <> inline constexpr message::Text expected<target_begin>    = message::target_body;
template <> inline constexpr message::Text expected<target_end>      = message::target_text;
template <> inline constexpr message::Text expected<any_model>       = message::op_name;
template <> inline constexpr message::Text expected<model_as>        = message::model_type;
template <> inline constexpr message::Text expected<model_equal>     = message::model;
template <> inline constexpr message::Text expected<analysis_name>   = message::analysis_name;
template <> inline constexpr message::Text expected<analysis_operand> = message::analysis_operand;
template <> inline constexpr message::Text expected<analysis_results> = message::analysis_results;
template <> inline constexpr message::Text expected<block_of_analysis> = message::analysis_block;
template <> inline constexpr message::Text expected<analysis_rules>  = message::analysis_block;
template <> inline constexpr message::Text expected<any_cost>        = message::expression;
template <> inline constexpr message::Text expected<list<costing_operation>> = message::op_name;
template <> inline constexpr message::Text expected<costing_operation> = message::op_name;
template <> inline constexpr message::Text expected<cost_number>     = message::cost_number;
template <> inline constexpr message::Text expected<iteration_word>  = message::cost_iteration;
template <> inline constexpr message::Text expected<cost_equal>      = message::cost;

// Rules and facts.
template <> inline constexpr message::Text expected<set_name>        = message::set_name;
template <> inline constexpr message::Text expected<set_parameter>   = message::set_parameter;
template <> inline constexpr message::Text expected<set_parameters_end> = message::parameters;
template <> inline constexpr message::Text expected<why_it_ends>     = message::set_ends;
template <> inline constexpr message::Text expected<why_it_costs>    = message::set_costs;
template <> inline constexpr message::Text expected<why_it_prints>   = message::set_prints;
template <> inline constexpr message::Text expected<rules_of_set>    = message::set_body;
template <> inline constexpr message::Text expected<rule_or_fact>    = message::rule;
template <> inline constexpr message::Text expected<roots>           = message::expression;
template <> inline constexpr message::Text expected<rule_arrow>      = message::rule_arrow;
template <> inline constexpr message::Text expected<terms>           = message::expression;
template <> inline constexpr message::Text expected<term>            = message::expression;
template <> inline constexpr message::Text expected<list<condition>> = message::expression;
template <> inline constexpr message::Text expected<condition>       = message::expression;
template <> inline constexpr message::Text expected<fact_place>      = message::fact_place;
template <> inline constexpr message::Text expected<fact_label>      = message::fact_label;
template <> inline constexpr message::Text expected<fact_of>         = message::fact_of;
template <> inline constexpr message::Text expected<fact_colon>      = message::fact_colon;

// Phases, names of strategies, tests.
template <> inline constexpr message::Text expected<list<normalizing_set>> = message::normalize_name;
template <> inline constexpr message::Text expected<normalizing_set> = message::normalize_name;
template <> inline constexpr message::Text expected<phase_name>      = message::phase_name;
template <> inline constexpr message::Text expected<phase_strategy>  = message::phase_equal;
template <> inline constexpr message::Text expected<strategy_name>   = message::strategy_name;
template <> inline constexpr message::Text expected<strategy_equal>  = message::strategy_equal;
template <> inline constexpr message::Text expected<test_name>       = message::test_name;
template <> inline constexpr message::Text expected<test_colon>      = message::test_colon;

// Input languages.
template <> inline constexpr message::Text expected<syntax_name>     = message::syntax_name;
template <> inline constexpr message::Text expected<syntax_begin>    = message::syntax_body;
template <> inline constexpr message::Text expected<syntax_end>      = message::production;
template <> inline constexpr message::Text expected<production_equal> = message::production_equal;
template <> inline constexpr message::Text expected<production_end>  = message::production_end;
template <> inline constexpr message::Text expected<precedence_number> = message::precedence;
template <> inline constexpr message::Text expected<precedence_end>  = message::precedence;
template <> inline constexpr message::Text expected<template_text>   = message::expression;

// Levels.
template <class... Rules> inline constexpr message::Text expected<deeper<Rules...>> = message::deep_text;
template <> inline constexpr message::Text expected<no_stack>        = message::no_stack;

// Expressions.
template <> inline constexpr message::Text expected<expression>      = message::expression;
template <> inline constexpr message::Text expected<disjunction>     = message::expression;
template <> inline constexpr message::Text expected<conjunction>     = message::expression;
template <> inline constexpr message::Text expected<logical_or>      = message::expression;
template <> inline constexpr message::Text expected<logical_and>     = message::expression;
template <> inline constexpr message::Text expected<equality>        = message::expression;
template <> inline constexpr message::Text expected<order>           = message::expression;
template <> inline constexpr message::Text expected<sum>             = message::expression;
template <> inline constexpr message::Text expected<product>         = message::expression;
template <> inline constexpr message::Text expected<prefix>          = message::expression;
template <> inline constexpr message::Text expected<condition_expression> = message::expression;
template <> inline constexpr message::Text expected<attribute>       = message::expression;
template <> inline constexpr message::Text expected<call_operands>   = message::call_operands;
template <> inline constexpr message::Text expected<operands_end>    = message::operands;
template <> inline constexpr message::Text expected<tuple_end>       = message::tuple;
template <> inline constexpr message::Text expected<array_end>       = message::array;
template <> inline constexpr message::Text expected<attributes_end>  = message::attributes;
template <> inline constexpr message::Text expected<field_value>     = message::field_name;
template <> inline constexpr message::Text expected<updated_field>   = message::field_name;
template <> inline constexpr message::Text expected<field_equal>     = message::field_value;
template <> inline constexpr message::Text expected<fields_end>      = message::struct_fields;
template <> inline constexpr message::Text expected<updated_fields>  = message::updated_fields;

// Patterns and terms.
template <> inline constexpr message::Text expected<close_paren>     = message::close_paren;
template <> inline constexpr message::Text expected<computed_place>  = message::projected;
template <> inline constexpr message::Text expected<strategy_applied> = message::strategy_applied;
template <> inline constexpr message::Text expected<function_in_rule> = message::function_in_rule;
template <> inline constexpr message::Text expected<block_of_function> = message::block_of_function;

// Blocks and statements.
template <> inline constexpr message::Text expected<parameter>       = message::parameter;
template <> inline constexpr message::Text expected<parameter_colon> = message::parameter_type;
template <> inline constexpr message::Text expected<parameter_type>  = message::type;
template <> inline constexpr message::Text expected<parameters_end>  = message::parameters;
template <> inline constexpr message::Text expected<block>           = message::expression;
template <> inline constexpr message::Text expected<block_parameter> = message::parameter;
template <> inline constexpr message::Text expected<expansion_parameter> = message::parameter;
template <> inline constexpr message::Text expected<block_parameters_end> = message::block_parameters;
template <> inline constexpr message::Text expected<statement>       = message::expression;
template <> inline constexpr message::Text expected<function_item>   = message::expression;
template <> inline constexpr message::Text expected<returned>        = message::expression;
template <> inline constexpr message::Text expected<list<target>>    = message::bind_target;
template <> inline constexpr message::Text expected<target>          = message::bind_target;
template <> inline constexpr message::Text expected<function_block>  = message::function_body;
template <> inline constexpr message::Text expected<expansion>       = message::expansion;
template <> inline constexpr message::Text expected<binding_sign>    = message::bind;
template <> inline constexpr message::Text expected<template_statement> = message::expression;

// Strategies.
template <> inline constexpr message::Text expected<strategy>        = message::strategy;
template <> inline constexpr message::Text expected<any_strategy>    = message::strategy;
template <> inline constexpr message::Text expected<strategy_sequence> = message::strategy;
template <> inline constexpr message::Text expected<strategy_operand> = message::strategy;
template <> inline constexpr message::Text expected<strategy_else>   = message::strategy_else;
template <> inline constexpr message::Text expected<no_alternative>  = message::strategy_then;
template <> inline constexpr message::Text expected<recursion_body>  = message::rec_body;
template <> inline constexpr message::Text expected<strategy_arguments_end> = message::strategy_arguments;
template <> inline constexpr message::Text expected<strategy_block_end> = message::strategy_block;

// Types.
template <> inline constexpr message::Text expected<type>            = message::type;
template <> inline constexpr message::Text expected<types>           = message::type;
template <> inline constexpr message::Text expected<sequence_type>   = message::type;
template <> inline constexpr message::Text expected<one_of_types>    = message::type;
template <> inline constexpr message::Text expected<shallow_type>    = message::type;
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

template <class Production> struct raise_expected : peg::normal<Production> {
    template <peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input, class... States>
    [[gnu::always_inline]] static bool match(Input& input, States&... states) {
        if constexpr (requires { typename Production::alone; } &&
                      std::is_base_of_v<peg::nothing<Production>, Action<Production>>)
            return Production::match(input);
        else
            return peg::normal<Production>::template match<A, M, Action, Control>(input, states...);
    }
    template <class Matched>
    [[noreturn]] static void raise(const Matched& in, const Place& place, TreeBuilder& builder) {
        static_assert(!expected<Production>.empty(), "a message says what is due");
        builder.raise(in.current(), expected<Production>, place, in_quotes<Production>);
    }
};

} // namespace irrewrite::grammar
