// The order of values, sorting by it, and hashes of values.

#include "engine/interpret/interpreter.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <numeric>

namespace irrewrite {

namespace {

template <class T> int order(T a, T b) { return a < b ? -1 : b < a ? 1 : 0; }

int scalar_order(TypeKind kind, std::uint64_t a, std::uint64_t b) {
    if (is_signed(kind)) return order(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    if (!is_float(kind)) return order(a, b);
    const double x = to_double(kind, a), y = to_double(kind, b);
    return x < y ? -1 : y < x ? 1 : static_cast<int>(x != x) - static_cast<int>(y != y);
}

// Lexicographic. NaNs are equal, and behind all numbers; zeros are equal.
int value_order(const Types& types, TypeId type, const Value& a, const Value& b) {
    if (!a.parts || !b.parts) return scalar_order(types.kind(type), a.bits, b.bits);
    const std::size_t n = std::min(a.parts->size(), b.parts->size());
    for (std::size_t i = 0; i < n; ++i)
        if (const int found = value_order(types, part_type(types, type, i), (*a.parts)[i], (*b.parts)[i])) return found;
    return order(a.parts->size(), b.parts->size());
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

// Emitted code computes the same numbers.
std::uint64_t value_hash(const Types& types, TypeId type, const Value& value) {
    if (!value.parts) {
        const TypeKind kind = types.kind(type);
        const double number = is_float(kind) ? to_double(kind, value.bits) : 1;
        return mixed(0, number != number ? ~std::uint64_t{0} : number == 0 ? 0 : value.bits);
    }
    const std::vector<Value>& parts = *value.parts;
    std::uint64_t hash = 0;
    const bool is_array = types.kind(type) == TypeKind::Array;
    if (is_array && types.element(type) == types.u8()) { // eight bytes at a time
        for (std::size_t i = 0; i < parts.size(); i += 8) {
            std::uint64_t word = 0;
            for (std::size_t k = 0; k < 8 && i + k < parts.size(); ++k) word |= parts[i + k].bits << 8 * k;
            hash = mixed(hash, word);
        }
    } else {
        for (std::size_t i = 0; i < parts.size(); ++i)
            hash = mixed(hash, value_hash(types, part_type(types, type, i), parts[i]));
    }
    return is_array ? mixed(hash, parts.size()) : hash;
}

bool compare(Site& site) {
    const int found = value_order(site.machine.types(), site.type(0), site[0], site[1]);
    return site.give({static_cast<std::uint64_t>(static_cast<std::int64_t>(found)), nullptr});
}

bool hash(Site& site) { return site.give({value_hash(site.machine.types(), site.type(0), site[0]), nullptr}); }

// The positions of the elements in ascending order, of equal ones in their own.
std::vector<std::uint64_t> sorted_positions(Site& site) {
    const std::span<const Value> values = site.array(0);
    const Types& types = site.machine.types();
    const TypeId type = types.element(site.type(0));
    std::vector<std::uint64_t> positions(values.size());
    std::iota(positions.begin(), positions.end(), std::uint64_t{0});
    std::ranges::stable_sort(positions, [&](std::uint64_t a, std::uint64_t b) {
        return value_order(types, type, values[a], values[b]) < 0;
    });
    site.machine.outcome.work.elements += values.size() * static_cast<std::size_t>(std::bit_width(values.size()));
    return positions;
}

bool argsort(Site& site) {
    Buffer result(site.machine);
    for (std::uint64_t position : sorted_positions(site))
        if (!result.push({position, nullptr})) return false;
    return site.give(result);
}

bool sort(Site& site) {
    Buffer result(site.machine);
    for (std::uint64_t position : sorted_positions(site))
        if (!result.push(site.array(0)[position])) return false;
    return site.give(result);
}

constexpr Meaning order_table[] = {{"compare", compare}, {"hash", hash}, {"argsort", argsort}, {"sort", sort}};

} // namespace

std::span<const Meaning> order_meanings() { return order_table; }

} // namespace irrewrite
