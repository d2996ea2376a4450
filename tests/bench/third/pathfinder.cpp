// Rodinia's PathFinder: the cheapest way down a grid, a row at a time.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<std::int32_t> cost;
    explicit Work(std::int64_t n) : cost(n == 4096 ? 1000 : n, n == 4096 ? 20000 : n == 3 ? 5 : n) {
        cost.fill([](auto i) { return std::int32_t(hash(i) % 10); });
    }
};
using Result = Fresh<std::int32_t>;
Result run(const Work& w) {
    const std::int64_t r = w.cost.rows, c = w.cost.columns;
    Result a(c), b(c);
    const std::int32_t* cost = w.cost.data.data();
    std::memcpy(a.data(), cost, std::size_t(c) * 4);
    std::int32_t *best = a.data(), *next = b.data();
#pragma omp parallel num_threads(c < 200000 ? 1 : threads_for(c)) // a barrier a row: not worth it for short ones
    {
        std::int32_t *from = best, *to = next;
        for (std::int64_t i = 1; i < r; i++) {
            const std::int32_t* row = cost + i * c;
#pragma omp for simd schedule(static)
            for (std::int64_t j = 1; j < c - 1; j++)
                to[j] = row[j] + std::min(from[j], std::min(from[j - 1], from[j + 1]));
#pragma omp single
            {
                to[0] = row[0] + std::min(from[0], from[std::min<std::int64_t>(1, c - 1)]);
                if (c > 1) to[c - 1] = row[c - 1] + std::min(from[c - 1], from[c - 2]);
            }
            std::swap(from, to);
        }
    }
    if (r % 2 == 0) std::swap(a, b);
    return a;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::pathfinder(w.cost); },
        [](const hand::Work& w) { return unfused::pathfinder(w.cost); });
}
