// Reads one rule from its syntax into engine/rules/rule.hpp: metavariables get their kinds and scopes, names of
// operations their candidates, and faults are reported with their locations.
//
// The left side is read first, then the conditions in order, then the right side. Patterns (the left side and those
// after `~`) bind; terms use variables that are bound by then. A metavariable is a sequence when every pattern that
// binds it has it under `...`; the arguments of `?f(…)` in a pattern are the parameters that bodies are abstracted
// over, so the `...` after it is not theirs.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

class RuleReader {
  public:
    RuleReader(Loading& loading, RuleFile file, Rule& rule);

    // `rules set(?p, #q)`: bound before the rule begins.
    void parameters(std::span<const SyntaxId> ids);
    // A term over the parameters alone, as an argument in a strategy outside of rules.
    TermId argument(SyntaxId id);
    void read_rule(SyntaxId id); // a Rule
    void read_test(SyntaxId id); // a Test
    void read_expansion(SyntaxId block, OpId op);
    // A FactAfter or FactIn: the roots are the pattern that establishes the fact and its left side. None: it was wrong.
    struct FactPlace {
        bool after;
        std::uint32_t block; // of the operation in that pattern
    };
    std::optional<FactPlace> read_fact(SyntaxId id);
    void read_cost(SyntaxId id);                                          // a Cost
    void read_transfer(SyntaxId id);                                      // a Rule of an Analysis
    static std::string name_of_fact(const SyntaxTree& tree, SyntaxId id); // `after set`

  private:
    enum class Mode : std::uint8_t { Pattern, Term };
    enum class Sort : std::uint8_t { Meta, Literal, Type }; // names of one sort are one name space

    // Knowledge about a variable while its rule is read.
    struct Knowledge {
        bool bound = false;
        int arity = unknown_arity;  // of a function: how many holes
        std::vector<bool> holes;    // which of them are sequences
        std::vector<Span> repeated; // `?x...` in patterns
    };
    struct Local { // `%x` in a block: a parameter, or the expression of the line that defines the name
        SymbolId name;
        VariableId param;
        TermId term;
    };
    struct Shape { // the children of an Op, Infix, Prefix or Struct
        std::vector<SyntaxId> attributes, operands, blocks;
        std::vector<SymbolId> labels;
        std::size_t repeats = 0; // operands followed by `...`
    };

    // -- rule_reader.cpp: variables and the sections of a rule
    void prepare(SyntaxId id);
    bool is_broken(SyntaxId id) const;
    void roots(SyntaxId pattern);
    void results(std::span<const SyntaxId> ids);
    void finish_patterns();
    TypeId later_type(TypeId type) const;
    void finish(bool holds_among_others = false);
    void check_root(SyntaxId id, TermId term);
    TermId ask(TermId node, std::uint32_t analysis, SyntaxId id);
    bool is_in_block(TermId id) const;
    bool is_analysis(SyntaxId id) const;
    Condition truth(SyntaxId id);
    std::vector<Condition> take_asks();
    static void take_asks_out(Condition& condition, std::vector<Condition>& asks);
    static Condition asked_before(std::vector<Condition> asks, Condition condition);
    struct ResultCount {
        std::size_t fewest, most;
    };
    ResultCount result_count(TermId id) const;
    void check_counts(SyntaxId rule);
    bool is_operand(VariableId variable) const;
    VariableId declare(SymbolId name, Sort sort, VariableKind kind);
    std::optional<VariableId> find(SymbolId name, Sort sort) const;
    VariableId bind(SyntaxId id, Sort sort, VariableKind kind);
    VariableId use(SyntaxId id, Sort sort, VariableKind kind);
    VariableId variable(SyntaxId id, Sort sort, VariableKind kind);
    void unbound(SyntaxId id, Sort sort);
    std::string text(VariableId id) const;
    void mark_sequence(VariableId id, Span where);
    Diagnostic& error(Span where, std::string text, std::string help = {});
    SymbolId symbol(std::string_view text) { return loading_.context.symbols.add(text); }
    TermId add(Term term, SyntaxId id);
    TermId wrong(SyntaxId id) { return add({}, id); } // after an error: matches anything

