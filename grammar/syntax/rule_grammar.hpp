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

struct alternative; struct analysis; struct analysis_block; struct analysis_name; struct analysis_operand;
struct analysis_results; struct analysis_rules; struct and_word; struct any_case; struct any_character;
struct any_cost; struct any_declaration; struct any_model; struct any_strategy; struct application;
struct application_ahead; struct applied; struct applied_strategy; struct at_phase; struct attribute_colon;
struct attribute_type; struct attribute_types; struct attribute_types_end; struct block_label;
struct block_of_analysis; struct block_of_function; struct block_of_operation; struct block_trait; struct block_type; struct block_type_end;
struct choice; struct class_declaration; struct class_end; struct class_equal; struct class_name;
struct close_paren; struct computed; struct computed_function; struct computed_place; struct condition; struct condition_expression;
struct conditional; struct conditions; struct constant; struct constant_place; struct cost; struct cost_ahead;
struct cost_equal; struct cost_number; struct costing_operation; struct element_in_type; struct declared_operation;
struct size_name; struct name_of_size; struct declared_type; struct declaring_word; struct definition; struct definition_ahead;
struct variable_in_type; struct end_of_declaration; struct expansion; struct expansion_parameter;
struct expansion_parameters; struct fact; struct fact_ahead; struct fact_colon; struct finite_mark; struct fact_label; struct fact_of;
struct fact_place; struct for_sets; struct function_in_rule; struct function_variable; struct group; struct group_alternative; struct group_end; struct group_items;
struct import_ahead; struct import_declaration; struct import_path; struct imported_file; struct imports;
struct inexact_mark; struct item; struct item_ahead; struct item_class; struct item_escape; struct item_label;
struct item_literal; struct item_text; struct items; struct iteration_cost; struct iteration_word;
struct labelled_item; struct labelled_strategy; struct literal_end; struct meaning; struct metavariable;
struct misplaced_function; struct model; struct model_as; struct model_equal; struct name_of_function; struct name_of_set;
struct named_phase; struct named_strategy; struct named_term; struct named_term_ahead; struct negation;
struct nested_strategy; struct next_production; struct no_alternative; struct no_operands; struct no_results;
struct normalize; struct normalizing_set; struct of_type; struct one_of_types; struct operand_types; struct operands_of_calls;
struct operation_costs; struct operation_declaration; struct operation_model; struct or_word; struct ordered_mark;
struct parameter_alone; struct part_of_template; struct parts_ahead; struct parts_of_template; struct pattern;
struct pattern_suffix; struct phase; struct phase_name; struct phase_of_declaration;
struct phase_strategy; struct precedence; struct precedence_ahead; struct precedence_end; struct precedence_number;
struct precedence_side; struct primary_item; struct production; struct production_end; struct production_equal;
struct production_head; struct production_name; struct production_reference; struct read_declaration;
struct recursion; struct recursion_body; struct repeated_item; struct repetition; struct repetitions;
struct result_types; struct results_of_block; struct roots; struct rule; struct rule_arrow; struct rule_declaration;
struct rule_declaration_ahead; struct rule_end; struct rule_file; struct rule_name; struct rule_or_fact;
struct rule_set; struct rules; struct rules_of_set; struct separated_items; struct sequence_of_fields;
struct sequence_suffix; struct set_mark; struct set_name; struct set_parameter; struct set_parameters;
struct set_parameters_end; struct sets_word; struct shallow_group; struct strategy; struct strategy_applied;
struct strategy_arguments; struct strategy_arguments_end; struct strategy_block; struct strategy_block_end;
struct strategy_blocks; struct strategy_call; struct strategy_constant; struct strategy_declaration;
struct strategy_else; struct strategy_equal; struct strategy_name; struct strategy_next; struct strategy_operand;
struct strategy_sequence; struct strategy_term; struct strategy_variable; struct syntax; struct syntax_begin;
struct syntax_end; struct syntax_mark; struct syntax_name; struct target_begin; struct target_declaration;
struct target_end; struct target_mark; struct target_name; struct template_behind_arrow; struct template_function;
struct template_parameter; struct template_statement; struct template_text; struct template_type; struct term;
struct term_cost; struct tested_or_applied; struct any_operands; struct any_results; struct terms; struct test; struct test_colon; struct test_name; struct text_or_trait;
struct trait; struct trait_arguments_end; struct type_behind_as; struct type_class; struct type_declaration;
struct type_model; struct type_variable; struct types_in_block; struct types_of_block; struct types_of_results;
struct unlabelled_item; struct update_ahead; struct whole_function_ahead; struct why_it_costs; struct why_it_ends; struct why_it_prints; struct wildcard;

