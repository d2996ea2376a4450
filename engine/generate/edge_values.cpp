#include "engine/generate/edge_values.hpp"

#include "engine/ir/scalars.hpp"

#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace irrewrite {

namespace {

unsigned width(TypeKind kind) {
    switch (kind) {
    case TypeKind::Bool: return 1;
    case TypeKind::I8:
    case TypeKind::U8: return 8;
    case TypeKind::I16:
    case TypeKind::U16: return 16;
    case TypeKind::I32:
    case TypeKind::U32: return 32;
    default: return 64;
    }
}

constexpr std::array small_integers = {0, 1, 2, -1, 3, -2, 4, 5, 7, 8, -3, 10, 16};

std::uint64_t draw_integer(TypeKind kind, Choices& choices, Temper temper) {
    unsigned bits = width(kind);
    auto small = [&] { return static_cast<std::uint64_t>(small_integers[choices.below(small_integers.size())]); };
    if (temper != Temper::Edges) {
        switch (choices.weighted({70, 20, 7, 3})) {
        case 0: return choices.weighted({8, 6, 3, 2, 1});
        case 1: return wrap(kind, small());
        case 2: return wrap(kind, choices.below(2) ? ~0ull << (bits - 1) : ~(~0ull << (bits - 1)));
        default: return wrap(kind, choices.bits());
        }
    }
    switch (choices.weighted({6, 3, 4, 3, 4})) {
    case 0: return wrap(kind, small());
    case 1: { // the least and the greatest, as signed and as unsigned numbers, and their neighbours
        std::uint64_t top = 1ull << (bits - 1);
        std::array<std::uint64_t, 8> edges = {top, top - 1, ~0ull, top + 1, top - 2, ~1ull, 1, 0};
        return wrap(kind, edges[choices.below(edges.size())]);
    }
    case 2: { // powers of two, their neighbours and opposites
        std::uint64_t power = 1ull << choices.below(bits);
        std::uint64_t value = power + choices.below(3) - 1;
        return wrap(kind, choices.below(2) ? ~value + 1 : value);
    }
    case 3: return wrap(kind, choices.below(is_signed(kind) ? bits + 2 : bits + 1)); // shift amounts
    default: return wrap(kind, choices.bits());
    }
}

double float_edge(TypeKind kind, std::uint32_t i) {
    bool narrow = kind == TypeKind::F32;
    using D = std::numeric_limits<double>;
    using F = std::numeric_limits<float>;
    double unit = narrow ? 16777216.0 : 9007199254740992.0; // 2^24, 2^53: odd neighbours round to even
    const std::array<double, 18> edges = {D::quiet_NaN(),
                                          D::infinity(),
                                          narrow ? F::max() : D::max(),
                                          narrow ? F::min() : D::min(),
                                          narrow ? F::denorm_min() : D::denorm_min(),
                                          narrow ? F::epsilon() : D::epsilon(),
                                          1.0 + (narrow ? F::epsilon() : D::epsilon()),
                                          unit,
                                          unit + 2,
                                          unit - 1,
                                          1.0 / 3,
                                          0.1,
                                          0.3,
                                          1e10,
                                          1e-10,
                                          9223372036854775808.0,
                                          2147483648.0,
                                          4503599627370497.5};
    return edges[i % edges.size()];
}
constexpr std::array simple_floats = {0.0, 1.0, -1.0, 2.0, 0.5, 1.5, -0.5, 2.5, 3.0, 10.0, -2.0};

std::uint64_t draw_float(TypeKind kind, Choices& choices, Temper temper) {
    auto simple = [&] { return simple_floats[choices.below(simple_floats.size())]; };
    if (temper == Temper::Moderate) {
        if (choices.likely(40)) return from_double(kind, simple());
        double magnitude = 0.25 + choices.below(1 << 20) / 65536.0;
        return from_double(kind, choices.below(2) ? -magnitude : magnitude);
    }
    switch (choices.weighted({6, 2, 5, 2, 2})) {
    case 0: return from_double(kind, simple());
    case 1: return from_double(kind, -0.0);
    case 2: {
        double edge = float_edge(kind, choices.below(18));
        return from_double(kind, choices.below(2) && !std::isnan(edge) ? -edge : edge);
    }
    case 3: return from_double(kind, choices.below(4001) / 8.0 - 250);
    default:
        std::uint64_t bits = choices.bits();
        if (kind == TypeKind::F32) bits = static_cast<std::uint32_t>(bits);
        return std::isnan(to_double(kind, bits)) ? from_double(kind, std::nan("")) : bits;
    }
}

constexpr std::uint64_t most_scalars = 1000; // of one value, apart from lengths of arrays

// The deepest nest of arrays in a value of the type, whose scalars are few.
std::size_t depth(const Types& types, TypeId type) {
    std::size_t most = 0;
    const TypeKind kind = types.kind(type);
    if (kind == TypeKind::Struct)
        for (const StructField& field : types.fields(type)) most = std::max(most, depth(types, field.type));
    if (kind == TypeKind::Array || kind == TypeKind::Tuple)
        for (TypeId part : types.elements(type)) most = std::max(most, depth(types, part));
    return most + (kind == TypeKind::Array ? 1 : 0);
}

// Lengths with which a value of so many dimensions has few elements.
std::uint64_t longest(std::size_t dimensions) {
    constexpr std::array<std::uint64_t, 9> by_dimensions{5, 5, 5, 5, 4, 3, 2, 2, 2};
    return dimensions < by_dimensions.size() ? by_dimensions[dimensions] : 1;
}

constexpr std::uint64_t most_elements = 1500, most_telling = 40;

class Drawing {
  public:
    Drawing(const Context& context, const Function& function, Choices& choices, Temper temper,
            std::span<const std::uint64_t> lengths)
        : context_(context), choices_(choices), temper_(temper), alike_(choices.rarely(15)) {
        for (const Parameter& param : function.params)
            longest_ = std::min(longest_, longest(depth(context.types, param.type)));
        if (temper != Temper::Edges && choices.rarely(50))
            common_ = std::min<std::uint64_t>(choices.weighted({1, 4, 6, 5, 2, 1}), longest_);
        if (temper != Temper::Edges && !lengths.empty()) draw_telling_length(function, lengths);
    }

