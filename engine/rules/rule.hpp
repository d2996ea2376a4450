// Rules, strategies and phases as data: the contents of rule files, names resolved.
//
// A term is a pattern on the left of a rule and a construction on the right. Everything a rule binds has a variable:
// `?x`, `#k`, the parameters of blocks (`%i` in a left block and `%i` in a right block are two variables), and the type
// and dimension variables of annotations.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

using TermId = Id<struct TermTag>;
using StrategyId = Id<struct StrategyTag>;
using VariableId = Id<struct VariableTag>;
using RuleSetId = Id<struct RuleSetTag>;
using PhaseId = Id<struct PhaseTag>;

enum class VariableKind : std::uint8_t {
    Node,    // ?x: a node; with holes when it is applied, ?f(%i): a function of what stands in the holes
    Block,   // {?op}: a whole block; applied on the right, it is inlined, effects included
    Literal, // #k
    Param,   // %i of a block of the pattern or of the result
    Type,    // ?T of an annotation ?x: [?n]?T
    Dim,     // ?n of an annotation; on the right `?n` is the length as an i64
};

struct Variable {
    SymbolId name;
    VariableKind kind = VariableKind::Node;
    bool sequence = false; // stands under `...`
    bool compound = false; // Literal: annotated with an array, a tuple or a struct; a number, text or whole of such
    TypeClass cls{};       // Type: `[]?T: int`
};

enum class TermKind : std::uint8_t {
    Variable, // `variable`; Node: may carry `annotation`; Block variables do not stand alone
    Number,   // a numeral: text in `text`; its type is that of whatever stands there, or its suffix's
    Constant, // true, false, "text": in `constant`
    Node,     // one of `ops` (several: an infix operator with overloads, or overloads by operands);
              // `attrs`, `operands`, `blocks`
    Project,  // operands[0] `.` position: Number, a Literal variable or Compute in operands[1]. Result of several,
              // element of a tuple, or (right side) element of a sequence variable
    Field,    // operands[0] `.` name in `text`
    Parts,    // a sequence that is computed, `sequence_of`; right side and conditions
    Struct,   // struct type in `type`; operands in field order
    Record, // {operands[0] with operands[1...]}: a tuple or struct of its type, of these parts; right side. With `text`,
            // the operands are values with the paths of the parts that change, each a Field
    Apply,  // ?f(operands…): `variable`
    Named,  // (?m = p): `variable`, operands[0]
    Wildcard,
    Compute, // #(operands[0]): operations over literals, right side and conditions
    Count, // count(?xs), results(?gs), count(parts(?x)): the number of items of `variable`, of their `results`, its `parts`
    Strategy, // <s> t: `strategy`, operands[0]; right side and conditions
    Call, // @f(operands…): function name in `text`; in `attrs[0]` where that is a literal of the rule, @#f(operands…)
    Query, // uses(?x), cost(?f), type(?x): `text`, operands[0]; compared in conditions
};

// The sequence that a term of kind Parts is.
enum class SequenceOf : std::uint8_t {
    Parts,   // parts(operands[0])..., parts(operands[0], first, count)...: elements, fields or results
    Range,   // range(operands[0], operands[1])...: the i64 literals of [a, b)
    Reversed // reversed(operands[0])...: the items of a sequence, the last one first
};

struct BlockTerm {
    SymbolId label;
    VariableId whole;               // {?op}
    std::vector<VariableId> params; // a sequence variable among them takes all the rest
    std::vector<SymbolId> names;    // of the parameters, as written
    std::vector<TermId> lines;      // on the right: what is built before the results, in order (Term::line)
    std::vector<TermId> results;
};

struct AttrTerm {
    enum class Kind : std::uint8_t { Constant, Literal, Type } kind = Kind::Constant;
    AttrValue constant{};  // Constant
    VariableId variable{}; // Literal: #k; Type: ?T
    bool open = false;     // Constant number whose type is the attribute's
};

// Which `...` of a node's pattern are equally long (engine/rules/sequence_lengths.hpp): those of one number.
struct Correspondence {
    static constexpr std::uint32_t none = UINT32_MAX;
    using List = std::vector<std::uint32_t>; // by term
    std::uint32_t count = 0;                 // of the numbers
    List operands{};
    std::vector<List> params{}, results{}; // by block
};