// -- files ----------------------------------------------------------------------------------------

struct rule_file              : read_as<declarations_of<read_declaration>, peg::seq<imports, declarations_of<any_declaration>>> {};
struct imports                : peg::star<peg::sor<sign<";">, import_declaration>> {};
struct import_declaration     : peg::if_must<keyword<"import">, imported_file, peg::opt<for_sets>> {};
struct imported_file          : token<import_path> {};
struct import_path            : string_literal {};
struct for_sets               : peg::if_must<keyword<"for">, sets_word> {};
struct sets_word              : keyword<"sets"> {};
struct any_declaration        : peg::sor<local_function, external_function, structure, within<&Place::pattern, true, rule_declaration>> {};
struct read_declaration       : peg::sor<import_declaration, misplaced_function, any_declaration> {};
struct misplaced_function     : peg::seq<entry_function> {};
struct rule_declaration       : peg::sor<type_declaration, class_declaration, operation_declaration, rule_set, fact, normalize, phase, strategy_declaration, test, target_declaration, syntax, model, cost, analysis> {};

// -- types and operations -------------------------------------------------------------------------

struct type_declaration       : peg::if_must<keyword<"type">, declared_type, peg::opt<type_behind_as>, peg::opt<phase_of_declaration>> {};
struct type_behind_as         : peg::if_must<keyword<"as">, type> {};
struct declared_type          : peg::seq<token<dotted_name>, peg::opt<listed<next_to<"[">, size_name, sizes_end>>, peg::opt<element_in_type>> {};
struct size_name          : peg::seq<name_of_size, peg::opt<sequence_of_sizes>> {};
struct name_of_size       : token<dotted_name> {};
struct element_in_type       : peg::if_must<keyword<"of">, variable_in_type> {};
struct variable_in_type       : token<meta_name> {};
struct type_variable          : peg::seq<token<meta_name>, peg::opt<peg::if_must<sign<":">, type_class>>> {};
struct type_class             : token<dotted_name> {};
struct class_declaration      : peg::if_must<keyword<"class">, class_name, class_equal, one_of_types> {};
struct class_name             : token<dotted_name> {};
struct class_equal            : sign<"="> {};
struct one_of_types           : peg::list_must<type, sign<"|">> {};
struct at_phase               : peg::seq<keyword<"at">, token<dashed_name>> {};
struct phase_of_declaration   : peg::seq<keyword<"at">, named_phase> {};
struct named_phase            : token<dashed_name> {};

struct operation_declaration  : peg::if_must<keyword<"op">, declared_operation, peg::opt<attribute_types>, any_operands, peg::star<block_type>, any_results, peg::star<trait>, peg::opt<meaning>, peg::star<trait>> {};
struct declared_operation     : token<dotted_name> {};
struct any_operands           : peg::sor<operand_types, no_operands> {};
struct any_results            : peg::sor<result_types, no_results> {};
struct no_operands            : peg::success {};
struct no_results             : peg::success {};
struct attribute_types        : listed<sign<"[">, attribute_type, attribute_types_end> {};
struct attribute_types_end    : sign<"]"> {};
struct attribute_type         : peg::sor<type_variable, peg::if_must<token<dotted_name>, attribute_colon, sequence_type>> {};
struct attribute_colon        : sign<":"> {};
struct operand_types          : listed<sign<"(">, sequence_type, types_end> {};
struct result_types           : peg::if_must<sign<"->">, types_of_results> {};
struct types_of_results       : peg::seq<types> {};
struct block_type             : peg::seq<peg::opt<block_label>, peg::if_must<sign<"{">, types_of_block, results_of_block, block_type_end>, peg::star<block_trait>> {};
struct types_of_block         : peg::opt<peg::not_at<peg::sor<sign<"->">, sign<"}">>>, peg::must<types>> {};
struct results_of_block       : peg::opt<sign<"->">, types_in_block> {};
struct types_in_block         : peg::opt<peg::not_at<sign<"}">>, peg::must<types>> {};
struct block_type_end         : sign<"}"> {};
struct block_label            : peg::seq<peg::not_at<block_trait>, token<word>, peg::at<sign<"{">>> {};
struct block_trait            : peg::sor<keyword<"hot">, keyword<"cold">, keyword<"combines">, keyword<"optional">, keyword<"tests">, keyword<"carries">> {};
struct trait                  : peg::seq<blanks, peg::not_at<rule_declaration_ahead>, text_or_trait> {};
struct text_or_trait          : peg::seq<token<dotted_name>, peg::opt<peg::sor<listed<sign<"(">, expression, trait_arguments_end>, text_literal>>> {};
struct trait_arguments_end    : sign<")"> {};
struct meaning                : peg::if_must<sign<"=">, expansion, peg::opt<phase_of_declaration>> {};
struct expansion              : peg::if_must<sign<"{">, peg::opt<expansion_parameters>, statements> {};
struct expansion_parameters   : peg::sor<sign<"||">, listed<sign<"|">, expansion_parameter, block_parameters_end>> {};
struct expansion_parameter    : peg::sor<block_of_operation, block_parameter> {};
struct block_of_operation     : token<meta_name> {};

