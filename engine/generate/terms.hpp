// Random well-typed terms over all pure operations that the evaluator knows, and the parameters of the enclosing
// function.
//
// An operation is chosen, its signature solved for the wanted type (engine/generate/open_types.hpp), and its operands
// and blocks are terms again. Operators that an operation combines with are associative and come with their neutral
// element; both are found by tests on the primitives, not by name.
#pragma once

#include "engine/generate/literals.hpp"
#include "engine/generate/open_types.hpp"
#include "engine/generate/parameters.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// The operations that terms are made of; the same for all instances of a run.
class Vocabulary {
  public:
    // Of the operations that have a meaning through their expansion in `base`: those that make values of a type that is
    // another one from a phase on, or all of them.
    enum class Expansions { OfDelayedTypes, All };
    explicit Vocabulary(Context& context, const RuleBase* base = nullptr, Expansions which = Expansions::All);

    // And those without a meaning that make values of types without values: terms that rules may know.
    // `often`: they stand in half of the places of such types.
    void add_constructors(const Context& context, const RuleBase& base, bool often = false);
    bool constructs_often() const { return constructs_often_; }

    std::span<const OpId> operations() const { return operations_; } // pure ones with a meaning
    struct Combiner { // x ⊕ y is op(x, y); where there is a choice, choice(op(y, neutral), x, y)
        OpId op;
        std::uint64_t neutral; // bits of a literal; of arrays it is the empty one
        OpId choice;
        std::vector<Combiner> parts{}; // of a tuple: element by element
    };
    // For values of this type.
    std::span<const Combiner> combiners(const Types& types, TypeId type) const {
        if (types.kind(type) == TypeKind::Array) return array_combiners_;
        return types.is_scalar(type) ? std::span<const Combiner>(combiners_[type.index]) : std::span<const Combiner>();
    }

  private:
    void add_scalars(const Context& context, OpId op);
    void add_last(const Context& context);

    std::vector<OpId> operations_;
    bool constructs_often_ = false;
    std::array<std::vector<Combiner>, 11> combiners_; // by scalar type
    std::vector<Combiner> array_combiners_;
};

// The block whose operator is associative, if the operation has one; and which component's neutral element
// stands at an operand, if any.
std::optional<std::size_t> combining_block(const Operation& operation);
std::optional<std::size_t> neutral_operand(const Operation& operation, const OpenCall& call, std::size_t operand);

NodeId empty_array(Builder& builder, TypeId type); // of that type

// Number `k` of a selection of at most `most` tuples of literals.
struct LiteralPick {
    std::size_t k, most;
};

struct Continuation; // engine/generate/continuations.hpp

struct TermStyle {
    Palette palette;
    bool plain = false;                // parameters alone where a type has them
    bool symbolic = false;             // functions of a pattern are unknown functions
    bool repeating = false;            // these take each of their operands twice
    bool calm = true;                  // nothing that may fault
    bool moderate = false;             // floats are neither large nor tiny
    bool regular = false;              // generators and emissions are nearly all of the plainest kind
    bool built = false;                // literals, and operations that make opaque types, as far as there are some
    bool sized = false;                // loops run as often as a parameter says, and functions have loops inside
    unsigned depth = 2;                // of nested operations
    std::vector<AttrValue> literals{}; // that the rule itself mentions, and their neighbours
    LiteralSearch* search = nullptr;   // of what the rule's literals may be
    std::optional<LiteralPick> pick{}; // of what it finds
    const std::vector<Continuation>* continuations =
        nullptr; // what lets other rules apply to the result; none: nothing does
};

class TermGenerator {
  public:
    TermGenerator(const Vocabulary& vocabulary, Function& function, Builder& builder, Choices& choices,
                  const TermStyle& style)
        : vocabulary_(vocabulary), context_(builder.graph().context()), function_(function), builder_(builder),
          graph_(builder.graph()), choices_(choices), parameters_(function, graph_, choices), style_(style) {}

