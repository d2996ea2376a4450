// Words of a text in lower case, and how often each occurs.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <memory>

namespace hand {
struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        for (u64 k = 0; i < n; k++) {
            const u64 v = hash(k) % 100 < 70 ? hash(k + 1) % 50 : hash(k + 2) % 20000;
            u64 r = hash(v + 999);
            i64 len = 2 + i64(r % 8);
            for (i64 j = 0; j < len && i < n; j++, r /= 26)
                text.data[size_t(i++)] = u8((j == 0 && hash(k) % 10 == 0 ? 65 : 97) + r % 26);
            if (i < n) text.data[size_t(i++)] = hash(k + 4) % 10 ? 32 : 10;
            if (i < n && hash(k + 5) % 12 == 0) text.data[size_t(i++)] = 44;
        }
    }
};
using Result = std::tuple<Vec<std::string>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    struct Table {
        Vec<i32> slot = Vec<i32>(1 << 16, -1);
        Vec<std::string> words;
        Vec<i64> counts, hashes;
        void grow() {
            Vec<i32> s(slot.size() * 2, -1);
            for (size_t i = 0; i < words.size(); i++) {
                size_t h = size_t(hashes[i]) & (s.size() - 1);
                while (s[h] >= 0) h = (h + 1) & (s.size() - 1);
                s[h] = i32(i);
            }
            slot.swap(s);
        }
        void add(const char* p, size_t k, u64 hs, i64 c) {
            size_t h = hs & (slot.size() - 1);
            while (slot[h] >= 0) {
                const size_t g = size_t(slot[h]);
                if (u64(hashes[g]) == hs && words[g].size() == k && !memcmp(words[g].data(), p, k)) {
                    counts[g] += c;
                    return;
                }
                h = (h + 1) & (slot.size() - 1);
            }
            slot[h] = i32(words.size());
            words.emplace_back(p, k);
            counts.push_back(c);
            hashes.push_back(i64(hs));
            if (words.size() * 2 > slot.size()) grow();
        }
    };
    const auto letter = [](u8 c) { return u8((c | 32) - 97) < 26; };
    Vec<Table> ts(size_t(threads_for(n)));
    parts(n, [&](int t, i64 lo, i64 hi) {
        Table& a = ts[size_t(t)];
        i64 i = lo;
        if (i > 0)
            while (i < hi && letter(x[i]) && letter(x[i - 1])) i++;
        char word[4096];
        while (i < hi) {
            if (!letter(x[i])) {
                i++;
                continue;
            }
            size_t k = 0;
            u64 hs = 0xcbf29ce484222325ull;
            while (i < n && letter(x[i])) {
                const u8 c = x[i++] | 32;
                if (k < 4096) word[k++] = char(c);
                hs = (hs ^ c) * 0x100000001b3ull;
            }
            hs ^= hs >> 32;
            a.add(word, k, hs, 1);
        }
    });
    for (size_t t = 1; t < ts.size(); t++)
        for (size_t g = 0; g < ts[t].words.size(); g++)
            ts[0].add(ts[t].words[g].data(), ts[t].words[g].size(), u64(ts[t].hashes[g]), ts[t].counts[g]);
    return {std::move(ts[0].words), std::move(ts[0].counts)};
}
} // namespace hand

int main(int argc, char** argv) {
    return harness::bench(
        argc, argv, [](std::int64_t n) { return std::make_unique<hand::Work>(n); },
        [](const auto& work) { return hand::run(*work); },
        [](const auto& work) {
            const hand::Work& w = *work;
            return fused::wordfreq(w.text.data);
        },
        [](const auto& work) {
            const hand::Work& w = *work;
            return unfused::wordfreq(w.text.data);
        });
}
