// The scores of messages by the weights of their words, and how often each entry of the table of weights was met.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    Array<i64> starts{1};
    Array<double> weights{4096};
    Scalar<double> limit{0.5};
    explicit Work(i64 n) : text(words(n)) {
        for (i64 i = 0; i < n; i++)
            if (text[i] == 10 && hash(u64(i)) % 4 == 0) starts.data.push_back(i + 1);
        starts.data.push_back(n);
        weights.fill([](auto i) { return unit(i) - 0.5; });
    }
};
using Result = std::tuple<Fresh<double>, i64, Fresh<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size(), messages = w.starts.size() - 1, k = w.weights.size();
    const u8* x = w.text.data.data();
    const double* weights = w.weights.data.data();
    const auto letter = [](u8 c) { return u8((c | 32) - 97) < 26; };
    Fresh<double> scores(messages);
    Fresh<i64> met(k);
    i64 above = 0;
    const int threads = threads_for(n);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : above) if (threads > 1)
    for (i64 m = 0; m < messages; m++) {
        double score = 0;
        for (i64 i = w.starts[m]; i < w.starts[m + 1];) {
            if (!letter(x[i])) {
                i++;
                continue;
            }
            u32 h = 5381;
            for (; i < w.starts[m + 1] && letter(x[i]); i++) h = h * 33 + (x[i] | 32);
            score += weights[i64(h) % k];
        }
        scores[m] = score;
        above += score > w.limit.value;
    }
    Vec<Vec<i64>> own(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) { // the words that begin in this part
        Vec<i64> mine(static_cast<size_t>(k));
        i64 i = lo;
        if (i > 0)
            while (i < hi && letter(x[i]) && letter(x[i - 1])) i++;
        while (i < hi) {
            if (!letter(x[i])) {
                i++;
                continue;
            }
            u32 h = 5381;
            for (; i < n && letter(x[i]); i++) h = h * 33 + (x[i] | 32);
            mine[size_t(i64(h) % k)]++;
        }
        own[size_t(t)] = std::move(mine);
    });
    for (i64 i = 0; i < k; i++) met[i] = 0;
    for (const auto& mine : own)
        for (i64 i = 0; i < k; i++) met[i] += mine[size_t(i)];
    return {std::move(scores), above, std::move(met)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::spam(w.text.data, w.starts.data, w.weights.data, w.limit.value); },
        [](const hand::Work& w) { return unfused::spam(w.text.data, w.starts.data, w.weights.data, w.limit.value); });
}
