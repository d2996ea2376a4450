// Base 64: whole groups without tests, then the rest.
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
Fresh<u8> run(const Work& w) {
    static const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const i64 n = w.bytes.size(), groups = n / 3;
    const u8* x = w.bytes.data.data();
    Fresh<u8> out((n + 2) / 3 * 4);
    u8* y = out.data();
#pragma omp parallel for schedule(static) num_threads(threads_for(n))
    for (i64 g = 0; g < groups; g++) {
        const u32 v = u32(x[3 * g]) << 16 | u32(x[3 * g + 1]) << 8 | x[3 * g + 2];
        y[4 * g] = u8(alphabet[v >> 18]);
        y[4 * g + 1] = u8(alphabet[v >> 12 & 63]);
        y[4 * g + 2] = u8(alphabet[v >> 6 & 63]);
        y[4 * g + 3] = u8(alphabet[v & 63]);
    }
    if (n % 3) {
        const u32 v = u32(x[3 * groups]) << 16 | (n % 3 == 2 ? u32(x[3 * groups + 1]) << 8 : 0);
        y[4 * groups] = u8(alphabet[v >> 18]);
        y[4 * groups + 1] = u8(alphabet[v >> 12 & 63]);
        y[4 * groups + 2] = n % 3 == 2 ? u8(alphabet[v >> 6 & 63]) : '=';
        y[4 * groups + 3] = '=';
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::base64(w.bytes.data); },
        [](const hand::Work& w) { return unfused::base64(w.bytes.data); });
}
