#include "engine/check/growth.hpp"

#include "engine/generate/edge_values.hpp"
#include "engine/generate/sized_arguments.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr std::uint64_t least_size = 4, most_size = 256;
constexpr std::size_t sizes_of_all = 3;   // measured of every program
constexpr std::size_t sizes_of_proof = 4; // at least, to say that it grows faster
constexpr double may_grow = 1.15, grows = 1.45, surely_grows = 1.9;
constexpr double more = 1.25; // work after than before, where it is slower

// The ratio of what is done more after to what is done more before, from one size to the next.
double factor(const WorkAtSize& a, const WorkAtSize& b) {
    const auto more = [](std::uint64_t from, std::uint64_t to) {
        return to > from ? static_cast<double>(to - from) : 1.0;
    };
    return more(a.after, b.after) / more(a.before, b.before);
}
// Of the last factor over the one before, which is `k` places before the end.
double growth(std::span<const WorkAtSize> m, std::size_t k = 0) {
    const std::size_t last = m.size() - 1 - k;
    return factor(m[last - 1], m[last]) / factor(m[last - 2], m[last - 1]);
}

} // namespace

std::vector<WorkAtSize> measure_growth(const Context& context, const Function& function, std::uint64_t shape,
                                       std::uint64_t contents, MeasureWork measure) {
    std::vector<WorkAtSize> out;
    const auto drawn = [&](const Parameter& parameter) { return can_be_drawn(context.types, parameter.type); };
    if (!std::ranges::all_of(function.params, drawn)) return out;
    for (std::uint64_t size = least_size; size <= most_size; size *= 2) {
        if (out.size() >= sizes_of_all && (out.back().after <= out.back().before || growth(out) < may_grow)) break;
        auto arguments = sized_arguments(context, function, shape, contents, size);
        auto work = arguments ? measure(std::move(*arguments)) : std::nullopt;
        if (!work) break;
        out.push_back({size, work->first, work->second});
    }
    return out;
}

bool grows_faster(std::span<const WorkAtSize> m) {
    if (m.size() < sizes_of_proof) return false;
    if (static_cast<double>(m.back().after) < more * static_cast<double>(m.back().before)) return false;
    const double now = growth(m), before = growth(m, 1);
    return now >= grows && before >= grows && (now >= before * 0.97 || now >= surely_grows);
}

std::string growth_text(std::span<const WorkAtSize> measured, std::uint64_t WorkAtSize::*work) {
    std::string sizes, counts;
    for (const WorkAtSize& each : measured.last(std::min<std::size_t>(measured.size(), 3)))
        counts += (counts.empty() ? "" : ", ") + std::to_string(each.*work),
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(each.size);
    return counts + " at sizes " + sizes;
}

} // namespace irrewrite
