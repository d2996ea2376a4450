// A fast path for function bodies that are straight lines: `%x = op(…)` in order of use, without blocks, calls and
// effects, closed by `return`. One pass takes such a text to the graph, without a syntax tree; it makes the same nodes
// as elaboration (grammar/program/body.hpp), in the same order.
//
// It never reports anything. At anything that it does not know, a mistake or a block, it gives up, and the body is read
// by the parser.
#pragma once

#include "engine/ir/infer_types.hpp"
#include "engine/ir/module.hpp"
#include "grammar/program/value_names.hpp"
#include "grammar/syntax/syntax.hpp"

#include <array>
#include <bit>
#include <type_traits>

namespace irrewrite::grammar {

// The functions of one file whose bodies were read this way, in the order of the text.
struct StraightFunctions {
    std::deque<Function> functions;
    std::vector<std::uint32_t> begins; // of their bodies
};

class StraightReader {
  public:
    StraightReader(Context& context, SourceId source);

    // The body that begins with the brace at `begin`, for a function whose header is declared.
    // Its end; none: given up, and the function is not to be used.
    std::optional<std::uint32_t> read(Function& function, std::uint32_t begin);

  private:
    static constexpr std::size_t most_operands = 4;
    static constexpr unsigned deepest = 32;

    struct Numeral { // without a suffix: others decide its type
        std::uint32_t begin, end;
        std::uint32_t small; // its value, where it is plain, not negative and small
        bool is_float;       // it says so itself
    };
    struct Word { // `add`, `mat.mul`
        std::string_view text;
        std::uint64_t bytes = 0; // all of it, where it is short
    };
    struct Use {                 // of a name with so many operands
        std::uint64_t bytes = 0; // the name, where it is short
        SymbolId name;           // else
        std::uint32_t operands = 0;
        OpId op;                                               // none: not for here
        bool lengths = false;                                  // the result's type depends on the operands' values
        bool given = false;                                    // it may be an attribute
        bool judged = false;                                   // some results may not be asked for (may_give)
        std::array<std::uint8_t, 1u << most_operands> typed{}; // indices into typed_, by which operands are numerals
    };
    // An operation on operands of these types; none: a numeral.
    struct Shape {
        OpId op;
        AttrId attrs;
        std::uint32_t operands = 0;
        std::array<TypeId, most_operands> types{};
        std::uint32_t unused = 0; // up to a whole word
        bool operator==(const Shape& other) const {
            using Words = std::array<std::uint64_t, sizeof(Shape) / 8>;
            const auto a = std::bit_cast<Words>(*this), b = std::bit_cast<Words>(other);
            std::uint64_t different = 0;
            for (std::size_t i = 0; i < a.size(); ++i) different |= a[i] ^ b[i];
            return !different;
        }
    };
    static_assert(std::has_unique_object_representations_v<Shape> && sizeof(Shape) % 8 == 0);
    struct Typed {
        Shape shape;
        std::array<TypeId, most_operands> wanted{}; // of the numerals
        TypeId result;                              // where there are none; none: it is not for here
        bool fits = false;
    };

    // The operands of an operation as they are read, and what is known of it by them.
    struct Operands {
        std::array<NodeId, most_operands> nodes;     // none: it is open
        std::array<Numeral, most_operands> numerals; // of those that are open
        std::uint32_t open = 0;                      // a bit for each numeral that has no type yet
        Shape shape{};
    };

    // Each reader takes the position where its production begins and returns the position where it ends; null: it gives
    // up.
    using Place = const char*;

    // -- the text
    Place blanks(Place at) const;
    Place comments(Place at) const;
    Word word(Place from) const;
    Word dotted_word(Place from, Place at) const;
    Place numeral(Place from, NodeId& node, Numeral& numeral);

    // -- statements and expressions
    Place statements(Place at);
    void forget(Place at);
    Place further(Place at) const; // where to forget next
    Place binding(Place at);
    Place results(Place at);
    // An expression that stands for itself: a numeral gets the type that is due, or its own.
    Place expression(Place at, NodeId& node, TypeId due, bool free);
    Place operand(Place at, NodeId& node, Numeral& numeral, bool free, unsigned depth);
    Place compound(Place at, NodeId& node, bool free, unsigned depth);
    Place application(Place at, const Word& name, NodeId& node, bool free, unsigned depth);
    Place attribute(Place at, TypeId& given);
    Place operand_list(Place at, Operands& operands, unsigned depth);
    AttrId type_attribute(TypeId given);

    // -- types (straight_types.cpp)
    Use& use(const Word& name, std::uint32_t operands);
    Use& other_use(const Word& name, std::uint32_t operands);
    void fill(Use& use, std::string_view name);
    const Typed& typed(Use& use, std::uint32_t open, const Shape& shape) {
        const Typed& last = typed_[use.typed[open]];
        return last.shape == shape ? last : look_up(use, open, shape);
    }
    const Typed& look_up(Use& use, std::uint32_t open, const Shape& shape);
    TypeId admitted(const Use& use, const Shape& shape, TypeId type) const;
    bool build_numerals(Use& use, Operands& operands, bool free);
    NodeId number(const Numeral& numeral, TypeId due);
    NodeId apply(Use& use, const Operands& operands);

    std::string_view slice(const char* from, const char* to) const {
        return {from, static_cast<std::size_t>(to - from)};
    }
    std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - text_.data()); }
    std::uint32_t place(const char* at) const {
        return begin_of_text_ == Sources::nowhere ? Sources::nowhere : begin_of_text_ + offset(at);
    }

    Context& context_;
    SourceId source_;
    std::uint32_t begin_of_text_; // Sources::begin
    std::string_view text_;       // with a zero behind it
    Function* function_ = nullptr;
    Graph* graph_ = nullptr;
    std::uint32_t functions_ = 0; // read so far
    ValueNames names_;
    bool forgets_;                                // what was read
    Place begin_ = nullptr, forget_at_ = nullptr; // of the body
    static constexpr unsigned use_bits = 10;
    std::array<Use, std::size_t{1} << use_bits> uses_{};
    std::array<Typed, 256> typed_{}; // an index is one byte
    struct SmallLiteral {
        std::uint32_t function = 0;
        NodeId node;
    };
    std::array<SmallLiteral, 256> small_{}; // i64 literals of the present function
};

} // namespace irrewrite::grammar
