// The meaning of array operations without blocks, each independent of its lowering.

#include "engine/interpret/interpreter.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite {

bool Site::equal_lengths(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
        if (length(i) != length(first))
            return fault("unequal lengths: " + std::to_string(length(first)) + " and " + std::to_string(length(i)));
    return true;
}

bool Site::in_bounds(std::int64_t index, std::size_t length) {
    if (0 <= index && static_cast<std::uint64_t>(index) < length) return true;
    return fault("index out of bounds: " + std::to_string(index) + " of " + std::to_string(length));
}

bool Site::is_length(std::int64_t n) { return n >= 0 || fault("negative length: " + std::to_string(n)); }

namespace {

// Makes the value the only owner of its elements, so that they can be written: copies them unless it is.
bool make_own(Site& site, Value& value) {
    if (value.parts.use_count() == 1) return true;
    Buffer parts(site.machine);
    if (!parts.append(*value.parts)) return false;
    value = parts.finish();
    return true;
}

bool len(Site& site) { return site.give({site.length(0), nullptr}); }

bool at(Site& site) {
    Value value = site[0];
    for (std::size_t i = 1; i < site.count(); ++i) {
        if (!site.in_bounds(site.integer(i), value.parts->size())) return false;
        value = Value((*value.parts)[static_cast<std::size_t>(site.integer(i))]);
    }
    return site.give(std::move(value));
}

bool slice(Site& site) {
    std::span<const Value> xs = site.array(0);
    std::int64_t lo = site.integer(1), hi = site.integer(2), step = site.count() > 3 ? site.integer(3) : 1;
    if (lo < 0 || hi < lo || xs.size() < static_cast<std::uint64_t>(hi))
        return site.fault("slice out of bounds: [" + std::to_string(lo) + ", " + std::to_string(hi) + ") of " +
                          std::to_string(xs.size()));
    if (step < 1) return site.fault("slice with a step below 1: " + std::to_string(step));
    Buffer result(site.machine);
    for (auto i = static_cast<std::uint64_t>(lo); i < static_cast<std::uint64_t>(hi);
         i += static_cast<std::uint64_t>(step))
        if (!result.push(xs[i])) return false;
    return site.give(result);
}

bool iota(Site& site) {
    std::int64_t n = site.integer(0);
    Buffer result(site.machine);
    if (!site.is_length(n) || !result.fill(static_cast<std::uint64_t>(n), {})) return false;
    for (std::size_t i = 0; i < result.size(); ++i) result.values()[i].bits = i;
    return site.give(result);
}

bool replicate(Site& site) {
    std::int64_t n = site.integer(0);
    Buffer result(site.machine);
    if (!site.is_length(n) || !result.fill(static_cast<std::uint64_t>(n), site[1])) return false;
    return site.give(result);
}

bool concat(Site& site) {
    Buffer result(site.machine);
    for (std::size_t i = 0; i < site.count(); ++i)
        if (!result.append(site.array(i))) return false;
    return site.give(result);
}

bool flatten(Site& site) {
    Buffer result(site.machine);
    site.machine.outcome.work.elements += site.length(0); // rows, which may be empty
    for (const Value& row : site.array(0))
        if (!result.append(*row.parts)) return false;
    return site.give(result);
}

bool zip(Site& site) {
    if (!site.equal_lengths(0, site.count())) return false;
    Buffer result(site.machine), tuple(site.machine);
    for (std::size_t i = 0; i < site.length(0); ++i) {
        for (std::size_t k = 0; k < site.count(); ++k)
            if (!tuple.push(site.array(k)[i])) return false;
        if (!result.push(tuple.finish())) return false;
    }
    return site.give(result);
}

bool unzip(Site& site) {
    TypeId tuple = site.machine.types().element(site.type(0));
    for (std::size_t k = 0; k < site.machine.types().elements(tuple).size(); ++k) {
        Buffer column(site.machine);
        for (const Value& value : site.array(0))
            if (!column.push((*value.parts)[k])) return false;
        site.give(column);
    }
    return true;
}

bool transpose(Site& site) {
    std::span<const Value> rows = site.array(0);
    // Without rows the type alone tells how many columns there are.
    std::size_t columns =
        rows.empty() ? site.machine.known_length(site.graph().type(site.node())).value_or(0) : rows[0].parts->size();
    for (const Value& row : rows)
        if (row.parts->size() != columns) return site.fault("unequal lengths: the rows of a matrix to transpose");
    Buffer result(site.machine), column(site.machine);
    for (std::size_t j = 0; j < columns; ++j) {
        for (const Value& row : rows)
            if (!column.push((*row.parts)[j])) return false;
        if (!result.push(column.finish())) return false;
    }
    return site.give(result);
}

bool column(Site& site) {
    Buffer result(site.machine);
    for (const Value& row : site.array(0)) {
        if (!site.in_bounds(site.integer(1), row.parts->size())) return false;
        if (!result.push((*row.parts)[static_cast<std::size_t>(site.integer(1))])) return false;
    }
    return site.give(result);
}

bool reshape(Site& site) {
    std::span<const Value> xs = site.array(0);
    bool is_matrix = site.count() > 2;
    std::int64_t n = site.integer(1), m = is_matrix ? site.integer(2) : 1;
    if (!site.is_length(n) || !site.is_length(m)) return false;
    if (static_cast<unsigned __int128>(n) * static_cast<unsigned __int128>(m) != xs.size())
        return site.fault("unequal lengths: " + std::to_string(xs.size()) + " elements reshaped to " +
                          std::to_string(n) + (is_matrix ? " times " + std::to_string(m) : ""));
    if (!is_matrix) site.machine.outcome.work.elements += xs.size(); // a new array, whoever shares its memory
    if (!is_matrix) return site.give(site[0]);
    Buffer result(site.machine), row(site.machine);
    auto width = static_cast<std::size_t>(m);
    if (width == 0) return result.fill(static_cast<std::uint64_t>(n), row.finish()) && site.give(result);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        if (!row.append(xs.subspan(i * width, width)) || !result.push(row.finish())) return false;
    }
    return site.give(result);
}

