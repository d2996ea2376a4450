// Sessions: one pass.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Event {
    i64 user, time;
    i32 page;
};
struct Work {
    Records<Event> events;
    explicit Work(i64 n) : events(n) {
        events.fill([](auto i) {
            return Event{i64(i / 100), i64(i % 100 * 900 + hash(i) % 1500), i32(hash(i) % 100)};
        });
    }
};
using Result = std::tuple<Vec<i64>, Vec<i64>, double, i64>;
Result run(const Work& w) {
    const i64 n = w.events.size();
    const Event* e = w.events.data.data();
    const int threads = threads_for(n);
    Vec<Vec<i64>> all(static_cast<size_t>(threads)), longs(static_cast<size_t>(threads));
    i64 sum = 0, most = std::numeric_limits<i64>::min();
    const auto begins = [&](i64 i) { return i == 0 || e[i].user != e[i - 1].user || e[i].time - e[i - 1].time > 1800; };
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 i = lo, s = 0, top = most;
        while (i < hi && !begins(i)) i++;
        while (i < hi) {
            i64 j = i + 1;
            while (j < n && !begins(j)) j++;
            all[size_t(t)].push_back(j - i);
            longs[size_t(t)].push_back(e[j - 1].time - e[i].time);
            s += e[j - 1].time - e[i].time, top = std::max(top, j - i);
            i = j;
        }
#pragma omp critical
        sum += s, most = std::max(most, top);
    });
    for (int t = 1; t < threads; t++) {
        all[0].insert(all[0].end(), all[size_t(t)].begin(), all[size_t(t)].end());
        longs[0].insert(longs[0].end(), longs[size_t(t)].begin(), longs[size_t(t)].end());
    }
    return {std::move(all[0]), std::move(longs[0]), double(sum) / double(std::max<size_t>(all[0].size(), 1)),
            std::max<i64>(most, 0)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::sessions(hand::records<fused::Event>(w.events), 1800); },
        [](const hand::Work& w) { return unfused::sessions(hand::records<unfused::Event>(w.events), 1800); });
}
