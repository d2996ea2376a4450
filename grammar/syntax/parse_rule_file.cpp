// Declarations of rule files, but for operations.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

#include <array>
#include <utility>

namespace irrewrite::grammar {

const Parser::List Parser::declared_dimension_list{&Parser::declared_dimension, TokenKind::RightBracket,
                                                   message::sizes};
const Parser::List Parser::set_parameters{&Parser::set_parameter, TokenKind::RightParen, message::parameters};

// Begins a declaration of rule files; false if the current token begins none.
bool Parser::rule_declaration() {
    static constexpr std::array<std::pair<Text, Step>, 15> table{{
        {"import", &Parser::import_declaration},
        {"type", &Parser::type_declaration},
        {"class", &Parser::class_declaration},
        {"op", &Parser::operation_declaration},
        {"rules", &Parser::rule_set},
        {"fact", &Parser::fact},
        {"normalize", &Parser::normalize},
        {"phase", &Parser::phase},
        {"strategy", &Parser::strategy_declaration},
        {"test", &Parser::test},
        {"target", &Parser::target_declaration},
        {"syntax", &Parser::syntax_declaration},
        {"model", &Parser::model},
        {"cost", &Parser::cost},
        {"analysis", &Parser::analysis},
    }};
    if (!at(TokenKind::Ident)) return false;
    const Text word = text(token_);
    for (const auto& [keyword, step] : table) {
        if (word != keyword) continue;
        (this->*step)();
        return true;
    }
    return false;
}

void Parser::import_declaration() {
    if (imports_over_) report(token_.begin, token_.end, message::late_import);
    open_here(Kind::Import);
    advance();
    if (!at(TokenKind::String)) return fail_expected(message::import);
    take_name(0);
    if (at_word("for")) {
        advance();
        if (!at_word("sets")) return fail_expected(message::for_sets);
        advance();
    }
    close();
}

// type Name [as type] [at phase]
void Parser::type_declaration() {
    open_here(Kind::TypeDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::type_name);
    take_name(0);
    push(&Parser::type_declaration_end);
    push(&Parser::represented_type);
    push(&Parser::declared_element);
    declared_dimensions();
}

// `[n, m]` behind the name of a type that is declared.
void Parser::declared_dimensions() {
    if (at(TokenKind::LeftBracket) && token_.begin == frame().name_end) begin_list(declared_dimension_list);
}

void Parser::declared_dimension() {
    if (!at(TokenKind::Ident)) return fail_expected(message::declared_size);
    leaf_here(Kind::DimName, 0);
}

// `of ?T`
void Parser::declared_element() {
    if (!accept_word("of")) return;
    if (!at(TokenKind::Meta)) return fail_expected(message::declared_element);
    frame().flags |= OfElement;
    leaf_here(Kind::TypeVar, 1);
}

void Parser::represented_type() {
    if (accept_word("as")) type();
}

// class name = type | type
void Parser::class_declaration() {
    open_here(Kind::ClassDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::class_name);
    take_name(0);
    if (!expect(TokenKind::Equal, message::class_types)) return;
    push(&Parser::close);
    push(&Parser::other_types);
    type();
}

void Parser::type_declaration_end() {
    at_phase(Kind::Ident);
    close();
}

// model name = { expansion }, model type Name as type
void Parser::model() {
    open_here(Kind::Model);
    advance();
    const bool type_model = accept_word("type");
    if (type_model) frame().kind = Kind::ModelType;
    if (!at(TokenKind::Ident)) return fail_expected(type_model ? message::type_name : message::op_name);
    take_name(0);
    push(&Parser::close);
    if (type_model) {
        push(&Parser::modelling_type);
        push(&Parser::declared_element);
        return declared_dimensions();
    }
    if (!expect(TokenKind::Equal, message::model)) return;
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::expansion);
    expansion();
}

void Parser::modelling_type() {
    if (!at_word("as")) return fail_expected(message::model_type);
    advance();
    type();
}

// `at phase`, if it stands here. An operation `at` has operands, so it is not meant.
bool Parser::at_phase(Kind kind) {
    if (!at_word("at") || !scanner_.ahead(Ahead::Phase, token_.begin)) return false;
    open_here(kind);
    advance();
    token_.end = scanner_.dashed_name_end(token_.begin);
    if (kind == Kind::Ident) frame().begin = token_.begin;
    take_name(0);
    close();
    return true;
}

