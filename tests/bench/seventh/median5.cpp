// Running median of five and spikes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<float> x;
    explicit Work(i64 n) : x(n) {
        x.fill([](auto i) {
            return float(std::sin(double(i) * 0.01) * 0.2 + unit(i) * 0.5 + (hash(i) % 97 == 0 ? 0.5 : 0.0));
        });
    }
};
using Result = std::tuple<Fresh<float>, i64, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = std::max<i64>(w.x.size() - 4, 0);
    const float* x = w.x.data.data();
    Fresh<float> out(n);
    const int threads = threads_for(n);
    Vec<Vec<i64>> found(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) {
        const auto least = [](float a, float b) { return a < b ? a : b; };
        const auto most = [](float a, float b) { return a > b ? a : b; };
        for (i64 b = lo; b < hi; b += 1024) {
            u8 far[1024];
            const i64 k = std::min<i64>(1024, hi - b);
            i64 some = 0;
#pragma omp simd reduction(+ : some)
            for (i64 j = 0; j < k; j++) {
                const i64 i = b + j;
                const float f = most(least(x[i], x[i + 1]), least(x[i + 2], x[i + 3]));
                const float g = least(most(x[i], x[i + 1]), most(x[i + 2], x[i + 3]));
                const float e = x[i + 4], y = most(least(e, most(f, g)), least(most(e, least(f, g)), most(f, g)));
                out[i] = y;
                far[j] = std::abs(x[i + 2] - y) > 0.45f;
            }
            for (i64 j = 0; j < k; j++)
                if (far[j]) found[size_t(t)].push_back(b + j);
        }
    });
    for (int t = 1; t < threads; t++) found[0].insert(found[0].end(), found[size_t(t)].begin(), found[size_t(t)].end());
    return {std::move(out), i64(found[0].size()), std::move(found[0])};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::spikes(w.x.data, 0.45f); },
        [](const hand::Work& w) { return unfused::spikes(w.x.data, 0.45f); });
}