    // Counts are mostly what lengths are, and positions below.
    Value argument(TypeId type) {
        if (!common_ || context_.types.kind(type) != TypeKind::I64) return value(type);
        switch (choices_.weighted({60, 25, 15})) {
        case 0: return {*common_, nullptr};
        case 1: return {choices_.below(static_cast<std::uint32_t>(std::max<std::uint64_t>(*common_, 1))), nullptr};
        default: return value(type);
        }
    }

  private:
    void draw_telling_length(const Function& function, std::span<const std::uint64_t> lengths) {
        if (!choices_.rarely(20)) return;
        const std::uint64_t length = lengths[choices_.below(static_cast<std::uint32_t>(lengths.size()))];
        std::uint64_t elements = 1;
        std::size_t dimensions = 0;
        for (const Parameter& param : function.params)
            dimensions = std::max(dimensions, depth(context_.types, param.type));
        for (std::size_t d = 0; d < dimensions; ++d) elements *= length;
        if (elements > most_elements) return;
        common_ = length, longest_ = std::max(longest_, length);
    }
    Value value(TypeId type) {
        const Types& types = context_.types;
        TypeKind kind = types.kind(type);
        if (types.is_scalar(type)) return {scalar(kind), nullptr};
        Value out{0, std::make_shared<std::vector<Value>>()};
        if (kind == TypeKind::Array)
            for (std::uint64_t i = length(types.dim(type)); i > 0; --i)
                out.parts->push_back(value(types.element(type)));
        if (kind == TypeKind::Tuple)
            for (TypeId part : types.elements(type)) out.parts->push_back(value(part));
        if (kind == TypeKind::Struct)
            for (const StructField& field : types.fields(type)) out.parts->push_back(value(field.type));
        return out;
    }
    // Now and then what was drawn before, or its neighbour: comparisons have edges of their own.
    std::uint64_t scalar(TypeKind kind) {
        auto& before = drawn_[static_cast<std::size_t>(kind)];
        std::uint64_t bits;
        if (kind == TypeKind::Bool)
            bits = choices_.below(2);
        else if (!before.empty() && alike_ && !is_float(kind))
            bits = before[0];
        else if (!before.empty() && choices_.rarely(20)) {
            bits = before[choices_.below(static_cast<std::uint32_t>(before.size()))];
            if (!is_float(kind)) bits = wrap(kind, bits + choices_.below(3) - 1);
        } else
            bits = is_float(kind) ? draw_float(kind, choices_, temper_) : draw_integer(kind, choices_, temper_);
        before.push_back(bits);
        return bits;
    }
    std::uint64_t length(Dim dim) {
        if (dim.kind == DimKind::Constant) return static_cast<std::uint64_t>(dim.value);
        auto draw = [&]() -> std::uint64_t {
            return common_ && choices_.likely(90)
                       ? *common_
                       : std::min<std::uint64_t>(choices_.weighted({3, 4, 5, 5, 4, 3}), longest_);
        };
        if (dim.kind != DimKind::Named) return draw();
        auto [it, fresh] = lengths_.try_emplace(dim.value, 0);
        if (fresh) it->second = draw();
        return it->second;
    }

