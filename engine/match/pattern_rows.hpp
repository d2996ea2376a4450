// Left sides of rules as rows of tests on registers.
//
// A register is a position below the node at which a rule is tried: register 0 is the node, every other one an operand
// of another register. The rows of one root operation share their registers, so that each node is loaded once for all
// rules. A pattern with operands in either order yields a row for each order, in the order in which the plain matcher
// (engine/match/matcher.hpp) tries them.
//
// A row that is `whole` is equivalent to its left side: if its tests hold, the registers are the bindings. For any
// other left side (blocks, `...`, types with variables) a row has only necessary conditions, the guards; the plain
// matcher does the rest.
#pragma once

#include "engine/rules/rule.hpp"

#include <array>

namespace irrewrite {

using Register = std::uint8_t;
inline constexpr std::size_t max_registers = 32;
inline constexpr Register no_register = UINT8_MAX;
inline constexpr unsigned max_choices = 4;                // of orders of operands in one rule
inline constexpr std::size_t max_rows = 1 << max_choices; // of one rule

// The registers of one root operation.
class Places {
  public:
    struct Place {
        Register parent;
        std::uint16_t operand;
    };
    std::optional<Register> find_or_add(Register parent, std::size_t operand); // none: too many
    const Place& operator[](Register r) const { return list_[r]; }
    std::size_t size() const { return list_.size(); }

  private:
    std::vector<Place> list_{{no_register, 0}};
};

// A numeral as the attributes of a literal, by scalar type; none where it does not fit the type.
using Numeral = std::array<AttrId, static_cast<std::size_t>(TypeKind::F64) + 1>;

struct Test {
    enum class Kind : std::uint8_t {
        Load,      // reg = operand `operand` of from; fails where there is none
        Count,     // reg has `argument` operands
        Op,        // reg's operation is `argument`
        OneOf,     // reg's operation is in Row::operations[argument]
        Distinct,  // reg and from are two nodes
        Same,      // reg and from are one node
        Class,     // reg's type is of TypeClass `argument`
        Known,     // reg's type agrees with type `argument`
        Exact,     // reg's type is `argument`
        Number,    // reg, a literal, is a number
        Literal,   // reg, a literal, has attributes `argument`
        Numeral,   // reg, a literal, is Row::numerals[argument]
        Attribute, // attribute `operand` of reg is that of Row::attributes[argument]
        Callee,    // reg, a call, calls `argument`
        Field,     // reg selects field `argument`
    };
    Kind kind;
    Register reg = 0, from = 0;
    std::uint16_t operand = 0;
    std::uint32_t argument = 0;
};

// A necessary condition of a row: the operation of a register, or the attributes of a literal in it.
struct Guard {
    Register reg;
    bool literal = false;
    std::vector<std::uint32_t> allowed; // OpId or AttrId, ascending
};

struct Row {
    RuleId rule;
    bool whole = true;
    std::vector<Test> tests{};
    std::vector<Guard> guards{};
    std::vector<Register> variables{}; // by variable: what it is bound to, or no_register
    std::vector<std::vector<OpId>> operations{};
    std::vector<Numeral> numerals{};
    std::vector<AttrTerm> attributes{};
};

// The rows of a rule with one root, where that is of operation `root`.
std::vector<Row> rows(Context& context, const RuleBase& base, RuleId rule, OpId root, Places& places);

// True if the tests hold. Registers that were loaded keep their values.
bool holds(const Row& row, const Graph& graph, std::span<NodeId> registers);

} // namespace irrewrite
