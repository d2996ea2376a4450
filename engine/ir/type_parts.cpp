#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace irrewrite {

namespace {

template <class F> void for_each_part(const Types& types, TypeId type, F&& f) {
    switch (types.kind(type)) {
    case TypeKind::Struct:
        for (const StructField& field : types.fields(type)) f(field.type);
        break;
    case TypeKind::Tuple:
    case TypeKind::Array:
    case TypeKind::Results:
    case TypeKind::Generator:
    case TypeKind::Emission:
        for (TypeId part : types.elements(type)) f(part);
        break;
    default: break;
    }
}

bool has_parts(const Types& types, TypeId type) {
    bool any = false;
    for_each_part(types, type, [&](TypeId) { any = true; });
    return any;
}

} // namespace

bool any_type_within(const Types& types, TypeId type, FunctionRef<bool(TypeId)> test) {
    if (test(type)) return true;
    if (!has_parts(types, type)) return false; // most types
    std::unordered_set<TypeId> seen{type};
    std::vector<TypeId> stack{type};
    while (!stack.empty()) {
        const TypeId next = stack.back();
        stack.pop_back();
        bool found = false;
        for_each_part(types, next, [&](TypeId part) {
            if (found || !seen.insert(part).second) return;
            found = test(part);
            stack.push_back(part);
        });
        if (found) return true;
    }
    return false;
}

bool knows_a_length(const Types& types, TypeId type) {
    return any_type_within(types, type, [&](TypeId part) {
        return types.kind(part) == TypeKind::Array && types.dim(part).kind == DimKind::Constant;
    });
}

std::uint64_t scalars_within(const Types& types, TypeId type, std::uint64_t most) {
    std::unordered_map<TypeId, std::uint64_t> counts;
    std::vector<TypeId> stack{type};
    while (!stack.empty()) {
        const TypeId next = stack.back();
        const std::size_t before = stack.size();
        std::uint64_t sum = has_parts(types, next) ? 0 : 1;
        for_each_part(types, next, [&](TypeId part) {
            const auto found = counts.find(part);
            if (found == counts.end())
                stack.push_back(part);
            else
                sum = std::min(most, sum + found->second);
        });
        if (stack.size() > before) continue; // parts first
        counts[next] = sum;
        stack.pop_back();
    }
    return counts[type];
}

} // namespace irrewrite
