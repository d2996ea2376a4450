// Plain trees, and what strategies mean on them: the reference for tests/unit/test_strategies.cpp.
//
// The rules are `fk gh ld km ff` below; every one uses something up, so that repeating them ends.
#pragma once

#include "engine/ir/graph.hpp"
#include "tests/random/random_program.hpp"

#include <random>
#include <span>

namespace irrewrite {

Decisions random_choices(std::mt19937& random);

// Where the choices end, the simplest is taken.
class Chooser {
  public:
    explicit Chooser(const Decisions& choices) : choices_(choices) {}
    unsigned below(unsigned n) { return next_ < choices_.size() ? choices_[next_++] % n : 0; }

  private:
    const Decisions& choices_;
    std::size_t next_ = 0;
};

struct Tree {
    std::string op;
    std::vector<Tree> parts;
    bool operator==(const Tree&) const = default;
};
std::string text(const Tree& tree);
Tree tree_of(const Graph& graph, NodeId node);
// Leaves are numbered one by one, or, with `sharing`, take one of three numbers.
Tree random_tree(Chooser& choose, bool sharing);

struct Spec {
    std::string name; // ";", "<+", "<", a rule, or what is called with the parts
    std::vector<Spec> parts;
};
std::string text(const Spec& strategy);

// What there is, and what each takes: any strategy, or one that uses something up.
struct Combinator {
    const char *name, *takes; // of each argument: 's' or 'p'
};
std::span<const Combinator> combinators();
Spec random_call(const Combinator& combinator, Chooser& choose, unsigned depth);
Spec random_strategy(Chooser& choose, unsigned depth);

// The declarations and rules, as a rule file.
extern const char* const tree_rules;
// `yes` of what the strategy makes of the tree, or `w` of the tree where it fails.
Tree on_tree(const Spec& strategy, const Tree& tree);

} // namespace irrewrite
