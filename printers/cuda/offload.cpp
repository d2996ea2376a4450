// Which loops run on the device, and what keeps others on the host.
#include "printers/cuda/device_printer.hpp"

#include "printers/cuda/device.hpp"

#include <algorithm>

namespace irrewrite::printers {

// One operation on its two parameters that may see them in any order.
bool DeviceAnalysis::is_commutative(const Generator& generator) const {
    const std::span<const NodeId> results = g_.results(generator.block);
    if (results.size() != 1) return false;
    const NodeId result = results[0];
    return !g_.is_param(result) && !g_.is_literal(result) && g_.core(result) == Core::None &&
           g_.operands(result).size() == 2 && g_.is_param(g_.operand(result, 0)) &&
           g_.is_param(g_.operand(result, 1)) && g_.operand(result, 0) != g_.operand(result, 1) &&
           g_.operation(result).commutative();
}

std::string DeviceAnalysis::against_output(const Generator& generator, const OnDevice& device, bool in_order) const {
    for (const Cell& cell : generator.outputs) {
        const bool rows = module_.types.rank(cell.type) > 1;
        if (rows && (generator.index.empty() || in_order ||
                     !device.is_plain(module_.types.element(cell.type, module_.types.rank(cell.type)))))
            return "rows that are collected in order";
        if (!rows && !device.is_plain(types_.element(cell.type))) return "arrays of arrays";
    }
    return {};
}

bool DeviceAnalysis::takes_plain(const Generator& generator, const OnDevice& device) const {
    return std::ranges::all_of(given_types(generator), [&](TypeId type) { return device.is_plain(type); });
}

std::string DeviceAnalysis::against_generator(const Generator& generator, NodeId index, const OnDevice& device,
                                              bool in_order) const {
    const auto plain = [&](bool elements) {
        return std::ranges::all_of(generator.state, [&](const Cell& cell) {
            return device.is_plain(elements ? types_.element(cell.type) : cell.type);
        });
    };
    if (!generator.through.empty()) return "what is made of several values for one index";
    if (generator.block && generator.shape != OpKind::Bucket &&
        std::ranges::any_of(g_.results(generator.block),
                            [&](NodeId result) { return g_.depends_on_number(result, g_.param_number(index)); }))
        return "an operator that reads the index";
    switch (generator.shape) {
    case OpKind::Collect: return against_output(generator, device, in_order);
    case OpKind::Reduce: return plain(false) ? "" : "a reduction of arrays";
    case OpKind::Scan:
        if (generator.then &&
            (generator.index.empty() || module_.shapes[g_.op(g_.results(generator.then)[0]).index] != OpKind::Emit))
            return "a scan that filters by its running value";
        return plain(false) ? against_output(generator, device, in_order) : "a scan of arrays";
    case OpKind::Histogram:
        return fits_atomics(generator, device) || fits_sort(generator, device)
                   ? ""
                   : "a histogram of several values for one index";
    case OpKind::Scatter:
        return plain(true) && code_.emits_at_most_once(generator.emission)
                   ? ""
                   : "a scatter of several values for one index";
    case OpKind::Fold: return plain(false) && takes_plain(generator, device) ? "" : "a fold of arrays";
    case OpKind::Running: return "what goes on from running values";
    case OpKind::Bucket: return against_groups(generator, index, device);
    default: return "groups in groups";
    }
}

std::string DeviceAnalysis::against_device(const ScheduledNode& loop, std::span<const Generator> generators,
                                           std::span<const std::uint32_t> regions) {
    OnDevice device(module_, function_, schedule_);
    device.find_row_loop = [&](std::uint32_t region, NodeId value) { return rows_.find_row_loop(region, value, true); };
    if (may_keep(generators, device))
        device.may_keep = [&](const ScheduledNode& inner, std::size_t result) {
            return !kept_extents(inner, result).empty();
        };
    const std::optional<Asked> asked = asked_by(loop);
    device.is_there = [&](std::uint32_t lazy) {
        return lazy_[lazy].settled || (asked && std::ranges::find(asked->values, lazy) != asked->values.end());
    };
    const bool in_order = needs_order(generators);
    for (const Generator& generator : generators) {
        if (std::string why = against_generator(generator, g_.params(g_.blocks(loop.node)[0])[0], device, in_order);
            !why.empty())
            return why;
        if (generator.shape == OpKind::Collect) device.place_rows(loop.blocks[0], generator.emission);
    }
    const std::vector<Region> on_device = without_row_operators(loop, generators, regions);
    if (std::string why = device.regions(on_device); !why.empty()) return why;
    for (NodeId array : arrays_read(schedule_, g_, loop, on_device)) {
        const Binding value = binding(array);
        const bool rows =
            value.form == Form::Rows && state_.ragged.contains(value.text.text) && device.is_plain_rows(value.type);
        if (!rows && (value.form == Form::Rows ||
                      !device.is_plain(module_.types.element(value.type, module_.types.rank(value.type)))))
            return "arrays of arrays";
    }
    return {};
}

// True if one kernel with numbered threads makes them all.
bool DeviceAnalysis::may_keep(std::span<const Generator> generators, const OnDevice& device) const {
    return std::ranges::all_of(generators, [&](const Generator& generator) {
        const bool known =
            generator.shape == OpKind::Collect || generator.shape == OpKind::Reduce || generator.shape == OpKind::Scan;
        return known || (generator.shape == OpKind::Histogram && fits_atomics(generator, device));
    });
}

// True if a thread must know the result of the indices before its own.
bool DeviceAnalysis::needs_order(std::span<const Generator> generators) {
    return std::ranges::any_of(generators, [](const Generator& generator) {
        return generator.shape == OpKind::Scan || (generator.shape == OpKind::Collect && generator.index.empty());
    });
}

std::string DeviceAnalysis::against_groups(const Generator& bucket, NodeId index, const OnDevice& device) const {
    const NodeId emission = keyed(bucket.emission);
    if (!emission) return "several keys for one index";
    const NodeId key = g_.operand(emission, 0), rows = rows_of(key, index);
    if (!device.is_plain(g_.type(key)) && !(rows && device.is_plain_rows(g_.type(rows)))) return "arrays as keys";
    const bool begins = is_first_of_group(g_, bucket.inner[0]);
    for (NodeId value : g_.operands(emission).subspan(1))
        if (!device.is_plain(g_.type(value)) && !(begins && value == key)) return "groups of arrays";
    return grouping(bucket, device) == DeviceGrouping::Host ? "groups of which arrays, or groups, are made" : "";
}

DeviceGrouping DeviceAnalysis::grouping(const Generator& bucket, const OnDevice& device) const {
    const Generator& made = bucket.inner[0];
    if (is_first_of_group(g_, made)) return DeviceGrouping::Begins;
    if (!made.through.empty() || made.turned || bucket.turned) return DeviceGrouping::Host;
    const bool one = emits_one_of_group(made.emission);
    const auto plain = [&](const Cell& cell) {
        return device.is_plain(made.shape == OpKind::Collect ? types_.element(cell.type) : cell.type);
    };
    if (made.shape == OpKind::Reduce && fits_atomics(bucket, device)) return DeviceGrouping::Atomic;
    const bool known = made.shape == OpKind::Reduce || made.shape == OpKind::Fold || made.shape == OpKind::First ||
                       made.shape == OpKind::Collect;
    if (!known || !std::ranges::all_of(made.state, plain) || !std::ranges::all_of(made.outputs, plain))
        return DeviceGrouping::Host;
    switch (made.shape) {
    case OpKind::Reduce: return one ? DeviceGrouping::Runs : DeviceGrouping::Turns;
    case OpKind::Collect: return one ? DeviceGrouping::Rows : DeviceGrouping::Many;
    default: return DeviceGrouping::Turns;
    }
}

bool DeviceAnalysis::fits_atomics(const Generator& generator, const OnDevice& device) const {
    const Generator& bins = of_bins(generator);
    if (bins.state.size() != 1) return false;
    TypeId element = bin_type(generator);
    if (module_.types.is_array(element)) {
        element = types_.element(element);
        if (module_.types.rank(bins.state[0].type) != 2 || !elementwise(bins)) return false;
    } else if (!is_commutative(bins)) {
        return false;
    }
    return device.is_plain(element) && types_.is_scalar(element) && types_.bits(element) >= 16;
}

// True for a histogram whose operator no atomic operation implements, or that must see a bin's values in order.
bool DeviceAnalysis::fits_sort(const Generator& generator, const OnDevice& device) const {
    const auto plain = [&](const Cell& bins) { return device.is_plain(types_.element(bins.type)); };
    return generator.shape == OpKind::Histogram && !fits_atomics(generator, device) &&
           std::ranges::all_of(generator.state, plain) && code_.emits_at_most_once(generator.emission);
}

} // namespace irrewrite::printers
