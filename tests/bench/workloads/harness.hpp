// What the workloads share: inputs, comparing results, timing by turns.
//
// A workload defines namespace hand (written by hand, fused), includes what `irrewrite -emit cpp` made of
// the same program with and without fusion (namespaces fused and unfused), and calls bench(). The command
// line says what is done:
//   check N            prints nothing when all three agree, else a line; exit code 1
//   time N RUNS        "threads hand fused unfused" in milliseconds: for one thread medians of CPU time, for
//                      two the least time by the clock, which other work on the machine disturbs least
//   once WHICH N       runs one of them once (to see its memory)
//   print N            the hand-written program's results, as numbers (for peers in other languages)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <omp.h>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace harness {

// Numbers in (0, 1), the same for every language (tests/bench/workloads.py repeats this).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 40;
    }
    double unit() { return (static_cast<double>(bits()) + 0.5) / (1 << 24); }
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits()) % n; }

  private:
    std::uint64_t state_;
};

inline std::vector<double> numbers(std::int64_t n, std::uint64_t seed, double low = 0.0, double high = 1.0) {
    Random random(seed);
    std::vector<double> xs(static_cast<std::size_t>(n));
    for (double& x : xs) x = low + (high - low) * random.unit();
    return xs;
}

inline std::vector<std::int64_t> integers(std::int64_t n, std::uint64_t seed, std::int64_t low, std::int64_t high) {
    Random random(seed);
    std::vector<std::int64_t> xs(static_cast<std::size_t>(n));
    for (std::int64_t& x : xs) x = low + random.below(high - low);
    return xs;
}

// The fields of a struct of two to eight, as references.
struct Anything {
    template <class T> operator T() const;
};
template <class S, std::size_t... I> constexpr bool takes(std::index_sequence<I...>) {
    return requires { S{(void(I), Anything{})...}; };
}
template <class S, std::size_t N = 8> constexpr std::size_t fields() {
    if constexpr (N == 0 || takes<S>(std::make_index_sequence<N>{}))
        return N;
    else
        return fields<S, N - 1>();
}
template <class S> auto members(const S& s) {
    constexpr std::size_t n = fields<S>();
    if constexpr (n == 2) {
        const auto& [a, b] = s;
        return std::tie(a, b);
    } else if constexpr (n == 3) {
        const auto& [a, b, c] = s;
        return std::tie(a, b, c);
    } else if constexpr (n == 4) {
        const auto& [a, b, c, d] = s;
        return std::tie(a, b, c, d);
    } else if constexpr (n == 5) {
        const auto& [a, b, c, d, e] = s;
        return std::tie(a, b, c, d, e);
    } else if constexpr (n == 6) {
        const auto& [a, b, c, d, e, f] = s;
        return std::tie(a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        const auto& [a, b, c, d, e, f, g] = s;
        return std::tie(a, b, c, d, e, f, g);
    } else if constexpr (n == 8) {
        const auto& [a, b, c, d, e, f, g, h] = s;
        return std::tie(a, b, c, d, e, f, g, h);
    }
}

struct Number {
    double value, tolerance; // relative
};
template <class T> void flatten(std::vector<Number>& out, const T& value) {
    if constexpr (std::is_arithmetic_v<T>)
        out.push_back({static_cast<double>(value), std::is_same_v<T, float> ? 1e-5 : 1e-9});
    else if constexpr (requires { value.begin(); })
        for (const auto& element : value) flatten(out, element);
    else if constexpr (requires { value.values(); })
        flatten(out, value.values());
    else if constexpr (requires {
                           value.data();
                           value.size();
                       })
        flatten(out, std::span(value.data(), static_cast<std::size_t>(value.size())));
    else if constexpr (std::is_aggregate_v<T>)
        flatten(out, members(value));
    else
        std::apply([&](const auto&... parts) { (flatten(out, parts), ...); }, value);
}

template <class T> std::vector<Number> flattened(const T& value) {
    std::vector<Number> out;
    flatten(out, value);
    return out;
}

// The tolerance that an input asks for, where numbers are computed of sums of shorter ones; 0 if it asks for none.
template <class Input> double tolerance_of(const Input& input) {
    if constexpr (requires { input->tolerance; })
        return input->tolerance;
    else
        return 0;
}

// Sums may be grouped otherwise: equal but for their last digits. NaN equals NaN.
inline bool agree(const std::vector<Number>& a, const std::vector<Number>& b, double tolerance) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](Number m, Number n) {
        const double x = m.value, y = n.value, error = std::max(m.tolerance, tolerance);
        return x == y || (x != x && y != y) || std::abs(x - y) <= error * std::max(std::abs(x), std::abs(y));
    });
}

inline double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// Of a second run: the first one pays for what another program left in the caches.
template <class F> double milliseconds(clockid_t clock, F&& f) {
    (void)f();
    const double start = now(clock);
    const auto result = f();
    return now(clock) - start;
}

inline double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

// `make(n)` gives the input; hand, fused, unfused take it.
template <class Make, class Hand, class Fused, class Unfused>
int bench(int argc, char** argv, Make make, Hand hand, Fused fused, Unfused unfused) {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what == "once" && argc > 3) {
        const auto input = make(std::atoll(argv[3]));
        const std::string which = argv[2];
        if (which == "hand") (void)hand(input);
        if (which == "fused") (void)fused(input);
        if (which == "unfused") (void)unfused(input);
        return 0;
    }
    const auto input = make(argc > 2 ? std::atoll(argv[2]) : 0);
    if (what == "check") {
        const auto wanted = flattened(hand(input));
        bool same = true;
        for (int threads : {1, 2}) {
            omp_set_num_threads(threads);
            if (!agree(wanted, flattened(fused(input)), tolerance_of(input)))
                same = false, std::printf("fused differs at %s\n", argv[2]);
            if (!agree(wanted, flattened(unfused(input)), tolerance_of(input)))
                same = false, std::printf("unfused differs at %s\n", argv[2]);
        }
        return same ? 0 : 1;
    }
    if (what == "print") {
        for (const Number x : flattened(hand(input))) std::printf("%.17g\n", x.value);
        return 0;
    }
    if (what != "time" || argc < 4) return 2;
    for (int threads : {1, 2}) {
        omp_set_num_threads(threads);
        const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        std::vector<double> times[3];
        for (int run = 0; run < std::atoi(argv[3]); ++run) {
            times[0].push_back(milliseconds(clock, [&] { return hand(input); }));
            times[1].push_back(milliseconds(clock, [&] { return fused(input); }));
            times[2].push_back(milliseconds(clock, [&] { return unfused(input); }));
        }
        const auto typical = [&](const std::vector<double>& all) {
            return threads == 1 ? median(all) : *std::min_element(all.begin(), all.end());
        };
        std::printf("%d %.4f %.4f %.4f\n", threads, typical(times[0]), typical(times[1]), typical(times[2]));
    }
    return 0;
}

} // namespace harness
