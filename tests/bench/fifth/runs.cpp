// Run-length coding of a text, how often each length occurs, and the text again from its code.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        for (i64 i = 0, r = 0; i < n; r++) {
            const i64 length = 1 + i64(hash(u64(r)) % 16) * i64(hash(u64(r) + 3) % 4 == 0 ? 4 : 1);
            for (i64 j = 0; j < length && i < n; j++) text.data[size_t(i++)] = u8(hash(u64(r) + 9) % 7);
        }
    }
};
using Result = std::tuple<Vec<u8>, Vec<i64>, Vec<i64>, Fresh<u8>>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    const int threads = threads_for(n);
    Fresh<u8> again(n);
    struct Part {
        Vec<u8> values;
        Vec<i64> lengths, often = Vec<i64>(256);
    };
    Vec<Part> own(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) { // the runs that begin in this part
        Part& p = own[size_t(t)];
        i64 i = lo;
        if (i > 0)
            while (i < hi && x[i] == x[i - 1]) i++;
        while (i < hi) {
            const i64 first = i;
            const u8 value = x[i];
            while (i < n && x[i] == value) i++;
            const i64 length = i - first;
            p.values.push_back(value), p.lengths.push_back(length), p.often[size_t(std::min<i64>(length, 255))]++;
            std::memset(again.data() + first, value, size_t(length));
        }
    });
    Part all = std::move(own[0]);
    for (size_t t = 1; t < own.size(); t++) {
        all.values.insert(all.values.end(), own[t].values.begin(), own[t].values.end());
        all.lengths.insert(all.lengths.end(), own[t].lengths.begin(), own[t].lengths.end());
        for (size_t i = 0; i < 256; i++) all.often[i] += own[t].often[i];
    }
    return {std::move(all.values), std::move(all.lengths), std::move(all.often), std::move(again)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::runs(w.text.data); },
        [](const hand::Work& w) { return unfused::runs(w.text.data); });
}
