// Tables like those of TPC-H, of the sizes that a scale factor gives: numbers, days since 1992 and short codes in records,
// texts beside them. All values are functions of a position, so every run makes the same tables.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpch {

using std::int32_t, std::int64_t, std::uint8_t, std::uint64_t;

// The fields of the records, in the order of the structs in the programs.
struct Nation {
    int64_t key, region;
};
struct Supplier {
    int64_t key, nation;
};
struct Customer {
    int64_t key, nation, balance;
    uint8_t segment;
};
struct Order {
    int64_t key, customer, price;
    int32_t date;
    uint8_t urgency;
};
struct Item {
    int64_t order, part, supplier, quantity, price, discount;
    int32_t ship, commit, receipt;
    uint8_t returned, mode, instruction;
};
struct Part {
    int64_t key;
    uint8_t brand, container;
    int32_t size;
};

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
    std::string_view operator[](std::size_t i) const {
        return std::string_view(bytes).substr(static_cast<std::size_t>(ends[i]),
                                              static_cast<std::size_t>(ends[i + 1] - ends[i]));
    }
    template <class Rows> Rows as() const {
        return Rows({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, ends);
    }
};

struct Tables {
    std::vector<Nation> nations;
    std::vector<Supplier> suppliers;
    std::vector<Customer> customers;
    std::vector<Order> orders;
    std::vector<Item> items;
    std::vector<Part> parts;
    Texts phones, comments, types; // of customers, orders, parts
    int64_t pieces;                // Q18: more than these

    explicit Tables(double factor) : pieces(factor < 0.1 ? 230 : 300) {
        const auto rows = [&](double n) { return std::max<int64_t>(30, static_cast<int64_t>(n * factor)); };
        const int64_t c = rows(150000), o = rows(1500000), p = rows(200000), s = rows(10000);
        for (int64_t i = 0; i < 25; ++i) nations.push_back({i, i % 5});
        for (int64_t i = 0; i < s; ++i) suppliers.push_back({i + 1, below(25, 1, 0, i)});
        for (int64_t i = 0; i < c; ++i) add_customer(i);
        for (int64_t i = 0; i < p; ++i) add_part(i);
        orders.reserve(static_cast<std::size_t>(o));
        items.reserve(static_cast<std::size_t>(4 * o + 100));
        for (int64_t i = 0; i < o; ++i) add_order(i, c, p, s);
    }

  private:
    void add_customer(int64_t i) {
        const int64_t nation = below(25, 2, 0, i);
        customers.push_back({i + 1, nation, below(1100000, 2, 1, i) - 100000, static_cast<uint8_t>(below(5, 2, 2, i))});
        char text[32];
        std::snprintf(text, sizeof text, "%d-%03d-%03d-%04d", static_cast<int>(10 + nation),
                      static_cast<int>(below(1000, 2, 3, i)), static_cast<int>(below(1000, 2, 4, i)),
                      static_cast<int>(below(10000, 2, 5, i)));
        phones.add(text);
    }

    void add_part(int64_t i) {
        static constexpr const char* first[] = {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"};
        static constexpr const char* second[] = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"};
        static constexpr const char* third[] = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
        parts.push_back({i + 1, static_cast<uint8_t>(below(25, 3, 0, i)), static_cast<uint8_t>(below(40, 3, 1, i)),
                         static_cast<int32_t>(1 + below(50, 3, 2, i))});
        types.add(std::string(first[below(6, 3, 3, i)]) + " " + second[below(5, 3, 4, i)] + " " +
                  third[below(5, 3, 5, i)]);
    }

    // Keys are sparse, a third of the customers has no orders, an order has one to seven items.
    void add_order(int64_t i, int64_t c, int64_t p, int64_t s) {
        const int64_t key = i / 8 * 32 + i % 8 + 1;
        const int64_t customer = 3 * below(c / 3, 4, 0, i) + 1 + below(2, 4, 1, i);
        const auto date = static_cast<int32_t>(below(2406, 4, 2, i));
        orders.push_back(
            {key, customer, 90000 + below(50000000, 4, 3, i), date, static_cast<uint8_t>(1 + below(5, 4, 4, i))});
        add_comment(i);
        for (int64_t k = 0, n = 1 + below(7, 4, 5, i); k < n; ++k) {
            const int64_t j = i * 8 + k;
            const auto day = [&](int64_t least, int64_t days, uint64_t field) {
                return static_cast<int32_t>(least + below(days, 5, field, j));
            };
            const int64_t quantity = 1 + below(50, 5, 0, j);
            const int32_t ship = day(date + 1, 121, 1), receipt = day(ship + 1, 30, 2);
            const char returned = receipt > 1263 ? 'N' : below(2, 5, 3, j) ? 'R' : 'A';
            items.push_back({key, 1 + below(p, 5, 4, j), 1 + below(s, 5, 5, j), quantity,
                             quantity * (90000 + below(110000, 5, 6, j)), below(11, 5, 7, j), ship,
                             day(date + 30, 61, 8), receipt, static_cast<uint8_t>(returned),
                             static_cast<uint8_t>(below(7, 5, 9, j)), static_cast<uint8_t>(below(4, 5, 10, j))});
        }
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
        comments.add(text);
    }
};

// The records, as the struct of the same fields that was emitted for them.
template <class To, class From> std::span<const To> as(const std::vector<From>& rows) {
    static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
    return {reinterpret_cast<const To*>(rows.data()), rows.size()};
}

// A row of a result.
inline std::string shown(int64_t x) { return std::to_string(x); }
inline std::string shown(std::span<const uint8_t> text) { return {text.begin(), text.end()}; }
template <class... Parts> void row(const Parts&... parts) {
    std::string line;
    ((line += (line.empty() ? "" : ",") + shown(parts)), ...);
    std::puts(line.c_str());
}

// `FACTOR print` prints the rows, `FACTOR time RUNS` the median of the milliseconds.
template <class Run, class Print> int query(int argc, char** argv, Run run, Print print) {
    if (argc < 3) return 2;
    const Tables tables(std::atof(argv[1]));
    if (std::strcmp(argv[2], "print") == 0) {
        print(run(tables));
        return 0;
    }
    const int runs = argc > 3 ? std::atoi(argv[3]) : 5;
    std::vector<double> times;
    for (int i = 0; i <= runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const auto result = run(tables);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
        if (i) times.push_back(time.count()); // the first run makes the pages
    }
    std::sort(times.begin(), times.end());
    std::printf("%.3f\n", times[times.size() / 2]);
    return 0;
}

} // namespace tpch
