// Lines of dates: the day of each, how many are none, and how many fall on each day of the week.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n * 11) { // lines
        for (i64 i = 0; i < n; i++) {
            char line[32];
            const u64 h = hash(u64(i));
            std::snprintf(line, sizeof line, "%04d-%02d-%02d\n", int(1900 + h % 200), int(1 + (h >> 20) % 12),
                          int(1 + (h >> 32) % 31));
            if (h % 50 == 0) line[(h >> 40) % 10] = 'x';
            std::memcpy(&text.data[size_t(i) * 11], line, 11);
        }
    }
};
using Result = std::tuple<Fresh<i64>, i64, Fresh<i64>>;
Result run(const Work& w) {
    const i64 n = w.text.size() / 11;
    const u8* text = w.text.data.data();
    Fresh<i64> days(n), week(7);
    static constexpr i64 most[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int threads = threads_for(n);
    i64 bad = 0, c[7] = {};
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : bad, c) if (threads > 1)
    for (i64 i = 0; i < n; i++) {
        const u8* p = text + 11 * i;
        const auto digit = [p](int k) { return u8(p[k] - 48) < 10; };
        const auto value = [p](int k) { return i64(p[k]) - 48; };
        const i64 year = ((value(0) * 10 + value(1)) * 10 + value(2)) * 10 + value(3), month = value(5) * 10 + value(6),
                  day = value(8) * 10 + value(9);
        bool good = (p[4] == '-') & (p[7] == '-') & (p[10] == '\n') & digit(0) & digit(1) & digit(2) & digit(3) &
                    digit(5) & digit(6) & digit(8) & digit(9) & (month >= 1) & (month <= 12) & (day >= 1);
        i64 result = -1000000;
        if (good) {
            const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            if (day <= most[month - 1] + (month == 2 && leap)) {
                const i64 y = month <= 2 ? year - 1 : year, m = month > 2 ? month - 3 : month + 9;
                result = y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
            } else {
                good = false;
            }
        }
        days[i] = result;
        if (good)
            c[((result + 4) % 7 + 7) % 7]++;
        else
            bad++;
    }
    for (i64 k = 0; k < 7; k++) week[k] = c[k];
    return {std::move(days), bad, std::move(week)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::dates(w.text.data); },
        [](const hand::Work& w) { return unfused::dates(w.text.data); });
}
