#include "engine/check/tolerance.hpp"

#include "engine/ir/scalars.hpp"

#include <cmath>

namespace irrewrite {

namespace {
constexpr double tolerance_f64 = 1e-9, tolerance_f32 = 1e-4, least_moderate = 1e-6, most_moderate = 1e6;
}

bool is_moderate(const FloatRange& met) { return met.within(least_moderate, most_moderate); }

bool is_close(const Types& types, TypeId type, const Value& a, const Value& b, const FloatRange& met) {
    TypeKind kind = types.kind(type);
    if (types.is_scalar(type) && a.bits == b.bits) return true; // an infinity, say, that was handed on
    if (types.is_float(type)) {
        double tolerance = kind == TypeKind::F32 ? tolerance_f32 : tolerance_f64;
        return std::fabs(to_double(kind, a.bits) - to_double(kind, b.bits)) <= tolerance * std::max(1.0, met.most);
    }
    if (types.is_scalar(type)) return false;
    if (!a.parts || !b.parts) return equal(types, type, a, b);
    if (a.parts->size() != b.parts->size()) return false;
    for (std::size_t i = 0; i < a.parts->size(); ++i) {
        TypeId part = kind == TypeKind::Tuple    ? types.elements(type)[i]
                      : kind == TypeKind::Struct ? types.fields(type)[i].type
                                                 : types.element(type);
        if (!is_close(types, part, (*a.parts)[i], (*b.parts)[i], met)) return false;
    }
    return true;
}

// All of it is printed, in its order, among other lines.
bool prints_more(std::string_view less, std::string_view more) {
    const auto take_line = [](std::string_view& text) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        return line;
    };
    while (!less.empty()) {
        const std::string_view due = take_line(less);
        do
            if (more.empty()) return false;
        while (take_line(more) != due);
    }
    return true;
}

} // namespace irrewrite
