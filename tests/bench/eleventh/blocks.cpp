// One pass over blocks of 32: the scale, then the errors.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<float> x;
    explicit Work(i64 n) : x(n) {
        x.fill([](auto i) { return float(unit(i) - 0.5) * float(1 + i % 5); });
    }
};
using Result = std::tuple<float>;
Result run(const Work& w) {
    const i64 n = w.x.size();
    const float* x = w.x.data.data();
    float worst = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(n)) reduction(max : worst)
    for (i64 b = 0; b < n; b += 32) {
        const i64 end = std::min(n, b + 32);
        float most = 0;
#pragma omp simd reduction(max : most)
        for (i64 i = b; i < end; i++) most = std::max(most, std::fabs(x[i]));
        const float scale = most / 127.0f;
        float error = 0;
#pragma omp simd reduction(max : error)
        for (i64 i = b; i < end; i++) {
            const float q = scale > 0 ? std::floor(x[i] / scale + 0.5f) : 0.0f;
            const std::int8_t byte = std::int8_t(std::int32_t(std::min(std::max(q, -128.0f), 127.0f)));
            error = std::max(error, std::fabs(x[i] - float(byte) * scale));
        }
        worst = std::max(worst, error);
    }
    return {worst};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::blocks(w.x.data)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::blocks(w.x.data)); });
}
