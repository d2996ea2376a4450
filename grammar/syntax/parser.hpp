// The declarations of both languages, by a stack of steps: a *step* parses one piece and pushes the steps that are to
// follow it; `run` takes steps off the stack until none is left. Declarations under construction are *frames*; finished
// children wait on `pending_` until their frame is closed. What nests - types, expressions, blocks, strategies - a step
// parses by its production, as one piece (`produce`).
//
// A fault that parsing cannot go past is raised by `fail`, or as a Fault by a production; after the step, `recover` drops
// what was begun since the last rule or declaration and goes on at the next.
#pragma once

#include "grammar/syntax/tree_builder.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite::grammar {

class Parser {
  public:
    enum class Language : std::uint8_t { Ir, Rules };

    Parser(const Sources& sources, SourceId source, Language language, const IsLabel& is_label,
           Diagnostics& diagnostics);

    SyntaxTree parse_file(const ReadBody& read_body = {});
    SyntaxTree parse_one_expression();

  private:
    using Step = void (Parser::*)();
    using Text = std::string_view;

    // Items separated by commas up to a closing token.
    struct List {
        Step item;
        TokenKind close;
        Text expected;
        bool trailing_comma = false;
    };

    struct Frame {
        Kind kind;
        std::uint8_t flags = 0;
        std::uint32_t begin = 0;
        std::uint32_t name_begin = 0, name_end = 0;
        std::uint32_t label_begin = 0, label_end = 0;
        std::uint32_t children = 0;   // where they begin on pending_
        std::uint32_t item_begin = 0; // where those of the latest statement, rule or declaration begin
        std::uint32_t opener = 0;     // the bracket that the list below opened with
        const List* list = nullptr;   // the list being read
    };

    // -- the machine (parser.cpp) -----------------------------------------------------------------
    SyntaxTree run();
    void push(Step step) { steps_.push_back(step); }
    Frame& frame() { return frames_.back(); }
    Frame& open(Kind kind, std::uint32_t begin);
    Frame& open_here(Kind kind) { return open(kind, token_.begin); }
    void close();
    void emit(const SyntaxNode& node, std::uint32_t first_child);
    void leaf(Kind kind, Token name);
    void leaf_here(Kind kind, std::uint32_t sigil);
    SyntaxNode& last() { return tree_.nodes[pending_.back()]; }

    Text text(Token token) const { return tree_.text.substr(token.begin, token.end - token.begin); }
    void advance();
    bool at(TokenKind kind) const { return token_.kind == kind; }
    bool at_word(Text word) const { return at(TokenKind::Ident) && text(token_) == word; }
    bool accept(TokenKind kind);
    bool accept_word(Text word);
    bool expect(TokenKind kind, Text what);
    bool expect_word(Text word, Text what);
    bool expect_dashed_name(Text what);
    void take_name(std::uint32_t sigil);
    void begin_list(const List& list);
    void list_item_end();

    void report(std::uint32_t begin, std::uint32_t end, Text what, Text help = {}) {
        faults_.report(begin, end, what, help);
    }
    void report_expected(Text what, Text help = {}) { faults_.report_expected(token_, what, help); }
    void fail(Text what, Text help = {});
    void fail_expected(Text what, Text help = {});

    // -- going on after a fault (recover.cpp) -----------------------------------------------------
    void recover();
    void spoil(const Frame& frame) {
        diagnostics_->spoil(tree_.text.substr(frame.name_begin, frame.name_end - frame.name_begin));
    }
    bool is_resumption(Step step) const;
    std::uint32_t unwind();
    void skip_to_item(std::uint32_t open_braces);
    bool at_next_item(Kind list, std::uint32_t& open_braces) const;
    bool at_declaration() const;
    bool first_on_line() const { return scanner_.line_break(previous_end_, token_.begin) || previous_end_ == 0; }
    void drop_to_declarations();

    // -- by their productions (produce.cpp) -------------------------------------------------------
    template <class Production> void produce();
    void go_on_at(const Fault& fault, std::uint32_t begin);
    void type();
    void types();
    void sequence_type();
    void other_types();
    void expression();
    void condition_expression();
    void strategy();
    void parameter();
    void function_block();
    void expansion(Token label = {});
    void template_block();
    void template_field();
    void template_statement();

    // -- declarations (parse_declaration.cpp) -----------------------------------------------------
    void declarations();
    void declaration();
    bool rule_declaration();
    void function();
    void function_results();
    void function_end();
    bool read_body();
    void struct_declaration();
    void field();
    void syntax_declaration();
    void productions();
    void alternative();
    void precedence();
    void right_side();
    void right_side_end();
    void alternative_end();

    // -- declarations of rule files (parse_rule_file.cpp, parse_operation.cpp) --------------------
    void import_declaration();
    void type_declaration();
    void declared_dimensions();
    void declared_element();
    void declared_dimension();
    void represented_type();
    void type_declaration_end();
    void class_declaration();
    void operation_declaration();
    void declared_attribute();
    void declared_operands();
    bool at_block_trait() const;
    void declared_blocks();
    void declared_block_results();
    void declared_block_end();
    void declared_results();
    void declared_traits();
    void trait_alone();
    void trait();
    void declared_phase();
    void analysis();
    void analysis_operand();
    void analysis_results();
    void analysis_blocks();
    void analysis_block();
    void rule_set();
    void set_parameter();
    void set_header_end();
    void skip_to_set_body();
    void rule_items();
    void rule();
    void pattern_end();
    void rule_term();
    void terms_end();
    void rule_end();
    bool at_phase(Kind kind);
    void conditions();
    void condition_end();
    void conditions_end();
    void fact();
    void fact_colon();
    void fact_arrow();
    void target_declaration();
    void model();
    void cost();
    void cost_of_operations();
    void cost_number();
    void cost_equal();
    void modelling_type();
    void target_texts();
    void normalize();
    void phase();
    void strategy_declaration();
    void strategy_definition();
    void test();
    void test_end();

    static const List parameter_list, type_list, declared_dimension_list, field_list, attribute_declarations,
        trait_list, set_parameters;

    Faults faults_;
    Scanner& scanner_ = faults_.scanner;
    const IsLabel* is_label_;
    const ReadBody* read_body_ = nullptr;
    Diagnostics* diagnostics_;
    Language language_;
    bool patterns_ = false; // metavariables may stand here
    bool failed_ = false;
    bool imports_over_ = false;
    Token token_;
    std::uint32_t previous_end_ = 0;       // of the token before
    std::uint32_t condition_ = 0;          // where the latest condition of a rule begins
    std::uint32_t braces_ = 0;             // that are open in a production that is wrong
    std::uint32_t recovered_ = UINT32_MAX; // where parsing went on after it
    std::vector<Step> steps_;
    std::vector<Frame> frames_;
    std::vector<SyntaxId> pending_;
    SyntaxTree tree_;
    Nesting nesting_;
    TreeBuilder builder_{tree_, pending_, faults_};
};

} // namespace irrewrite::grammar
