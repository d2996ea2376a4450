// A text as what a formatter moves: tokens and comments, with the blanks that stood before them, and what each token is
// for. A name that is several tokens (`add-zero`, `-7`, `at.0.x`) is one piece; the syntax tree says which are.
#pragma once

#include "engine/support/source.hpp"
#include "grammar/syntax/scanner.hpp"
#include "grammar/syntax/syntax.hpp"

#include <vector>

namespace irrewrite::grammar {

enum class Role : std::uint8_t {
    None,
    Comment,
    Callee,     // a name whose operands or parameters follow in parentheses
    StructName, // of a literal: `Complex{…}`
    Unary,
    OpenAngle, // `<s> t`
    CloseAngle,
    OpenBar, // `{ |%x| … }`
    CloseBar,
    OpenSpaced, // braces with blanks inside: of blocks, sets of rules, structs
    CloseSpaced,
    OpenTight, // `{add}`, `{%z with x = 1}`
    CloseTight,
    Separator, // `;` between statements
    RuleArrow, // `=>` between the sides of a rule or test
    FactArrow,
    Where,       // `where`, `at phase` behind a rule
    Trait,       // of an operation
    ElementType, // directly behind `[n]`
};

struct Piece {
    std::uint32_t begin = 0, end = 0;
    TokenKind kind = TokenKind::End;
    Role role = Role::None;
    bool item = false;             // begins a declaration, a rule, a statement or a result of a block
    bool statement = false;        // an item that begins a line if the items around it do
    bool left = false;             // the first piece behind `name:` of a rule or test, in its line
    bool new_line = false;         // it begins a line
    bool wide = false;             // one blank or two may stand before it
    bool rule = false;             // part of a set of rules, a fact or a test
    bool blank = false;            // and an empty line stands before it
    bool adjacent = false;         // nothing stands between it and the piece before
    std::uint32_t column = 0;      // in its line, from 0, in code points
    std::uint32_t width = 0;       // in code points
    std::uint32_t anchor = 0;      // 1 + the offset of the piece under which it stands if it begins a line; 0: none
    std::uint32_t declaration = 0; // where that begins of which it is part
};

std::vector<Piece> pieces_of(const Sources& sources, const SyntaxTree& tree);

} // namespace irrewrite::grammar
