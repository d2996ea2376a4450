// How often each word occurs, and how many letters it stands for. Words are rows, which a call copies from the host; one
// peer copies them as well, the other finds them on the device.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
using count = unsigned long long;
constexpr int slots = 1 << 14, vocabulary = 5000;
constexpr count none = ~count{0};

struct table {
    count one[slots], first[slots]; // of the words of each slot any, and the first
    count counts[slots], letters[slots];
};

// A slot for each different word, found by its text.
__global__ void compute(std::int64_t n, const std::uint8_t* text, const std::int64_t* begin, table* all) {
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const std::uint8_t* const word = text + begin[i];
        const std::int64_t length = begin[i + 1] - begin[i];
        unsigned hash = 2166136261u;
        for (std::int64_t k = 0; k < length; ++k) hash = (hash ^ word[k]) * 16777619u;
        const auto is_same = [&](count other) {
            const std::uint8_t* const there = text + begin[other];
            if (begin[other + 1] - begin[other] != length) return false;
            for (std::int64_t k = 0; k < length; ++k)
                if (word[k] != there[k]) return false;
            return true;
        };
        int slot = static_cast<int>((hash ^ hash >> 16) % slots);
        for (;; slot = (slot + 1) % slots) {
            count seen = *const_cast<volatile count*>(all->one + slot);
            if (seen == none) seen = atomicCAS(all->one + slot, none, static_cast<count>(i));
            if (seen == none || is_same(seen)) break;
        }
        if (static_cast<count>(i) < *const_cast<volatile count*>(all->first + slot)) atomicMin(all->first + slot, static_cast<count>(i));
        atomicAdd(all->counts + slot, 1);
        atomicAdd(all->letters + slot, static_cast<count>(length));
    }
}

// As the emitted program gives them, in the order in which words first come.
std::vector<double> list(const table& all, std::span<const std::uint8_t> text, std::span<const std::int64_t> offsets) {
    std::vector<int> order;
    for (int slot = 0; slot < slots; ++slot)
        if (all.one[slot] != none) order.push_back(slot);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return all.first[a] < all.first[b]; });
    std::vector<double> values;
    for (int slot : order)
        for (std::int64_t k = offsets[all.first[slot]]; k < offsets[all.first[slot] + 1]; ++k)
            values.push_back(static_cast<double>(text[static_cast<std::size_t>(k)]));
    for (int slot : order) values.push_back(static_cast<double>(all.counts[slot]));
    for (int slot : order) values.push_back(static_cast<double>(all.letters[slot]));
    return values;
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    harness::Random random(1);
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t i = 0; i < n; ++i) { // some words are more frequent than others, and longer
        const std::int64_t word = random.below(random.below(hand::vocabulary) + 1);
        for (std::int64_t rest = word + 1; rest > 0; rest /= 7)
            for (std::int64_t k = 0; k < 2; ++k) text.push_back(static_cast<std::uint8_t>('a' + rest % 7 + 7 * k));
        offsets.push_back(std::ssize(text));
    }
    const fused::rows<const std::uint8_t> words(text, offsets);
    const gpu::buffer<std::uint8_t> letters{std::span<const std::uint8_t>(text)};
    const gpu::buffer<std::int64_t> first{std::span<const std::int64_t>(offsets)};
    const gpu::buffer<hand::table> all(1);
    std::vector<hand::table> found(1);
    const auto by_hand = [&] {
        gpu::check(cudaMemset(all.get(), 0xff, offsetof(hand::table, counts)));
        gpu::check(cudaMemset(all.get()->counts, 0, sizeof(hand::table) - offsetof(hand::table, counts)));
        hand::compute<<<gpu::blocks(n), gpu::threads>>>(n, letters.get(), first.get(), all.get());
        gpu::check(cudaGetLastError());
        found = all.values(1);
    };
    const auto list = [&] { return hand::list(found[0], text, offsets); };
    return gpu::bench(argc, argv, static_cast<double>(std::ssize(text)) + 8.0 * static_cast<double>(n), 2.0 * static_cast<double>(std::ssize(text)),
                      [&] { return fused::word_count(words); },
                      {{"hand", [&] {
                            letters.fill(text);
                            first.fill(offsets);
                            by_hand();
                        }, list},
                       {"hand without copies", by_hand, list}});
}