struct Term {
    TermKind kind = TermKind::Wildcard;
    bool sequence = false; // `t...`
    SequenceOf sequence_of = SequenceOf::Parts;
    bool results = false;   // Count
    bool parts = false;     // Count
    bool evaluated = false; // Compute: with operations that are not scalar (Context::evaluate)
    bool compares = false;  // Node: `==`, `<` or the like, on a right side: of arrays, tuples and structs, by `compare`
    bool function = false;  // Node: a whole function, or the one that a call makes
    bool line = false; // a line that may have effects: built once, where it stands; elsewhere it is what came of it
    VariableId variable{};
    StrategyId strategy{};
    SymbolId text{};
    TypeId type{};
    AttrValue constant{};
    std::vector<OpId> ops{};
    std::vector<AttrTerm> attrs{};
    std::vector<TermId> operands{};
    std::vector<BlockTerm> blocks{};
    std::vector<Correspondence> correspondences{}; // by operation in `ops`; empty where nothing corresponds
    std::optional<TypeTerm> annotation{};          // variables index Rule::variables (Type, Dim)
    TypeClass annotation_class = TypeClass::Any;   // `?x: int`
    Span where{};
};

struct Condition {
    enum class Kind : std::uint8_t {
        Compare, // a `text` b
        Build,   // variable = a
        Match,   // a ~ b
        Not,
        Or,        // operands
        All,       // operands: each sees what those before it bind
        Predicate, // `text`: pure total uses depends independent once cost type nonzero length …; terms
        Strategy,  // <strategy> a => variable
        Ask,       // variable = what `analysis` says of a
    };
    Kind kind = Kind::Predicate;
    SymbolId text{};
    TermId a{}, b{};
    std::vector<TermId> terms{};
    std::vector<Condition> parts{};
    VariableId variable{};
    StrategyId strategy{};
    std::uint32_t analysis = 0; // in RuleBase::analyses
    Span where{};
};

struct Rule {
    SymbolId name;      // `add-zero`
    SymbolId full_name; // `arith.identities.add-zero`
    RuleSetId set;
    PhaseId at;                      // none: applies when its set does
    std::vector<Term> terms;         // TermId indexes them
    std::vector<Variable> variables; // VariableId indexes them; the set's parameters come first
    std::uint32_t parameters = 0;    // how many of them are parameters of the set
    std::vector<TermId> left;        // more than one: roots joined by `&`
    std::vector<TermId> lines;       // of an expansion, as BlockTerm's
    std::vector<TermId> right;
    std::vector<Condition> conditions;
    bool inexact = false;
    bool applies_strategies = false;                        // `<s> t` stands in it
    std::vector<std::pair<VariableId, VariableId>> lengths; // `#k == count(?a)` holds: ?a, #k
    // In the list of `term` result number `literal` comes from its node (engine/rules/result_places.hpp).
    struct Place {
        TermId term;
        VariableId literal;
        bool is_first; // it is the node's first one
    };
    std::vector<Place> places;
    Span where;

    // It rewrites whole functions, `func @#f { … } => func @#f { … }`.
    bool is_of_functions() const { return !left.empty() && terms[left[0].index].function; }
    // The only one that it rewrites; none: it rewrites any, or no function.
    SymbolId of_function() const {
        if (!is_of_functions()) return {};
        const AttrTerm& function = terms[left[0].index].attrs[0];
        return function.kind == AttrTerm::Kind::Constant ? function.constant.text() : SymbolId{};
    }
    // It may change what a function takes, `func @f(?x, ?y) { … } => func @f(?y) { … }`.
    bool changes_parameters() const {
        if (!is_of_functions() || right.size() != 1) return false;
        const auto& before = terms[left[0].index].operands;
        const auto& after = terms[right[0].index].operands;
        const auto is_same = [&](TermId a, TermId b) {
            const Term &one = terms[a.index], &other = terms[b.index];
            return other.kind == TermKind::Variable && one.variable == other.variable;
        };
        return !std::equal(before.begin(), before.end(), after.begin(), after.end(), is_same);
    }
    // A condition of it asks an analysis.
    bool asks() const {
        const auto ask = [](auto&& self, const Condition& c) -> bool {
            if (c.kind == Condition::Kind::Ask) return true;
            for (const Condition& part : c.parts)
                if (self(self, part)) return true;
            return false;
        };
        for (const Condition& c : conditions)
            if (ask(ask, c)) return true;
        return false;
    }