bool reverse(Site& site) {
    Buffer result(site.machine);
    if (!result.append(site.array(0))) return false;
    std::ranges::reverse(result.values());
    return site.give(result);
}

bool split(Site& site) {
    std::span<const Value> xs = site.array(1);
    std::int64_t k = site.integer(0);
    if (k < 0 || xs.size() < static_cast<std::uint64_t>(k))
        return site.fault("split out of bounds: " + std::to_string(k) + " of " + std::to_string(xs.size()));
    Buffer front(site.machine), back(site.machine);
    if (!front.append(xs.first(static_cast<std::size_t>(k)))) return false;
    if (!back.append(xs.subspan(static_cast<std::size_t>(k)))) return false;
    return site.give(front) && site.give(back);
}

bool update(Site& site) {
    Value result = site.take(0);
    Value* place = &result;
    for (std::size_t i = 1; i + 1 < site.count(); ++i) {
        if (!site.in_bounds(site.integer(i), place->parts->size()) || !make_own(site, *place)) return false;
        place = &(*place->parts)[static_cast<std::size_t>(site.integer(i))];
    }
    *place = site[site.count() - 1];
    return site.give(std::move(result));
}

bool gather(Site& site) {
    std::span<const Value> xs = site.array(0);
    Buffer result(site.machine);
    for (const Value& index : site.array(1)) {
        if (!site.in_bounds(static_cast<std::int64_t>(index.bits), xs.size())) return false;
        if (!result.push(xs[index.bits])) return false;
    }
    return site.give(result);
}

bool scatter(Site& site) {
    Value result = site.take(0);
    if (!site.equal_lengths(1, 3) || !make_own(site, result)) return false;
    site.machine.outcome.work.elements += site.length(1);
    for (std::size_t i = 0; i < site.length(1); ++i) {
        std::uint64_t position = site.array(1)[i].bits; // a negative one is huge
        if (position < result.parts->size()) (*result.parts)[position] = site.array(2)[i];
    }
    return site.give(std::move(result));
}

bool groupby(Site& site) {
    if (!site.equal_lengths(0, 2)) return false;
    const Types& types = site.machine.types();
    TypeId key_type = types.element(site.type(0));
    std::unordered_map<std::string, std::size_t> positions;
    Buffer keys(site.machine), groups(site.machine);
    std::deque<Buffer> members;
    for (std::size_t i = 0; i < site.length(0); ++i) {
        const Value& key = site.array(0)[i];
        auto [found, is_new] = positions.try_emplace(key_text(types, key_type, key), members.size());
        if (is_new) members.emplace_back(site.machine);
        if (is_new && !keys.push(key)) return false;
        if (!members[found->second].push(site.array(1)[i])) return false;
    }
    for (Buffer& group : members)
        if (!groups.push(group.finish())) return false;
    return site.give(keys) && site.give(groups);
}

bool distinct(Site& site) {
    const Types& types = site.machine.types();
    TypeId type = types.element(site.type(0));
    std::unordered_set<std::string> seen;
    Buffer result(site.machine);
    site.machine.outcome.work.elements += site.length(0);
    for (const Value& value : site.array(0))
        if (seen.insert(key_text(types, type, value)).second && !result.push(value)) return false;
    return site.give(result);
}

bool copy(Site& site) {
    if (site[0].parts) site.machine.outcome.work.elements += site[0].parts->size();
    return site.give(site[0]);
}

bool ensure(Site& site) {
    TypeId type = site.graph().type(site.node());
    if (site.machine.has_lengths(type, site[0])) return site.give(site[0]);
    return site.fault("unequal lengths: the value does not fit " +
                      site.machine.types().text(type, site.machine.context().symbols));
}

bool invariant(Site& site) {
    if (site[1].bits) return site.give(site[0]);
    return site.fault("'" + std::string(site.machine.context().symbols[site.graph().attrs(site.node())[0].text()]) +
                      std::string(invariant_broken));
}

// A primitive, but one of all types.
bool select(Site& site) { return site.give(site[0].bits ? site[1] : site[2]); }

constexpr Meaning array_table[] = {
    {"select", select},
    {"ensure", ensure},
    {"len", len},
    {"at", at},
    {"slice", slice},
    {"iota", iota},
    {"replicate", replicate},
    {"concat", concat},
    {"flatten", flatten},
    {"zip", zip},
    {"unzip", unzip},
    {"transpose", transpose},
    {"column", column},
    {"reshape", reshape},
    {"reverse", reverse},
    {"split", split},
    {"update", update},
    {"gather", gather},
    {"scatter", scatter},
    {"groupby", groupby},
    {"distinct", distinct},
    {"copy", copy},
    {"invariant", invariant},
};

} // namespace

std::span<const Meaning> array_meanings() { return array_table; }

} // namespace irrewrite
