// Productions of rule files, beyond those of IR text: metavariables, names with dashes, and the lookahead that
// separates declarations and rules, which have no separators.
#pragma once

#include "grammar/syntax/ir_grammar.hpp"

namespace irrewrite::grammar {

// clang-format off

// Names. `mul-2` is a rule's name; in a term it is a subtraction, so the parser says which is due.
struct meta_name              : peg::seq<peg::one<'?'>, word> {};
struct meta_literal           : peg::seq<peg::one<'#'>, word> {};
struct dashed_name            : peg::seq<word, peg::star<peg::one<'-', '.'>, peg::plus<peg::identifier_other>>> {};

// Punctuation.
struct ellipsis               : peg::three<'.'> {};
struct fat_arrow              : peg::string<'=', '>'> {};
struct less_plus              : peg::string<'<', '+'> {};
struct compute_open           : peg::string<'#', '('> {};
struct rule_punctuation       : peg::sor<ellipsis, fat_arrow, less_plus, compute_open> {};

struct rule_token             : peg::sor<meta_name, meta_literal, rule_punctuation, ir_token> {};
struct rule_text              : peg::seq<blanks, peg::star<rule_token, blanks>, peg::eof> {};

// Lookahead.
template <char... Letter> struct keyword : peg::seq<peg::string<Letter...>, peg::not_at<peg::identifier_other>> {};

struct rule_name_ahead        : peg::seq<dashed_name, blanks, peg::one<':'>> {};
struct named_term_ahead       : peg::seq<peg::one<'('>, blanks, meta_name, blanks, single_equal> {};
struct phase_ahead            : peg::seq<keyword<'a', 't'>, blanks, word> {};
struct fact_place             : peg::sor<keyword<'a', 'f', 't', 'e', 'r'>, keyword<'i', 'n'>> {};
struct fact_ahead             : peg::seq<keyword<'f', 'a', 'c', 't'>, blanks, fact_place> {};
struct import_keyword         : keyword<'i', 'm', 'p', 'o', 'r', 't'> {};
struct import_ahead           : peg::seq<import_keyword, blanks, peg::at<peg::one<'"'>>> {};
struct application_ahead      : peg::seq<dotted_name, blanks, peg::one<'(', '['>> {};
struct counted_cost           : peg::seq<peg::sor<keyword<'o', 'p'>, keyword<'p', 'e', 'r'>>, some_blanks, word> {};
struct cost_ahead             : peg::seq<keyword<'c', 'o', 's', 't'>, some_blanks, peg::sor<application_ahead, counted_cost>> {};
struct named_declaration      : peg::sor<keyword<'t', 'y', 'p', 'e'>, keyword<'c', 'l', 'a', 's', 's'>, keyword<'o', 'p'>, keyword<'r', 'u', 'l', 'e', 's'>, keyword<'s', 't', 'r', 'a', 't', 'e', 'g', 'y'>,
                                         keyword<'n', 'o', 'r', 'm', 'a', 'l', 'i', 'z', 'e'>, keyword<'p', 'h', 'a', 's', 'e'>, keyword<'t', 'e', 's', 't'>,
                                         keyword<'t', 'a', 'r', 'g', 'e', 't'>, keyword<'m', 'o', 'd', 'e', 'l'>, keyword<'s', 'y', 'n', 't', 'a', 'x'>, keyword<'a', 'n', 'a', 'l', 'y', 's', 'i', 's'>> {};
struct rule_declaration_ahead : peg::sor<ir_declaration_ahead, import_ahead, fact_ahead, cost_ahead, peg::seq<named_declaration, some_blanks, word>> {};

// clang-format on

} // namespace irrewrite::grammar
