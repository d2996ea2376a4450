// One step of k-means: n points in 4 dimensions, 10 centres.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
// As with the emitted one, its sizes are not known where it is compiled.
[[gnu::noipa]] fused::array<double, 2> compute(const double* points, std::int64_t n, const double* centres,
                                               std::int64_t k, std::int64_t d) {
    std::vector<double> sums(static_cast<std::size_t>(k * d)), counts(static_cast<std::size_t>(k));
    double *s = sums.data(), *c = counts.data();
#pragma omp parallel for reduction(+ : s[:k * d], c[:k]) if (n > 1024)
    for (std::int64_t i = 0; i < n; ++i) {
        const double* p = points + i * d;
        double best = HUGE_VAL;
        std::int64_t nearest = -1;
        for (std::int64_t j = 0; j < k; ++j) {
            double distance = 0;
            for (std::int64_t e = 0; e < d; ++e) {
                const double difference = p[e] - centres[j * d + e];
                distance += difference * difference;
            }
            if (distance < best) best = distance, nearest = j;
        }
        if (nearest < 0) continue;
        for (std::int64_t e = 0; e < d; ++e) s[nearest * d + e] += p[e];
        c[nearest] += 1.0;
    }
    fused::array<double, 2> out(k, d);
    for (std::int64_t j = 0; j < k; ++j)
        for (std::int64_t e = 0; e < d; ++e)
            out.data()[j * d + e] = sums[static_cast<std::size_t>(j * d + e)] / counts[static_cast<std::size_t>(j)];
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<double> points, centres;
        std::int64_t n;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{harness::numbers(4 * n, 1), harness::numbers(40, 2), n};
        },
        [](const Input& in) { return hand::compute(in.points.data(), in.n, in.centres.data(), 10, 4); },
        [](const Input& in) {
            return fused::compute(fused::view<const double, 2>(in.points.data(), in.n, 4),
                                  fused::view<const double, 2>(in.centres.data(), 10, 4));
        },
        [](const Input& in) {
            return unfused::compute(unfused::view<const double, 2>(in.points.data(), in.n, 4),
                                    unfused::view<const double, 2>(in.centres.data(), 10, 4));
        });
}
