// The extent of a malformed number, string or byte: its message shows all of it, and parsing goes on
// behind it.
#pragma once

#include "grammar/syntax/ir_grammar.hpp"

namespace irrewrite::grammar {

// clang-format off

struct signed_exponent  : peg::seq<peg::one<'e', 'E'>, peg::one<'+', '-'>, peg::digit> {};
struct malformed_number : peg::plus<peg::sor<signed_exponent, more_of_a_number>> {};
struct malformed_escape : peg::seq<peg::one<'\\'>, peg::not_one<'\n'>> {};
struct malformed_string : peg::seq<peg::one<'"'>, peg::star<peg::sor<plain_character, malformed_escape>>, peg::opt<peg::one<'"'>>> {};
struct byte_in_quotes   : peg::sor<peg::seq<peg::one<'\\'>, peg::not_one<'\n'>>, peg::not_one<'\'', '\\', '\n'>> {};
struct malformed_byte   : peg::seq<peg::one<'\''>, peg::sor<peg::seq<peg::rep_max<16, byte_in_quotes>, peg::one<'\''>>, peg::success>> {};

// clang-format on

} // namespace irrewrite::grammar
