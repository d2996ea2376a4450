// Random walks: eight side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    i64 n;
    explicit Work(i64 n) : n(n) {}
};
using Result = std::tuple<i64, double, i64>;
Result run(const Work& w) {
    const i64 n = w.n;
    i64 count = 0, sum = 0, far = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 256)) reduction(+ : count, sum) reduction(max : far)
    for (i64 b = 0; b < n; b += 8) {
        u64 s[8];
        i64 x[8] = {}, first[8], most[8] = {};
        for (int j = 0; j < 8; j++) s[j] = u64(b + j) * 0x9e3779b97f4a7c15ull + 1, first[j] = -1;
        for (i64 t = 0; t < 256; t++)
#pragma omp simd
            for (int j = 0; j < 8; j++) {
                s[j] = s[j] * 6364136223846793005ull + 1442695040888963407ull;
                x[j] += i64(s[j] >> 40 & 1) * 2 - 1;
                first[j] = first[j] < 0 && x[j] == 0 ? t + 1 : first[j];
                most[j] = std::max(most[j], std::abs(x[j]));
            }
        for (int j = 0; j < 8 && b + j < n; j++) {
            count += first[j] >= 0;
            sum += std::max<i64>(first[j], 0);
            far = std::max(far, most[j]);
        }
    }
    return {count, double(sum) / double(std::max<i64>(count, 1)), far};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::walks(w.n, 256); },
        [](const hand::Work& w) { return unfused::walks(w.n, 256); });
}