struct target_declaration     : peg::if_must<keyword<"target">, target_name, peg::opt<target_mark>, target_begin, peg::star<text_or_trait>, target_end> {};
struct target_name            : token<dotted_name> {};
struct target_mark            : keyword<"flat"> {};
struct target_begin           : sign<"{"> {};
struct target_end             : sign<"}"> {};
struct model                  : peg::if_must<keyword<"model">, any_model> {};
struct any_model              : peg::sor<type_model, operation_model> {};
struct type_model             : peg::if_must<keyword<"type">, declared_type, model_as, type> {};
struct model_as               : keyword<"as"> {};
struct operation_model        : peg::if_must<token<dotted_name>, model_equal, expansion> {};
struct model_equal            : sign<"="> {};
struct analysis               : peg::if_must<keyword<"analysis">, analysis_name, analysis_operand, analysis_results, peg::star<analysis_block>, analysis_rules> {};
struct analysis_name          : token<dotted_name> {};
struct analysis_operand       : peg::seq<operand_types> {};
struct analysis_results       : peg::sor<finite_mark, result_types> {};
struct finite_mark            : keyword<"over"> {};
struct analysis_rules         : peg::seq<rules> {};
struct block_of_analysis      : peg::seq<expansion> {};
struct analysis_block         : peg::seq<peg::not_at<new_declaration>, peg::if_must<token<dotted_name>, block_of_analysis>> {};
struct cost                   : peg::if_must<keyword<"cost">, any_cost> {};
struct any_cost               : peg::sor<peg::seq<peg::not_at<application_ahead>, peg::sor<operation_costs, iteration_cost>>, term_cost> {};
struct operation_costs        : peg::if_must<keyword<"op">, list<costing_operation>, cost_number> {};
struct costing_operation      : token<dotted_name> {};
struct cost_number            : peg::seq<numeral> {};
struct iteration_cost         : peg::if_must<keyword<"per">, iteration_word, cost_number> {};
struct iteration_word         : keyword<"iteration"> {};
struct term_cost              : peg::if_must<expression, cost_equal, expression, rule_end> {};
struct cost_equal             : sign<"="> {};

// -- rules and facts ------------------------------------------------------------------------------

struct rule_set               : peg::if_must<keyword<"rules">, set_name, peg::opt<set_parameters>, peg::star<set_mark>, rules_of_set> {};
struct set_name               : token<dashed_name> {};
struct rules_of_set           : peg::seq<rules> {};
struct set_parameters         : listed<sign<"(">, set_parameter, set_parameters_end> {};
struct set_parameter          : peg::sor<strategy_variable, strategy_constant, name_of_set> {};
struct name_of_set            : token<dashed_name> {};
struct set_parameters_end     : sign<")"> {};
struct set_mark               : peg::sor<inexact_mark, ordered_mark, peg::if_must<keyword<"ends">, why_it_ends>, peg::if_must<keyword<"costs">, why_it_costs>, peg::if_must<keyword<"prints">, why_it_prints>, at_phase> {};
struct inexact_mark           : keyword<"inexact"> {};
struct ordered_mark           : keyword<"ordered"> {};
struct why_it_ends            : token<string_literal> {};
struct why_it_costs           : token<string_literal> {};
struct why_it_prints          : token<string_literal> {};
struct rules                  : peg::if_must<sign<"{">, rules_up_to<rule_or_fact, block_end>> {};
struct rule_or_fact           : peg::sor<rule, fact> {};
struct rule                   : peg::if_must<rule_name, roots, rule_arrow, terms, rule_end> {};
struct rule_arrow             : sign<"=>"> {};
struct terms                  : list<term> {};
struct term                   : peg::seq<peg::not_at<rule_name>, expression> {};
struct rule_name              : peg::seq<token<dashed_name>, sign<":">> {};
struct roots                  : peg::list_must<expression, sign<"&">> {};
struct rule_end               : peg::seq<peg::opt<at_phase>, peg::opt<conditions>> {};
struct fact                   : peg::if_must<keyword<"fact">, fact_place, expression, fact_colon, expression, rule_arrow, expression, rule_end> {};
struct fact_place             : peg::sor<keyword<"after">, peg::if_must<keyword<"in">, fact_label, fact_of>> {};
struct fact_label             : token<dotted_name> {};
struct fact_of                : keyword<"of"> {};
struct fact_colon             : sign<":"> {};