    // A new parameter of the function. Its name is a hint; the lengths that the type leaves open are chosen.
    NodeId param(TypeId type, SymbolId name = {}) { return parameters_.add(type, name); }
    NodeId literal(TypeId scalar);
    // A text, or an array, tuple or struct of literals. None: the type has none.
    std::optional<NodeId> constant(TypeId type);
    // A term over the function's parameters, new ones among them, and `locals`. None: there is no such term.
    std::optional<NodeId> term(TypeId type, unsigned depth, SymbolId name = {});
    std::optional<NodeId> built(TypeId type, unsigned depth); // no parameter, where the style wants none
    std::optional<NodeId> term(TypeId type) { return term(type, style_.depth); }
    // The result of a block as a term over its parameters, `holes`, and values from outside.
    std::optional<NodeId> body(TypeId type, std::span<const NodeId> holes);

    // A number or a truth value that faults where one of the holes, or else a parameter, is 0; none: the type is
    // another.
    std::optional<NodeId> doubtful(TypeId type, std::span<const NodeId> holes);
    // An operation that results in the type; none: there is none.
    std::optional<NodeId> operation(TypeId type, unsigned depth);
    // An operation on `node`, and on leaves.
    std::optional<NodeId> through(TypeId type, NodeId node);
    // The same as `body` with a block that runs many times.
    std::optional<NodeId> repeating(TypeId type, std::span<const NodeId> holes);

    // An associative operator for values of these types, one for each component; none: there is none.
    std::optional<std::vector<Vocabulary::Combiner>> combine(std::span<const TypeId> types);
    // ⊕ applied to two lists of values.
    std::vector<NodeId> combined(std::span<const Vocabulary::Combiner> combiner, std::span<const NodeId> left,
                                 std::span<const NodeId> right);
    NodeId neutral(const Vocabulary::Combiner& combiner, TypeId type);

    // Names for the parameters of a block.
    std::vector<SymbolId> names(std::span<const TypeId> types);
    std::vector<NodeId> locals;               // parameters of enclosing blocks that terms may use
    bool total = false;                       // nothing may fault here, whatever the style
    bool risky = false;                       // here much may, whatever the style
    bool reluctant = false;                   // what is wanted is asked for where a test holds that mostly does not
    void want(std::span<const NodeId> nodes); // of them, what should be used more than others

    // While it lives, terms use no parameters of blocks: what a generator starts from is known before its loop runs.
    class Outside {
      public:
        Outside(TermGenerator& terms, bool active) : terms_(terms), active_(active) {
            if (active_) std::swap(saved_, terms_.locals);
        }
        ~Outside() {
            if (active_) std::swap(saved_, terms_.locals);
        }
        Outside(const Outside&) = delete;

      private:
        TermGenerator& terms_;
        bool active_;
        std::vector<NodeId> saved_;
    };

  private:
    std::optional<NodeId> body(TypeId type, std::span<const NodeId> holes, unsigned depth);
    std::optional<NodeId> existing(TypeId type, std::span<const NodeId> among);
    std::optional<NodeId> wanted_one(TypeId type);
    std::vector<NodeId> wanted_here() const;
    std::optional<NodeId> guarded(TypeId emission, unsigned depth);
    std::optional<NodeId> test();
    std::optional<NodeId> of_emission(TypeId type, unsigned depth);
    struct Given { // what stands at an operand of the signature
        std::size_t operand;
        NodeId node;
    };
    std::optional<OpenCall> fitting(const Operation& operation, TypeId type, std::optional<OpenTypes>& types);
    std::optional<NodeId> call(OpId op, TypeId type, unsigned depth, std::optional<Given> given = {});
    AttrId attributes(const Operation& operation, TypeId type);
    std::optional<std::vector<BlockId>> blocks(const Operation& operation, OpenTypes& types, OpenCall& call,
                                               unsigned depth, std::span<const Vocabulary::Combiner> combiner);
    bool suits(const Operation& operation, TypeId type, unsigned depth) const;
    bool calm() const { return total || (style_.calm && !risky); }

    const Vocabulary& vocabulary_;
    Context& context_;
    Function& function_;
    Builder& builder_;
    Graph& graph_;
    Choices& choices_;
    Parameters parameters_;
    const TermStyle& style_;
    std::vector<NodeId> wanted_;
    unsigned nested_ = 0;          // blocks
    bool guarded_ = false;         // a test holds here
    bool converting_ = false;      // what is wanted, to a type that is due
    std::optional<bool> guards_{}; // what is wanted is emitted where a test holds
    std::optional<NodeId> test_{}; // this one
};

} // namespace irrewrite
