// Is a text UTF-8: a machine of states, counted beside it.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        for (u64 k = 0; i < n; k++) {
            const u64 h = hash(k) % 16;
            const i64 more = h < 12 ? 0 : h < 14 ? 1 : h < 15 ? 2 : 3;
            if (i + more >= n || more == 0)
                text.data[size_t(i++)] = u8('a' + h);
            else {
                text.data[size_t(i++)] = u8(more == 1 ? 0xc3 : more == 2 ? 0xe2 : 0xf0);
                for (i64 j = 0; j < more; j++) text.data[size_t(i++)] = u8(0x80 + h);
            }
        }
    }
};
using Result = std::tuple<bool, i64, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    i64 left = 0, bins[4] = {}, chars = 0;
    bool bad = false;
    for (i64 i = 0; i < n; i++) {
        const u8 c = w.text[i];
        const bool tail = (c & 0xc0) == 0x80;
        chars += !tail;
        if (c < 0x80) {
            bins[0]++;
            bad |= left > 0;
            left = std::max<i64>(left - 1, 0);
            continue;
        }
        if (c >= 0xc0) bins[c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3]++;
        if (left > 0) {
            bad |= !tail, left--;
        } else if ((c & 0xe0) == 0xc0)
            left = 1;
        else if ((c & 0xf0) == 0xe0)
            left = 2;
        else if ((c & 0xf8) == 0xf0)
            left = 3;
        else
            bad = true;
    }
    return {!bad && left == 0, chars, Vec<i64>(bins, bins + 4)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::utf8(w.text.data); },
        [](const hand::Work& w) { return unfused::utf8(w.text.data); });
}