struct conditions             : peg::seq<peg::not_at<rule_name>, peg::if_must<keyword<"where">, list<condition>, peg::opt<at_phase>>> {};
struct condition              : peg::sor<definition, read_as<tested_or_applied, peg::sor<application, condition_expression>>> {};
struct tested_or_applied      : peg::seq<condition_expression, peg::opt<applied>> {};
struct applied                : peg::if_must<sign<"=>">, expression> {};
struct definition             : peg::if_must<definition_ahead, expression> {};
struct definition_ahead       : peg::seq<token<meta_name>, sign<"=">> {};
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
// Functions: `@#f(?x...)`, `@#(#f ++ "_2")(?x)`, `func @#f(?x...) { |%p...| … }`.
struct name_of_function       : peg::sor<function_variable, computed_function> {};
struct function_variable      : token<peg::seq<peg::one<'@'>, meta_literal>> {};
struct computed_function      : peg::if_must<sign<"@#(">, expression, close_paren> {};
struct named_call             : peg::if_must<name_of_function, call_operands, peg::opt<called_block>> {};
struct whole_function         : peg::if_must<whole_function_ahead, function_in_rule, peg::opt<operands_of_calls>, block_of_function> {};
struct operands_of_calls      : peg::seq<peg::at<sign<"(">>, call_operands> {};
struct function_in_rule       : peg::sor<name_of_function, token<function_name>> {};
struct block_of_function      : peg::seq<block> {};
struct strategy_term          : peg::if_must<sign<"<">, strategy, strategy_applied, prefix> {};
struct strategy_applied       : sign<">"> {};

// -- strategies and phases ------------------------------------------------------------------------

struct normalize              : peg::if_must<keyword<"normalize">, list<normalizing_set>> {};
struct normalizing_set        : token<dashed_name> {};
struct phase                  : peg::if_must<keyword<"phase">, phase_name, phase_strategy> {};
struct phase_name             : token<dashed_name> {};
struct phase_strategy         : peg::sor<peg::if_must<sign<"=">, strategy>, peg::at<end_of_declaration>> {};
struct end_of_declaration     : peg::sor<sign<";">, end_of_text, new_declaration> {};
struct strategy_declaration   : peg::if_must<keyword<"strategy">, strategy_name, peg::opt<set_parameters>, strategy_equal, strategy> {};
struct strategy_name          : token<dashed_name> {};
struct strategy_equal         : sign<"="> {};
struct test                   : peg::if_must<keyword<"test">, test_name, test_colon, expression, peg::opt<peg::if_must<sign<"=>">, expression>>, peg::opt<at_phase>> {};
struct test_name              : token<dashed_name> {};
struct test_colon             : sign<":"> {};

struct strategy               : peg::seq<any_strategy, peg::must<no_alternative>> {};
struct any_strategy           : deeper<strategy_sequence, peg::star<peg::sor<choice, conditional>>> {};
struct no_alternative         : peg::not_at<sign<"+">> {};
struct choice                 : peg::if_must<sign<"<+">, strategy_sequence> {};
struct conditional            : peg::if_must<sign<"<">, any_strategy, strategy_else, strategy_sequence> {};
struct strategy_else          : sign<"+"> {};
struct strategy_sequence      : peg::seq<strategy_operand, peg::star<strategy_next>> {};
struct strategy_next          : peg::if_must<sign<";">, strategy_operand> {};
struct strategy_operand       : by_first<beginning<"0'", numeral>, beginning<"\"", text_literal>, beginning<"?", strategy_variable>, beginning<"#", strategy_constant>, beginning<"%", value>, beginning<"(", nested_strategy>, beginning<"a", named_strategy>> {};
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

