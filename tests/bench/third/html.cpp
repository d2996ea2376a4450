// Rows to HTML: those that cost at least 10.00; row i has the name %names[%starts[i] .. %starts[i + 1]).
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <string_view>

namespace hand {
struct Work {
    Array<std::uint8_t> names;
    Array<std::int64_t> starts;
    Array<std::int32_t> cents;
    explicit Work(std::int64_t n) : starts(n + 1), cents(n) {
        constexpr std::string_view stems[] = {"bolt", "nut <M8>", "R&D kit", "washer", "gear & shaft", "plate"};
        for (std::int64_t i = 0; i < n; i++) {
            const std::uint64_t r = hash(std::uint64_t(i) + 5);
            starts.data[std::size_t(i)] = names.size();
            for (char c : stems[r % 6]) names.data.push_back(std::uint8_t(c));
            names.data.push_back(' ');
            for (std::uint64_t p = 100; p; p /= 10) names.data.push_back(std::uint8_t('0' + r % 1000 / p % 10));
            cents.data[std::size_t(i)] = std::int32_t((r >> 20) % 5000);
        }
        starts.data.back() = names.size();
    }
};
using Result = Fresh<std::uint8_t>;
static inline std::uint8_t* put(std::uint8_t* out, std::string_view s) {
    std::memcpy(out, s.data(), s.size());
    return out + s.size();
}
static inline std::uint8_t* put_decimal(std::uint8_t* out, std::int64_t v) {
    constexpr std::int64_t powers[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
#pragma GCC unroll 7
    for (std::int64_t p : powers)
        if (v >= p || p == 1) *out++ = std::uint8_t(48 + v / p % 10);
    return out;
}
static inline std::uint8_t* put_row(std::uint8_t* out, std::int64_t i, const std::uint8_t* name,
                                    const std::uint8_t* end, std::int64_t cents) {
    out = put_decimal(put(out, "<tr><td>"), i);
    out = put(out, "</td><td>");
    for (; name < end; name++) switch (*name) {
        case '<': out = put(out, "&lt;"); break;
        case '>': out = put(out, "&gt;"); break;
        case '&': out = put(out, "&amp;"); break;
        default: *out++ = *name;
        }
    out = put_decimal(put(out, "</td><td>"), cents / 100);
    *out++ = '.', *out++ = std::uint8_t(48 + cents / 10 % 10), *out++ = std::uint8_t(48 + cents % 10);
    return put(out, "</td></tr>\n");
}
Result run(const Work& w) {
    const std::int64_t n = w.cents.size(), bytes = w.names.size();
    const std::uint8_t* names = w.names.data.data();
    const std::int64_t *starts = w.starts.data.data(), last = w.starts.size() - 1;
    const std::int32_t* cents = w.cents.data.data();
    const int threads = threads_for(n);
    // One reservation that is always large enough, a region for each thread; regions close up at the end.
    std::vector<std::int64_t> base(std::size_t(threads) + 1), used(static_cast<std::size_t>(threads));
    bool bad = false;
#pragma omp parallel num_threads(threads) reduction(|| : bad)
    {
        const int t = omp_get_thread_num();
        const std::int64_t hi = part(n, t + 1, threads);
        std::int64_t room = 0;
        for (std::int64_t i = part(n, t, threads); i < hi; i++) {
            if (cents[i] < 1000) continue;
            if (i >= last || starts[i] < 0 || starts[i] > starts[i + 1] || starts[i + 1] > bytes) {
                bad = true;
                continue;
            }
            room += 5 * (starts[i + 1] - starts[i]) + 64;
        }
        base[std::size_t(t) + 1] = room;
    }
    if (bad) fault("slice out of range");
    for (int t = 0; t < threads; t++) base[std::size_t(t) + 1] += base[std::size_t(t)];
    Result result(base.back());
    std::uint8_t* out = result.data();
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const std::int64_t hi = part(n, t + 1, threads);
        std::uint8_t *begin = out + base[std::size_t(t)], *o = begin;
        for (std::int64_t i = part(n, t, threads); i < hi; i++)
            if (cents[i] >= 1000) o = put_row(o, i, names + starts[i], names + starts[i + 1], cents[i]);
        used[std::size_t(t)] = o - begin;
    }
    std::int64_t size = used[0];
    for (int t = 1; t < threads; t++) {
        std::memmove(out + size, out + base[std::size_t(t)], std::size_t(used[std::size_t(t)]));
        size += used[std::size_t(t)];
    }
    result.shrink(size);
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::html(w.names.data, w.starts.data, w.cents.data); },
        [](const hand::Work& w) { return unfused::html(w.names.data, w.starts.data, w.cents.data); });
}
