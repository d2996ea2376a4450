// Times one program as emitted with and without fusion, the two by turns, on one thread and on two.
// fused.cpp and unfused.cpp are what `irrewrite -emit cpp -namespace …` made; PROGRAM(ns) is the call,
// of arrays xs, ys, zs in (0, 1) with N elements. Prints "threads fused unfused", milliseconds, per line.
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

template <class T> void flatten(std::vector<double>& out, const T& value) {
    if constexpr (std::is_arithmetic_v<T>)
        out.push_back(static_cast<double>(value));
    else if constexpr (requires { value.begin(); })
        for (const auto& element : value) flatten(out, element);
    else
        std::apply([&](const auto&... parts) { (flatten(out, parts), ...); }, value);
}

template <class T> std::vector<double> flattened(const T& value) {
    std::vector<double> out;
    flatten(out, value);
    return out;
}

// Sums may be grouped otherwise: equal but for their last digits.
bool agree(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return x == y || std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y));
    });
}

template <class F> double milliseconds(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = f();
    const auto stop = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(stop - start).count();
}

double median(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

int main() {
    std::vector<double> xs(N), ys(N), zs(N);
    std::uint64_t state = 1;
    for (auto* array : {&xs, &ys, &zs})
        for (double& x : *array) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x = (static_cast<double>(state >> 40) + 0.5) / (1 << 24);
        }
    if (!agree(flattened(PROGRAM(fused)), flattened(PROGRAM(unfused)))) {
        std::puts("the results differ");
        return 1;
    }
    for (int threads : {1, 2}) {
        omp_set_num_threads(threads);
        std::vector<double> fused_times, unfused_times;
        for (int run = 0; run < RUNS; ++run) {
            fused_times.push_back(milliseconds([&] { return PROGRAM(fused); }));
            unfused_times.push_back(milliseconds([&] { return PROGRAM(unfused); }));
        }
        std::printf("%d %.3f %.3f\n", threads, median(fused_times), median(unfused_times));
    }
}
