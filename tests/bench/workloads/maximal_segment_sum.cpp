// The largest sum of a contiguous segment: four values for each part, joined in order.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
struct Segment {
    std::int64_t best = 0, front = 0, back = 0, sum = 0;
};
std::int64_t compute(std::span<const std::int64_t> xs) {
    const std::int64_t n = std::ssize(xs);
    const int parts = n > 32768 ? omp_get_max_threads() : 1;
    std::vector<Segment> found(static_cast<std::size_t>(parts));
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
        Segment s;
        for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
            const std::int64_t x = xs[static_cast<std::size_t>(i)];
            s.sum += x;
            s.back = std::max<std::int64_t>(s.back + x, 0);
            s.best = std::max(s.best, s.back);
            s.front = std::max(s.front, s.sum);
        }
        found[static_cast<std::size_t>(part)] = s;
    }
    Segment all;
    for (const Segment& s : found)
        all = {std::max({all.best, s.best, all.back + s.front}), std::max(all.front, all.sum + s.front),
               std::max(all.back + s.sum, s.back), all.sum + s.sum};
    return all.best;
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<std::int64_t>;
    return harness::bench(
        argc, argv, [](std::int64_t n) { return harness::integers(n, 1, -1000, 1000); },
        [](const Input& xs) { return hand::compute(xs); }, [](const Input& xs) { return fused::compute(xs); },
        [](const Input& xs) { return unfused::compute(xs); });
}
