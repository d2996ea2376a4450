// Productions of IR text: its tokens, and the short token sequences that a parser looks ahead for. Nested structure is
// not here: the parser keeps it on a stack of its own, so that depth costs memory and never C++ stack, and takes the
// next token by its first byte. No production matches a token in two ways, and only those of a lookahead are matched
// twice at one position.
#pragma once

#include <tao/pegtl.hpp>

namespace irrewrite::grammar {

namespace peg = tao::pegtl;

// clang-format off

// Blanks. A comment reaches to the end of its line.
struct space                : peg::one<' ', '\t', '\r', '\n'> {};
struct comment              : peg::seq<peg::two<'/'>, peg::star<peg::not_one<'\n'>>> {};
struct blanks               : peg::star<peg::sor<peg::plus<space>, comment>> {};
struct some_blanks          : peg::plus<peg::sor<peg::plus<space>, comment>> {};

// Names.
struct word                 : peg::identifier {};
struct dotted_name          : peg::list<word, peg::one<'.'>> {};
struct value_name           : peg::seq<peg::one<'%'>, peg::plus<peg::identifier_other>> {};
struct function_name        : peg::seq<peg::one<'@'>, dotted_name> {};
struct projection           : peg::seq<peg::one<'.'>, peg::sor<peg::plus<peg::digit>, word>> {};

// Numbers. `0xfff32` is hexadecimal throughout, so a hexadecimal number takes integer suffixes only.
struct width                : peg::sor<peg::one<'8'>, peg::string<'1', '6'>, peg::string<'3', '2'>, peg::string<'6', '4'>> {};
struct float_width          : peg::sor<peg::string<'3', '2'>, peg::string<'6', '4'>> {};
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
struct signed_exponent      : peg::seq<peg::one<'e', 'E'>, peg::one<'+', '-'>, peg::digit> {};
struct malformed_number     : peg::plus<peg::sor<signed_exponent, more_of_a_number>> {};
struct special_number       : peg::seq<peg::sor<peg::string<'i', 'n', 'f'>, peg::string<'n', 'a', 'n'>>, peg::opt<float_suffix>, peg::not_at<peg::identifier_other>> {};
struct truth                : peg::seq<peg::sor<peg::string<'t', 'r', 'u', 'e'>, peg::string<'f', 'a', 'l', 's', 'e'>>, peg::not_at<peg::identifier_other>> {};

// Strings. One that is not closed ends with its line.
struct plain_character      : peg::not_one<'"', '\\', '\n'> {};
struct byte_escape          : peg::seq<peg::one<'x'>, peg::xdigit, peg::xdigit> {};
struct escape               : peg::seq<peg::one<'\\'>, peg::sor<peg::one<'n', 't', '"', '\\'>, byte_escape>> {};
struct string_head          : peg::seq<peg::one<'"'>, peg::star<peg::sor<plain_character, escape>>> {};
struct string_literal       : peg::seq<string_head, peg::one<'"'>> {};
struct malformed_escape     : peg::seq<peg::one<'\\'>, peg::not_one<'\n'>> {};
struct malformed_string     : peg::seq<peg::one<'"'>, peg::star<peg::sor<plain_character, malformed_escape>>, peg::opt<peg::one<'"'>>> {};

// One byte between single quotes.
struct plain_byte           : peg::seq<peg::not_at<peg::one<'\'', '\\'>>, peg::range<' ', '~'>> {};
struct quote_escape         : peg::seq<peg::one<'\\'>, peg::one<'\''>> {};
struct byte_literal         : peg::seq<peg::one<'\''>, peg::sor<plain_byte, escape, quote_escape>, peg::one<'\''>> {};
struct byte_in_quotes       : peg::sor<peg::seq<peg::one<'\\'>, peg::not_one<'\n'>>, peg::not_one<'\'', '\\', '\n'>> {};
struct malformed_byte       : peg::seq<peg::one<'\''>, peg::sor<peg::seq<peg::rep_max<16, byte_in_quotes>, peg::one<'\''>>, peg::success>> {};

// Punctuation: in each row the longest first.
struct arrow                : peg::string<'-', '>'> {};
struct equal_equal          : peg::string<'=', '='> {};
struct not_equal            : peg::string<'!', '='> {};
struct less_equal           : peg::string<'<', '='> {};
struct greater_equal        : peg::string<'>', '='> {};
struct plus_plus            : peg::two<'+'> {};
struct and_and              : peg::two<'&'> {};
struct or_or                : peg::two<'|'> {};
struct punctuation          : peg::one<'(', ')', '[', ']', '{', '}', ',', ';', ':', '=', '|', '<', '>', '+', '-', '*', '/', '%', '!', '.', '&', '~'> {};
struct long_punctuation     : peg::sor<arrow, equal_equal, not_equal, less_equal, greater_equal, plus_plus, and_and, or_or> {};

// `%a % %b`: a percent sign directly before a name is a value, so values come before punctuation.
struct ir_token             : peg::sor<value_name, function_name, dotted_name, number, string_literal, byte_literal, projection, long_punctuation, punctuation> {};
struct ir_text              : peg::seq<blanks, peg::star<ir_token, blanks>, peg::eof> {};

// Lookahead.
struct single_equal         : peg::seq<peg::one<'='>, peg::not_at<peg::one<'=', '>'>>> {};
struct operator_name        : peg::sor<function_name, peg::seq<peg::one<'?'>, word>, dotted_name> {};
struct operator_block_ahead : peg::seq<peg::one<'{'>, blanks, operator_name, blanks, peg::one<'}'>> {};
struct struct_literal_ahead : peg::seq<peg::one<'{'>, blanks, word, blanks, single_equal> {};
struct named_ahead          : peg::seq<word, blanks, single_equal> {};
struct path_ahead           : peg::seq<peg::sor<dotted_name, peg::plus<peg::digit>>, peg::star<projection>, blanks, single_equal> {};
struct dimension            : peg::sor<peg::seq<peg::opt<peg::one<'?'>>, word>, peg::plus<peg::digit>> {};
struct type_start           : peg::sor<peg::identifier_first, peg::one<'[', '(', '?'>> {};
struct size                 : peg::sor<peg::seq<peg::opt<peg::one<'?'>>, word>, peg::plus<peg::digit>> {};
struct sizes                : peg::list<size, peg::seq<blanks, peg::one<','>, blanks>> {};
struct sized_type           : peg::seq<dotted_name, peg::one<'['>, blanks, sizes, blanks, peg::one<']'>> {};
struct of_ahead             : peg::seq<some_blanks, peg::string<'o', 'f'>, some_blanks> {};
struct type_name_ahead      : peg::seq<peg::sor<sized_type, dotted_name>, peg::sor<of_ahead, peg::seq<blanks, peg::one<']', ','>>>> {};
struct array_type_ahead     : peg::seq<peg::one<'['>, blanks, peg::opt<dimension>, blanks, peg::one<']'>, blanks, type_start> {};
struct tuple_type_ahead     : peg::seq<peg::one<'('>, blanks, dotted_name, blanks, peg::one<',', ')'>> {};
struct label_ahead          : peg::seq<word, blanks, peg::one<'{'>> {};
struct binding_ahead        : peg::seq<value_name, blanks, peg::sor<single_equal, peg::one<':'>>> {};
struct local_or_extern      : peg::sor<peg::string<'l', 'o', 'c', 'a', 'l'>, peg::string<'e', 'x', 't', 'e', 'r', 'n'>> {};
struct function_ahead       : peg::seq<peg::opt<local_or_extern, some_blanks>, peg::string<'f', 'u', 'n', 'c'>, some_blanks, peg::one<'@'>> {};
struct struct_ahead         : peg::seq<peg::string<'s', 't', 'r', 'u', 'c', 't'>, some_blanks, word> {};
struct ir_declaration_ahead : peg::sor<function_ahead, struct_ahead> {};

// clang-format on

} // namespace irrewrite::grammar
