// Movements of goods, by day and by item.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<fused::Movement> moves;
    Array<unfused::Movement> others;
    Scalar<i64> days{365}, items{20000};
    explicit Work(i64 n) : moves(n), others(n) {
        moves.fill([n](auto i) {
            return fused::Movement{i32(i * 365 / u64(n)), i32(hash(i) % 20000), i64(hash(i + 7) % 40) - 18,
                                   unit(i) * 100};
        });
        others.fill([this](auto i) {
            const fused::Movement& m = moves[i64(i)];
            return unfused::Movement{m.day, m.item, m.quantity, m.price};
        });
    }
};
using Result = std::tuple<Vec<i64>, Vec<i64>, Vec<double>, Vec<i64>, Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const size_t days = size_t(w.days.value), items = size_t(w.items.value);
    Vec<i64> in(days), out(days), there(items), least(items), low;
    Vec<double> sold(days);
    for (const auto& m : w.moves.data) {
        if (u64(m.day) < days) {
            in[size_t(m.day)] += std::max(m.quantity, i64(0));
            out[size_t(m.day)] += std::max(-m.quantity, i64(0));
            sold[size_t(m.day)] += m.quantity < 0 ? double(-m.quantity) * m.price : 0.0;
        }
        if (u64(m.item) >= items) fault("item");
        const i64 now = there[size_t(m.item)] += m.quantity;
        least[size_t(m.item)] = std::min(least[size_t(m.item)], now);
    }
    for (size_t i = 0; i < items; i++)
        if (least[i] < 0) low.push_back(i64(i));
    return {std::move(in), std::move(out), std::move(sold), std::move(there), std::move(least), std::move(low)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::stock(w.moves.data, w.days.value, w.items.value); },
        [](const hand::Work& w) { return unfused::stock(w.others.data, w.days.value, w.items.value); });
}
