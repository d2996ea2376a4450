// One step of particles in the electric field of a periodic grid, and the charge they lay on it.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> x, v, field;
    Scalar<double> dt{0.05};
    explicit Work(i64 n) : x(n), v(n), field(std::max<i64>(2, n / 1024)) {
        const double cells = double(field.size());
        x.fill([cells](auto i) { return unit(i) * cells; });
        v.fill([](auto i) { return unit(i + 7) * 2.0 - 1.0; });
        field.fill([](auto i) { return std::sin(0.01 * double(i)); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>, Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.x.size(), g = w.field.size();
    const double *x = w.x.data.data(), *v = w.v.data.data(), *field = w.field.data.data(), dt = w.dt.value,
                 cells = double(g);
    Fresh<double> to(n), speed(n), charge(g);
    double energy = 0;
    const int threads = threads_for(n);
    Vec<Vec<double>> own(static_cast<size_t>(threads));
    Vec<double> energies(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) {
        Vec<double> mine(static_cast<size_t>(g));
        double sum = 0, places[256], shares[256];
        for (i64 first = lo; first < hi; first += 256) {
            const i64 last = std::min<i64>(hi, first + 256);
#pragma omp simd reduction(+ : sum)
            for (i64 p = first; p < last; p++) {
                const double cell = std::floor(x[p]), part = x[p] - cell;
                i64 i = i64(cell);
                if (i >= g) i -= g; // x lies in the grid, whose end is its begin
                const i64 j = i + 1 == g ? 0 : i + 1;
                const double s = v[p] + (field[i] * (1.0 - part) + field[j] * part) * dt, moved = x[p] + s * dt;
                double wrapped = moved - std::floor(moved / cells) * cells;
                wrapped = wrapped >= cells ? 0.0 : wrapped;
                speed[p] = s, to[p] = wrapped;
                places[p - first] = std::floor(wrapped), shares[p - first] = wrapped - std::floor(wrapped);
                sum += 0.5 * s * s;
            }
            for (i64 p = 0; p < last - first; p++) {
                const i64 i = i64(places[p]), j = i + 1 == g ? 0 : i + 1;
                mine[size_t(i)] += 1.0 - shares[p];
                mine[size_t(j)] += shares[p];
            }
        }
        own[size_t(t)] = std::move(mine), energies[size_t(t)] = sum;
    });
    for (i64 i = 0; i < g; i++) charge[i] = 0;
    for (size_t t = 0; t < own.size(); t++) {
        energy += energies[t];
        for (i64 i = 0; i < g; i++) charge[i] += own[t][size_t(i)];
    }
    return {std::move(to), std::move(speed), std::move(charge), energy};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::plasma(w.x.data, w.v.data, w.field.data, w.dt.value); },
        [](const hand::Work& w) { return unfused::plasma(w.x.data, w.v.data, w.field.data, w.dt.value); });
}
