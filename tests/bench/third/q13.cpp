// TPC-H Q13: how many customers have how many orders, but orders with a comment like %special%requests% do not count.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Scalar<i64> customers;
    Array<i64> order_customer, starts;
    Array<u8> comments;
    explicit Work(i64 n) : customers{n / 10 + 1}, order_customer(n), starts(n + 1) {
        const u64 c = u64(customers.value);
        order_customer.fill([c](auto i) { return i64(hash(i) % c); });
        const char* words[] = {"special",  "requests", "carefully", "final", "deposits",  "sleep",
                               "packages", "quickly",  "across",    "the",   "furiously", "pending",
                               "sly",      "foxes",    "ironic",    "bold"};
        std::string s;
        for (i64 i = 0; i < n; i++) {
            starts.data[size_t(i)] = i64(s.size());
            const u64 k = 4 + hash(u64(i)) % 6;
            for (u64 j = 0; j < k; j++) {
                s += words[hash(u64(i) * 16 + j) % 16];
                s += 32;
            }
        }
        starts.data[size_t(n)] = i64(s.size());
        comments.data.assign(s.begin(), s.end());
    }
    Work(const Work&) = delete;
};
using Result = std::tuple<Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.order_customer.size();
    const char* text = reinterpret_cast<const char*>(w.comments.data.data());
    const int threads = threads_for(n);
    Vec<Vec<i64>> parts_(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) {
        Vec<i64> c(size_t(w.customers.value), 0);
        for (i64 i = lo; i < hi; i++) {
            const char *p = text + w.starts[i], *e = text + w.starts[i + 1];
            bool bad = false;
            if (const void* s = memmem(p, size_t(e - p), "special", 7)) {
                const char* q = static_cast<const char*>(s) + 7;
                bad = memmem(q, size_t(e - q), "requests", 8) != nullptr;
            }
            if (!bad) c[size_t(w.order_customer[i])]++;
        }
        parts_[size_t(t)] = std::move(c);
    });
    KeyIndex index;
    Result r;
    auto& counts = std::get<1>(r);
    for (i64 c = 0; c < w.customers.value; c++) {
        i64 k = 0;
        for (auto& p : parts_) k += p[size_t(c)];
        const i64 g = index(k);
        if (g == i64(counts.size())) counts.push_back(0);
        counts[size_t(g)]++;
    }
    std::get<0>(r) = index.keys;
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::q13(w.customers.value, w.order_customer.data, w.starts.data, w.comments.data);
        },
        [](const hand::Work& w) {
            return unfused::q13(w.customers.value, w.order_customer.data, w.starts.data, w.comments.data);
        });
}
