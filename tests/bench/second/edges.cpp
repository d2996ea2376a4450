// Edges of a grey image: Sobel's gradient, the border repeated outwards.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
fused::array<std::uint8_t, 2> compute(const std::uint8_t* image, std::int64_t height, std::int64_t width) {
    fused::array<std::uint8_t, 2> out(height, width);
#pragma omp parallel for if (height * width > 32768)
    for (std::int64_t y = 0; y < height; ++y) {
        const std::uint8_t* above = image + std::max<std::int64_t>(y - 1, 0) * width;
        const std::uint8_t* here = image + y * width;
        const std::uint8_t* below = image + std::min(y + 1, height - 1) * width;
        std::uint8_t* to = out.data() + y * width;
        const auto edge = [&](std::int64_t l, std::int64_t x, std::int64_t r) {
            const int across = above[r] + 2 * here[r] + below[r] - above[l] - 2 * here[l] - below[l];
            const int down = below[l] + 2 * below[x] + below[r] - above[l] - 2 * above[x] - above[r];
            to[x] = static_cast<std::uint8_t>(std::min(std::abs(across) + std::abs(down), 255));
        };
        if (width == 0) continue;
        edge(0, 0, std::min<std::int64_t>(1, width - 1));
#pragma omp simd
        for (std::int64_t x = 1; x < width - 1; ++x) edge(x - 1, x, x + 1);
        if (width > 1) edge(width - 2, width - 1, width - 1);
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<std::uint8_t> pixels;
        std::int64_t height, width;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            Input in{std::vector<std::uint8_t>(static_cast<std::size_t>(n)), n < 4096 ? n : n / 4096,
                     n < 4096 ? 1 : 4096};
            harness::Random random(1);
            for (std::uint8_t& pixel : in.pixels) pixel = static_cast<std::uint8_t>(random.below(256));
            return in;
        },
        [](const Input& in) { return hand::compute(in.pixels.data(), in.height, in.width); },
        [](const Input& in) {
            return fused::compute(fused::view<const std::uint8_t, 2>(in.pixels.data(), in.height, in.width));
        },
        [](const Input& in) {
            return unfused::compute(unfused::view<const std::uint8_t, 2>(in.pixels.data(), in.height, in.width));
        });
}
