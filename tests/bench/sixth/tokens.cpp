// The tokens of a program's text.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        const auto put = [&](int c) {
            if (i < n) text.data[size_t(i++)] = u8(c);
        };
        for (u64 k = 0; i < n; k++) {
            const u64 h = hash(k), kind = h % 10, length = 1 + (h >> 8) % 9;
            if (kind < 5)
                for (u64 j = 0; j < length; j++)
                    put(j > 0 && hash(h + j) % 9 == 0 ? '0' + int(j) : 'a' + int(hash(h + j) % 26));
            else if (kind < 6)
                for (u64 j = 0; j < length; j++) put(j == 2 ? '.' : '0' + int(hash(h + j) % 10));
            else if (kind < 7) {
                put('"');
                for (u64 j = 0; j < 2 * length; j++) put('a' + int(hash(h + j) % 26));
                put('"');
            } else
                put("+-*/(){};=<>"[(h >> 20) % 12]);
            if (h >> 40 & 1) put(h >> 41 & 7 ? ' ' : '\n');
        }
    }
};
using Result = std::tuple<Vec<i64>, Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    u8 table[256]; // 0: blank, else the kind; 1 and 2 may be in names
    for (int c = 0; c < 256; c++)
        table[c] = c == ' ' || c == '\n' || c == '\t'    ? 0
                   : u8((c | 32) - 'a') < 26 || c == '_' ? 1
                   : u8(c - '0') < 10                    ? 2
                   : c == '"'                            ? 3
                                                         : 4;
    Vec<i64> starts, kinds, counts(5);
    for (i64 i = 0; i < n;) {
        const u8 kind = table[x[i]];
        if (kind == 0) {
            i++;
            continue;
        }
        starts.push_back(i);
        kinds.push_back(kind);
        counts[kind]++;
        i++;
        if (kind == 1)
            while (i < n && (table[x[i]] == 1 || table[x[i]] == 2)) i++;
        else if (kind == 2)
            while (i < n && (table[x[i]] == 2 || x[i] == '.')) i++;
        else if (kind == 3) {
            const void* end = std::memchr(x + i, '"', size_t(n - i));
            i = end ? static_cast<const u8*>(end) - x + 1 : n;
        }
    }
    return {std::move(starts), std::move(kinds), std::move(counts)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::tokens(w.text.data); },
        [](const hand::Work& w) { return unfused::tokens(w.text.data); });
}