    // -- rule_terms.cpp: patterns and terms
    TermId item(SyntaxId id); // `...` may stand behind it
    TermId term(SyntaxId id);
    TermId read(SyntaxId id);
    TermId repeated(SyntaxId id);
    TermId number(SyntaxId id);
    TermId constant(SyntaxId id);
    TermId value(SyntaxId id);
    TermId meta(SyntaxId id);
    TermId meta_literal(SyntaxId id);
    TermId apply(SyntaxId id);
    bool can_be_found(TermId argument, std::size_t bound) const;
    void note_holes(VariableId function, std::span<const SyntaxId> arguments);
    void check_holes(SyntaxId id, VariableId function);
    TermId named(SyntaxId id);
    TermId project(SyntaxId id);
    TermId compute(SyntaxId id);
    void check_computed(TermId id, SyntaxId at);
    void check_evaluated(TermId id, std::vector<VariableId>& params);
    bool is_compound(const Term& term) const;
    TermId strategy(SyntaxId id);
    TermId call(SyntaxId id);
    TypeId type_of_call(const Function* function);
    TermId structure(SyntaxId id);
    TermId list(SyntaxId id, Core core);
    std::vector<TermId> items(std::span<const SyntaxId> ids);

    // -- rule_operations.cpp: operations, their attributes and blocks
    TermId operation(SyntaxId id);
    bool is_bare_sequence(std::span<const SyntaxId> operands);
    TermId count(SyntaxId id);
    std::optional<SequenceOf> computed_sequence(SyntaxId id) const; // parts(?x), range(0, #n), reversed(?xs)
    TermId sequence_term(SyntaxId id, SequenceOf form);
    TermId record(SyntaxId id);
    void check_parts(std::span<const SyntaxId> parts);
    TermId named_part(SyntaxId id);
    void spread_results(std::span<const SyntaxId> operands, OpId op, Term& term);
    std::size_t count_results(TermId id) const;
    std::vector<TermId> results_of(TermId whole, std::size_t count, SyntaxId where);
    TermId applied(SyntaxId id, const Shape& shape, std::vector<OpId> ops);
    Shape shape(SyntaxId id);
    std::vector<OpId> candidates(SyntaxId id, const Shape& shape);
    bool takes(OpId op, std::size_t operands, std::size_t repeats) const;
    bool takes_blocks(OpId op, std::span<const SymbolId> labels, bool some) const;
    void report_shape(SyntaxId id, const Shape& shape, std::span<const OpId> overloads);
    void attributes(SyntaxId id, const Shape& shape, OpId op, Term& term);
    std::optional<std::size_t> attribute_position(SyntaxId attr, const Operation& operation, std::size_t next);
    AttrTerm attribute(SyntaxId attr, const AttrDecl& declared);
    AttrTerm computed_attribute(SyntaxId value);
    AttrTerm constant_attribute(SyntaxId value, const AttrDecl& declared);
    void blocks(const Shape& shape, OpId op, Term& term);
    BlockTerm block(SyntaxId id, const BlockSignature* signature);
    BlockTerm open_block(SyntaxId id);
    void statement(SyntaxId id);
    void unnamed_statement(SyntaxId id);
    bool may_have_effects(TermId id, bool given = true) const;
    bool may_change(TermId id) const;
    std::optional<TermId> surely_has_effect(TermId id) const; // the term in it that has one
    void check_right_effects();
    void check_kept_memory();
    BlockTerm operator_block(SyntaxId id, const BlockSignature* signature);
    BlockTerm whole_block(SyntaxId id);
    BlockTerm result_of_place(SyntaxId id);
    BlockTerm written_out(SyntaxId id, VariableId function);
    std::size_t operator_parameters(std::span<const OpId> ops, const BlockSignature* signature) const;
    std::vector<TermId> made_up_parameters(BlockTerm& block, std::size_t count, SyntaxId id);

    // -- rule_facts.cpp
    std::optional<std::uint32_t> block_of_fact(SyntaxId id);
    void check_fact(SyntaxId id);
    void check_effects_of_fact(TermId term, bool root, bool left);

    // -- rule_expansions.cpp
    void expanded_body(SyntaxId block, OpId op);
    AttrTerm given_attribute(const AttrDecl& attribute);
    VariableId type_of_signature(SymbolId name);
    std::optional<TypeTerm> annotation(const TypeTerm& term, std::span<const VariableId> types);
    bool given_operands(SyntaxId block, std::span<const SyntaxId> values, const Signature& signature,
                        std::span<const VariableId> types, Term& root);
    bool given_blocks(SyntaxId block, std::span<const SyntaxId> functions, const Signature& signature, Term& root);

