// Count, mean and largest value for each key, in the order in which keys first come.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
struct Group {
    std::int64_t key, count;
    double sum, largest;
};
// Open addressing; a slot holds the number of a group, and one.
class Groups {
  public:
    Group& operator[](std::int64_t key) {
        if (2 * (groups.size() + 1) > slots_.size()) grow();
        std::size_t at = start(key);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
            if (groups[slots_[at] - 1].key == key) return groups[slots_[at] - 1];
        groups.push_back({key, 0, 0.0, -HUGE_VAL});
        slots_[at] = static_cast<std::uint32_t>(groups.size());
        return groups.back();
    }
    std::vector<Group> groups;

  private:
    std::size_t start(std::int64_t key) const {
        return (static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
    }
    void grow() {
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            std::size_t at = start(groups[i].key);
            while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::uint32_t>(i + 1);
        }
    }
    std::vector<std::uint32_t> slots_;
};
using Result =
    std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<double>, std::vector<double>>;
Result compute(std::span<const std::int64_t> keys, std::span<const double> values) {
    const std::int64_t n = std::ssize(keys);
    const int parts = n > 32768 ? omp_get_max_threads() : 1;
    std::vector<Groups> found(static_cast<std::size_t>(parts));
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
        Groups mine;
        for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
            Group& g = mine[keys[static_cast<std::size_t>(i)]];
            const double value = values[static_cast<std::size_t>(i)];
            ++g.count, g.sum += value, g.largest = std::max(g.largest, value);
        }
        found[static_cast<std::size_t>(part)] = std::move(mine);
    }
    Groups& all = found[0];
    for (std::size_t part = 1; part < found.size(); ++part)
        for (const Group& later : found[part].groups) {
            Group& g = all[later.key];
            g.count += later.count, g.sum += later.sum, g.largest = std::max(g.largest, later.largest);
        }
    Result result;
    for (const Group& g : all.groups) {
        std::get<0>(result).push_back(g.key), std::get<1>(result).push_back(g.count);
        std::get<2>(result).push_back(g.sum / static_cast<double>(g.count)), std::get<3>(result).push_back(g.largest);
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<std::int64_t> keys;
        std::vector<double> values;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            Input in{harness::integers(n, 1, 0, 10000), harness::numbers(n, 2)};
            for (std::int64_t& key : in.keys) key = key * 1000003 - 5000000000;
            return in;
        },
        [](const Input& in) { return hand::compute(in.keys, in.values); },
        [](const Input& in) { return fused::compute(in.keys, in.values); },
        [](const Input& in) { return unfused::compute(in.keys, in.values); });
}
