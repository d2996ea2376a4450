// TPC-H query 6 over records.
#include "fused.cu"
#include "gpu.cuh"

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    harness::Random random(1);
    std::vector<fused::LineItem> values(static_cast<std::size_t>(n));
    for (fused::LineItem& l : values)
        l = {1 + random.below(50), 900.0 + static_cast<double>(random.below(100000)), 0.01 * static_cast<double>(random.below(11)),
             0.01 * static_cast<double>(random.below(9)), random.below(2526)};
    const fused::array<fused::LineItem> items{std::span<const fused::LineItem>(values)};
    const fused::LineItem* const item = items.device().data();
    const auto term = [=] __device__(std::int64_t i) -> double {
        const fused::LineItem& l = item[i];
        const bool taken = l.shipped >= 731 && l.shipped < 1096 && l.discount >= 0.05 && l.discount <= 0.07 && l.quantity < 24;
        return taken ? l.price * l.discount : 0.0;
    };
    double by_hand = 0, by_cub = 0;
    return gpu::bench(argc, argv, 40.0 * static_cast<double>(n), 7.0 * static_cast<double>(n), [&] { return fused::compute(items, 731, 1096); },
                      {{"hand", [&] { by_hand = gpu::reduce_by_hand(n, 0.0, term, gpu::plus{}); }, [&] { return std::vector<double>{by_hand}; }},
                       {"CUB", [&] { by_cub = gpu::reduce_by_cub(n, 0.0, term, gpu::plus{}); }, [&] { return std::vector<double>{by_cub}; }}});
}
