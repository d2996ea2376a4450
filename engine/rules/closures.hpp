// The environment of a strategy where it is applied: arguments of definitions, and strategies that `rec` bound.
#pragma once

#include "engine/rules/rule.hpp"

#include <map>

namespace irrewrite {

using EnvironmentId = std::uint32_t; // 0: nothing is bound

// A strategy and what its names mean. `once`: oncetd of the strategy, for outermost.
struct Closure {
    StrategyId strategy;
    EnvironmentId environment = 0;
    bool once = false;
    auto operator<=>(const Closure&) const = default;
};

struct Environment {
    static constexpr std::uint32_t none = UINT32_MAX;
    EnvironmentId parent = 0;
    std::uint32_t recursion = none; // the name that `rec` bound
    std::vector<Closure> args;      // of a definition; of `rec`: its body
    std::vector<NodeId> nodes;      // of a definition's parameters that are terms
    auto operator<=>(const Environment&) const = default;
};

// Equal environments are one.
class Environments {
  public:
    EnvironmentId add(Environment environment) {
        auto [it, fresh] = index_.try_emplace(environment, static_cast<EnvironmentId>(all_.size()));
        if (fresh) all_.push_back(std::move(environment));
        return it->second;
    }
    const Environment& operator[](EnvironmentId id) const { return all_[id]; }

  private:
    std::vector<Environment> all_{Environment{}};
    std::map<Environment, EnvironmentId> index_;
};

} // namespace irrewrite
