#include "grammar/format/layout.hpp"

namespace irrewrite::grammar {

namespace {

bool sticks_to_next(const Piece& piece) {
    switch (piece.role) {
    case Role::Unary:
    case Role::OpenAngle:
    case Role::OpenBar:
    case Role::OpenTight: return true;
    default: break;
    }
    switch (piece.kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::ComputeOpen:
    case TokenKind::Dot: return true;
    default: return false;
    }
}

bool sticks_to_previous(const Piece& piece) {
    switch (piece.role) {
    case Role::CloseAngle:
    case Role::CloseBar:
    case Role::CloseTight:
    case Role::Separator: return true;
    default: break;
    }
    switch (piece.kind) {
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::Comma:
    case TokenKind::Colon:
    case TokenKind::Ellipsis:
    case TokenKind::Projection:
    case TokenKind::Dot: return true;
    default: return false;
    }
}

} // namespace

std::uint32_t gap(const Piece& before, const Piece& piece) {
    if (piece.role == Role::Comment) return 1;
    if (sticks_to_next(before) || sticks_to_previous(piece)) return 0;
    if (before.role == Role::OpenSpaced && piece.role == Role::CloseSpaced) return 0;
    if (piece.role == Role::RuleArrow || piece.role == Role::Where || before.role == Role::RuleArrow) return 2;
    const bool after_bracket = before.kind == TokenKind::RightBracket;
    if (piece.kind == TokenKind::LeftParen)
        return before.role == Role::Callee || before.role == Role::Trait || after_bracket ? 0 : 1;
    // The parser tells `f[3]` from an array behind `f` by the blank.
    if (piece.kind == TokenKind::LeftBracket)
        return piece.adjacent && (before.kind == TokenKind::Ident || after_bracket) ? 0 : 1;
    if (piece.role == Role::OpenTight && before.role == Role::StructName) return 0;
    if (after_bracket && (piece.role == Role::ElementType || (piece.kind == TokenKind::Meta && piece.adjacent)))
        return 0;
    return 1;
}

} // namespace irrewrite::grammar
