// Accelerations of n bodies in each other's gravity, softened: every pair is looked at.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
using Result = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>>;
Result compute(std::span<const fused::Body> bodies) {
    const fused::Body* b = bodies.data();
    const std::int64_t n = std::ssize(bodies);
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> ax(size), ay(size), az(size);
    double *px = ax.data(), *py = ay.data(), *pz = az.data();
#pragma omp parallel for if (n > 64)
    for (std::int64_t i = 0; i < n; ++i) {
        double x = 0, y = 0, z = 0;
#pragma omp simd reduction(+ : x, y, z)
        for (std::int64_t j = 0; j < n; ++j) {
            const double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            const double square = dx * dx + dy * dy + dz * dz + 0.01;
            const double pull = b[j].mass / (square * std::sqrt(square));
            x += dx * pull, y += dy * pull, z += dz * pull;
        }
        px[i] = x, py[i] = y, pz[i] = z;
    }
    return {std::move(ax), std::move(ay), std::move(az)};
}
} // namespace hand

template <class Body> std::vector<Body> bodies(std::int64_t n) {
    harness::Random random(1);
    std::vector<Body> list(static_cast<std::size_t>(n));
    for (Body& body : list) body = {random.unit(), random.unit(), random.unit(), random.unit()};
    return list;
}

int main(int argc, char** argv) {
    struct Input {
        std::vector<fused::Body> a;
        std::vector<unfused::Body> b;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{bodies<fused::Body>(n), bodies<unfused::Body>(n)};
        },
        [](const Input& in) { return hand::compute(in.a); }, [](const Input& in) { return fused::compute(in.a); },
        [](const Input& in) { return unfused::compute(in.b); });
}
