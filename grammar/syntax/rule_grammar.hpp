// Productions of rule files, beyond those of IR text (ir_grammar.hpp), in the same form.
#pragma once

#include "grammar/syntax/ir_grammar.hpp"

namespace irrewrite::grammar {

// clang-format off

// -- tokens ---------------------------------------------------------------------------------------

// `mul-2` is a rule's name; in a term it is a subtraction.
struct meta_name              : peg::seq<peg::one<'?'>, word> {};
struct meta_literal           : peg::seq<peg::one<'#'>, word> {};
struct dashed_name            : peg::seq<word, peg::star<peg::one<'-', '.'>, peg::plus<peg::identifier_other>>> {};

struct alternative; struct analysis; struct analysis_block; struct and_word; struct any_case; struct any_character;
struct any_declaration; struct any_strategy; struct application; struct application_ahead; struct applied_strategy;
struct at_phase; struct attribute_type; struct attribute_types; struct block_label; struct block_of_operation;
struct block_trait; struct block_type; struct choice; struct class_declaration; struct class_end;
struct close_paren; struct computed; struct computed_place; struct condition; struct condition_expression;
struct conditional; struct conditions; struct constant; struct constant_place; struct cost; struct cost_ahead;
struct declared_type; struct declaring_word; struct definition; struct end_of_declaration; struct expansion;
struct expansion_parameter; struct expansion_parameters; struct fact; struct fact_ahead; struct fact_place;
struct for_sets; struct group; struct group_alternative; struct group_end; struct group_items; struct import_ahead;
struct import_declaration; struct import_path; struct imports; struct item; struct item_ahead; struct item_class;
struct item_escape; struct item_label; struct item_literal; struct item_text; struct items; struct iteration_cost;
struct labelled_item; struct labelled_strategy; struct literal_end; struct local_function; struct meaning;
struct metavariable; struct model; struct named_strategy; struct named_term; struct named_term_ahead;
struct negation; struct nested_strategy; struct next_production; struct no_alternative; struct normalize;
struct of_type; struct one_of_types; struct operand_types; struct operation_costs; struct operation_declaration;
struct operation_model; struct or_word; struct parameter_alone; struct part_of_template; struct parts_ahead;
struct parts_of_template; struct pattern; struct pattern_suffix; struct phase; struct phase_ahead;
struct precedence; struct precedence_ahead; struct primary_item; struct production; struct production_head;
struct production_name; struct production_reference; struct recursion; struct recursion_body; struct repeated_item;
struct repetition; struct repetitions; struct result_types; struct roots; struct rule; struct rule_declaration;
struct rule_declaration_ahead; struct rule_end; struct rule_file; struct rule_name; struct rule_set; struct rules;
struct separated_items; struct sequence_of_fields; struct sequence_suffix; struct set_mark; struct set_parameters;
struct shallow_group; struct strategy; struct strategy_applied; struct strategy_arguments;
struct strategy_arguments_end; struct strategy_block; struct strategy_block_end; struct strategy_blocks;
struct strategy_call; struct strategy_constant; struct strategy_declaration; struct strategy_else;
struct strategy_next; struct strategy_operand; struct strategy_sequence; struct strategy_term;
struct strategy_variable; struct syntax; struct target_declaration; struct template_function;
struct template_parameter; struct template_statement; struct template_text; struct template_type; struct term_cost;
struct test; struct text_or_trait; struct trait; struct type_class; struct type_declaration; struct type_model;
struct type_variable; struct unlabelled_item; struct wildcard;

// -- files ----------------------------------------------------------------------------------------

struct rule_file              : peg::must<imports, peg::star<peg::sor<sign<";">, any_declaration>>, end_of_text> {};
struct imports                : peg::star<peg::sor<sign<";">, import_declaration>> {};
struct import_declaration     : peg::if_must<keyword<"import">, token<import_path>, peg::opt<for_sets>> {};
struct import_path            : string_literal {};
struct for_sets               : peg::if_must<keyword<"for">, keyword<"sets">> {};
struct any_declaration        : peg::sor<local_function, external_function, structure, within<&Place::pattern, true, rule_declaration>> {};
struct local_function         : peg::if_must<keyword<"local">, function_head, function_body> {};
struct rule_declaration       : peg::sor<type_declaration, class_declaration, operation_declaration, rule_set, fact, normalize, phase, strategy_declaration, test, target_declaration, syntax, model, cost, analysis> {};

// -- types and operations -------------------------------------------------------------------------

struct type_declaration       : peg::if_must<keyword<"type">, declared_type, peg::opt<peg::if_must<keyword<"as">, type>>, peg::opt<at_phase>> {};
struct declared_type          : peg::seq<token<dotted_name>, peg::opt<listed<next_to<"[">, token<dotted_name>, sign<"]">>>, peg::opt<peg::if_must<keyword<"of">, token<meta_name>>>> {};
struct type_variable          : peg::seq<token<meta_name>, peg::opt<peg::if_must<sign<":">, type_class>>> {};
struct type_class             : token<dotted_name> {};
struct class_declaration      : peg::if_must<keyword<"class">, token<dotted_name>, sign<"=">, one_of_types> {};
struct one_of_types           : peg::list_must<type, sign<"|">> {};
struct at_phase               : peg::seq<keyword<"at">, token<dashed_name>> {};

struct operation_declaration  : peg::if_must<keyword<"op">, token<dotted_name>, peg::opt<attribute_types>, peg::opt<operand_types>, peg::star<block_type>, peg::opt<result_types>, peg::star<trait>, peg::opt<meaning>> {};
struct attribute_types        : listed<sign<"[">, attribute_type, sign<"]">> {};
struct attribute_type         : peg::sor<type_variable, peg::if_must<token<dotted_name>, sign<":">, sequence_type>> {};
struct operand_types          : listed<sign<"(">, sequence_type, sign<")">> {};
struct result_types           : peg::if_must<sign<"->">, types> {};
struct block_type             : peg::seq<peg::opt<block_label>, peg::if_must<sign<"{">, peg::opt<types>, peg::opt<sign<"->">, peg::opt<types>>, sign<"}">>, peg::star<block_trait>> {};
struct block_label            : peg::seq<peg::not_at<block_trait>, token<word>, peg::at<sign<"{">>> {};
struct block_trait            : peg::sor<keyword<"hot">, keyword<"cold">, keyword<"combines">, keyword<"optional">, keyword<"tests">, keyword<"carries">> {};
struct trait                  : peg::seq<blanks, peg::not_at<rule_declaration_ahead>, text_or_trait> {};
struct text_or_trait          : peg::seq<token<dotted_name>, peg::opt<peg::sor<listed<sign<"(">, expression, sign<")">>, token<string_literal>>>> {};
struct meaning                : peg::if_must<sign<"=">, expansion, peg::opt<at_phase>> {};
struct expansion              : peg::if_must<sign<"{">, peg::opt<expansion_parameters>, statements> {};
struct expansion_parameters   : peg::sor<sign<"||">, listed<sign<"|">, expansion_parameter, block_parameters_end>> {};
struct expansion_parameter    : peg::sor<block_of_operation, block_parameter> {};
struct block_of_operation     : token<meta_name> {};

struct target_declaration     : peg::if_must<keyword<"target">, token<dotted_name>, sign<"{">, peg::star<text_or_trait>, sign<"}">> {};
struct model                  : peg::if_must<keyword<"model">, peg::sor<type_model, operation_model>> {};
struct type_model             : peg::if_must<keyword<"type">, declared_type, keyword<"as">, type> {};
struct operation_model        : peg::seq<token<dotted_name>, sign<"=">, expansion> {};
struct analysis               : peg::if_must<keyword<"analysis">, token<dotted_name>, operand_types, peg::sor<keyword<"over">, result_types>, peg::star<analysis_block>, rules> {};
struct analysis_block         : peg::seq<peg::not_at<new_declaration>, peg::if_must<token<dotted_name>, expansion>> {};
struct cost                   : peg::if_must<keyword<"cost">, peg::sor<peg::seq<peg::not_at<application_ahead>, peg::sor<operation_costs, iteration_cost>>, term_cost>> {};
struct operation_costs        : peg::if_must<keyword<"op">, list<token<dotted_name>>, numeral> {};
struct iteration_cost         : peg::if_must<keyword<"per">, keyword<"iteration">, numeral> {};
struct term_cost              : peg::seq<expression, sign<"=">, expression, rule_end> {};

// -- rules and facts ------------------------------------------------------------------------------

struct rule_set               : peg::if_must<keyword<"rules">, token<dashed_name>, peg::opt<set_parameters>, peg::star<set_mark>, rules> {};
struct set_parameters         : listed<sign<"(">, peg::sor<token<meta_name>, token<meta_literal>, token<dashed_name>>, sign<")">> {};
struct set_mark               : peg::sor<keyword<"inexact">, keyword<"ordered">, peg::if_must<peg::sor<keyword<"ends">, keyword<"costs">>, token<string_literal>>, at_phase> {};
struct rules                  : peg::if_must<sign<"{">, peg::star<peg::sor<sign<";">, rule, fact>>, sign<"}">> {};
struct rule                   : peg::if_must<rule_name, roots, sign<"=>">, list<expression>, rule_end> {};
struct rule_name              : peg::seq<token<dashed_name>, sign<":">> {};
struct roots                  : peg::list_must<expression, sign<"&">> {};
struct rule_end               : peg::seq<peg::opt<at_phase>, peg::opt<conditions>> {};
struct fact                   : peg::if_must<keyword<"fact">, fact_place, expression, sign<":">, expression, sign<"=>">, expression, rule_end> {};
struct fact_place             : peg::sor<keyword<"after">, peg::if_must<keyword<"in">, token<dotted_name>, keyword<"of">>> {};

struct conditions             : peg::seq<peg::not_at<rule_name>, peg::if_must<keyword<"where">, list<condition>, peg::opt<at_phase>>> {};
struct condition              : peg::sor<definition, application, condition_expression> {};
struct definition             : peg::seq<token<meta_name>, sign<"=">, peg::must<expression>> {};
struct application            : peg::seq<applied_strategy, sign<"=>">, peg::must<expression>> {};
struct condition_expression   : within<&Place::condition, true, disjunction> {};
struct applied_strategy           : within<&Place::condition, true, strategy_term> {};
struct or_word                : peg::seq<in_condition, peg::not_at<rule_name>, keyword<"or">> {};
struct and_word               : peg::seq<in_condition, peg::not_at<rule_name>, keyword<"and">> {};
struct negation               : peg::if_must<peg::seq<in_condition, keyword<"not">>, logical_or> {};

// -- patterns and terms ---------------------------------------------------------------------------

struct pattern                : by_first<beginning<"?", metavariable>, beginning<"#", constant>, beginning<"#", computed>, beginning<"(", named_term>, beginning<"_", wildcard>> {};
struct metavariable           : peg::seq<token<meta_name>, peg::opt<peg::sor<operands, of_type>>> {};
struct constant               : peg::seq<token<meta_literal>, peg::opt<of_type>> {};
struct of_type                : peg::if_must<sign<":">, one_of_types> {};
struct computed               : peg::if_must<sign<"#(">, expression, close_paren> {};
struct named_term             : peg::if_must<named_term_ahead, expression, close_paren> {};
struct close_paren            : sign<")"> {};
struct named_term_ahead       : peg::seq<sign<"(">, token<meta_name>, sign<"=">> {};
struct sequence_of_fields     : peg::seq<in_pattern, peg::at<token<meta_name>>, expression> {};
struct wildcard               : keyword<"_"> {};
struct pattern_suffix         : peg::sor<sequence_suffix, peg::if_must<sign<".">, computed_place>> {};
struct sequence_suffix        : sign<"..."> {};
struct computed_place         : peg::sor<constant_place, computed> {};
struct constant_place         : token<meta_literal> {};
struct strategy_term          : peg::if_must<sign<"<">, strategy, strategy_applied, prefix> {};
struct strategy_applied       : sign<">"> {};

// -- strategies and phases ------------------------------------------------------------------------

struct normalize              : peg::if_must<keyword<"normalize">, list<token<dashed_name>>> {};
struct phase                  : peg::if_must<keyword<"phase">, token<dashed_name>, peg::sor<peg::if_must<sign<"=">, strategy>, peg::at<end_of_declaration>>> {};
struct end_of_declaration     : peg::sor<sign<";">, end_of_text, new_declaration> {};
struct strategy_declaration   : peg::if_must<keyword<"strategy">, token<dashed_name>, peg::opt<set_parameters>, sign<"=">, strategy> {};
struct test                   : peg::if_must<keyword<"test">, token<dashed_name>, sign<":">, expression, peg::opt<peg::if_must<sign<"=>">, expression>>> {};

struct strategy               : peg::seq<any_strategy, peg::must<no_alternative>> {};
struct any_strategy           : deeper<strategy_sequence, peg::star<peg::sor<choice, conditional>>> {};
struct no_alternative         : peg::not_at<sign<"+">> {};
struct choice                 : peg::if_must<sign<"<+">, strategy_sequence> {};
struct conditional            : peg::if_must<sign<"<">, any_strategy, strategy_else, strategy_sequence> {};
struct strategy_else          : sign<"+"> {};
struct strategy_sequence      : peg::seq<strategy_operand, peg::star<strategy_next>> {};
struct strategy_next          : peg::if_must<sign<";">, strategy_operand> {};
struct strategy_operand       : by_first<beginning<"0'", numeral>, beginning<"\"", text_literal>, beginning<"?", strategy_variable>, beginning<"#", strategy_constant>, beginning<"(", nested_strategy>, beginning<"a", named_strategy>> {};
struct strategy_variable      : token<meta_name> {};
struct strategy_constant      : token<meta_literal> {};
struct nested_strategy        : peg::if_must<sign<"(">, strategy, close_paren> {};
struct named_strategy         : peg::seq<peg::not_at<new_declaration>, peg::sor<recursion, strategy_call>> {};
struct strategy_call          : peg::seq<token<dashed_name>, peg::opt<strategy_arguments, peg::opt<strategy_blocks>>> {};
struct recursion              : peg::seq<keyword<"rec">, token<dashed_name>, peg::must<recursion_body, strategy, close_paren>> {};
struct recursion_body         : sign<"("> {};
struct strategy_arguments     : listed<sign<"(">, strategy, strategy_arguments_end> {};
struct strategy_arguments_end : sign<")"> {};
struct strategy_blocks        : peg::seq<strategy_block, peg::star<peg::sor<strategy_block, labelled_strategy>>> {};
struct labelled_strategy      : peg::seq<declared_label<word>, strategy_block> {};
struct strategy_block         : peg::if_must<sign<"{">, strategy, strategy_block_end> {};
struct strategy_block_end     : sign<"}"> {};

// -- input languages: productions of their own, with templates of IR text -------------------------

struct syntax                 : peg::if_must<keyword<"syntax">, token<dotted_name>, peg::star<peg::sor<keyword<"indented">, keyword<"undeclared">>>, sign<"{">, peg::star<production>, sign<"}">> {};
struct production             : peg::if_must<production_name, peg::opt<token<string_literal>>, sign<"=">, peg::list_must<alternative, sign<"|">>> {};
struct production_name        : peg::sor<peg::seq<keyword<"token">, token<dotted_name>>, token<dotted_name>> {};
struct alternative            : peg::seq<items, peg::opt<precedence>, peg::opt<peg::if_must<sign<"=>">, template_text>>> {};
struct items                  : peg::star<peg::not_at<peg::sor<next_production, precedence_ahead>>, item> {};
struct item                   : peg::sor<labelled_item, unlabelled_item> {};
struct labelled_item          : peg::if_must<item_label, unlabelled_item> {};
struct item_label             : peg::seq<token<word>, sign<":">> {};
struct unlabelled_item        : peg::sor<item_ahead, repeated_item> {};
struct item_ahead             : peg::if_must<token<peg::one<'&', '!'>>, repeated_item> {};
struct repeated_item          : peg::if_must<primary_item, repetitions> {};
struct repetitions            : peg::rep_max<99, peg::sor<separated_items, repetition>> {};
struct separated_items        : peg::if_must<token<peg::sor<peg::two<'*'>, peg::two<'+'>>>, primary_item> {};
struct repetition             : token<peg::one<'?', '*', '+'>> {};
struct primary_item           : peg::sor<token<item_literal>, token<item_class>, token<any_character>, group, token<production_reference>> {};
struct item_literal           : peg::if_must<peg::one<'"'>, peg::star<peg::sor<item_escape, peg::not_one<'"', '\\', '\n'>>>, literal_end, peg::opt<any_case>> {};
struct literal_end            : peg::one<'"'> {};
struct any_case               : peg::seq<peg::one<'i'>, peg::not_at<peg::identifier_other>> {};
struct item_class             : peg::if_must<peg::one<'['>, peg::star<peg::sor<item_escape, peg::not_one<']', '\\', '\n'>>>, class_end> {};
struct class_end              : peg::one<']'> {};
struct item_escape            : peg::seq<peg::one<'\\'>, peg::sor<peg::one<'n', 't', 'r', '"', '\\', ']', '[', '^', '-'>, peg::seq<peg::one<'x'>, peg::range<'0', '7'>, peg::xdigit>>> {};
struct any_character          : peg::one<'.'> {};
struct production_reference   : word {};
struct group                  : peg::if_must<peg::at<sign<"(">>, shallow_group> {};
struct shallow_group          : nested<&Place::groups, 100, group_items> {};
struct group_items            : peg::if_must<sign<"(">, peg::list<group_alternative, token<peg::one<'|'>>>, group_end> {};
struct group_alternative      : peg::star<item> {};
struct group_end              : sign<")"> {};
struct precedence             : peg::if_must<precedence_ahead, numeral, sign<")">, peg::opt<peg::sor<keyword<"left">, keyword<"right">, keyword<"none">>>> {};

struct template_text          : peg::sor<template_function, structure, template_type, peg::if_must<peg::at<sign<"{">>, block>, peg::if_must<peg::at<rule_name>, field>, peg::if_must<peg::at<named_ahead>, field_value>, template_statement> {};
struct template_function      : peg::if_must<peg::at<peg::sor<keyword<"func">, keyword<"local">, keyword<"extern">>>, peg::sor<external_function, function>> {};
struct template_type          : peg::if_must<keyword<"type">, type> {};
struct template_statement     : peg::sor<peg::seq<peg::at<parameter_alone>, template_parameter>, binding, return_statement, expression_list> {};
struct template_parameter     : peg::seq<token<value_name>, target_type> {};
struct parameter_alone        : peg::seq<token<value_name>, target_type, peg::not_at<peg::sor<sign<",">, binding_sign>>> {};
struct part_of_template       : peg::seq<in_pattern, peg::at<token<dotted_name>>, expression> {};
struct parts_of_template      : peg::seq<in_pattern, peg::at<token<dotted_name>, sign<"...">>, expression> {};
struct parts_ahead            : peg::seq<in_pattern, next_to<"{">, token<dotted_name>, sign<"...">> {};

// -- lookahead ------------------------------------------------------------------------------------

struct next_production        : peg::sor<production_head, peg::seq<keyword<"token">, production_head>> {};
struct production_head        : peg::seq<token<word>, peg::opt<token<item_text>>, sign<"=">> {};
struct item_text              : peg::seq<peg::one<'"'>, peg::star<peg::sor<peg::seq<peg::one<'\\'>, peg::any>, peg::not_one<'"', '\n'>>>, peg::one<'"'>> {};
struct precedence_ahead       : peg::seq<keyword<"prec">, sign<"(">> {};
struct phase_ahead            : peg::seq<keyword<"at">, token<word>> {};
struct fact_ahead             : peg::seq<keyword<"fact">, peg::sor<keyword<"after">, keyword<"in">>> {};
struct import_ahead           : peg::seq<keyword<"import">, token<peg::at<peg::one<'"'>>>> {};
struct application_ahead      : peg::seq<token<dotted_name>, peg::sor<sign<"(">, sign<"[">>> {};
struct cost_ahead             : peg::seq<keyword<"cost">, peg::sor<application_ahead, peg::seq<peg::sor<keyword<"op">, keyword<"per">>, token<word>>>> {};
struct declaring_word         : peg::sor<keyword<"type">, keyword<"class">, keyword<"op">, keyword<"rules">, keyword<"strategy">, keyword<"normalize">, keyword<"phase">, keyword<"test">, keyword<"target">, keyword<"model">, keyword<"syntax">, keyword<"analysis">> {};
struct rule_declaration_ahead : peg::sor<ir_declaration_ahead, import_ahead, fact_ahead, cost_ahead, peg::seq<declaring_word, token<word>>> {};

// clang-format on

} // namespace irrewrite::grammar
