#include "printers/c_like/used_structs.hpp"

#include "engine/ir/reachability.hpp"

#include <unordered_set>

namespace irrewrite::printers {

namespace {
class UsedStructs {
  public:
    explicit UsedStructs(const Types& types) : types_(types) {}

    // First what stands in it, however deep types are nested.
    void add(TypeId type) {
        std::vector<std::pair<TypeId, bool>> stack{{type, false}};
        while (!stack.empty()) {
            const auto [next, is_done] = stack.back();
            stack.pop_back();
            if (is_done) found.push_back(next);
            if (is_done || !seen_.insert(next).second) continue;
            if (types_.kind(next) == TypeKind::Struct) {
                stack.emplace_back(next, true);
                for (const StructField& field : types_.fields(next)) stack.emplace_back(field.type, false);
            } else
                for (const TypeId part : types_.elements(next)) stack.emplace_back(part, false);
        }
    }

    std::vector<TypeId> found;

  private:
    const Types& types_;
    std::unordered_set<TypeId> seen_;
};
} // namespace

std::vector<TypeId> used_structs(const Module& module, const Types& types) {
    UsedStructs used(types);
    for (const TypeId declared : module.structs) used.add(declared);
    for (const Function& function : module.functions) {
        for (const Parameter& param : function.params) used.add(param.type);
        for (const TypeId result : function.result_types) used.add(result);
        if (function.external) continue;
        for (const NodeId node : reachable(function.graph, roots(function))) used.add(function.graph.type(node));
    }
    return std::move(used.found);
}

} // namespace irrewrite::printers
