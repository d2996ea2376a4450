// Tables like those of TPC-H, of the sizes that a scale factor gives: columns of numbers, days since 1992, short codes,
// and texts. All values are functions of a position, so every run makes the same tables.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tpch {

using std::int32_t, std::int64_t, std::uint8_t, std::uint64_t;

inline uint64_t hash(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Value `field` of row i of a table, below n.
inline int64_t below(int64_t n, uint64_t table, uint64_t field, int64_t i) {
    return static_cast<int64_t>(hash(hash(table * 64 + field) + static_cast<uint64_t>(i)) % static_cast<uint64_t>(n));
}

// Texts, one behind the other.
struct Texts {
    std::string bytes;
    std::vector<int64_t> ends{0};
    void add(std::string_view text) {
        bytes += text;
        ends.push_back(static_cast<int64_t>(bytes.size()));
    }
    std::size_t size() const { return ends.size() - 1; }
    std::span<const uint8_t> all() const { return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}; }
    std::span<const uint8_t> operator[](std::size_t i) const {
        return all().subspan(static_cast<std::size_t>(ends[i]), static_cast<std::size_t>(ends[i + 1] - ends[i]));
    }
    template <class Rows> operator Rows() const { return Rows(all(), ends); }
};

struct Tables {
    std::vector<int64_t> n_key, n_region, s_key, s_nation, c_key, c_nation, c_balance, p_key, o_key, o_customer,
        o_price;
    std::vector<int64_t> l_order, l_part, l_supplier, l_quantity, l_price, l_discount;
    std::vector<int32_t> p_size, o_date, l_ship, l_commit, l_receipt;
    std::vector<uint8_t> c_segment, p_brand, p_container, o_urgency, l_returned, l_mode, l_instruction;
    Texts c_phone, p_type, o_comment;
    Texts codes;    // Q22
    int64_t pieces; // Q18: more than these

    explicit Tables(double factor) : pieces(factor < 0.1 ? 230 : 300) {
        const auto rows = [&](double n) { return std::max<int64_t>(30, static_cast<int64_t>(n * factor)); };
        const int64_t c = rows(150000), o = rows(1500000), p = rows(200000), s = rows(10000);
        for (const char* code : {"13", "31", "23", "29", "30", "18", "17"}) codes.add(code);
        for (int64_t i = 0; i < 25; ++i) n_key.push_back(i), n_region.push_back(i % 5);
        for (int64_t i = 0; i < s; ++i) s_key.push_back(i + 1), s_nation.push_back(below(25, 1, 0, i));
        for (int64_t i = 0; i < c; ++i) add_customer(i);
        for (int64_t i = 0; i < p; ++i) add_part(i);
        for (int64_t i = 0; i < o; ++i) add_order(i, c, p, s);
    }

  private:
    void add_customer(int64_t i) {
        const int64_t nation = below(25, 2, 0, i);
        c_key.push_back(i + 1);
        c_nation.push_back(nation);
        c_balance.push_back(below(1100000, 2, 1, i) - 100000);
        c_segment.push_back(static_cast<uint8_t>(below(5, 2, 2, i)));
        char text[32];
        std::snprintf(text, sizeof text, "%d-%03d-%03d-%04d", static_cast<int>(10 + nation),
                      static_cast<int>(below(1000, 2, 3, i)), static_cast<int>(below(1000, 2, 4, i)),
                      static_cast<int>(below(10000, 2, 5, i)));
        c_phone.add(text);
    }

