// Costs that strategies compare: of operations, of iterations, and of patterns.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

// cost op name, name number      cost per iteration number      cost PATTERN = term where conditions
void Parser::cost() {
    open_here(Kind::Cost);
    advance();
    const bool is_pattern = scanner_.ahead(Ahead::Application, token_.begin);
    if (!is_pattern && accept_word("op")) return cost_of_operations();
    if (!is_pattern && accept_word("per")) {
        frame().kind = Kind::CostIterations;
        if (expect_word("iteration", message::cost_iteration)) cost_number();
        return;
    }
    push(&Parser::cost_equal);
    expression();
}

void Parser::cost_of_operations() {
    frame().kind = Kind::CostOps;
    do {
        if (!at(TokenKind::Ident)) return fail_expected(message::op_name);
        leaf_here(Kind::Ident, 0);
    } while (accept(TokenKind::Comma));
    cost_number();
}

void Parser::cost_number() {
    if (!at(TokenKind::Number)) return fail_expected(message::cost_number);
    leaf_here(Kind::Number, 0);
    close();
}

void Parser::cost_equal() {
    if (!expect(TokenKind::Equal, message::cost)) return;
    push(&Parser::rule_end);
    expression();
}

} // namespace irrewrite::grammar
