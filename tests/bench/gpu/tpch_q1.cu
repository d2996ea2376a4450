// TPC-H query 1 over records.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
constexpr int slots = 16, sums = 5, copies = 32; // more slots than there are flags and statuses; a copy for each lane
constexpr unsigned none = ~0u;
using count = unsigned long long;

struct table {
    unsigned keys[slots];
    count first[slots], totals[slots][sums];
};

__device__ int find(unsigned* keys, unsigned key) {
    for (int slot = static_cast<int>((key * 2654435761u) >> 28);; slot = (slot + 1) % slots) {
        unsigned seen = *const_cast<volatile unsigned*>(keys + slot);
        if (seen == none) seen = atomicCAS(keys + slot, none, key);
        if (seen == none || seen == key) return slot;
    }
}

// Each block has a table of its own, which joins the others' at its end.
__global__ void compute(std::int64_t n, const fused::LineItem* items, std::int64_t last, table* all) {
    __shared__ unsigned keys[slots];
    __shared__ int places[slots];
    __shared__ count first[slots], own[slots][sums][copies];
    for (int k = threadIdx.x; k < slots; k += gpu::threads) keys[k] = none, first[k] = ~count{0};
    for (int k = threadIdx.x; k < slots * sums * copies; k += gpu::threads) (&own[0][0][0])[k] = 0;
    __syncthreads();
    const int copy = threadIdx.x % copies;
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const fused::LineItem& l = items[i];
        if (l.shipped > last) continue;
        const int slot = find(keys, static_cast<unsigned>(l.flag) << 8 | l.status);
        if (static_cast<count>(i) < *const_cast<volatile count*>(first + slot)) atomicMin(first + slot, static_cast<count>(i));
        const std::int64_t reduced = l.price * (100 - l.discount);
        const std::int64_t more[sums] = {l.quantity, l.price, reduced, reduced * (100 + l.tax), 1};
        for (int s = 0; s < sums; ++s) atomicAdd(&own[slot][s][copy], static_cast<count>(more[s]));
    }
    __syncthreads();
    if (threadIdx.x < slots && keys[threadIdx.x] != none) {
        places[threadIdx.x] = find(all->keys, keys[threadIdx.x]);
        atomicMin(&all->first[places[threadIdx.x]], first[threadIdx.x]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < slots * sums; k += gpu::threads) {
        const int slot = k / sums;
        if (keys[slot] == none) continue;
        count total = 0;
        for (const count part : own[slot][k % sums]) total += part;
        atomicAdd(&all->totals[places[slot]][k % sums], total);
    }
}

// As the emitted program gives them, in the order in which groups first come.
std::vector<double> list(const table& all) {
    std::vector<int> order;
    for (int slot = 0; slot < slots; ++slot)
        if (all.keys[slot] != none) order.push_back(slot);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return all.first[a] < all.first[b]; });
    std::vector<double> values;
    for (int slot : order) values.push_back(all.keys[slot] >> 8), values.push_back(all.keys[slot] & 255);
    for (int s = 0; s < sums; ++s) {
        if (s == 4) // the mean quantity stands in front of the count
            for (int slot : order) values.push_back(static_cast<double>(all.totals[slot][0]) / static_cast<double>(all.totals[slot][4]));
        for (int slot : order) values.push_back(static_cast<double>(all.totals[slot][s]));
    }
    return values;
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    harness::Random random(1);
    std::vector<fused::LineItem> values(static_cast<std::size_t>(n));
    for (fused::LineItem& l : values) {
        l = {};
        l.quantity = 1 + random.below(50);
        l.price = 90000 + random.below(10000);
        l.discount = random.below(11);
        l.tax = random.below(9);
        l.shipped = random.below(2526);
        l.flag = static_cast<std::uint8_t>("ANR"[random.below(3)]);
        l.status = static_cast<std::uint8_t>("FO"[random.below(2)]);
    }
    const fused::array<fused::LineItem> items{std::span<const fused::LineItem>(values)};
    const fused::LineItem* const item = items.device().data();
    const gpu::buffer<hand::table> all(1);
    hand::table found{};
    return gpu::bench(argc, argv, static_cast<double>(sizeof(fused::LineItem)) * static_cast<double>(n), 13.0 * static_cast<double>(n),
                      [&] { return fused::compute(items, 2400); },
                      {{"hand", [&] {
                            gpu::check(cudaMemset(all.get(), 0xff, offsetof(hand::table, totals)));
                            gpu::check(cudaMemset(all.get()->totals, 0, sizeof(hand::table::totals)));
                            hand::compute<<<gpu::blocks(n), gpu::threads>>>(n, item, 2400, all.get());
                            gpu::check(cudaGetLastError());
                            found = all.values(1)[0];
                        }, [&] { return hand::list(found); }}});
}
