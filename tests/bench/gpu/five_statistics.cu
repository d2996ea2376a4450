// Five statistics in one pass.
#include "fused.cu"
#include "gpu.cuh"

struct Statistics {
    double sum = 0, squares = 0, low = HUGE_VAL, high = -HUGE_VAL;
    std::int64_t count = 0;
};
struct Join {
    __host__ __device__ Statistics operator()(const Statistics& a, const Statistics& b) const {
        return {a.sum + b.sum, a.squares + b.squares, fmin(a.low, b.low), fmax(a.high, b.high), a.count + b.count};
    }
};
std::vector<double> list(const Statistics& s) { return {s.sum, s.squares, s.low, s.high, static_cast<double>(s.count)}; }

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> values = harness::numbers(n, 1);
    const fused::array<double> xs{std::span<const double>(values)};
    const double* const x = xs.device().data();
    const auto term = [=] __device__(std::int64_t i) -> Statistics { return {x[i], x[i] * x[i], x[i], x[i], x[i] > 0.5 ? 1 : 0}; };
    Statistics by_hand, by_cub;
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(n), 6.0 * static_cast<double>(n), [&] { return fused::compute(xs); },
                      {{"hand", [&] { by_hand = gpu::reduce_by_hand(n, Statistics{}, term, Join{}); }, [&] { return list(by_hand); }},
                       {"CUB", [&] { by_cub = gpu::reduce_by_cub(n, Statistics{}, term, Join{}); }, [&] { return list(by_cub); }}});
}
