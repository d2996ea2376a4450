// The meaning of control and state, in the order of the schedule, which keeps the order of effects.

#include "engine/interpret/interpreter.hpp"

namespace irrewrite {

namespace {

bool if_(Site& site) {
    std::size_t block = site[0].bits ? 0 : 1;
    return block >= site.block_count() || site.run(block, {}, site.results);
}

bool region(Site& site) { return site.run(0, {}, site.results); }

// The block is a function, called with the operands.
bool function(Site& site) {
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < site.count(); ++i) arguments.push_back(site.take(i));
    return site.run(0, arguments, site.results);
}

bool while_(Site& site) {
    for (std::size_t i = 0; i < site.count(); ++i) site.give(site.take(i));
    while (true) {
        std::vector<Value> again, carried = site.results, next;
        if (!site.run(0, carried, again)) return false;
        if (!again[0].bits) return true;
        carried = std::move(site.results);
        if (!site.run(1, carried, next)) return false;
        site.results = std::move(next);
    }
}

// A count below 0 is no length: there is nothing to do.
bool for_(Site& site) {
    std::int64_t n = site.integer(0);
    for (std::size_t i = 1; i < site.count(); ++i) site.give(site.take(i));
    for (std::int64_t i = 0; i < n; ++i) {
        std::vector<Value> arguments{{static_cast<std::uint64_t>(i), nullptr}}, results;
        for (Value& value : site.results) arguments.push_back(std::move(value));
        if (!site.run(0, arguments, results)) return false;
        site.results = std::move(results);
    }
    return true;
}

bool ref(Site& site) {
    Buffer cell(site.machine);
    return cell.push(site[0]) && site.give(cell);
}

bool get(Site& site) { return site.give(site.array(0)[0]); }

bool set(Site& site) {
    (*site[0].parts)[0] = site[1];
    return true;
}

bool array(Site& site) {
    std::int64_t n = site.integer(0);
    Buffer memory(site.machine);
    if (!site.is_length(n) || !memory.fill(static_cast<std::uint64_t>(n), site[1])) return false;
    return site.give(memory);
}

bool load(Site& site) {
    if (!site.in_bounds(site.integer(1), site.length(0))) return false;
    return site.give(site.array(0)[static_cast<std::size_t>(site.integer(1))]);
}

bool store(Site& site) {
    if (!site.in_bounds(site.integer(1), site.length(0))) return false;
    (*site[0].parts)[static_cast<std::size_t>(site.integer(1))] = site[2];
    return true;
}

bool duplicate(Site& site) {
    Buffer memory(site.machine);
    return memory.append(site.array(0)) && site.give(memory);
}

bool print(Site& site) {
    site.machine.outcome.output += printed_text(site.machine.context(), site.type(0), site[0]) + "\n";
    return true;
}

constexpr Meaning state_table[] = {
    {"if", if_},           {"region", region},  {"while", while_}, {"for", for_},           {"ref", ref},
    {"get", get},          {"set", set},        {"array", array},  {"load", load},          {"store", store},
    {"freeze", duplicate}, {"thaw", duplicate}, {"print", print},  {"func.call", function},
};

} // namespace

std::span<const Meaning> state_meanings() { return state_table; }

} // namespace irrewrite
