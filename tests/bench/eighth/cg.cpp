// Conjugate gradients: three passes a step, the matrix applied on the fly.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> b;
    explicit Work(i64 n) : b(n, n) {
        b.fill([](auto i) { return unit(i) + 0.5; }); // no element of the solution is near 0
    }
};
constexpr i64 steps = 10;
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 h = w.b.rows, m = w.b.columns, n = h * m;
    const double* b = w.b.data.data();
    Fresh<double> X(n), R(n), P(n), Q(n);
    double *x = X.data(), *r = R.data(), *p = P.data(), *q = Q.data();
    const int threads = threads_for(n);
    double rr = 0, pq = 0, next = 0;
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const i64 lo = part(h, t, threads), hi = part(h, t + 1, threads);
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (i64 i = lo * m; i < hi * m; i++) x[i] = 0, r[i] = p[i] = b[i], s += b[i] * b[i];
#pragma omp critical
        rr += s;
#pragma omp barrier
        for (i64 step = 0; step < steps; step++) {
            s = 0;
            for (i64 y = lo; y < hi; y++) {
                const double* c = p + y * m;
                double* o = q + y * m;
                const auto edge = [&](i64 k) {
                    const double up = y > 0 ? c[k - m] : 0.0, down = y + 1 < h ? c[k + m] : 0.0;
                    const double left = k > 0 ? c[k - 1] : 0.0, right = k + 1 < m ? c[k + 1] : 0.0;
                    o[k] = 4.0 * c[k] - up - down - left - right;
                    s += c[k] * o[k];
                };
                if (y == 0 || y + 1 == h) {
                    for (i64 k = 0; k < m; k++) edge(k);
                    continue;
                }
                edge(0);
#pragma omp simd reduction(+ : s)
                for (i64 k = 1; k < m - 1; k++) {
                    o[k] = 4.0 * c[k] - c[k - m] - c[k + m] - c[k - 1] - c[k + 1];
                    s += c[k] * o[k];
                }
                if (m > 1) edge(m - 1);
            }
#pragma omp critical
            pq += s;
#pragma omp barrier
            const double alpha = rr / pq;
            s = 0;
#pragma omp simd reduction(+ : s)
            for (i64 i = lo * m; i < hi * m; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                s += r[i] * r[i];
            }
#pragma omp critical
            next += s;
#pragma omp barrier
            const double beta = next / rr;
#pragma omp simd
            for (i64 i = lo * m; i < hi * m; i++) p[i] = r[i] + beta * p[i];
#pragma omp barrier
#pragma omp single
            rr = next, next = pq = 0;
        }
    }
    return {std::move(X), rr};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::solve(w.b, hand::steps); },
        [](const hand::Work& w) { return unfused::solve(w.b, hand::steps); });
}
