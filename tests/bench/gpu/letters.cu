// Words and lines of a text, and how often each letter occurs in it.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
using count = unsigned long long;
constexpr int bytes = 256, warps = gpu::threads / 32;

__host__ __device__ inline bool is_letter(unsigned c) { return (c | 32) - 'a' < 26; }

// Each warp counts for itself, 16 bytes a thread and round.
__global__ void compute(std::int64_t n, const std::uint8_t* text, count* words, count* counts) {
    __shared__ unsigned own[warps][bytes];
    using Reduce = cub::BlockReduce<count, gpu::threads>;
    __shared__ typename Reduce::TempStorage storage;
    for (int k = threadIdx.x; k < warps * bytes; k += gpu::threads) (&own[0][0])[k] = 0;
    __syncthreads();
    unsigned* const mine = own[threadIdx.x / 32];
    count begins = 0;
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads * 16;
    for (std::int64_t i = (std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x) * 16; i < n; i += stride) {
        alignas(16) std::uint8_t part[16];
        const int length = static_cast<int>(n - i < 16 ? n - i : 16);
        if (length == 16)
            *reinterpret_cast<uint4*>(part) = *reinterpret_cast<const uint4*>(text + i);
        else
            for (int k = 0; k < length; ++k) part[k] = text[i + k];
        bool inside = i > 0 && is_letter(text[i - 1]);
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            if (k >= length) break;
            atomicAdd(&mine[part[k]], 1u);
            const bool letter = is_letter(part[k]);
            begins += letter && !inside ? 1 : 0;
            inside = letter;
        }
    }
    begins = Reduce(storage).Sum(begins);
    if (threadIdx.x == 0) atomicAdd(words, begins);
    __syncthreads();
    for (int k = threadIdx.x; k < bytes; k += gpu::threads) {
        count sum = 0;
        for (int warp = 0; warp < warps; ++warp) sum += own[warp][k];
        if (sum != 0) atomicAdd(&counts[k], sum);
    }
}

// Words, lines and letters of words and counts of bytes.
template <class T> std::vector<double> list(count words, const std::vector<T>& counts) {
    std::vector<double> values{static_cast<double>(words), static_cast<double>(counts['\n'])};
    for (std::size_t k = 0; k < 26; ++k) values.push_back(static_cast<double>(counts['a' + k] + counts['A' + k]));
    return values;
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    harness::Random random(1);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n));
    const std::string alphabet = "eeeettaaooiinnsshhrrdlcumwfgypbvkjxqzETAOI      ,.\n";
    for (std::uint8_t& c : bytes) c = static_cast<std::uint8_t>(alphabet[static_cast<std::size_t>(random.below(std::ssize(alphabet)))]);
    const fused::array<std::uint8_t> text{std::span<const std::uint8_t>(bytes)};
    const std::uint8_t* const t = text.device().data();
    const gpu::buffer<hand::count> words(1), counts(hand::bytes);
    const gpu::buffer<int> of_cub(hand::bytes);
    const gpu::buffer<unsigned char> memory(1 << 26);
    hand::count words_of_cub = 0;
    const auto begins = [=] __device__(std::int64_t i) -> hand::count {
        return static_cast<hand::count>(hand::is_letter(t[i]) && !(i > 0 && hand::is_letter(t[i - 1])));
    };
    return gpu::bench(argc, argv, static_cast<double>(n), 10.0 * static_cast<double>(n), [&] { return fused::compute(text); },
                      {{"hand", [&] {
                            gpu::check(cudaMemset(words.get(), 0, sizeof(hand::count)));
                            gpu::check(cudaMemset(counts.get(), 0, sizeof(hand::count) * hand::bytes));
                            hand::compute<<<gpu::blocks(n / 16), gpu::threads>>>(n, t, words.get(), counts.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return hand::list(words.values(1)[0], counts.values(hand::bytes)); }},
                       {"CUB", [&] {
                            std::size_t size = 1 << 26;
                            gpu::check(cub::DeviceHistogram::HistogramEven(memory.get(), size, t, of_cub.get(), hand::bytes + 1, 0, 256, n));
                            words_of_cub = gpu::reduce_by_cub(n, hand::count{0}, begins, gpu::plus{});
                        }, [&] { return hand::list(words_of_cub, of_cub.values(hand::bytes)); }}});
}
