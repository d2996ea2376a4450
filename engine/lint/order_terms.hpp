// The sides of a rule as plain terms, for termination orders.
//
// Literals and values computed from them are one constant, the least of all; a node that is named on the left is
// replaced by its definition on the right, and so is a variable that a condition builds or matches.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

struct OrderTerm {
    enum class Kind : std::uint8_t {
        Variable, // a metavariable; with `arguments`, a function applied to them
        Param,    // of a block around it
        Symbol,   // an operation, or structure; `arguments`: operands, then bodies
    };
    Kind kind = Kind::Symbol;
    std::uint32_t id = 0; // of the metavariable or the symbol
    std::vector<OrderTerm> arguments{};
    std::size_t operands = 0;            // so many of the arguments; the others are results of blocks
    std::vector<std::uint32_t> params{}; // of its blocks
    bool commutative = false;
    bool sequence = false; // a metavariable that may stand for nothing
    bool repeated = false; // stands under `...`: nobody knows how many there are
};

struct OrderRule {
    RuleId rule;
    OrderTerm left, right; // of several results, the right side is a constant applied to them
};

// Symbols of the rules that are compared; 0 is any literal.
class OrderTerms {
  public:
    explicit OrderTerms(const Lint& lint) : lint_(lint) { names_.push_back("literal"); }

    // None: it has several roots, or applies strategies.
    std::optional<OrderRule> read(RuleId rule);
    std::size_t symbols() const { return names_.size(); }
    const std::string& name(std::uint32_t symbol) const { return names_[symbol]; }

  private:
    struct Reading;
    std::optional<OrderTerm> term(Reading& reading, TermId id, unsigned depth);
    bool arguments(Reading& reading, std::span<const TermId> terms, OrderTerm& out, unsigned depth);
    std::uint32_t symbol(const std::string& name);

    const Lint& lint_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t> index_;
};

} // namespace irrewrite
