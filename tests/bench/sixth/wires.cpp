// Wireworld: eight steps of a world of wires.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<u8> world;
    Scalar<i64> steps{8};
    explicit Work(i64 n) : world(n, n) {
        world.fill([](auto i) {
            return hash(i) % 3 == 0 ? u8(0) : hash(i + 1) % 8 == 0 ? u8(1 + hash(i) % 2) : u8(3);
        });
    }
};
using Result = std::tuple<Fresh<u8>, Fresh<i64>>;
Result run(const Work& w) {
    const i64 n = w.world.rows, steps = w.steps.value;
    Fresh<u8> now(n * n), next(n * n);
    Fresh<i64> heads(steps);
    const u8* from = w.world.data.data();
    Vec<u8> zero(static_cast<size_t>(n));
    for (i64 s = 0; s < steps; s++) {
        i64 count = 0;
        const int threads = threads_for(n * n);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : count) if (threads > 1)
        for (i64 y = 0; y < n; y++) {
            const u8 *b = from + y * n, *a = y > 0 ? b - n : zero.data(), *c = y + 1 < n ? b + n : zero.data();
            u8* to = next.data() + y * n;
            const auto cell = [&](i64 x, i64 l, i64 r) {
                const auto head = [](u8 v) { return u8(v == 1); };
                const u8 left = l < 0 ? 0 : u8(head(a[l]) + head(b[l]) + head(c[l]));
                const u8 right = r >= n ? 0 : u8(head(a[r]) + head(b[r]) + head(c[r]));
                const u8 near = u8(left + right + head(a[x]) + head(c[x])), v = b[x];
                return v == 1 ? u8(2) : v == 2 ? u8(3) : v == 3 && (near == 1 || near == 2) ? u8(1) : v;
            };
            if (n > 0) to[0] = cell(0, -1, 1);
#pragma omp simd
            for (i64 x = 1; x < n - 1; x++) {
                const u8 near = u8((a[x - 1] == 1) + (a[x] == 1) + (a[x + 1] == 1) + (b[x - 1] == 1) + (b[x + 1] == 1) +
                                   (c[x - 1] == 1) + (c[x] == 1) + (c[x + 1] == 1));
                const u8 v = b[x];
                const u8 lit = (v == 3) & (u8(near - 1) < 2) ? u8(1) : v;
                to[x] = v == 1 ? u8(2) : v == 2 ? u8(3) : lit;
            }
            if (n > 1) to[n - 1] = cell(n - 1, n - 2, n);
            for (i64 x0 = 0; x0 < n; x0 += 128) {
                u8 few = 0;
                const i64 end = std::min(n, x0 + 128);
                for (i64 x = x0; x < end; x++) few = u8(few + (to[x] == 1));
                count += few;
            }
        }
        heads[s] = count;
        std::swap(now, next);
        from = now.data();
    }
    if (steps == 0) std::copy(w.world.data.begin(), w.world.data.end(), now.data());
    return {std::move(now), std::move(heads)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::wires(w.world, w.steps.value); },
        [](const hand::Work& w) { return unfused::wires(w.world, w.steps.value); });
}
