// Productions of IR text, one a line, without actions. grammar/README.md shows them in PEG notation (tests/tools/
// grammar.py). Rules are IR text with metavariables, so productions of rule_grammar.hpp stand here where `in_pattern`
// allows them. `if_must`, `list` and `listed` have decided: what they read next is due, and nothing is read twice.
//
// Texts are parsed by these productions (parse.cpp). A test shows that the parser, which takes short cuts and reads on
// behind faults, accepts these texts and no others.
#pragma once

#include "grammar/syntax/lists.hpp"

namespace irrewrite::grammar {

// clang-format off

// -- tokens ---------------------------------------------------------------------------------------

// Names. `else` may be the name of an operation: no word is reserved.
struct word                 : by_hand<past_word, peg::identifier> {};
struct dotted_name          : by_hand<past_dotted_name, peg::list<word, peg::one<'.'>>> {};
struct value_name           : by_hand<past_value_name, peg::one<'%'>, peg::plus<peg::identifier_other>> {};
struct function_name        : peg::seq<peg::one<'@'>, dotted_name> {};
struct projection           : peg::seq<peg::one<'.'>, peg::sor<peg::plus<peg::digit>, word>> {};

// Numbers. `0xfff32` is hexadecimal throughout, so a hexadecimal number takes integer suffixes only.
struct float_width          : peg::sor<literal<"32">, literal<"64">> {};
struct width                : peg::sor<peg::one<'8'>, literal<"16">, float_width> {};
struct integer_suffix       : peg::seq<peg::one<'i', 'u'>, width> {};
struct float_suffix         : peg::seq<peg::one<'f'>, float_width> {};
struct digits               : peg::list<peg::plus<peg::digit>, peg::one<'_'>> {};
struct hex_digits           : peg::list<peg::plus<peg::xdigit>, peg::one<'_'>> {};
struct fraction             : peg::seq<peg::one<'.'>, digits> {};
struct exponent             : peg::seq<peg::one<'e', 'E'>, peg::opt<peg::one<'+', '-'>>, digits> {};
struct hexadecimal          : peg::seq<peg::one<'0'>, peg::one<'x', 'X'>, hex_digits, peg::opt<integer_suffix>> {};
struct decimal              : peg::seq<digits, peg::opt<fraction>, peg::opt<exponent>, peg::opt<peg::sor<integer_suffix, float_suffix>>> {};
struct more_of_a_number     : peg::sor<peg::identifier_other, peg::seq<peg::one<'.'>, peg::digit>> {};
struct number               : peg::seq<peg::sor<hexadecimal, decimal>, peg::not_at<more_of_a_number>> {};
struct special_number       : peg::seq<peg::sor<literal<"inf">, literal<"nan">>, peg::opt<float_suffix>, name_end> {};
struct truth                : peg::seq<peg::sor<literal<"true">, literal<"false">>, name_end> {};

// Strings. One that is not closed ends with its line.
struct plain_character      : peg::not_one<'"', '\\', '\n'> {};
struct byte_escape          : peg::seq<peg::one<'x'>, peg::xdigit, peg::xdigit> {};
struct escape               : peg::seq<peg::one<'\\'>, peg::sor<peg::one<'n', 't', '"', '\\'>, byte_escape>> {};
struct string_head          : peg::seq<peg::one<'"'>, peg::star<peg::sor<plain_character, escape>>> {};
struct string_literal       : peg::seq<string_head, peg::one<'"'>> {};

// One byte between single quotes.
struct plain_byte           : peg::seq<peg::not_at<peg::one<'\'', '\\'>>, peg::range<' ', '~'>> {};
struct quote_escape         : peg::seq<peg::one<'\\'>, peg::one<'\''>> {};
struct byte_literal         : peg::seq<peg::one<'\''>, peg::sor<plain_byte, escape, quote_escape>, peg::one<'\''>> {};

// Productions stand before those that they are made of.
struct and_word; struct any_prefix; struct any_size; struct any_type; struct array; struct array_end;
struct array_length; struct array_type; struct array_type_ahead; struct attribute; struct attribute_name;
struct attribute_type_ahead; struct attributes; struct attributes_end; struct binding; struct binding_ahead;
struct binding_sign; struct block; struct block_end; struct block_parameter; struct block_parameters;
struct block_parameters_end; struct blocks; struct bound_names; struct braced_block; struct call; struct called_block;
struct call_operands; struct conjunction; struct consumed; struct declared_function; struct dimension;
struct dimension_ahead; struct dimension_end; struct disjunction; struct element_type; struct end_of_block;
struct end_of_statement; struct entry_function; struct equality; struct equality_operator; struct expression;
struct expression_list; struct expressions; struct external_function; struct field; struct field_colon;
struct field_equal; struct field_value; struct fields_end; struct function; struct function_ahead;
struct function_block; struct function_body; struct function_head; struct function_item; struct function_parameters;
struct function_results; struct initialized_field; struct ir_declaration; struct ir_declaration_ahead;
struct ir_file; struct labelled_block; struct last_return; struct literal_word;
struct local_function; struct logical_and; struct logical_or; struct meta_name; struct mutable_type;
struct named_ahead; struct named_call; struct named_parameter; struct named_type; struct negation; struct new_declaration;
struct no_dimension; struct numeral; struct operand; struct operands; struct operands_end; struct operation;
struct operation_name; struct operator_block; struct operator_itself;
struct optional_type; struct or_word; struct order; struct order_operator; struct parameter;
struct parameter_annotation; struct parameter_colon; struct parameter_type; struct parameters;
struct parameters_end; struct part_change_ahead; struct part_of_template; struct parts_ahead; struct parts_of_template; struct path;
struct path_ahead; struct pattern; struct pattern_suffix; struct percent; struct position; struct postfix;
struct prefix; struct prefix_operator; struct prefixed; struct product; struct product_operator; struct projected;
struct pure_mark; struct repeated_operation; struct return_statement; struct returned;
struct rule_declaration_ahead; struct same_declaration; struct sequence_of_fields; struct sequence_of_sizes; struct sequence_of_type;
struct sequence_type; struct shallow_type; struct size; struct sizes_end; struct statement; struct statements;
struct strategy_term; struct struct_ahead; struct struct_body; struct struct_literal; struct struct_literal_ahead;
struct struct_name; struct structure; struct sum; struct sum_operator; struct target; struct target_type;
struct text_literal; struct tuple; struct tuple_end; struct tuple_type; struct tuple_type_ahead; struct type;
struct type_arguments; struct type_name_ahead; struct type_sizes; struct type_start; struct type_variable;
struct type_word; struct typed_field; struct types; struct types_end; struct update;
struct updated_field; struct updated_fields; struct updated_part; struct value; struct whole_function;

// -- files and declarations -----------------------------------------------------------------------

struct ir_file              : declarations_of<ir_declaration> {};
struct ir_declaration       : peg::sor<local_function, entry_function, external_function, structure> {};

struct function             : peg::sor<local_function, entry_function> {};
struct local_function       : peg::if_must<keyword<"local">, function_head, function_body> {};
struct entry_function       : peg::if_must<peg::at<keyword<"func">>, function_head, function_body> {};
struct external_function    : peg::if_must<keyword<"extern">, function_head> {};
struct function_head        : peg::if_must<keyword<"func">, declared_function, function_parameters, peg::opt<function_results>, peg::opt<pure_mark>> {};
struct declared_function    : token<function_name> {};
struct function_parameters  : peg::seq<parameters> {};
struct pure_mark            : keyword<"pure"> {};
struct parameters           : listed<sign<"(">, parameter, parameters_end> {};
struct parameter            : peg::sor<part_of_template, named_parameter> {};
struct named_parameter      : peg::if_must<token<value_name>, parameter_colon, parameter_type> {};
struct parameter_colon      : sign<":"> {};
struct parameters_end       : sign<")"> {};
struct parameter_type       : peg::seq<peg::opt<consumed>, type> {};
struct consumed             : sign<"*"> {};
struct function_results     : peg::if_must<sign<"->">, types> {};
struct function_body        : peg::sor<part_of_template, function_block> {};
struct function_block       : peg::if_must<sign<"{">, statements_of<function_item, block_end>> {};
struct function_item        : peg::seq<same_declaration, peg::sor<binding, last_return, read_as<expression_list, peg::seq<expression, end_of_statement>>>> {};

struct structure            : peg::if_must<keyword<"struct">, struct_name, struct_body> {};
struct struct_name          : token<dotted_name> {};
struct struct_body          : listed_tail<sign<"{">, field, fields_end> {};
struct field                : peg::sor<parts_of_template, typed_field> {};
struct typed_field          : peg::if_must<token<dotted_name>, field_colon, type> {};
struct field_colon          : sign<":"> {};

// A declaration that begins a line ends what is open, but not in rules, where `test` may be an operation.
struct new_declaration      : peg::seq<line_break, peg::sor<peg::seq<in_rule_file, rule_declaration_ahead>, ir_declaration_ahead>> {};
struct same_declaration     : peg::sor<in_pattern, peg::not_at<new_declaration>> {};

// -- types ----------------------------------------------------------------------------------------

struct types                : list<sequence_type> {};
struct sequence_type        : peg::seq<type, peg::opt<in_pattern, sequence_of_type>> {};
struct sequence_of_type     : sign<"..."> {};
struct type                 : peg::if_must<peg::at<type_start>, shallow_type> {};
struct shallow_type         : deeper<any_type> {};
struct any_type             : peg::sor<array_type, tuple_type, mutable_type, named_type, peg::seq<in_pattern, type_variable>> {};
struct array_type           : peg::if_must<sign<"[">, array_length, dimension_end, type> {};
struct array_length         : peg::sor<peg::seq<dimension, peg::opt<in_pattern, sequence_of_sizes>>, no_dimension> {};
struct sequence_of_sizes    : sign<"..."> {};
struct dimension            : token<peg::sor<dotted_name, number, byte_literal, peg::seq<in_pattern, meta_name>>> {};
struct no_dimension         : peg::at<sign<"]">> {};
struct dimension_end        : sign<"]"> {};
struct tuple_type           : listed<sign<"(">, sequence_type, types_end> {};
struct types_end            : sign<")"> {};
struct mutable_type         : peg::if_must<peg::sor<keyword<"ref">, keyword<"mut">>, type> {};
struct named_type           : peg::seq<token<dotted_name>, peg::sor<type_arguments, peg::seq<peg::opt<type_sizes>, peg::opt<element_type>>>> {};
struct type_arguments       : listed<next_to<"(">, sequence_type, types_end> {};
struct type_sizes           : listed<next_to<"[">, size, sizes_end> {};
struct size                 : peg::seq<peg::sor<any_size, dimension>, peg::opt<in_pattern, sequence_of_sizes>> {};
struct any_size             : keyword<"_"> {};
struct sizes_end            : sign<"]"> {};
struct element_type         : peg::if_must<keyword<"of">, type> {};

// -- blocks and statements ------------------------------------------------------------------------

struct block                : peg::sor<operator_block, peg::seq<peg::not_at<part_change_ahead>, braced_block>> {};
struct braced_block         : peg::if_must<sign<"{">, peg::opt<block_parameters>, statements> {};
struct block_end            : sign<"}"> {};
struct operator_block       : peg::seq<sign<"{">, operator_itself, sign<"}">> {};
struct operator_itself      : peg::sor<token<function_name>, peg::seq<in_pattern, token<meta_name>>, operation_name> {};
struct block_parameters     : peg::sor<sign<"||">, listed<sign<"|">, block_parameter, block_parameters_end>> {};
struct block_parameter      : peg::sor<part_of_template, optional_type> {};
struct optional_type        : peg::seq<token<value_name>, peg::opt<in_pattern, sign<"...">>, peg::opt<parameter_annotation>> {};
struct block_parameters_end : sign<"|"> {};
struct parameter_annotation : peg::if_must<sign<":">, parameter_type> {};

struct statements           : statements_of<statement, block_end> {};
struct statement            : peg::seq<same_declaration, peg::sor<binding, peg::seq<in_pattern, last_return>, expressions>> {};
struct binding              : peg::if_must<peg::at<bound_names>, list<target>, binding_sign, expression> {};
struct binding_sign         : peg::sor<sign<"=">, peg::seq<in_pattern, sign<":=">>> {};
struct target               : peg::seq<token<value_name>, peg::opt<peg::sor<target_type, peg::seq<in_pattern, sign<"...">>>>> {};
struct target_type          : peg::if_must<sign<":">, peg::opt<in_pattern, consumed>, type> {};
// A list of several expressions is the block's results.
struct expressions          : read_as<expression_list, peg::seq<peg::not_at<keyword<"return">>, expression, peg::opt<peg::if_must<peg::at<sign<",">>, peg::plus<sign<",">, expression>, end_of_block>>>> {};
struct expression_list      : list<expression> {};
struct end_of_statement     : peg::must<peg::not_at<sign<",">>> {};
struct end_of_block         : peg::seq<peg::star<sign<";">>, peg::at<sign<"}">>> {};
struct return_statement     : peg::if_must<keyword<"return">, returned> {};
struct returned             : peg::sor<peg::at<peg::sor<sign<"}">, sign<";">>>, list<expression>> {};
struct last_return          : read_as<return_statement, peg::if_must<return_statement, end_of_block>> {};

// -- expressions, from the operators that bind least ----------------------------------------------

struct expression           : within<&Place::condition, false, disjunction> {};
struct disjunction          : joined<conjunction, or_word> {};
struct conjunction          : joined<logical_or, and_word> {};
struct logical_or           : joined<logical_and, sign<"||">> {};
struct logical_and          : joined<equality, sign<"&&">> {};
struct equality             : compared<order, equality_operator> {};
struct equality_operator    : peg::sor<sign<"==">, sign<"!=">, sign<"~">> {};
struct order                : compared<sum, order_operator> {};
struct order_operator       : peg::sor<sign<"<=">, sign<"<">, sign<">=">, sign<">">> {};
struct sum                  : joined<product, sum_operator> {};
struct sum_operator         : peg::sor<sign<"++">, sign<"+">, sign<"-">> {};
struct product              : joined<prefix, product_operator> {};
struct product_operator     : peg::sor<sign<"*">, sign<"/">, percent> {};
struct percent              : token<peg::seq<peg::one<'%'>, peg::not_at<peg::identifier_other>>> {};
struct prefix               : deeper<any_prefix> {};
struct any_prefix           : by_first<beginning<"-!", prefixed>, beginning<"n", negation>, beginning<"<", peg::seq<in_pattern, strategy_term>>, beginning<"%0'\"@[{?#(a", postfix>> {};
struct prefixed             : peg::if_must<prefix_operator, prefix> {};
struct prefix_operator      : peg::sor<sign<"-">, sign<"!">> {};
struct postfix              : peg::seq<operand, peg::star<by_first<beginning<".", projected>, beginning<".", peg::seq<in_pattern, pattern_suffix>>, beginning<".", misplaced>>>> {};
struct projected            : token<projection> {};
struct operand              : by_first<beginning<"%", value>, beginning<"0'", numeral>, beginning<"\"", text_literal>, beginning<"@", call>, beginning<"@", peg::seq<in_pattern, named_call>>, beginning<"[", array>, beginning<"{", update>, beginning<"?#(_", peg::seq<in_pattern, pattern>>, beginning<"(", tuple>, beginning<"itnf", literal_word>, beginning<"f", peg::seq<in_pattern, whole_function>>, beginning<"a", struct_literal>, beginning<"a", operation>> {};
struct value                : token<value_name> {};
struct text_literal         : token<string_literal> {};
struct numeral              : token<peg::sor<number, byte_literal>> {};
struct literal_word         : token<peg::sor<special_number, truth>> {};
struct call                 : peg::if_must<token<function_name>, call_operands, peg::opt<in_pattern, called_block>> {};
struct called_block         : peg::seq<block> {};
struct call_operands        : peg::seq<operands> {};
struct array                : listed<sign<"[">, expression, array_end> {};
struct array_end            : sign<"]"> {};
struct tuple                : listed<sign<"(">, disjunction, tuple_end> {};
struct tuple_end            : sign<")"> {};

struct operation            : operation_named<operation_name, peg::opt<attributes>, peg::opt<operands>, peg::opt<blocks>> {};
struct operation_name       : peg::seq<peg::not_at<by_first<beginning<"itnf", literal_word>, beginning<"_", keyword<"_">>>>, token<dotted_name>> {};
struct operands             : listed<sign<"(">, expression, operands_end> {};
struct operands_end         : sign<")"> {};
struct blocks               : peg::seq<block, peg::star<peg::sor<block, labelled_block>>> {};
struct labelled_block       : peg::seq<declared_label<dotted_name>, peg::sor<block, repeated_operation>> {};
struct repeated_operation   : peg::seq<peg::at<same_operation<dotted_name>, sign<"(">>, deeper<operation>> {};
struct attributes           : listed<next_to<"[">, attribute, attributes_end> {};
struct attribute            : peg::seq<peg::opt<attribute_name>, peg::sor<peg::seq<peg::at<attribute_type_ahead>, type>, expression>> {};
struct attribute_name       : peg::seq<token<word>, sign<"=">> {};
struct attributes_end       : sign<"]"> {};

struct struct_literal       : peg::seq<token<dotted_name>, peg::at<peg::sor<struct_literal_ahead, parts_ahead>>, listed_tail<sign<"{">, field_value, fields_end>> {};
struct field_value          : peg::sor<sequence_of_fields, parts_of_template, initialized_field> {};
struct initialized_field    : peg::if_must<token<dotted_name>, field_equal, expression> {};
struct field_equal          : sign<"="> {};
struct fields_end           : sign<"}"> {};
struct update               : peg::if_must<sign<"{">, expression, updated_fields> {};
struct updated_fields       : listed_tail<keyword<"with">, updated_field, fields_end> {};
struct updated_field        : peg::sor<peg::seq<in_pattern, peg::not_at<path_ahead>, expression>, updated_part> {};
struct updated_part         : peg::if_must<path, field_equal, expression> {};
struct path                 : token<peg::seq<peg::sor<dotted_name, position>, peg::star<projection>>> {};
struct position             : peg::list<peg::plus<peg::digit>, peg::one<'.'>> {};

// -- lookahead ------------------------------------------------------------------------------------

// `{%r with x = 1}`, also behind an operation, is no block of it.
struct part_change_ahead         : peg::seq<sign<"{">, peg::sor<token<value_name>, peg::seq<in_pattern, token<meta_name>>>, peg::star<token<projection>>, keyword<"with">> {};
struct struct_literal_ahead : peg::seq<sign<"{">, token<word>, sign<"=">> {};
struct named_ahead          : peg::seq<token<word>, sign<"=">> {};
struct path_ahead           : peg::seq<path, sign<"=">> {};
struct binding_ahead        : peg::seq<token<value_name>, peg::sor<sign<"=">, sign<":">>> {};
struct bound_names          : peg::seq<peg::list<peg::seq<token<value_name>, peg::opt<in_pattern, sign<"...">>>, sign<",">>, peg::sor<sign<"=">, sign<":">, sign<":=">>> {};

// A name alone is a type, among attributes.
struct attribute_type_ahead : peg::sor<array_type_ahead, tuple_type_ahead, type_word, peg::seq<peg::not_at<literal_word>, type_name_ahead>> {};
struct type_word            : peg::sor<keyword<"ref">, keyword<"mut">, keyword<"gen">, keyword<"emission">, keyword<"once">> {};
struct array_type_ahead     : peg::seq<sign<"[">, peg::opt<dimension_ahead>, sign<"]">, type_start> {};
struct type_start           : token<peg::sor<peg::identifier_first, peg::one<'[', '(', '?'>>> {};
struct tuple_type_ahead     : peg::seq<sign<"(">, token<dotted_name>, peg::sor<sign<",">, sign<")">>> {};
struct type_name_ahead      : peg::seq<token<dotted_name>, peg::opt<next_to<"[">, peg::opt<peg::list<dimension_ahead, sign<",">>>, sign<"]">>, peg::sor<keyword<"of">, sign<"]">, sign<",">>> {};
struct dimension_ahead      : token<peg::sor<peg::seq<peg::opt<peg::one<'?'>>, word>, peg::plus<peg::digit>>> {};

struct function_ahead       : peg::seq<peg::opt<peg::sor<literal<"local">, literal<"extern">>, some_blanks>, literal<"func">, some_blanks, peg::one<'@'>, peg::not_at<peg::one<'#'>>> {};
struct struct_ahead         : peg::seq<literal<"struct">, some_blanks, word> {};
struct ir_declaration_ahead : peg::sor<function_ahead, struct_ahead> {};

// clang-format on

} // namespace irrewrite::grammar
