// A step of matrix factorization: the factors of each user, and the sum of the squared errors before.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<i64> starts;
    Array<i32> items{0};
    Array<double> ratings{0};
    Matrix<double> users, things;
    Scalar<double> rate{0.01}, penalty{0.1};
    explicit Work(i64 n) : starts(n + 1), users(n, 16), things(n / 2 + 1, 16) {
        i64 k = 0;
        for (i64 i = 0; i < n; i++) starts.data[size_t(i) + 1] = k += i64(hash(u64(i)) % 40);
        const u64 t = u64(things.rows);
        items = Array<i32>(k), ratings = Array<double>(k);
        items.fill([t](auto i) { return i32(hash(i + 3) % t); });
        ratings.fill([](auto i) { return 1.0 + 4.0 * unit(i); });
        users.fill([](auto i) { return unit(i + 1); });
        things.fill([](auto i) { return unit(i + 2); });
    }
};
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.users.rows, k = w.users.columns;
    const double rate = w.rate.value, penalty = w.penalty.value;
    Fresh<double> moved(n * k);
    double errors = 0;
    const int threads = threads_for(n * k);
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads) reduction(+ : errors) if (threads > 1)
    for (i64 u = 0; u < n; u++) {
        const double* user = &w.users.data[size_t(u * k)];
        double *gradient = &moved[u * k], error = 0;
        for (i64 j = 0; j < k; j++) gradient[j] = 0;
        for (i64 e = w.starts[u]; e < w.starts[u + 1]; e++) {
            const double* thing = &w.things.data[size_t(w.items[e] * k)];
            double dot = 0;
#pragma omp simd reduction(+ : dot)
            for (i64 j = 0; j < k; j++) dot += user[j] * thing[j];
            const double off = w.ratings[e] - dot;
            for (i64 j = 0; j < k; j++) gradient[j] += off * thing[j];
            error += off * off;
        }
        for (i64 j = 0; j < k; j++) gradient[j] = user[j] + rate * (gradient[j] - penalty * user[j]);
        errors += error;
    }
    return {std::move(moved), errors};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::factors(w.starts.data, w.items.data, w.ratings.data, w.users, w.things, w.rate.value,
                                  w.penalty.value);
        },
        [](const hand::Work& w) {
            return unfused::factors(w.starts.data, w.items.data, w.ratings.data, w.users, w.things, w.rate.value,
                                    w.penalty.value);
        });
}
