// Run lengths to a picture: filled run by run.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> value;
    Array<i64> length;
    explicit Work(i64 n) : value(n), length(n) {
        value.fill([](auto i) { return u8(hash(i)); });
        length.fill([](auto i) { return i64(hash(i + 1) % 31 + 1); });
    }
};
using Result = std::tuple<Fresh<u8>, Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 k = w.value.size(), width = 4096;
    Vec<i64> bins(256), starts(size_t(k) + 1);
    for (i64 i = 0; i < k; i++) {
        starts[size_t(i) + 1] = starts[size_t(i)] + std::max<i64>(w.length[i], 0);
        bins[w.value[i]] += std::max<i64>(w.length[i], 0);
    }
    const i64 n = starts[size_t(k)];
    Fresh<u8> out(n);
    i64 changes = 0;
    u8* x = out.data();
#pragma omp parallel num_threads(threads_for(n))
    {
#pragma omp for schedule(static)
        for (i64 i = 0; i < k; i++)
            std::memset(x + starts[size_t(i)], w.value[i], size_t(starts[size_t(i) + 1] - starts[size_t(i)]));
#pragma omp for schedule(static) reduction(+ : changes)
        for (i64 i = 0; i < n - width; i++) changes += x[i] != x[i + width];
    }
    return {std::move(out), std::move(bins), changes};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::expand(w.value.data, w.length.data, 4096); },
        [](const hand::Work& w) { return unfused::expand(w.value.data, w.length.data, 4096); });
}
