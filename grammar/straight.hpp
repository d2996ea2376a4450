// A short way for function bodies that are straight lines: `%x = op(…)` in order of use, without
// blocks, calls and effects, closed by `return`. One pass takes such a text to the graph, without a
// syntax tree; it makes the nodes that elaboration (grammar/body.hpp) would make, in that order.
//
// It never reports anything. Where it meets what it does not know, be it a mistake or a block, it
// gives up, and the body is read as any other.
#pragma once

#include "engine/infer.hpp"
#include "engine/module.hpp"
#include "grammar/syntax.hpp"
#include "grammar/value_names.hpp"

#include <array>
#include <cstring>
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

    struct Operand {
        NodeId node;                  // none: a numeral without a suffix, whose type others decide
        std::uint32_t begin = 0, end = 0; // of the numeral
    };
    struct Use { // of a name with so many operands
        std::uint64_t bytes = 0; // the name, where it is short
        SymbolId name;           // else
        std::uint32_t operands = 0;
        OpId op; // none: not for here
        bool lengths = false; // the result's type depends on the operands' values
        bool given = false;   // it may be an attribute
        bool judged = false;  // some results may not be asked for (may_give)
        std::uint32_t typed = 0, open = 0; // the types of the last one, and of the last with numerals: places in typed_
    };
    // An operation on operands of these types; none: a numeral.
    struct Shape {
        OpId op;
        AttrId attrs;
        std::uint32_t operands = 0;
        std::array<TypeId, most_operands> types{};
        bool operator==(const Shape& other) const { return std::memcmp(this, &other, sizeof other) == 0; }
    };
    static_assert(std::has_unique_object_representations_v<Shape>); // nothing between its parts
    struct Typed {
        Shape shape;
        std::array<TypeId, most_operands> wanted{}; // of the numerals
        TypeId result;                              // where there are none; none: it is not for here
        bool fits = false;
    };

    // -- the text
    void skip_blanks();
    void skip_comments();
    bool accept(char c);
    ValueNames::Name name();
    std::string_view word();
    bool numeral(Operand& operand);

    // -- statements and expressions
    bool statements();
    bool binding();
    bool results();
    // An expression that stands for itself: a numeral gets the type that is due, or its own.
    NodeId expression(TypeId due, bool free);
    bool operand(Operand& operand, bool free, unsigned depth);
    NodeId compound(bool free, unsigned depth);
    NodeId application(std::string_view name, bool free, unsigned depth);
    bool attribute(TypeId& given);
    bool operand_list(std::array<Operand, most_operands>& operands, std::uint32_t& count, unsigned depth);
    AttrId type_attribute(TypeId given);

    // -- types (straight_types.cpp)
    Use& use(std::string_view name, std::uint32_t operands);
    void fill(Use& use, std::string_view name);
    const Typed& typed(const Use& use, std::uint32_t& last, const Shape& shape) {
        return typed_[last].shape == shape ? typed_[last] : look_up(use, last, shape);
    }
    const Typed& look_up(const Use& use, std::uint32_t& last, const Shape& shape);
    TypeId admitted(const Use& use, const Shape& shape, TypeId type) const;
    bool build_numerals(Use& use, Shape& shape, std::span<Operand> operands, bool free);
    NodeId number(const Operand& numeral, TypeId due);
    NodeId apply(Use& use, const Shape& shape, std::span<const Operand> operands);

    std::string_view slice(const char* from, const char* to) const {
        return {from, static_cast<std::size_t>(to - from)};
    }
    std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - text_.data()); }

    Context& context_;
    std::string_view text_; // with a zero behind it
    Function* function_ = nullptr;
    Graph* graph_ = nullptr;
    const char* at_ = nullptr;
    std::uint32_t functions_ = 0; // read so far
    ValueNames names_;
    std::array<Use, 256> uses_{};
    std::array<Typed, 256> typed_{};
    struct SmallLiteral {
        std::uint32_t function = 0;
        NodeId node;
    };
    std::array<SmallLiteral, 256> small_{}; // i64 literals of the present function
};

} // namespace irrewrite::grammar
