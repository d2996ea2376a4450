// A mesh: one pass; slivers found behind each block.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Corners {
    i32 a, b, c;
};
struct Work {
    Array<double> x, y;
    Records<Corners> mesh;
    explicit Work(i64 n) : x(n / 2 + 3), y(n / 2 + 3), mesh(n) {
        x.fill([](auto i) { return double(i % 1024) + unit(i); });
        y.fill([](auto i) { return double(i / 1024) - 200 + unit(i + 77); });
        const i64 m = n / 2;
        mesh.fill([m](auto i) {
            const i64 k = i64(i / 2);
            return i % 2 ? Corners{i32(k), i32(k + 1), i32(std::min(k + 1024, m))}
                         : Corners{i32(k + 1), i32(std::min(k + 1025, m)), i32(std::min(k + 1024, m))};
        });
    }
};
using Result = std::tuple<Fresh<double>, Vec<i64>, i64, double>;
Result run(const Work& w) {
    const i64 m = w.mesh.size();
    const Corners* t = w.mesh.data.data();
    const double *x = w.x.data.data(), *y = w.y.data.data();
    Fresh<double> area(m);
    const int threads = threads_for(m);
    Vec<Vec<i64>> found(static_cast<size_t>(threads));
    i64 wrong = 0;
    double above = 0;
    parts(m, [&](int part, i64 lo, i64 hi) {
        i64 bad = 0;
        double sum = 0;
        for (i64 i = lo; i < hi; i++) {
            const double ax = x[t[i].a], ay = y[t[i].a], bx = x[t[i].b], by = y[t[i].b], cx = x[t[i].c], cy = y[t[i].c];
            const double ux = bx - ax, uy = by - ay, vx = cx - ax, vy = cy - ay, wx = cx - bx, wy = cy - by;
            const double longest = std::max(std::max(ux * ux + uy * uy, vx * vx + vy * vy), wx * wx + wy * wy);
            const double a = 0.5 * (ux * vy - uy * vx);
            area[i] = a;
            bad += a < 0;
            sum += (ay + by + cy) / 3.0 > 0 ? std::abs(a) : 0.0;
            if (std::abs(a) < 0.05 * longest) found[size_t(part)].push_back(i);
        }
#pragma omp critical
        wrong += bad, above += sum;
    });
    for (int k = 1; k < threads; k++) found[0].insert(found[0].end(), found[size_t(k)].begin(), found[size_t(k)].end());
    return {std::move(area), std::move(found[0]), wrong, above};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::triangles(w.x.data, w.y.data, hand::records<fused::Corners>(w.mesh), 0.05);
        },
        [](const hand::Work& w) {
            return unfused::triangles(w.x.data, w.y.data, hand::records<unfused::Corners>(w.mesh), 0.05);
        });
}
