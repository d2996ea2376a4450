// Bitonic sorting network: pairs in place.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<i32> x;
    i64 k;
    explicit Work(i64 n) : x(n > 0 ? i64(std::bit_floor(u64(n))) : 0), k(n > 0 ? std::bit_width(u64(n)) - 1 : 0) {
        x.fill([](auto i) { return i32(hash(i)); });
    }
};
using Result = std::tuple<Fresh<i32>, bool>;
Result run(const Work& w) {
    const i64 n = w.x.size();
    Fresh<i32> out(n);
    std::copy(w.x.data.begin(), w.x.data.end(), out.data());
    i32* x = out.data();
    bool ordered = true;
#pragma omp parallel num_threads(threads_for(n))
    for (i64 stage = 0; stage < w.k; stage++)
        for (i64 step = stage; step >= 0; step--) {
            const i64 d = i64(1) << step;
            if (d < 16) {
#pragma omp for schedule(static)
                for (i64 i = 0; i < n; i += 32)
                    for (i64 a = i; a < std::min(i + 32, n); a += 2 * d)
                        for (i64 j = a; j < a + d; j++) {
                            const bool up = !(j & i64(2) << stage);
                            const i32 p = std::min(x[j], x[j + d]), q = std::max(x[j], x[j + d]);
                            x[j] = up ? p : q, x[j + d] = up ? q : p;
                        }
            } else {
                const i64 blocks = n / (2 * d), pieces = d / 16;
#pragma omp for schedule(static)
                for (i64 k = 0; k < blocks * pieces; k++) {
                    const i64 j0 = k / pieces * 2 * d + k % pieces * 16;
                    const bool up = !(j0 & i64(2) << stage);
#pragma omp simd
                    for (i64 j = j0; j < j0 + 16; j++) {
                        const i32 p = std::min(x[j], x[j + d]), q = std::max(x[j], x[j + d]);
                        x[j] = up ? p : q, x[j + d] = up ? q : p;
                    }
                }
            }
        }
    for (i64 i = 0; i + 1 < n; i++) ordered &= x[i] <= x[i + 1];
    return {std::move(out), ordered};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bitonic(w.x.data, w.k); },
        [](const hand::Work& w) { return unfused::bitonic(w.x.data, w.k); });
}