    const Context& context_;
    Choices& choices_;
    Temper temper_;
    std::uint64_t longest_ = 5;
    bool alike_;                          // integers of a type are one number
    std::optional<std::uint64_t> common_; // what most lengths and counts are: those that must agree do
    std::array<std::vector<std::uint64_t>, 11> drawn_;
    std::unordered_map<std::int64_t, std::uint64_t> lengths_;
};

} // namespace

std::vector<std::uint64_t> float_edges(TypeKind kind) {
    std::vector<std::uint64_t> out;
    auto add = [&](double x) {
        std::uint64_t bits = from_double(kind, x);
        if (std::ranges::find(out, bits) == out.end()) out.push_back(bits);
    };
    for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0}) add(x);
    for (std::uint32_t i = 0; i < 18; ++i) add(float_edge(kind, i));
    for (double x : simple_floats) add(x);
    for (std::uint32_t i = 1; i < 18; ++i) add(-float_edge(kind, i));
    return out;
}

std::uint64_t draw_scalar(TypeKind kind, Choices& choices, Temper temper) {
    if (kind == TypeKind::Bool) return choices.below(2);
    return is_float(kind) ? draw_float(kind, choices, temper) : draw_integer(kind, choices, temper);
}

std::vector<std::uint64_t> telling_lengths(std::span<const std::uint64_t> numbers) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t number : numbers)
        for (std::uint64_t length : {number - 1, number, number + 1, 2 * number, 2 * number + 1})
            if (number > 1 && number <= most_telling && length <= most_telling &&
                std::ranges::find(out, length) == out.end())
                out.push_back(length);
    return out;
}

bool can_be_drawn(const Types& types, TypeId type) {
    const auto is_other = [&](TypeId part) {
        const TypeKind kind = types.kind(part);
        return !types.is_scalar(part) && kind != TypeKind::Struct && kind != TypeKind::Array && kind != TypeKind::Tuple;
    };
    return !any_type_within(types, type, is_other) && scalars_within(types, type, most_scalars + 1) <= most_scalars;
}

std::vector<Value> draw_arguments(const Context& context, const Function& function, Choices& choices, Temper temper,
                                  std::span<const std::uint64_t> lengths) {
    Drawing drawing(context, function, choices, temper, lengths);
    std::vector<Value> out;
    for (const Parameter& param : function.params) out.push_back(drawing.argument(param.type));
    return out;
}

namespace {

// Calls f for every scalar inside a value; makes the value the only owner of its elements first.
template <class F> void for_each_scalar(const Types& types, TypeId type, Value& value, F&& f) {
    if (types.is_scalar(type)) return f(type, value);
    if (!value.parts) return;
    value.parts = std::make_shared<std::vector<Value>>(*value.parts);
    for (std::size_t i = 0; i < value.parts->size(); ++i) {
        TypeKind kind = types.kind(type);
        TypeId part = kind == TypeKind::Tuple    ? types.elements(type)[i]
                      : kind == TypeKind::Struct ? types.fields(type)[i].type
                                                 : types.element(type);
        for_each_scalar(types, part, (*value.parts)[i], f);
    }
}

constexpr std::uint64_t draws = 400;
constexpr std::size_t attempts = 300;

} // namespace

// Shorter arrays and simpler choices first, then each number as simple as it may be.
void simplify_arguments(const Context& context, const Function& function, Temper temper, std::uint64_t seed,
                        FunctionRef<bool(std::vector<Value>)> differs, std::vector<Value>& arguments,
                        std::span<const std::uint64_t> lengths) {
    for (std::uint64_t i = 0; i < draws; ++i) {
        Choices values(mix(seed, 99000 + i));
        if (!differs(draw_arguments(context, function, values, temper, lengths))) continue;
        auto fails = [&](Tape& tape) {
            Choices replayed(tape);
            return differs(draw_arguments(context, function, replayed, temper, lengths));
        };
        Choices simplest(shrink(values.taken(), fails, attempts));
        arguments = draw_arguments(context, function, simplest, temper, lengths);
        break;
    }
    std::vector<std::pair<TypeKind, Value*>> scalars;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        for_each_scalar(context.types, function.params[i].type, arguments[i],
                        [&](TypeId type, Value& value) { scalars.emplace_back(context.types.kind(type), &value); });
    for (auto [kind, value] : scalars) {
        std::uint64_t original = value->bits;
        for (double simple : {0.0, 1.0, 2.0, -1.0, 3.0, -2.0, 0.5, 4.0, 5.0}) {
            if (kind == TypeKind::Bool && simple != 0) break;
            if (!is_float(kind) && simple != std::floor(simple)) continue;
            value->bits = is_float(kind) ? from_double(kind, simple)
                                         : wrap(kind, static_cast<std::uint64_t>(static_cast<std::int64_t>(simple)));
            if (value->bits == original || differs(arguments)) break;
            value->bits = original;
        }
    }
}

} // namespace irrewrite
