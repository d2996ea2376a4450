// One step of PageRank over the links that come in at each page, and how much changes. Links are rows, which a call
// copies from the host; one peer copies them as well, the other finds them on the device.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
__global__ void share(std::int64_t n, const double* ranks, const std::int64_t* degrees, double* shares) {
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride)
        shares[i] = degrees[i] > 0 ? ranks[i] / static_cast<double>(degrees[i]) : 0.0;
}

// Eight lanes for each page.
__global__ void gather(std::int64_t n, const std::int64_t* sources, const std::int64_t* first, const double* shares,
                       const double* ranks, double* next, double* change) {
    constexpr int lanes = 8, pages = gpu::threads / lanes;
    using Reduce = cub::BlockReduce<double, gpu::threads>;
    __shared__ typename Reduce::TempStorage storage;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const unsigned together = 0xffu << (threadIdx.x % 32 / lanes * lanes);
    const double rest = 0.15 / static_cast<double>(n);
    double mine = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * pages + threadIdx.x / lanes; i < n; i += std::int64_t{gridDim.x} * pages) {
        double sum = 0;
        for (std::int64_t k = first[i] + lane; k < first[i + 1]; k += lanes) sum += shares[sources[k]];
        for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(together, sum, step);
        if (lane == 0) {
            const double rank = rest + 0.85 * sum;
            next[i] = rank;
            mine += fabs(rank - ranks[i]);
        }
    }
    mine = Reduce(storage).Sum(mine);
    if (threadIdx.x == 0) atomicAdd(change, mine);
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    harness::Random random(1);
    const std::vector<double> from(static_cast<std::size_t>(n), 1.0 / static_cast<double>(std::max<std::int64_t>(n, 1)));
    std::vector<std::int64_t> links, offsets{0}, counts(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t more = random.below(17); more > 0; --more) {
            links.push_back(random.below(n));
            ++counts[static_cast<std::size_t>(links.back())];
        }
        offsets.push_back(std::ssize(links));
    }
    const fused::rows<const std::int64_t> rows(links, offsets);
    const fused::array<double> ranks{std::span<const double>(from)};
    const fused::array<std::int64_t> degrees{std::span<const std::int64_t>(counts)};
    const double* const rank = ranks.device().data();
    const std::int64_t* const degree = degrees.device().data();
    const gpu::buffer<std::int64_t> sources{std::span<const std::int64_t>(links)}, first{std::span<const std::int64_t>(offsets)};
    const gpu::buffer<double> shares(n), next(n), change(1);
    const auto by_hand = [&] {
        gpu::check(cudaMemset(change.get(), 0, sizeof(double)));
        hand::share<<<gpu::blocks(n), gpu::threads>>>(n, rank, degree, shares.get());
        hand::gather<<<gpu::blocks(8 * n), gpu::threads>>>(n, sources.get(), first.get(), shares.get(), rank, next.get(), change.get());
        gpu::check(cudaGetLastError());
    };
    const auto found = [&] {
        std::vector<double> values = next.values(n);
        values.push_back(change.values(1)[0]);
        return values;
    };
    // Bytes: links, where they begin, ranks, degrees and what is given once; shares twice.
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(std::ssize(links) + 6 * n), static_cast<double>(std::ssize(links) + 6 * n),
                      [&] { return fused::compute(rows, ranks, degrees); },
                      {{"hand", [&] {
                            sources.fill(links);
                            first.fill(offsets);
                            by_hand();
                        }, found},
                       {"hand without copies", by_hand, found}});
}
