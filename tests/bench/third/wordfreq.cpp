// Words of a text in lower case, and how often each occurs.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(words(n)) {}
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
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::wordfreq(w.text.data); },
        [](const hand::Work& w) { return unfused::wordfreq(w.text.data); });
}
