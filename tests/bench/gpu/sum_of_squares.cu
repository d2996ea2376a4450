// Sum of squares.
#include "fused.cu"
#include "gpu.cuh"

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> values = harness::numbers(n, 1);
    const fused::array<double> xs{std::span<const double>(values)};
    const double* const x = xs.device().data();
    const auto term = [=] __device__(std::int64_t i) -> double { return x[i] * x[i]; };
    double by_hand{}, by_cub{};
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(n), 2.0 * static_cast<double>(n), [&] { return fused::compute(xs); },
                      {{"hand", [&] { by_hand = gpu::reduce_by_hand(n, double{0}, term, gpu::plus{}); }, [&] { return std::vector<double>{by_hand}; }},
                       {"CUB", [&] { by_cub = gpu::reduce_by_cub(n, double{0}, term, gpu::plus{}); }, [&] { return std::vector<double>{by_cub}; }}});
}
