// A page of three levels of templates: sections, their rows, their cells with numbers in decimal.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> sizes{0}, starts{0};
    Matrix<i64> values;
    explicit Work(i64 n) : values(n, 8) {
        values.fill([](auto i) {
            const u64 r = hash(i);
            return i64((r >> 8) % (r % 3 == 0 ? 10 : r % 3 == 1 ? 1000 : 10000000));
        });
        i64 at = 0;
        for (u64 k = 0; at < n; k++) {
            const i64 s = std::min<i64>(n - at, 1 + i64(hash(k) % 60));
            sizes.data.push_back(s);
            starts.data.push_back(at);
            at += s;
        }
    }
};
using Result = Fresh<u8>;
Result run(const Work& w) {
    const i64 s = w.sizes.size(), m = w.values.columns;
    const int threads = threads_for(w.values.rows * 8);
    Vec<std::string> out(static_cast<size_t>(threads));
    const auto number = [](std::string& o, i64 x) {
        char b[24];
        int k = 24;
        do {
            b[--k] = char(48 + x % 10);
            x /= 10;
        } while (x > 0);
        o.append(b + k, size_t(24 - k));
    };
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        std::string& o = out[size_t(t)];
        o.reserve(size_t(w.values.rows * (m * 16 + 30) / threads));
        for (i64 i = part(s, t, threads); i < part(s, t + 1, threads); i++) {
            o += "<table>\n";
            for (i64 r = 0; r < w.sizes[i]; r++) {
                o += "  <tr><th>";
                number(o, r);
                o += "</th>";
                for (i64 j = 0; j < m; j++) {
                    o += "<td>";
                    number(o, w.values[(w.starts[i] + r) * m + j]);
                    o += "</td>";
                }
                o += "</tr>\n";
            }
            o += "</table>\n";
        }
    }
    i64 n = 15;
    for (auto& o : out) n += i64(o.size());
    Fresh<u8> r(n);
    u8* p = r.data();
    memcpy(p, "<html>\n", 7);
    p += 7;
    for (auto& o : out) {
        memcpy(p, o.data(), o.size());
        p += o.size();
    }
    memcpy(p, "</html>\n", 8);
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::report(w.sizes.data, w.starts.data, w.values); },
        [](const hand::Work& w) { return unfused::report(w.sizes.data, w.starts.data, w.values); });
}