struct syntax                 : peg::if_must<keyword<"syntax">, syntax_name, peg::star<syntax_mark>, syntax_begin, peg::star<production>, syntax_end> {};
struct syntax_name            : token<dotted_name> {};
struct syntax_mark            : peg::sor<keyword<"indented">, keyword<"undeclared">> {};
struct syntax_begin           : sign<"{"> {};
struct syntax_end             : sign<"}"> {};
struct production             : peg::if_must<production_name, peg::opt<text_literal>, production_equal, peg::list_must<alternative, sign<"|">>, production_end> {};
struct production_equal       : sign<"="> {};
struct production_end         : peg::at<peg::sor<token<peg::identifier_first>, sign<"}">>> {};
struct production_name        : peg::sor<peg::seq<keyword<"token">, token<dotted_name>>, token<dotted_name>> {};
struct alternative            : peg::seq<items, peg::opt<precedence>, peg::opt<template_behind_arrow>> {};
struct template_behind_arrow  : peg::if_must<sign<"=>">, template_text> {};
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
struct precedence             : peg::if_must<precedence_ahead, precedence_number, precedence_end, peg::opt<precedence_side>> {};
struct precedence_number      : token<peg::sor<number, byte_literal>> {};
struct precedence_end         : sign<")"> {};
struct precedence_side        : peg::sor<keyword<"left">, keyword<"right">, keyword<"none">> {};

struct template_text          : peg::sor<template_function, structure, template_type, peg::seq<peg::at<update_ahead>, template_statement>, peg::if_must<peg::at<sign<"{">>, block>, peg::if_must<peg::at<rule_name>, field>, peg::if_must<peg::at<named_ahead>, field_value>, template_statement> {};
struct template_function      : peg::sor<external_function, function> {};
struct template_type          : peg::if_must<keyword<"type">, type> {};
struct template_statement     : peg::sor<peg::seq<peg::at<parameter_alone>, template_parameter>, binding, return_statement, expression_list> {};
struct template_parameter     : peg::seq<token<value_name>, target_type> {};
struct parameter_alone        : peg::seq<token<value_name>, target_type, peg::not_at<peg::sor<sign<",">, binding_sign>>> {};
struct part_of_template       : peg::seq<in_pattern, peg::at<token<dotted_name>>, expression> {};
struct parts_of_template      : peg::seq<in_pattern, peg::at<token<dotted_name>, sign<"...">>, expression> {};
struct parts_ahead            : peg::seq<in_pattern, next_to<"{">, token<dotted_name>, sign<"...">> {};

// -- lookahead ------------------------------------------------------------------------------------

struct update_ahead           : peg::seq<sign<"{">, token<peg::sor<value_name, dotted_name>>, keyword<"with">> {};
struct whole_function_ahead   : peg::seq<keyword<"func">, peg::at<sign<"@">>> {};
struct next_production        : peg::sor<production_head, peg::seq<keyword<"token">, production_head>> {};
struct production_head        : peg::seq<token<word>, peg::opt<token<item_text>>, sign<"=">> {};
struct item_text              : peg::seq<peg::one<'"'>, peg::star<peg::sor<peg::seq<peg::one<'\\'>, peg::any>, peg::not_one<'"', '\n'>>>, peg::one<'"'>> {};
struct precedence_ahead       : peg::seq<keyword<"prec">, sign<"(">> {};
struct fact_ahead             : peg::seq<keyword<"fact">, peg::sor<keyword<"after">, keyword<"in">>> {};
struct import_ahead           : peg::seq<keyword<"import">, token<peg::at<peg::one<'"'>>>> {};
struct application_ahead      : peg::seq<token<dotted_name>, peg::sor<sign<"(">, sign<"[">>> {};
struct cost_ahead             : peg::seq<keyword<"cost">, peg::sor<application_ahead, peg::seq<peg::sor<keyword<"op">, keyword<"per">>, token<word>>>> {};
struct declaring_word         : peg::sor<keyword<"type">, keyword<"class">, keyword<"op">, keyword<"rules">, keyword<"strategy">, keyword<"normalize">, keyword<"phase">, keyword<"test">, keyword<"target">, keyword<"model">, keyword<"syntax">, keyword<"analysis">> {};
struct rule_declaration_ahead : peg::sor<ir_declaration_ahead, import_ahead, fact_ahead, cost_ahead, peg::seq<declaring_word, token<word>>> {};

// clang-format on

} // namespace irrewrite::grammar
