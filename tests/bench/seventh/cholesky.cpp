// Factors of matrices of 6 x 6: eight side by side would need another layout; each for itself, unrolled.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> a;
    i64 n;
    explicit Work(i64 n) : a(36 * n), n(n) {
        a.fill([](auto i) {
            const u64 r = i % 36 / 6, c = i % 6;
            return r == c ? 8 + unit(i) : unit(i / 36 * 36 + std::min(r, c) * 6 + std::max(r, c));
        });
    }
};
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.n;
    Fresh<double> out(36 * n);
    double least = infinity;
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 30)) reduction(min : least)
    for (i64 i = 0; i < n; i++) {
        const double* a = w.a.data.data() + 36 * i;
        double* l = out.data() + 36 * i;
        for (int j = 0; j < 36; j++) l[j] = 0.0;
        double det = 1.0;
#pragma GCC unroll 6
        for (int j = 0; j < 6; j++) {
            double d = a[7 * j];
            for (int k = 0; k < j; k++) d -= l[6 * j + k] * l[6 * j + k];
            const double root = std::sqrt(d);
            l[7 * j] = root;
            for (int r = j + 1; r < 6; r++) {
                double s = a[6 * r + j];
                for (int k = 0; k < j; k++) s -= l[6 * r + k] * l[6 * j + k];
                l[6 * r + j] = s / root;
            }
        }
        for (int j = 0; j < 6; j++) det = det * l[7 * j] * l[7 * j];
        least = det < least ? det : least;
    }
    return {std::move(out), least};
}
struct Cubes {
    const Work& w;
    explicit Cubes(const Work& w) : w(w) {}
    template <template <class, std::size_t> class View> operator View<const double, 3>() const {
        return View<const double, 3>(w.a.data.data(), w.n, 6, 6);
    }
};
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::cholesky(hand::Cubes(w)); },
        [](const hand::Work& w) { return unfused::cholesky(hand::Cubes(w)); });
}
