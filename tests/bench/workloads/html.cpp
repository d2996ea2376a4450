// Rows of three cells to HTML: the length first, then one buffer.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
template <class Table> std::int64_t length(const Table& table, std::int64_t begin, std::int64_t end) {
    std::int64_t size = 0;
    for (std::int64_t i = begin; i < end; ++i) {
        size += 10;
        for (const auto& cell : table[static_cast<std::size_t>(i)]) size += 9 + std::ssize(cell);
    }
    return size;
}
fused::array<std::uint8_t> compute(std::span<const fused::array<fused::array<std::uint8_t>>> table) {
    const std::int64_t n = std::ssize(table);
    const int parts = n > 1024 ? omp_get_max_threads() : 1;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(parts) + 1);
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part)
        starts[static_cast<std::size_t>(part) + 1] = length(table, n * part / parts, n * (part + 1) / parts);
    for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) starts[part + 1] += starts[part];
    fused::array<std::uint8_t> out(starts.back());
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
        std::uint8_t* to = out.data() + starts[static_cast<std::size_t>(part)];
        auto put = [&](const void* bytes, std::size_t size) { std::memcpy(to, bytes, size), to += size; };
        for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
            put("<tr>", 4);
            for (const auto& cell : table[static_cast<std::size_t>(i)]) {
                put("<td>", 4);
                put(cell.data(), static_cast<std::size_t>(std::ssize(cell)));
                put("</td>", 5);
            }
            put("</tr>\n", 6);
        }
    }
    return out;
}
} // namespace hand

template <template <class, int...> class Array> auto table(std::int64_t n) {
    using Text = Array<std::uint8_t>;
    harness::Random random(1);
    std::vector<Array<Text>> rows;
    rows.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        const std::string cells[] = {std::to_string(i), "name " + std::to_string(random.below(1000)),
                                     std::to_string(random.below(100000)) + ".00"};
        Array<Text> row;
        for (const std::string& cell : cells) {
            Text text(std::ssize(cell));
            std::memcpy(text.data(), cell.data(), cell.size());
            row.push_back(std::move(text));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}
template <class T, int...> using fused_array = fused::array<T>;
template <class T, int...> using unfused_array = unfused::array<T>;

int main(int argc, char** argv) {
    struct Input {
        std::vector<fused::array<fused::array<std::uint8_t>>> a;
        std::vector<unfused::array<unfused::array<std::uint8_t>>> b;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{table<fused_array>(n), table<unfused_array>(n)};
        },
        [](const Input& in) { return hand::compute(in.a); }, [](const Input& in) { return fused::compute(in.a); },
        [](const Input& in) { return unfused::compute(in.b); });
}