    const Term& operator[](TermId id) const { return terms[id.index]; }
    const Variable& operator[](VariableId id) const { return variables[id.index]; }
    // Which of its terms are equally long where it stands for `op`; null: nothing corresponds.
    const Correspondence* correspondence(const Term& node, OpId op) const {
        if (node.correspondences.empty()) return nullptr;
        for (std::size_t i = 0; i < node.ops.size(); ++i)
            if (node.ops[i] == op) return &node.correspondences[i];
        return nullptr;
    }
};

struct RuleSet {
    SymbolId name;      // `identities`
    SymbolId full_name; // `arith.identities`
    std::vector<RuleId> rules;
    std::uint32_t parameters = 0;
    bool inexact = false;
    bool ordered = false;            // which of its rules comes first decides what becomes of a term
    std::optional<std::string> ends; // why its rules come to an end, in words
    bool prints = false;             // programs print more with its rules: `prints "why"`
    bool costs = false;              // its rules may do more work than there was: `costs "why"`
    PhaseId at;                      // `rules s at p`
    Span where;
};

// -- strategies -------------------------------------------------------------------------------------

// The primitives; all others are equations over them in rules/strategies.rules, or `Call`s of a
// definition. Success and failure are those of Stratego and Kiama.
struct StrategyNode {
    enum class Kind : std::uint8_t {
        Id,
        Fail,
        Rules,    // the rules of `rules`, first match first, applied at the node; `terms`: arguments
        Sequence, // first ; second
        Choice,   // first <+ second
        If,       // first < second + third
        All,
        One,
        Some,       // over the operands and the results of blocks
        Child,      // `number`, first
        Congruence, // `op`; args: one strategy for each of `number` operands, then one for each block
        Not,
        Test,
        Where,         // succeeds with the original node if first does
        Call,          // definition `definition` with args (strategies)
        Argument,      // parameter `number` of the enclosing definition
        Recursion,     // rec x(s): first; `number` names x
        RecursionCall, // x
        // Traversals the engine runs natively, shared nodes once, without recursion:
        Innermost, // normal form under first: operands first, results again
        Outermost,
        TopDown,
        BottomUp,
        AllTopDown,
        Limit,   // limit(n, s): at most `number` rewrites
        Delayed, // what is registered for this phase
        Delay,   // delay(p, s): registers first for the node at the phase `text`
        Memo,
        Inline, // at a call of a local function: the function's body; `number`: of any function of so many nodes at most
        Unroll,  // at a call of a recursive function with a literal argument: the function's body
        Promote, // at a whole function: cells become values
        Outline, // at a value that an inlined function computes: a call of it
        Log,
        Debug,     // `text`
        Flow,      // flow(first): in program order, under facts; `number`: 1 without speculation
        Choose,    // choose(first, second): what costs less, by what the file of `where` declares
        Speculate, // speculate(first): first, if that costs less
        Saturate, // saturate(first, n): all terms that the rules show to be equal, `number` at most, and the cheapest one
    };
    Kind kind = Kind::Id;
    StrategyId first{}, second{}, third{};
    std::uint32_t number = 0;
    std::vector<StrategyId> args{};
    std::vector<RuleId> rules{};
    std::vector<TermId> terms{}; // arguments of a set or definition that are terms, of the rule `owner`
    RuleId owner{};              // none: the rule that mentions the strategy
    OpId op{};
    std::uint32_t definition = 0;
    SymbolId text{};
    Span where{};
};

struct StrategyDefinition {
    SymbolId name;
    std::vector<SymbolId> parameters; // those that are strategies
    std::vector<bool> is_term;        // of all parameters in order
    RuleId owner;                     // in no set: its variables are the parameters that are terms
    StrategyId body;
    Span where;
};

