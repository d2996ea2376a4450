// The meaning of collective operations with blocks, in the order of the elements, independent of the loops that they
// are lowered to.

#include "engine/interpret/interpreter.hpp"
#include "engine/interpret/reduction.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Values = std::vector<Value>;

// Element i of operands [0, count), appended.
void append_elements(const Site& site, std::size_t count, std::size_t i, Values& arguments) {
    for (std::size_t k = 0; k < count; ++k) arguments.push_back(site.array(k)[i]);
}

std::vector<Buffer> make_columns(Site& site, std::size_t count) {
    std::vector<Buffer> columns;
    columns.reserve(count);
    for (std::size_t k = 0; k < count; ++k) columns.emplace_back(site.machine);
    return columns;
}

bool push_row(std::vector<Buffer>& columns, Values& row) {
    for (std::size_t k = 0; k < columns.size(); ++k)
        if (!columns[k].push(std::move(row[k]))) return false;
    return true;
}

bool give_columns(Site& site, std::vector<Buffer>& columns) {
    for (Buffer& column : columns) site.give(column);
    return true;
}

bool generate(Site& site) {
    std::int64_t n = site.integer(0);
    if (!site.is_length(n)) return false;
    std::vector<Buffer> columns = make_columns(site, site.block_results(0));
    for (std::int64_t i = 0; i < n; ++i) {
        Value index{static_cast<std::uint64_t>(i), nullptr};
        Values results;
        if (!site.run(0, {&index, 1}, results) || !push_row(columns, results)) return false;
    }
    return give_columns(site, columns);
}

bool map(Site& site) {
    if (!site.equal_lengths(0, site.count())) return false;
    std::vector<Buffer> columns = make_columns(site, site.block_results(0));
    for (std::size_t i = 0; i < site.length(0); ++i) {
        Values arguments, results;
        append_elements(site, site.count(), i, arguments);
        if (!site.run(0, arguments, results) || !push_row(columns, results)) return false;
    }
    return give_columns(site, columns);
}

bool filter(Site& site) {
    if (!site.equal_lengths(0, site.count())) return false;
    std::vector<Buffer> columns = make_columns(site, site.count());
    for (std::size_t i = 0; i < site.length(0); ++i) {
        Values arguments, keep, kept;
        append_elements(site, site.count(), i, arguments);
        kept = arguments;
        if (!site.run(0, arguments, keep)) return false;
        if (keep[0].bits && !push_row(columns, kept)) return false;
    }
    return give_columns(site, columns);
}

bool flatmap(Site& site) {
    if (!site.equal_lengths(0, site.count())) return false;
    Buffer result(site.machine);
    for (std::size_t i = 0; i < site.length(0); ++i) {
        Values arguments, array;
        append_elements(site, site.count(), i, arguments);
        if (!site.run(0, arguments, array) || !result.append(*array[0].parts)) return false;
    }
    return site.give(result);
}

// Folds `arrays` operands with block k, starting from the operands behind them; each state it
// comes to goes to `state`. Where they may be grouped, block 0 combines.
template <class F> bool fold(Site& site, std::size_t arrays, std::size_t k, Grouping grouping, F state) {
    if (!site.equal_lengths(0, arrays)) return false;
    Values from;
    for (std::size_t z = arrays; z < site.count(); ++z) from.push_back(site.take(z));
    Reduction reduction;
    reduction.start(std::move(from), grouping);
    auto run = [&](std::size_t block) {
        return [&site, block](Values& arguments, Values& results) { return site.run(block, arguments, results); };
    };
    std::size_t length = arrays > 0 ? site.length(0) : 0;
    for (std::size_t i = 0; i < length; ++i) {
        Values more;
        append_elements(site, arrays, i, more);
        if (!reduction.take(more, run(k), run(0)) || !state(reduction.running)) return false;
    }
    site.results = std::move(reduction.running);
    return true;
}

bool ignore(const Values&) { return true; }

bool reduce(Site& site) { return fold(site, site.count() / 2, 0, site.machine.grouping, ignore); }

bool scan(Site& site) {
    std::vector<Buffer> columns = make_columns(site, site.count() / 2);
    auto keep = [&](Values row) { return push_row(columns, row); };
    if (!fold(site, site.count() / 2, 0, site.machine.grouping, keep)) return false;
    site.results.clear();
    return give_columns(site, columns);
}

// From the left there is one chunk alone, so that nothing is left to combine.
bool redomap(Site& site) { return fold(site, site.count() - site.block_results(1), 1, site.machine.grouping, ignore); }

bool foldl(Site& site) { return fold(site, site.count() - site.block_results(0), 0, Grouping::FromTheLeft, ignore); }

bool histogram(Site& site) {
    std::int64_t n = site.integer(0);
    Buffer bins(site.machine);
    if (!site.is_length(n) || !site.equal_lengths(1, 3)) return false;
    if (!bins.fill(static_cast<std::uint64_t>(n), site[3])) return false;
    site.machine.outcome.work.elements += site.length(1);
    BinReductions reductions;
    auto run = [&](Values& arguments, Values& results) { return site.run(0, arguments, results); };
    for (std::size_t i = 0; i < site.length(1); ++i) {
        std::uint64_t key = site.array(1)[i].bits; // a negative one is huge
        if (key >= bins.size()) continue;
        Reduction& reduction = reductions.of(key, {bins.values()[key]}, site.machine.grouping);
        if (!reduction.take(site.array(2).subspan(i, 1), run)) return false;
        bins.values()[key] = std::move(reduction.running[0]);
    }
    return site.give(bins);
}

constexpr Meaning collective_table[] = {
    {"generate", generate}, {"map", map},         {"filter", filter}, {"flatmap", flatmap},     {"reduce", reduce},
    {"scan", scan},         {"redomap", redomap}, {"foldl", foldl},   {"histogram", histogram},
};

} // namespace

std::span<const Meaning> collective_meanings() { return collective_table; }

} // namespace irrewrite
