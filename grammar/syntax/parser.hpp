// The parser of both languages: recursive descent with its stack made explicit.
//
// A *step* parses one piece and pushes the steps that are to follow it; `run` takes steps off the
// stack until none is left. A step calls another one directly only as its last act, and never
// along a cycle, so that nesting costs an entry on `steps_` and no C++ stack. Nodes under
// construction are *frames*; finished children wait on `pending_` until their frame is closed.
// Operators are reduced by precedence (Dijkstra's shunting yard) on `operators_`, on which a
// marker stands below those of each expression.
//
// A fault that parsing cannot go past is raised by `fail`; after the step, `recover` drops what
// was begun since the last statement, rule or declaration and goes on at the next.
#pragma once

#include "grammar/syntax/scanner.hpp"
#include "grammar/syntax/syntax.hpp"

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

    // The kind of a block's latest item: a list of expressions becomes its results at the end.
    enum class Item : std::uint8_t { None, Expressions, Bound, Return };

    struct Frame {
        Kind kind;
        std::uint8_t flags = 0;
        Item item = Item::None;     // Block
        bool function_body = false; // Block
        bool expansion = false;     // Block: of an operation's declaration
        bool braceless = false;     // Block: the operation behind `else`, not a list of statements
        bool has_block = false;     // Op: a label may follow
        std::uint32_t begin = 0;
        std::uint32_t name_begin = 0, name_end = 0;
        std::uint32_t label_begin = 0, label_end = 0;
        std::uint32_t children = 0;   // where they begin on pending_
        std::uint32_t item_begin = 0; // where those of the latest statement, rule or declaration begin
        std::uint32_t operators = 0;  // the size of operators_ when the frame was opened
        std::uint32_t opener = 0;     // the bracket that the list below opened with
        const List* list = nullptr;   // the list being read
    };

    enum class Operation : std::uint8_t {
        Marker,
        Infix,
        Prefix,
        StrategyTerm,
        StrategySeq,
        StrategyChoice,
        StrategyThen,
        StrategyIf
    };

    struct Operator {
        Operation operation;
        std::uint8_t precedence; // 0: reducing stops here
        bool condition;          // inside a condition, where `not` and `or` are operators
        std::uint32_t begin, end;
    };

    static constexpr std::uint8_t tightest = 10; // the precedence of prefix operators

    // The reduction by an operator: the kind of the node, and the number of operands.
    struct Reduction {
        Kind kind;
        std::uint32_t operands;
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
    void wrap(Kind kind, std::uint32_t end);
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
    void close_paren_node();

    void report(std::uint32_t begin, std::uint32_t end, Text what, Text help = {});
    void note_opener(std::uint32_t opener);
    void report_expected(Text what, Text help = {});
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
    void leave_block();

    // -- expressions (parse_expression.cpp, parse_pattern.cpp)
    // -------------------------------------------------------
    void expression() { start_expression(false); }
    void condition_expression() { start_expression(true); }
    void paren_item() { start_expression(operators_.back().condition); }
    void start_expression(bool condition);
    void expression_loop(bool operand_due);
    void resume_expression() { expression_loop(false); }
    bool operand();
    bool operand_leaf(Kind kind, std::uint32_t sigil);
    bool prefix_operator(std::uint8_t precedence);
    bool minus();
    bool name_operand();
    bool operation();
    void operation_itself();
    bool repeats_operation();
    void block_of_operation();
    bool call();
    bool meta(Kind kind);
    void other_types();
    bool bracketed(Kind kind, const List& list, Step end);
    bool record_update();
    void updated_fields();
    bool parenthesis();
    bool named_term();
    bool compute();
    bool strategy_term();
    bool pattern_only();
    bool listed_fields() const;
    void operation_operands();
    void operation_blocks();
    void attribute();
    bool attribute_is_type() const;
    void field_init();
    void rest_of_path();
    void part();
    void paren_end();
    void strategy_term_operand();
    bool after_operand();
    bool postfix();
    bool dot();
    bool word_operator();
    void infix_operator(std::uint8_t precedence);
    void end_expression();
    void reduce(std::uint8_t precedence);
    void reduce_top();
    static Reduction reduction_of(Operation operation);

    // -- types (parse_type.cpp) -------------------------------------------------------------------
    template <class Production> void produce();
    void fail_at(std::uint32_t offset, Text what);
    void type();
    void types();
    void sequence_type();

    // -- blocks and statements (parse_block.cpp) --------------------------------------------------
    void start_block(std::uint32_t label_begin, std::uint32_t label_end, bool function_body);
    void open_block(std::uint32_t label_begin, std::uint32_t label_end);
    void operator_block(std::uint32_t label_begin, std::uint32_t label_end);
    void block_parameters();
    void parameter(bool type_needed);
    void block_parameter();
    void function_parameter() { parameter(true); }
    void block_items();
    void end_item();
    void end_block();
    void statement();
    void statement_end();
    void target();
    void bind(std::uint8_t flags = 0);
    bool in_parentheses(const SyntaxNode& node) const;
    bool assigns() const;
    void return_statement();
    void return_end();

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
    bool hole();

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

    // -- strategies (parse_strategy.cpp) ----------------------------------------------------------
    void strategy();
    void strategy_loop(bool operand_due);
    void resume_strategy() { strategy_loop(false); }
    bool strategy_operand();
    bool strategy_name();
    bool strategy_rec(std::uint32_t begin);
    void strategy_blocks();
    void strategy_block(std::uint32_t label_begin, std::uint32_t label_end);
    void strategy_block_end();
    void strategy_paren_end();
    bool after_strategy();
    bool strategy_else();
    void push_strategy_operator(Operation operation, std::uint8_t precedence);
    void end_strategy();

    static const List operand_list, tuple_list, array_list, attribute_list, part_list, struct_list, parameter_list,
        block_parameter_list, type_list, declared_dimension_list, field_list, attribute_declarations, trait_list,
        set_parameters, strategy_list;

    Scanner scanner_;
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
    std::uint32_t reported_ = UINT32_MAX;  // where the latest fault was: one for a token
    std::uint32_t recovered_ = UINT32_MAX; // where parsing went on after it
    Diagnostic* latest_ = nullptr;         // the latest fault, if it was reported
    std::vector<Step> steps_;
    std::vector<Frame> frames_;
    std::vector<SyntaxId> pending_;
    std::vector<Operator> operators_;
    SyntaxTree tree_;
};

} // namespace irrewrite::grammar
