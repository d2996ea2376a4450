// Dot products of one question with four answers at a time.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<float> questions, answers;
    explicit Work(i64 n) : questions(n / 64, 64), answers(n, 64) {
        questions.fill([](auto i) { return float(unit(i) - 0.5); });
        answers.fill([](auto i) { return float(unit(i + 123456789) - 0.5); });
    }
};
using Result = std::tuple<Fresh<i64>, Fresh<float>>;
inline float dot(const float* a, const float* b, i64 d) {
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (i64 k = 0; k < d; k++) s += a[k] * b[k];
    return s;
}
Result run(const Work& w) {
    const i64 q = w.questions.rows, n = w.answers.rows, d = w.answers.columns;
    const float *v = w.questions.data.data(), *a = w.answers.data.data();
    Fresh<float> norms(n), best(q);
    Fresh<i64> at(q);
#pragma omp parallel for schedule(static) if (n > 1000)
    for (i64 i = 0; i < n; i++) norms[i] = std::sqrt(dot(a + i * d, a + i * d, d));
#pragma omp parallel for schedule(static) if (n * q > 20000)
    for (i64 j = 0; j < q; j++) {
        const float* x = v + j * d;
        const float own = std::sqrt(dot(x, x, d));
        float top = -2;
        i64 where = -1;
        for (i64 i = 0; i < n; i++) {
            const float c = dot(a + i * d, x, d) / std::max(norms[i] * own, 1e-20f);
            if (c > top) top = c, where = i;
        }
        best[j] = top, at[j] = where;
    }
    return {std::move(at), std::move(best)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::nearest(w.questions, w.answers); },
        [](const hand::Work& w) { return unfused::nearest(w.questions, w.answers); });
}
