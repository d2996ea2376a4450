// The parser's messages, by what is expected: "expected <this>, found <token>".
#pragma once

#include <string_view>

namespace irrewrite::grammar::message {

using Text = std::string_view;

// clang-format off

inline constexpr Text too_long           = "the text is longer than 2 GiB";
inline constexpr Text deep_text          = "text nested deeper than 10,000 levels";
inline constexpr Text no_stack           = "there is no thread for text that is nested this deeply";

// Numbers and strings.
inline constexpr Text malformed_number   = "malformed number ";
inline constexpr Text number_help        = "numbers are written 7, 1_000, 0xff, 2.5, 1e-9, with a suffix as in 7i32 or 2.5f32";
inline constexpr Text malformed_byte     = "malformed byte ";
inline constexpr Text byte_help          = "one byte stands between the quotes, as in 'a' or '\\n'; text of several bytes is written \"text\"";
inline constexpr Text unterminated       = "unterminated string";
inline constexpr Text unterminated_help  = "close it with '\"' on the same line; a line break is written \\n";
inline constexpr Text malformed_escape   = "unknown escape ";
inline constexpr Text escape_help        = "the escapes are \\n \\t \\\" \\\\ and \\xNN";

// Expressions.
inline constexpr Text expression         = "an expression";
inline constexpr Text whole_expression   = "the end after the expression";
inline constexpr Text operands           = "',' or ')' after the operands";
inline constexpr Text call_operands      = "'(' and the operands after the name of the function";
inline constexpr Text tuple              = "',' or ')' to close the parenthesis";
inline constexpr Text array              = "',' or ']' after the elements";
inline constexpr Text attributes         = "',' or ']' after the attributes";
inline constexpr Text struct_fields      = "',' or '}' after the fields";
inline constexpr Text field_name         = "the name of a field";
inline constexpr Text field_value        = "'=' and the value of the field";
inline constexpr Text projected          = "'#k' or '#(...)' after '.'";
inline constexpr Text opened_here        = "opened here";
inline constexpr Text close_paren        = "')'";
inline constexpr Text chained            = "comparisons cannot be chained";
inline constexpr Text chained_help       = "join two comparisons with '&&', or use parentheses";
inline constexpr Text pattern_in_ir      = "metavariables and patterns are allowed only in rules";

// Blocks and statements.
inline constexpr Text parameters         = "',' or ')' after the parameters";
inline constexpr Text body_parameters    = "the parameters of a function stand behind its name";
inline constexpr Text block_parameters   = "',' or '|' after the parameters of the block";
inline constexpr Text parameter          = "a parameter, '%name'";
inline constexpr Text parameter_type     = "':' and the type of the parameter";
inline constexpr Text close_block        = "'}' at the end of the block";
inline constexpr Text missing_block_end  = "'}' before the next declaration";
inline constexpr Text statement          = "a statement or '}'";
inline constexpr Text bind               = "'=' after the names of the results";
inline constexpr Text bind_target        = "only values can be named, as in '%x = ...'";
inline constexpr Text bind_part_help     = "a value does not change: '{%p with x = 1.0}' is the same with another part";
inline constexpr Text list_not_last      = "a list of results must come last in its block";
inline constexpr Text list_in_function   = "a function cannot contain a list of expressions";
inline constexpr Text list_function_help = "a function's results are written 'return a, b'";
inline constexpr Text after_return       = "nothing may follow 'return'";
inline constexpr Text nested_return      = "'return' is allowed only at the end of a function";
inline constexpr Text nested_return_help = "a block ends with its list of results, without 'return'";

// Types.
inline constexpr Text type               = "a type";
inline constexpr Text types              = "',' or ')' after the types";
inline constexpr Text dimension          = "a dimension: a name, a number or nothing";
inline constexpr Text close_dimension    = "']' after the dimension";
inline constexpr Text size               = "a dimension: a name, a number or '_'";
inline constexpr Text declared_size      = "the name of a dimension";
inline constexpr Text sizes              = "',' or ']' after the dimensions";
inline constexpr Text type_class         = "the name of a class of types";

inline constexpr Text updated_fields     = "'with' and the fields that change";
inline constexpr Text updated_help       = "a struct with other fields is written {%z with re = 1.0}; a block stands behind an operation";

// Declarations of both languages.
inline constexpr Text ir_declaration     = "'func' or 'struct'";
inline constexpr Text ir_rules_help      = "rules and operations are declared in a rule file, see -rules";
inline constexpr Text func               = "'func'";
inline constexpr Text function_name      = "the name of the function, '@name'";
inline constexpr Text function_params    = "'(' and the parameters of the function";
inline constexpr Text function_body      = "'{' and the body of the function";
inline constexpr Text struct_name        = "the name of the struct";
inline constexpr Text struct_body        = "'{' and the fields of the struct";
inline constexpr Text field_type         = "':' and the type of the field";

// Declarations of rule files.
inline constexpr Text rule_declaration   = "a declaration: import, type, class, op, rules, fact, strategy, normalize, phase, test, target, syntax, analysis or local func";
inline constexpr Text func_in_rules      = "a rule file has no entry points";
inline constexpr Text func_in_rules_help = "declare a function that rules call as 'local func'";
inline constexpr Text import             = "the file to import, in quotes";
inline constexpr Text for_sets           = "'sets' behind 'for'";
inline constexpr Text late_import        = "imports must come before the other declarations";
inline constexpr Text type_name          = "the name of the type";
inline constexpr Text declared_element   = "the variable for the type of the elements, as in 'type List of ?T'";
inline constexpr Text class_name         = "the name of the class of types";
inline constexpr Text class_types        = "'=' and the types of the class, 'u32 | u64'";
inline constexpr Text op_name            = "the name of the operation";
inline constexpr Text attr_decls         = "',' or ']' after the attributes";
inline constexpr Text attr_name          = "the name of the attribute";
inline constexpr Text attr_type          = "':' and the type of the attribute";
inline constexpr Text block_type_end     = "'->', ',' or '}' in the type of the block";
inline constexpr Text trait_arguments    = "',' or ')' after the arguments of the trait";
inline constexpr Text model              = "'=' and the model of the operation";
inline constexpr Text cost               = "'=' and the cost, a number";
inline constexpr Text cost_iteration     = "'iteration' and a number";
inline constexpr Text cost_number        = "the cost, a number";
inline constexpr Text model_type         = "'as' and the type that models it";
inline constexpr Text expansion          = "'{' and the expansion of the operation";
inline constexpr Text analysis_name      = "the name of the analysis";
inline constexpr Text analysis_operand   = "'(' and the type of the values that are analysed";
inline constexpr Text analysis_results   = "'->' and a type, or 'over' and the elements of a set";
inline constexpr Text analysis_block     = "a block with its label, or '{' and the rules of the analysis";
inline constexpr Text set_name           = "the name of the set of rules";
inline constexpr Text set_parameter      = "the name of a parameter";
inline constexpr Text set_ends           = "a string that says why its rules terminate";
inline constexpr Text set_costs          = "a string that says why its rules may do more work";
inline constexpr Text set_prints         = "a string that says why programs print more with its rules";
inline constexpr Text set_body           = "'inexact', 'ordered', 'ends \"why\"', 'costs \"why\"', 'prints \"why\"', 'at PHASE' or '{' and the rules of the set";
inline constexpr Text rule               = "a rule 'name: pattern => term', a fact or '}'";
inline constexpr Text function_in_rule   = "the name of the function, '@name', '@#f' or '@#(…)'";
inline constexpr Text block_of_function  = "'{' and what the function computes, as in 'func @#f { |%x...| ?body(%x...) }'";
inline constexpr Text rule_arrow         = "'=>' after the pattern";
inline constexpr Text fact_place         = "'after' or 'in' and where the fact holds";
inline constexpr Text fact_label         = "the label of a block";
inline constexpr Text fact_of            = "'of' and the operation that the block belongs to";
inline constexpr Text fact_colon         = "':' after the program point of the fact";
inline constexpr Text condition_name     = "only a metavariable can be defined, as in '?y = term'";
inline constexpr Text condition_strategy = "'=>' in a condition needs a strategy before it, as in '<s> ?x => ?y'";
inline constexpr Text phase_name         = "the name of a phase";
inline constexpr Text target_name        = "the name of the target";
inline constexpr Text target_body        = "'flat' or '{' and the texts of the target";
inline constexpr Text target_text        = "the name of an operation or of a text of the target, or '}'";
inline constexpr Text syntax_name        = "the name of the input language";
inline constexpr Text syntax_body        = "'indented', 'undeclared' or '{' and the productions of the language";
inline constexpr Text production         = "a production 'name = …', 'token name = …' or '}'";
inline constexpr Text production_equal   = "'=' after the name of the production";
inline constexpr Text production_item    = "a literal, a class '[a-z]', '.', the name of a production or '('";
inline constexpr Text production_end     = "'=>', 'prec(n)', '|' or the next production";
inline constexpr Text literal_end        = "'\"' on the same line";
inline constexpr Text class_end          = "']' on the same line";
inline constexpr Text group_end          = "'|' or ')'";
inline constexpr Text shallow_group      = "fewer parentheses and repetitions: these nest more than 100 levels deep";
inline constexpr Text precedence         = "a precedence 'prec(6)', behind it perhaps 'left', 'right' or 'none'";
inline constexpr Text malformed_production_escape = "malformed escape";
inline constexpr Text production_escapes = "the escapes are \\n \\t \\r \\\" \\\\ \\] \\[ \\^ \\- and \\x00 to \\x7f";
inline constexpr Text normalize_name     = "the name of a set of rules";
inline constexpr Text test_name          = "the name of the test";
inline constexpr Text test_colon         = "':' after the name of the test";

// Strategies.
inline constexpr Text phase_equal        = "'=' and a strategy, or the next declaration";
inline constexpr Text strategy           = "a strategy";
inline constexpr Text strategy_name      = "the name of the strategy";
inline constexpr Text strategy_equal     = "'=' and the definition of the strategy";
inline constexpr Text strategy_arguments = "',' or ')' after the arguments of the strategy";
inline constexpr Text strategy_block     = "'}' after the strategy for the block";
inline constexpr Text strategy_else      = "'+' and what to do otherwise, as in 's < t + u'";
inline constexpr Text strategy_then      = "'<' before this '+', as in 's < t + u'";
inline constexpr Text strategy_applied   = "'>' after the strategy";
inline constexpr Text rec_body           = "'(' and the body of the recursive strategy";

// clang-format on

} // namespace irrewrite::grammar::message