// -- sets of rules --------------------------------------------------------------------------------

// rules name(parameters) at phase inexact ordered ends "why" costs "why" { rules and facts }
// `ordered` is a child of kind Trait, the reasons of kinds String (grammar/rules/lint_notes.hpp) and Costs.
void Parser::rule_set() {
    open_here(Kind::RuleSet);
    advance();
    if (!expect_dashed_name(message::set_name)) return;
    take_name(0);
    push(&Parser::set_header_end);
    if (at(TokenKind::LeftParen)) begin_list(set_parameters);
}

void Parser::set_parameter() {
    if (at(TokenKind::Meta) || at(TokenKind::MetaLiteral))
        return leaf_here(at(TokenKind::Meta) ? Kind::Meta : Kind::MetaLiteral, 1);
    if (expect_dashed_name(message::set_parameter)) leaf_here(Kind::Ident, 0);
}

void Parser::set_header_end() {
    while (at_word("inexact") || at_word("ordered") || at_word("ends") || at_word("costs") || at_phase(Kind::AtPhase)) {
        if (accept_word("inexact")) frame().flags |= Inexact;
        if (at_word("ordered")) leaf_here(Kind::Trait, 0);
        const bool ends = accept_word("ends");
        if (!ends && !accept_word("costs")) continue;
        if (!at(TokenKind::String)) return fail_expected(ends ? message::set_ends : message::set_costs);
        leaf_here(ends ? Kind::String : Kind::Costs, 0);
    }
    if (!at(TokenKind::LeftBrace)) skip_to_set_body();
    frame().opener = token_.begin;
    if (expect(TokenKind::LeftBrace, message::set_body)) push(&Parser::rule_items);
}

// A mark that no set has is one fault: the rules behind it are read all the same.
void Parser::skip_to_set_body() {
    report_expected(message::set_body);
    while (!at(TokenKind::LeftBrace) && !at(TokenKind::End) && !at_declaration()) advance();
}

void Parser::rule_items() {
    while (accept(TokenKind::Semicolon)) {
    }
    if (accept(TokenKind::RightBrace)) return close();
    const bool rule_name = at(TokenKind::Ident) && scanner_.ahead(Ahead::RuleName, token_.begin);
    if (at(TokenKind::End) || (!rule_name && at_declaration() && !scanner_.ahead(Ahead::Fact, token_.begin))) {
        report_expected(message::close_block);
        faults_.note_opener(frame().opener, token_.begin);
        return close();
    }
    frame().item_begin = static_cast<std::uint32_t>(pending_.size());
    push(&Parser::rule_items);
    if (rule_name)
        rule();
    else if (at_word("fact"))
        fact();
    else
        fail_expected(message::rule);
}

// name: pattern & pattern => term, term at phase where condition, condition
void Parser::rule() {
    open_here(Kind::Rule);
    token_.end = scanner_.dashed_name_end(token_.begin);
    take_name(0);
    advance();
    open_here(Kind::Pattern);
    push(&Parser::pattern_end);
    expression();
}

void Parser::pattern_end() {
    if (accept(TokenKind::Ampersand)) {
        push(&Parser::pattern_end);
        return expression();
    }
    close();
    if (!expect(TokenKind::FatArrow, message::rule_arrow)) return;
    open_here(Kind::Terms);
    rule_term();
}

// A term, unless the next rule begins where it is due.
void Parser::rule_term() {
    if (at(TokenKind::Ident) && scanner_.ahead(Ahead::RuleName, token_.begin)) {
        token_.end = scanner_.dashed_name_end(token_.begin);
        return fail_expected(message::expression);
    }
    push(&Parser::terms_end);
    expression();
}

void Parser::terms_end() {
    if (accept(TokenKind::Comma)) return rule_term();
    close();
    rule_end();
}

void Parser::rule_end() {
    at_phase(Kind::AtPhase);
    const bool conditions_follow = at_word("where") && !scanner_.ahead(Ahead::RuleName, token_.begin);
    if (!conditions_follow) return close();
    advance();
    conditions();
}

// -- conditions -----------------------------------------------------------------------------------

void Parser::conditions() {
    condition_ = token_.begin;
    push(&Parser::condition_end);
    condition_expression();
}