struct Phase {
    SymbolId name;       // no other one has it: `fused`, or `file.fused` where a file before has a phase `fused`
    StrategyId strategy; // none: `delayed` to a fixpoint
    Span where;
    SymbolId own_name{};  // `fused`
    SymbolId full_name{}; // `fusion.fused`
};

// Phases that run one after another over a whole program, and the sets that normalize meanwhile. All phases of the rule
// files named are one; those that a printer needs are another.
struct Stage {
    std::vector<PhaseId> phases;
    std::vector<RuleSetId> normalize;
};

// The last phase, of models (`-models`): checks alone know it.
inline constexpr std::string_view models_phase = "(models)";

// `type Vec as []f64 at lowering`
struct OpaqueType {
    SymbolId name;
    TypeId as; // none: opaque for good
    SymbolId phase;
};

struct RuleTest {
    SymbolId name;
    RuleId rule; // left => right, or left alone: a rule that is in no set
    bool normal_form = false;
    SymbolId until; // the last phase that runs; none: all do
    Span where;
};

// A fact that a node or effect establishes for the code after it or in one of its blocks. The left side of `rule` is
// the pattern of that node and the term that the fact rewrites, the right side the replacement.
struct Fact {
    RuleId rule;
    bool after; // `after PATTERN`; else in block `block` of it
    std::uint32_t block;
};

// `cost …`: of an application of an operation. The sum over a term is what `choose`, `speculate` and `saturate` compare.
struct CostDeclaration {
    std::vector<OpId> ops; // `cost op mul, div 4`: each of these costs `value`. None: `rule` says what, or it is
                           // `cost per iteration 100`, as often as a loop runs whose length is no literal
    std::uint64_t value = 0;
    RuleId rule; // `cost mat.mul[#n, #m](_, _) = #(#n * #m)`: from the application to its cost
    Span where;
};

// `analysis bits(?T: int) -> (?T, ?T) join {…} holds {…} { rules }`
struct Analysis {
    SymbolId name;
    OpId op;                    // an application stands for what is known of its operand
    OpId join, holds;           // of two values; of an operand and a value
    std::vector<OpId> elements; // `over`: what makes an element of the set of an operand
    std::vector<RuleId> rules;  // from a node to what is known of it, in the order written
    Span where;
};

// Everything the rule files of a run say.
struct RuleBase {
    std::deque<Rule> rules;
    std::deque<RuleSet> sets;
    std::deque<StrategyNode> strategies;
    std::deque<StrategyDefinition> definitions;
    std::deque<Phase> phases; // in the order written
    std::vector<RuleSetId> normalize;
    std::vector<OpaqueType> opaque;
    std::vector<RuleTest> tests;
    std::vector<Fact> facts;
    std::vector<Analysis> analyses;
    std::vector<CostDeclaration> costs; // in the order written; for a strategy, those of its own file come first
    // `op … = { … }` with type variables, blocks or attributes: a rule in no set, from the operation to what it means.
    std::unordered_map<OpId, RuleId> expansions;

    const Rule& operator[](RuleId id) const { return rules[id.index]; }
    const RuleSet& operator[](RuleSetId id) const { return sets[id.index]; }
    const StrategyNode& operator[](StrategyId id) const { return strategies[id.index]; }
    std::optional<std::uint32_t> analysis_of(OpId op) const {
        for (std::uint32_t i = 0; i < analyses.size(); ++i)
            if (analyses[i].op == op) return i;
        return std::nullopt;
    }
    StrategyId add(StrategyNode node) {
        strategies.push_back(std::move(node));
        return {static_cast<std::uint32_t>(strategies.size() - 1)};
    }
};

// The phases that a name, or a name with that of the file, may mean.
inline std::vector<const Phase*> phases_named(const RuleBase& base, SymbolId name) {
    std::vector<const Phase*> found;
    for (const Phase& phase : base.phases)
        if (phase.own_name == name || phase.full_name == name) found.push_back(&phase);
    return found;
}

} // namespace irrewrite
