// A forest of decision trees, four rows side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<float> rows, split{64, 127};
    Matrix<i32> feature{64, 127};
    Array<i32> labels;
    i64 depth = 6;
    explicit Work(i64 n) : rows(n, 16), labels(n) {
        rows.fill([](auto i) { return float(unit(i)); });
        split.fill([](auto i) { return float(hash(i + 3) % 64) / 64; });
        feature.fill([](auto i) { return i32(hash(i + 5) % 16); });
        labels.fill([](auto i) { return i32(hash(i) & 1); });
    }
};
using Result = std::tuple<Fresh<float>, i64, double>;
Result run(const Work& w) {
    const i64 n = w.rows.rows, m = w.rows.columns, trees = w.feature.rows, k = w.feature.columns;
    Fresh<float> out(n);
    i64 right = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 100)) reduction(+ : right)
    for (i64 i = 0; i < n; i++) {
        const float* row = w.rows.data.data() + i * m;
        float sum = 0;
        const auto walk = [&](i64 t) { return std::pair(w.feature.data.data() + t * k, w.split.data.data() + t * k); };
        i64 t = 0;
        for (; t + 4 <= trees; t += 4) {
            i64 node[4] = {};
            for (i64 d = 0; d < w.depth; d++)
                for (int j = 0; j < 4; j++) {
                    const auto [f, s] = walk(t + j);
                    node[j] = 2 * node[j] + 2 - (row[f[node[j]]] < s[node[j]]);
                }
            for (int j = 0; j < 4; j++) sum += walk(t + j).second[node[j]];
        }
        for (; t < trees; t++) {
            const auto [f, s] = walk(t);
            i64 node = 0;
            for (i64 d = 0; d < w.depth; d++) node = 2 * node + 2 - (row[f[node]] < s[node]);
            sum += s[node];
        }
        out[i] = sum / float(trees);
        right += (out[i] > 0.5f) == (w.labels[i] == 1);
    }
    return {std::move(out), right, double(right) / double(n)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::forest(w.rows, w.labels.data, w.feature, w.split, w.depth); },
        [](const hand::Work& w) { return unfused::forest(w.rows, w.labels.data, w.feature, w.split, w.depth); });
}
