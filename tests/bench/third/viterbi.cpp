// The likeliest states behind observations (Viterbi): logarithms, back pointers, and the way back.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> start{24};
    Matrix<double> move{24, 24}, emit{10, 24};
    Array<i64> seen;
    explicit Work(i64 n) : seen(n) {
        start.fill([](auto i) { return std::log(unit(i)); });
        move.fill([](auto i) { return std::log(unit(i + 9)); });
        emit.fill([](auto i) { return std::log(unit(i + 99)); });
        seen.fill([](auto i) { return i64(hash(i) % 10); });
    }
};
using Result = std::tuple<Vec<i64>, double>;
Result run(const Work& w) {
    const i64 t = w.seen.size(), s = w.start.size();
    Vec<i64> back(size_t(t * s), 0);
    Vec<double> score(static_cast<size_t>(s)), next(static_cast<size_t>(s));
    for (i64 j = 0; j < s; j++) score[size_t(j)] = w.start[j] + w.emit[w.seen[0] * s + j];
    Vec<i64> from(static_cast<size_t>(s));
    for (i64 i = 1; i < t; i++) {
        for (auto& x : next) x = -infinity;
        for (auto& f : from) f = 0;
        for (i64 k = 0; k < s; k++) {
            const double x = score[size_t(k)];
            const double* m = &w.move.data[size_t(k * s)];
            for (i64 j = 0; j < s; j++) {
                const double y = x + m[j];
                const bool g = y > next[size_t(j)];
                next[size_t(j)] = g ? y : next[size_t(j)];
                from[size_t(j)] = g ? k : from[size_t(j)];
            }
        }
        for (i64 j = 0; j < s; j++) next[size_t(j)] += w.emit[w.seen[i] * s + j];
        std::copy(from.begin(), from.end(), back.begin() + i * s);
        score.swap(next);
    }
    i64 last = 0;
    double top = -infinity;
    for (i64 j = 0; j < s; j++)
        if (score[size_t(j)] > top) top = score[size_t(j)], last = j;
    Vec<i64> path(size_t(t), last);
    for (i64 i = t - 1; i > 0; i--) path[size_t(i) - 1] = back[size_t(i * s + path[size_t(i)])];
    return {std::move(path), top};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::viterbi(w.start.data, w.move, w.emit, w.seen.data); },
        [](const hand::Work& w) { return unfused::viterbi(w.start.data, w.move, w.emit, w.seen.data); });
}
