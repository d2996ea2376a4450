// CRC-32 of each line.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(words(n)) {}
};
using Result = std::tuple<Vec<u32>, u32>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    u32 table[256];
    for (u32 i = 0; i < 256; i++) {
        u32 c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    const int threads = threads_for(n);
    Vec<Vec<u32>> found(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) { // lines that begin in the part
        Vec<u32>& out = found[size_t(t)];
        i64 i = lo;
        if (lo > 0)
            while (i < hi && x[i - 1] != '\n') i++;
        while (i < hi) {
            u32 c = 0xffffffffu;
            i64 j = i;
            for (; j < n && x[j] != '\n'; j++) c = c >> 8 ^ table[(c ^ x[j]) & 255];
            if (j == n) break;
            out.push_back(~c);
            i = j + 1;
        }
    });
    Vec<u32> all = std::move(found[0]);
    for (int t = 1; t < threads; t++) all.insert(all.end(), found[size_t(t)].begin(), found[size_t(t)].end());
    u32 sum = 0;
    for (u32 c : all) sum ^= c;
    return {std::move(all), sum};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::crc(w.text.data); },
        [](const hand::Work& w) { return unfused::crc(w.text.data); });
}