    // -- rule_expansions.cpp, too: functions
    TermId named_call(SyntaxId id);
    TermId made_call(SyntaxId id, AttrTerm name, std::span<const SyntaxId> operands, SyntaxId block);
    TermId whole_function(SyntaxId id);
    TermId all_operands(SyntaxId id);
    std::vector<TermId> operands_of_calls(SyntaxId list);
    void check_operands_of_calls(SyntaxId block, const Term& function);
    AttrTerm function_name(SyntaxId name);
    void check_whole_functions(std::span<const SyntaxId> terms, std::span<const SyntaxId> roots);

    // -- rule_types.cpp: annotations
    void annotate(std::span<const SyntaxId> types, Term& term);
    void annotate(SyntaxId type, Term& term);
    std::optional<TypeTerm> type(SyntaxId id, unsigned depth = 0);
    bool has_variables(SyntaxId id) const;
    bool array(SyntaxId id, TypeTerm& result, unsigned depth);
    bool opaque(SyntaxId id, TypeTerm& result, unsigned depth);
    TypeClass type_class(SyntaxId written);
    bool names_any_rank(SyntaxId id) const;
    VariableId dimension_variable(SyntaxId dim, bool is_sequence);
    bool names_any_element(SyntaxId id) const;
    bool length(SyntaxId dim, TypeTerm& result);
    bool parts(std::span<const SyntaxId> ids, TypeTerm& result, unsigned depth);
    std::optional<TypeTerm> type_variable(SyntaxId id);

    // -- rule_conditions.cpp
    void conditions(std::span<const SyntaxId> ids);
    void condition(SyntaxId id, std::vector<Condition>& out);
    void infix_condition(SyntaxId id, std::vector<Condition>& out);
    Condition alternatives(SyntaxId id);
    Condition negated(Condition part, SyntaxId id) const;
    Condition all_of(std::vector<Condition> parts, SyntaxId id) const;
    Condition joined(std::vector<Condition> parts, SyntaxId id) const;
    Condition inner(SyntaxId id);
    Condition compare(SyntaxId id);
    TermId compared(SyntaxId id);
    TermId query(SyntaxId id);
    std::optional<TermId> parameter_of_left(SyntaxId id);
    bool is_query(SyntaxId id) const;
    bool is_scalar(TermId id) const;
    Condition match(SyntaxId id);
    Condition build(SyntaxId id);
    void apply_strategy(SyntaxId id, std::vector<Condition>& out);
    Condition predicate(SyntaxId id);

    static constexpr int unknown_arity = -1, open_arity = -2; // open: some hole is a sequence
    static constexpr unsigned deepest = 500;

    Loading& loading_;
    RuleFile file_;
    const SyntaxTree& tree_;
    Rule& rule_;
    Mode mode_ = Mode::Pattern;
    std::unordered_map<std::uint64_t, VariableId> variables_; // by sort and name
    std::vector<Knowledge> known_;                            // by variable
    std::vector<Local> scope_;
    std::unordered_map<SymbolId, bool> dims_;   // `[?n]` stands somewhere in the rule
    std::unordered_map<SymbolId, bool> called_; // functions on the left
    std::vector<bool> ellipses_;                // the enclosing `...`: whether a sequence is under it
    unsigned under_ = 0;                        // how many of them count for a metavariable
    bool place_ = false;                        // the next operation establishes a fact: its blocks may be missing
    bool may_ask_ = false;                      // the next operation may be an analysis, as the left side of a fact
    std::vector<Condition> asks_;               // what the present condition, or the right side, asks of analyses
    bool blocks_of_place_ = false;              // `{ ?c }` is a block that results in ?c
    bool sequences_allowed_ = false;            // `depends(?use, ?p)`: without `...` too
    bool whole_blocks_ = false;                 // `total(?x)` is about a block, not about its result
    bool in_project_ = false;                   // `?x.#k`: its `?x` is read
    std::optional<OpId> expansion_of_;
    std::optional<std::vector<VariableId>> given_; // on the left side, to a whole function by its calls
    SyntaxId whole_ = UINT32_MAX;                  // the side of the rule that may be a whole function
    std::vector<TermId>* lines_ = nullptr;         // of the block that is being read
    unsigned depth_ = 0;
    bool too_deep_ = false;
    std::size_t errors_before_ = 0;
};

// Reports where the two sides, or operands of one operation, can be seen to have different types.
void check_types(Loading& loading, const Rule& rule);

} // namespace irrewrite::grammar
