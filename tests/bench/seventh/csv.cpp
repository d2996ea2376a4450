// Amounts by name out of lines: one pass, names looked up as views of the text.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        const auto put = [&](const std::string& s) {
            for (char c : s)
                if (i < n) text.data[size_t(i++)] = u8(c);
        };
        for (u64 k = 0; i < n; k++) {
            put(std::to_string(k) + ",name" + std::to_string(hash(k) % 5000) + (hash(k) % 50 ? "," : ";") +
                std::to_string(hash(k + 3) % 100000) + "\n");
        }
    }
};
using Result = std::tuple<Vec<std::string>, Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const char* x = reinterpret_cast<const char*>(w.text.data.data());
    std::unordered_map<std::string_view, size_t> places;
    Vec<std::string> names;
    Vec<i64> sums;
    i64 bad = 0;
    for (i64 i = 0; i < n;) {
        const void* end = std::memchr(x + i, '\n', size_t(n - i));
        if (!end) break;
        const i64 e = static_cast<const char*>(end) - x;
        i64 a = i;
        while (a < e && x[a] != ',') a++;
        i64 b = std::min(a + 1, e);
        while (b < e && x[b] != ',') b++;
        bool good = b + 1 < e;
        i64 v = 0;
        for (i64 j = b + 1; j < e; j++) v = v * 10 + x[j] - 48, good &= x[j] >= '0' && x[j] <= '9';
        if (good) {
            const std::string_view name(x + a + 1, size_t(b - a - 1));
            const auto [at, fresh] = places.try_emplace(name, sums.size());
            if (fresh) names.emplace_back(name), sums.push_back(0);
            sums[at->second] += v;
        } else
            bad++;
        i = e + 1;
    }
    return {std::move(names), std::move(sums), bad};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::csv(w.text.data); },
        [](const hand::Work& w) { return unfused::csv(w.text.data); });
}
