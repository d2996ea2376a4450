// The remainders once for a block of 4096: sums of so many bytes fit 32 and 64 bits.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<u8> bytes;
    explicit Work(i64 n) : bytes(n) {
        bytes.fill([](auto i) { return u8(hash(i)); });
    }
};
using Result = std::tuple<Fresh<u32>, i64>;
Result run(const Work& w) {
    const i64 n = w.bytes.size(), blocks = (n + 4095) / 4096;
    const u8* c = w.bytes.data.data();
    Fresh<u32> out(blocks);
    i64 even = 0;
#pragma omp parallel for schedule(static) reduction(+ : even) if (blocks > 8)
    for (i64 b = 0; b < blocks; b++) {
        const i64 lo = b * 4096, size = std::min<i64>(n - lo, 4096);
        u64 x = 0, y = 0;
#pragma omp simd reduction(+ : x, y)
        for (i64 i = 0; i < size; i++) x += c[lo + i], y += u64(size - i) * c[lo + i];
        const u32 s = u32((y + u64(size)) % 65521) << 16 | u32((x + 1) % 65521);
        out[b] = s, even += !(s & 1);
    }
    return {std::move(out), even};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::adler(w.bytes.data); },
        [](const hand::Work& w) { return unfused::adler(w.bytes.data); });
}
