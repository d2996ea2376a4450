// One step of PageRank over the links that come in at each page, and how much changes.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
std::tuple<fused::array<double>, double> compute(std::span<const std::int64_t> sources,
                                                 std::span<const std::int64_t> offsets, std::span<const double> ranks,
                                                 std::span<const std::int64_t> degrees) {
    const std::int64_t n = std::ssize(ranks);
    const std::int64_t *from = sources.data(), *first = offsets.data();
    fused::array<double> shares(n), out(n);
    double *share = shares.data(), *to = out.data();
    const double rest = 0.15 / static_cast<double>(n);
    double change = 0;
#pragma omp parallel if (n > 8192)
    {
#pragma omp for simd
        for (std::int64_t i = 0; i < n; ++i) {
            const double degree = static_cast<double>(degrees[static_cast<std::size_t>(i)]);
            share[i] = degree > 0 ? ranks[static_cast<std::size_t>(i)] / degree : 0.0;
        }
#pragma omp for reduction(+ : change)
        for (std::int64_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::int64_t k = first[i]; k < first[i + 1]; ++k) sum += share[from[k]];
            to[i] = rest + 0.85 * sum;
            change += std::abs(to[i] - ranks[static_cast<std::size_t>(i)]);
        }
    }
    return {std::move(out), change};
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<std::int64_t> sources, offsets, degrees;
        std::vector<double> ranks;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            harness::Random random(1);
            Input in;
            in.ranks.assign(static_cast<std::size_t>(n), 1.0 / static_cast<double>(std::max<std::int64_t>(n, 1)));
            in.degrees.assign(static_cast<std::size_t>(n), 0);
            in.offsets.push_back(0);
            for (std::int64_t i = 0; i < n; ++i) {
                for (std::int64_t links = random.below(17); links > 0; --links) {
                    in.sources.push_back(random.below(n));
                    ++in.degrees[static_cast<std::size_t>(in.sources.back())];
                }
                in.offsets.push_back(std::ssize(in.sources));
            }
            return in;
        },
        [](const Input& in) { return hand::compute(in.sources, in.offsets, in.ranks, in.degrees); },
        [](const Input& in) {
            return fused::compute(fused::rows<const std::int64_t>(in.sources, in.offsets), in.ranks, in.degrees);
        },
        [](const Input& in) {
            return unfused::compute(unfused::rows<const std::int64_t>(in.sources, in.offsets), in.ranks, in.degrees);
        });
}
