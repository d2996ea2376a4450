// PolyBench's jacobi-1d with slices: each inner element becomes the mean of three; the ends stay.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Array<double> xs;
    Scalar<std::int64_t> steps;
    explicit Work(std::int64_t n) : xs(n), steps{100} {
        xs.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) {
    const std::int64_t n = w.xs.size();
    Result a(n), b(n);
    const double* in = w.xs.data.data();
    for (std::int64_t s = 0; s < w.steps.value; s++) {
        double* out = a.data();
        out[0] = in[0], out[n - 1] = in[n - 1];
#pragma omp parallel for simd schedule(static) num_threads(threads_for(n))
        for (std::int64_t i = 1; i < n - 1; i++) out[i] = (in[i - 1] + in[i] + in[i + 1]) * 0.3333333333333333;
        in = out;
        std::swap(a, b);
    }
    return b;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::jacobi(w.xs.data, w.steps.value); },
        [](const hand::Work& w) { return unfused::jacobi(w.xs.data, w.steps.value); });
}