    void add_part(int64_t i) {
        static constexpr const char* first[] = {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"};
        static constexpr const char* second[] = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"};
        static constexpr const char* third[] = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
        p_key.push_back(i + 1);
        p_brand.push_back(static_cast<uint8_t>(below(25, 3, 0, i)));
        p_container.push_back(static_cast<uint8_t>(below(40, 3, 1, i)));
        p_size.push_back(static_cast<int32_t>(1 + below(50, 3, 2, i)));
        p_type.add(std::string(first[below(6, 3, 3, i)]) + " " + second[below(5, 3, 4, i)] + " " +
                   third[below(5, 3, 5, i)]);
    }

    // Keys are sparse, a third of the customers has no orders, an order has one to seven items.
    void add_order(int64_t i, int64_t c, int64_t p, int64_t s) {
        const int64_t key = i / 8 * 32 + i % 8 + 1;
        const auto date = static_cast<int32_t>(below(2406, 4, 2, i));
        o_key.push_back(key);
        o_customer.push_back(3 * below(c / 3, 4, 0, i) + 1 + below(2, 4, 1, i));
        o_price.push_back(90000 + below(50000000, 4, 3, i));
        o_date.push_back(date);
        o_urgency.push_back(static_cast<uint8_t>(1 + below(5, 4, 4, i)));
        add_comment(i);
        for (int64_t k = 0, n = 1 + below(7, 4, 5, i); k < n; ++k) add_item(i * 8 + k, key, date, p, s);
    }

    void add_item(int64_t j, int64_t order, int32_t date, int64_t p, int64_t s) {
        const auto day = [&](int64_t least, int64_t days, uint64_t field) {
            return static_cast<int32_t>(least + below(days, 5, field, j));
        };
        const int64_t quantity = 1 + below(50, 5, 0, j);
        const int32_t ship = day(date + 1, 121, 1), receipt = day(ship + 1, 30, 2);
        l_order.push_back(order);
        l_part.push_back(1 + below(p, 5, 4, j));
        l_supplier.push_back(1 + below(s, 5, 5, j));
        l_quantity.push_back(quantity);
        l_price.push_back(quantity * (90000 + below(110000, 5, 6, j)));
        l_discount.push_back(below(11, 5, 7, j));
        l_ship.push_back(ship);
        l_commit.push_back(day(date + 30, 61, 8));
        l_receipt.push_back(receipt);
        l_returned.push_back(static_cast<uint8_t>(receipt > 1263 ? 'N' : below(2, 5, 3, j) ? 'R' : 'A'));
        l_mode.push_back(static_cast<uint8_t>(below(7, 5, 9, j)));
        l_instruction.push_back(static_cast<uint8_t>(below(4, 5, 10, j)));
    }

    void add_comment(int64_t i) {
        static constexpr const char* words[] = {
            "special",  "requests",    "carefully", "final",    "deposits",  "sleep",      "quickly", "ironic",
            "accounts", "furiously",   "regular",   "packages", "according", "to",         "the",     "blithely",
            "pending",  "theodolites", "bold",      "foxes",    "haggle",    "express",    "ideas",   "unusual",
            "even",     "platelets",   "wake",      "slyly",    "silent",    "asymptotes", "among",   "dolphins"};
        std::string text;
        for (int64_t k = 0, n = 4 + below(6, 6, 0, i); k < n; ++k)
            (text += k ? " " : "") += words[below(32, 6, 1, i * 16 + k)];
        o_comment.add(text);
    }
};

inline std::string shown(int64_t x) { return std::to_string(x); }
inline std::string shown(std::span<const uint8_t> text) { return {text.begin(), text.end()}; }
template <class... Parts> std::string joined(const Parts&... parts) {
    std::string line;
    ((line += (line.empty() ? "" : ",") + shown(parts)), ...);
    return line;
}

// The rows of a result: columns, or numbers, which are one row.
inline void print(int64_t x) { std::puts(shown(x).c_str()); }
template <class First, class... Columns> void print(const std::tuple<First, Columns...>& result) {
    std::apply(
        [](const auto& first, const auto&... columns) {
            if constexpr (std::is_integral_v<First>)
                std::puts(joined(first, columns...).c_str());
            else
                for (std::size_t i = 0; i < first.size(); ++i) std::puts(joined(first[i], columns[i]...).c_str());
        },
        result);
}

// `FACTOR print` prints the rows; `FACTOR time RUNS` the median of the milliseconds of CPU time, and the least by the clock.
template <class Run> int query(int argc, char** argv, Run run) {
    if (argc < 3) return 2;
    const Tables tables(std::atof(argv[1]));
    if (std::strcmp(argv[2], "print") == 0) {
        print(run(tables));
        return 0;
    }
    const int runs = argc > 3 ? std::atoi(argv[3]) : 5;
    std::vector<double> work, times;
    for (int i = 0; i <= runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t started = std::clock();
        const auto result = run(tables);
        const std::clock_t ended = std::clock();
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
        if (i == 0) continue; // it makes the pages
        work.push_back(1000.0 * static_cast<double>(ended - started) / CLOCKS_PER_SEC);
        times.push_back(time.count());
    }
    std::sort(work.begin(), work.end());
    std::printf("%.3f %.3f\n", work[work.size() / 2], *std::min_element(times.begin(), times.end()));
    return 0;
}

} // namespace tpch
