// Literals that are attributes of operations, `rotated[#k](?x)`: what is proven must hold for all of them. So such an operation is
// taken as one that has them as operands, behind its own.
#pragma once

#include "engine/check/check.hpp"

#include <map>

namespace irrewrite {

class OpenAttributes {
  public:
    explicit OpenAttributes(RuleWorld& world) : world_(world) {}

    // The rule with operations that are added to the world, and with what it computes for literals in their places. As it
    // is, where an operation has no such form: it has no expansion, or attributes that are no numbers.
    Rule opened(const Rule& rule);

  private:
    bool open(Rule& rule);
    std::optional<OpId> opened(OpId op);

    RuleWorld& world_;
    std::map<OpId, std::optional<OpId>> known_;
};

} // namespace irrewrite
