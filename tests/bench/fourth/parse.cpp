// A text of decimal numbers, one on each line, some negative: the numbers, their sum and the greatest.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<u8> text{0};
    explicit Work(i64 n) { // n bytes, about
        std::string s;
        for (u64 i = 0; i64(s.size()) < n; i++)
            s += std::to_string(i64(hash(i) % 2000000000) / i64(1 + hash(i + 7) % 100000) - 5000) + "\n";
        text.data.assign(s.begin(), s.end());
    }
};
using Result = std::tuple<std::vector<i64>, i64, i64>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    const int threads = threads_for(n);
    std::vector<std::vector<i64>> found(static_cast<size_t>(threads));
    std::vector<i64> sums(static_cast<size_t>(threads)), most(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) { // the lines that begin in this part
        std::vector<i64> mine;
        i64 sum = 0, best = 0, i = lo;
        if (i > 0)
            while (i < n && x[i - 1] != 10) i++;
        while (i < hi) {
            const i64 first = i;
            i64 v = 0;
            const bool negative = x[i] == 45;
            for (i += negative; i < n && x[i] != 10; i++) v = v * 10 + (x[i] - 48);
            if (i == n) break; // no end of line
            if (negative) v = -v;
            (void)first;
            mine.push_back(v), sum += v, best = std::max(best, v);
            i++;
        }
        found[size_t(t)] = std::move(mine), sums[size_t(t)] = sum, most[size_t(t)] = best;
    });
    std::vector<i64> all = std::move(found[0]);
    for (size_t t = 1; t < found.size(); t++) {
        all.insert(all.end(), found[t].begin(), found[t].end());
        sums[0] += sums[t], most[0] = std::max(most[0], most[t]);
    }
    return {std::move(all), sums[0], most[0]};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::parse(w.text.data); },
        [](const hand::Work& w) { return unfused::parse(w.text.data); });
}