// `?y = term` and `<s> ?x => ?y` show behind their first half.
void Parser::condition_end() {
    push(&Parser::conditions_end);
    if (!at(TokenKind::Equal) && !at(TokenKind::FatArrow)) return;
    const SyntaxNode left = last();
    const bool strategy = at(TokenKind::FatArrow);
    const bool alone = left.begin == condition_; // not in parentheses
    if (strategy && (left.kind != Kind::StrategyTerm || !alone)) return fail(message::condition_strategy);
    if (!strategy && (left.kind != Kind::Meta || left.count > 0 || !alone)) return fail(message::condition_name);
    pending_.pop_back();
    Frame& condition = open(strategy ? Kind::CondStrategy : Kind::CondBuild, left.begin);
    condition.name_begin = left.name_begin;
    condition.name_end = left.name_end;
    for (std::uint32_t i = 0; i < left.count; ++i) pending_.push_back(tree_.children[left.first + i]);
    advance();
    push(&Parser::close);
    expression();
}

void Parser::conditions_end() {
    if (accept(TokenKind::Comma)) return conditions();
    at_phase(Kind::AtPhase);
    close();
}

// -- facts ----------------------------------------------------------------------------------------

// fact after PATTERN: pattern => term        fact in LABEL of PATTERN: pattern => term
void Parser::fact() {
    open_here(Kind::FactAfter);
    advance();
    if (accept_word("in")) {
        frame().kind = Kind::FactIn;
        if (!at(TokenKind::Ident)) return fail_expected(message::fact_label);
        take_name(0);
        if (!expect_word("of", message::fact_of)) return;
    } else if (!expect_word("after", message::fact_place)) {
        return;
    }
    push(&Parser::fact_colon);
    expression();
}

void Parser::fact_colon() {
    if (!expect(TokenKind::Colon, message::fact_colon)) return;
    push(&Parser::fact_arrow);
    expression();
}

void Parser::fact_arrow() {
    if (!expect(TokenKind::FatArrow, message::rule_arrow)) return;
    push(&Parser::rule_end);
    expression();
}

// -- normalize, phases, strategies, tests ---------------------------------------------------------

// target name { texts }
void Parser::target_declaration() {
    open_here(Kind::TargetDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::target_name);
    take_name(0);
    frame().opener = token_.begin;
    if (expect(TokenKind::LeftBrace, message::target_body)) push(&Parser::target_texts);
}

void Parser::target_texts() {
    if (accept(TokenKind::RightBrace)) return close();
    if (!at(TokenKind::Ident)) return fail_expected(message::target_text);
    push(&Parser::target_texts);
    trait_alone();
}

void Parser::normalize() {
    open_here(Kind::Normalize);
    advance();
    do {
        if (!expect_dashed_name(message::normalize_name)) return;
        leaf_here(Kind::Ident, 0);
    } while (accept(TokenKind::Comma));
    close();
}

void Parser::phase() {
    open_here(Kind::Phase);
    advance();
    if (!expect_dashed_name(message::phase_name)) return;
    take_name(0);
    push(&Parser::close);
    if (accept(TokenKind::Equal)) return strategy();
    // Declared all the same, so that what refers to it is not wrong as well.
    if (!at(TokenKind::End) && !at(TokenKind::Semicolon) && !at_declaration()) report_expected(message::phase_equal);
}

// strategy name(parameters) = s
void Parser::strategy_declaration() {
    open_here(Kind::Strategy);
    advance();
    if (!expect_dashed_name(message::strategy_name)) return;
    take_name(0);
    push(&Parser::strategy_definition);
    if (at(TokenKind::LeftParen)) begin_list(set_parameters);
}

void Parser::strategy_definition() {
    if (!expect(TokenKind::Equal, message::strategy_equal)) return;
    push(&Parser::close);
    strategy();
}

// test name: term => term        test name: term
void Parser::test() {
    open_here(Kind::Test);
    advance();
    if (!expect_dashed_name(message::test_name)) return;
    take_name(0);
    if (!expect(TokenKind::Colon, message::test_colon)) return;
    push(&Parser::test_end);
    expression();
}

void Parser::test_end() {
    if (!accept(TokenKind::FatArrow)) return close();
    push(&Parser::close);
    expression();
}

} // namespace irrewrite::grammar
