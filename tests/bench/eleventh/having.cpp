// One hash table of entries with all that is asked for, in the order of the first purchases.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> user;
    Array<double> amount;
    explicit Work(i64 n) : user(n), amount(n) {
        user.fill([n](auto i) { return i64(hash(i) % std::uint64_t(std::max<i64>(n / 4, 1))) * 1000003; });
        amount.fill([](auto i) { return 1 + double(hash(i + 77) % 1000); });
    }
};
using Result = std::tuple<Fresh<i64>, Fresh<double>, Fresh<double>>;
Result run(const Work& w) {
    struct Entry {
        i64 key, count;
        double most, total;
    };
    const i64 n = w.user.size();
    std::vector<Entry> entries;
    i64 size = 16;
    std::vector<std::int32_t> table(size, -1);
    const auto place = [&](i64 key) {
        i64 at = i64(hash(std::uint64_t(key))) & (size - 1);
        while (table[at] >= 0 && entries[table[at]].key != key) at = (at + 1) & (size - 1);
        return at;
    };
    for (i64 i = 0; i < n; i++) {
        i64 at = place(w.user[i]);
        if (table[at] < 0) {
            if (2 * i64(entries.size()) >= size) {
                size *= 4;
                table.assign(size, -1);
                for (i64 e = 0; e < i64(entries.size()); e++) table[place(entries[e].key)] = std::int32_t(e);
                at = place(w.user[i]);
            }
            table[at] = std::int32_t(entries.size());
            entries.push_back({w.user[i], 0, 0.0, 0.0});
        }
        Entry& e = entries[table[at]];
        e.count++, e.most = std::max(e.most, w.amount[i]), e.total += w.amount[i];
    }
    i64 kept = 0;
    for (const Entry& e : entries) kept += e.count > 3;
    Result out{Fresh<i64>(kept), Fresh<double>(kept), Fresh<double>(kept)};
    i64 k = 0;
    for (const Entry& e : entries)
        if (e.count > 3)
            std::get<0>(out)[k] = e.key, std::get<1>(out)[k] = e.most, std::get<2>(out)[k] = e.most / e.total, k++;
    return out;
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::having(w.user.data, w.amount.data); },
        [](const hand::Work& w) { return unfused::having(w.user.data, w.amount.data); });
}
