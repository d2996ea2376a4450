// 76 bytes a line, written in place.
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
using Result = std::tuple<Fresh<u8>>;
Result run(const Work& w) {
    const i64 lines = w.bytes.size() / 16, width = 8 + 48 + 3 + 16 + 2;
    Fresh<u8> out(lines * width);
    const char* digits = "0123456789abcdef";
#pragma omp parallel for schedule(static) if (lines > 2000)
    for (i64 l = 0; l < lines; l++) {
        u8* o = out.data() + l * width;
        const u8* b = w.bytes.data.data() + l * 16;
        for (int k = 0; k < 8; k++) *o++ = u8(digits[(l * 16) >> (28 - 4 * k) & 15]);
        for (int k = 0; k < 16; k++) *o++ = ' ', *o++ = u8(digits[b[k] >> 4]), *o++ = u8(digits[b[k] & 15]);
        *o++ = ' ', *o++ = ' ', *o++ = '|';
        for (int k = 0; k < 16; k++) *o++ = b[k] >= 32 && b[k] < 127 ? b[k] : u8('.');
        *o++ = '|', *o++ = 10;
    }
    return {std::move(out)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::hexdump(w.bytes.data)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::hexdump(w.bytes.data)); });
}
