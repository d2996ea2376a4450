// Mandelbrot set, n pixels in rows of 1024 (1024 x 768 at the full size), 200 steps at most.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
std::vector<std::int64_t> compute(std::int64_t width, std::int64_t height, std::int64_t most) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(width * height));
#pragma omp parallel for schedule(dynamic, 4) if (width * height > 256)
    for (std::int64_t j = 0; j < height; ++j)
        for (std::int64_t i = 0; i < width; ++i) {
            const double re = static_cast<double>(i) * 3.0 / static_cast<double>(width) - 2.0;
            const double im = static_cast<double>(j) * 2.0 / static_cast<double>(height) - 1.0;
            double x = 0, y = 0;
            std::int64_t count = 0;
            for (; count < most && x * x + y * y <= 4.0; ++count) {
                const double a = x, b = y;
                y = 2.0 * a * b + im;
                x = a * a - b * b + re;
            }
            counts[static_cast<std::size_t>(j * width + i)] = count;
        }
    return counts;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::int64_t width, height;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return n < 1024 ? Input{n, n == 0 ? 0 : 1} : Input{1024, n / 1024};
        },
        [](const Input& in) { return hand::compute(in.width, in.height, 200); },
        [](const Input& in) { return fused::compute(in.width, in.height, 200); },
        [](const Input& in) { return unfused::compute(in.width, in.height, 200); });
}
