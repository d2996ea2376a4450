// Lines of a log: the ends of lines by memchr.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        for (u64 k = 0; i < n; k++) {
            static const char* const levels[] = {"DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR", "TRACE", "INFO"};
            char line[96];
            const u64 r = hash(k);
            int size = std::snprintf(line, sizeof line, "%02d:%02d:%02d %s ", int(k / 5000 % 24), int(r % 60),
                                     int(r / 60 % 60), levels[r / 3600 % 8]);
            for (u64 j = 0; j < 10 + r / 7 % 60; j++) line[size++] = char(97 + hash(k + j) % 26);
            line[size++] = '\n';
            for (int j = 0; j < size && i < n; j++) text.data[size_t(i++)] = u8(line[j]);
        }
    }
};
using Result = std::tuple<Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    Vec<i64> counts(96);
    const int threads = threads_for(n);
    Vec<Vec<i64>> errors(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) {
        Vec<i64> own(96);
        const auto next = [&](i64 i) {
            const void* p = std::memchr(x + i, '\n', size_t(n - i));
            return p ? static_cast<const u8*>(p) - x + 1 : n;
        };
        i64 s = lo == 0 || x[lo - 1] == '\n' ? lo : next(lo);
        for (; s < hi && s < n; s = next(s)) {
            if (s + 10 >= n) continue;
            const i64 hour = (x[s] - 48) * 10 + x[s + 1] - 48;
            const u8 c = x[s + 9];
            const int level = c == 'D' ? 0 : c == 'I' ? 1 : c == 'W' ? 2 : c == 'E' ? 3 : -1;
            if (level < 0 || hour < 0 || hour >= 24) continue;
            own[size_t(hour * 4 + level)]++;
            if (level == 3) errors[size_t(t)].push_back(s);
        }
#pragma omp critical
        for (size_t k = 0; k < 96; k++) counts[k] += own[k];
    });
    for (int t = 1; t < threads; t++)
        errors[0].insert(errors[0].end(), errors[size_t(t)].begin(), errors[size_t(t)].end());
    return {std::move(counts), std::move(errors[0])};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::logs(w.text.data); },
        [](const hand::Work& w) { return unfused::logs(w.text.data); });
}
