#include "engine/generate/sized_arguments.hpp"

#include "engine/generate/edge_values.hpp"
#include "engine/support/hash.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr std::uint64_t most_elements = 100'000;
constexpr std::uint64_t few = 3; // elements of an array whose length is not the size

class Sized {
  public:
    Sized(const Context& context, std::uint64_t shape, std::uint64_t contents, std::uint64_t size)
        : types_(context.types), shape_(shape), contents_(contents), size_(size) {}

    Value argument(std::uint64_t parameter, TypeId type) {
        place_ = mix(parameter, 1);
        if (types_.kind(type) == TypeKind::I64) return {count(mix(shape_, place_)), nullptr};
        return value(type, place_);
    }
    bool is_too_large() const { return elements_ > most_elements; }

  private:
    // A count, a position in the array, or a small number.
    std::uint64_t count(std::uint64_t seed) const {
        Choices choices(seed);
        switch (choices.weighted({50, 20, 30})) {
        case 0: return size_;
        case 1: return size_ - 1;
        default: return 1 + choices.below(3);
        }
    }
    std::uint64_t length(Dim dim, std::uint64_t place) const {
        if (dim.kind == DimKind::Constant) return static_cast<std::uint64_t>(dim.value);
        const auto name = static_cast<std::uint64_t>(dim.value);
        Choices choices(mix(shape_, dim.kind == DimKind::Named ? mix(name, 2) : mix(place, 3)));
        return choices.likely(80) ? size_ : few;
    }
    // `place`: of what it is a part. Lengths are those of the place: rows are equally long.
    Value value(TypeId type, std::uint64_t index) {
        const TypeKind kind = types_.kind(type);
        if (types_.is_scalar(type)) return {scalar(kind, index), nullptr};
        Value out{0, std::make_shared<std::vector<Value>>()};
        const std::uint64_t around = place_;
        place_ = mix(place_, 5);
        if (kind == TypeKind::Array)
            for (std::uint64_t i = 0, n = length(types_.dim(type), place_); i < n && !is_too_large(); ++i, ++elements_)
                out.parts->push_back(value(types_.element(type), mix(index, i)));
        if (kind == TypeKind::Tuple)
            for (TypeId part : types_.elements(type)) place_ += golden, out.parts->push_back(value(part, index));
        if (kind == TypeKind::Struct)
            for (const StructField& field : types_.fields(type))
                place_ += golden, out.parts->push_back(value(field.type, index));
        place_ = around;
        return out;
    }
    // Integers of an array are few, or below the size.
    std::uint64_t scalar(TypeKind kind, std::uint64_t index) const {
        const bool spread = Choices(mix(shape_, mix(place_, 4))).below(2);
        Choices choices(mix(contents_, mix(place_, index)));
        if (kind == TypeKind::I64) return choices.below(spread ? static_cast<std::uint32_t>(size_) : few);
        return draw_scalar(kind, choices, Temper::Moderate);
    }

    const Types& types_;
    std::uint64_t shape_, contents_, size_;
    std::uint64_t place_ = 0, elements_ = 0;
};

} // namespace

std::optional<std::vector<Value>> sized_arguments(const Context& context, const Function& function, std::uint64_t shape,
                                                  std::uint64_t contents, std::uint64_t size) {
    Sized sized(context, shape, contents, size);
    std::vector<Value> out;
    for (std::size_t i = 0; i < function.params.size(); ++i) out.push_back(sized.argument(i, function.params[i].type));
    if (sized.is_too_large()) return std::nullopt;
    return out;
}

} // namespace irrewrite
