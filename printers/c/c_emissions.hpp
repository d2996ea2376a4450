// One index of a loop in emitted C: what it emits is walked for all generators together, so that what stands under one
// condition stands in one `if`.
#pragma once

#include "printers/c/c_parts.hpp"

namespace irrewrite::printers {

class CEmissions : public CParts {
  public:
    using CParts::CParts;
    void walk(Region region, std::span<const std::pair<Generator*, NodeId>> list);
    // cells[place] = cells[place] ⊕ values
    void combine(Region region, const Generator& generator, std::span<const std::string> targets,
                 std::span<const TypeId> types, const std::vector<Binding>& values);
    static std::vector<std::string> names(std::span<const Cell> cells);
    static std::vector<TypeId> types(std::span<const Cell> cells);

  private:
    void walk_emits(Region region, EmissionsOf& group);
    void walk_guarded(Region region, NodeId condition, EmissionsOf& group);
    void walk_each(Region region, NodeId each, EmissionsOf& group);
    void step(Region region, Generator& generator, std::vector<Binding> values);
    void step_through(Region region, const Generator& generator, std::vector<Binding> values);
    void step_running(Region region, Generator& generator, const std::vector<Binding>& values);
    void step_fed(Region region, const Generator& generator, std::span<const std::pair<Generator*, NodeId>> list);
    void step_by_key(Region region, const Generator& generator, std::vector<Binding> values);
    void push(const Generator& generator, const Cell& cell, const Binding& value, bool movable);
};

} // namespace irrewrite::printers
