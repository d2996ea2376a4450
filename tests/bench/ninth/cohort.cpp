// One pass; a part begins at a user.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Visit {
    i32 user, day;
};
constexpr i64 weeks = 104;
struct Work {
    Records<Visit> visits;
    explicit Work(i64 n) : visits(n) {
        i32 user = 0, day = i32(hash(1) % 300);
        for (i64 i = 0; i < n; i++) {
            if (hash(u64(i)) % 12 == 0 || day >= 720) user++, day = i32(hash(u64(i) + 3) % 500);
            visits.data[size_t(i)] = {user, day};
            day += i32(hash(u64(i) + 9) % 8);
        }
    }
};
using Result = std::tuple<Vec<i64>, Vec<double>>;
Result run(const Work& w) {
    const i64 n = w.visits.size();
    const Visit* v = w.visits.data.data();
    Vec<i64> table(weeks * weeks);
    parts(n, [&](int, i64 lo, i64 hi) {
        while (lo > 0 && lo < n && v[lo].user == v[lo - 1].user) lo++;
        while (hi < n && v[hi].user == v[hi - 1].user) hi++;
        Vec<i64> own(weeks * weeks);
        i64 start = 0, last = -1;
        for (i64 i = lo; i < hi; i++) {
            const i64 week = v[i].day / 7;
            const bool first = i == 0 || v[i].user != v[i - 1].user;
            if (first) start = week;
            if (first || week != last) own[size_t(start * weeks + week - start)]++;
            last = week;
        }
#pragma omp critical
        for (size_t k = 0; k < table.size(); k++) table[k] += own[k];
    });
    Vec<double> rates(weeks);
    for (i64 k = 0; k < weeks; k++) {
        i64 came = 0, all = 0;
        for (i64 s = 0; s < weeks; s++) {
            came += table[size_t(s * weeks + k)];
            if (s + k < weeks) all += table[size_t(s * weeks)];
        }
        rates[size_t(k)] = all == 0 ? 0.0 : double(came) / double(all);
    }
    return {std::move(table), std::move(rates)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::cohort(hand::records<fused::Visit>(w.visits), hand::weeks); },
        [](const hand::Work& w) { return unfused::cohort(hand::records<unfused::Visit>(w.visits), hand::weeks); });
}
