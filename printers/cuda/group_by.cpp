// Groups on the device: a kernel first numbers the keys of all indices, in the order of their first occurrence. The
// first value of a group is then read at the group's first index; a reduction of all its values is a histogram bin.
#include "printers/cuda/device_printer.hpp"

#include "engine/ir/reachability.hpp"
#include "printers/cuda/device.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

std::string KeyPrinter::group_key_type(const Generator& bucket) const {
    const TypeId type = g_.type(g_.operand(keyed(bucket.emission), 0));
    return module_.types.is_array(type) ? "std::span<const " + value_type(types_.element(type)) + ">"
                                        : value_type(type);
}

// Numbers the keys of all buckets in the list, and makes what begins groups, which leaves the list.
void KeyPrinter::print_groups(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& n,
                              bool& faults) {
    const OnDevice device(module_, function_, schedule_);
    for (const Generator& leader : std::vector<Generator>(list)) {
        if (leader.shape != OpKind::Bucket || leader.follows) continue;
        Kernel kernel{.generators = {leader}};
        const std::string& groups = leader.state[0].name;
        const std::string key_of = out_.fresh("key_of"), view = out_.fresh("d_" + groups);
        const NodeId key = g_.operand(keyed(leader.emission), 0);
        std::vector<NodeId> roots{key};
        for (NodeId emission = leader.emission; emission != keyed(leader.emission); emission = g_.operand(emission, 1))
            roots.push_back(g_.operand(emission, 0));
        const std::vector<NodeId> nodes = reachable(g_, roots);
        const std::unordered_set<NodeId> wanted(nodes.begin(), nodes.end());
        out_.open_names();
        kernel.key = out_.fresh("key");
        at_.kernel = &kernel, at_.only = &wanted;
        d_.kernels.print_step(loop, kernel, key_of, "");
        at_.kernel = nullptr, at_.only = nullptr;
        out_.close_names();
        out_.line("const auto " + groups + " = number_groups<" + group_key_type(leader) + ">(" + n + ", " + key_of +
                  ");");
        if (kernel.faults) out_.line("check_faults();");
        std::vector<Generator*> firsts;
        const std::size_t begin = out_.size();
        bool asked = false; // for the group of an index, or the index of a group
        std::string sorted;
        for (Generator& generator : list) {
            if (generator.shape != OpKind::Bucket || generator.state[0].name != leader.state[0].name) continue;
            generator.groups = view;
            const DeviceGrouping how = grouping(generator, device);
            if (how == DeviceGrouping::Atomic || how == DeviceGrouping::Runs)
                for (const Cell& cell : generator.inner[0].state)
                    out_.line(cell.name + " = filled<" + value_type(cell.type) + ">(" + groups + ".size(), " +
                              cell.init + ");");
            asked = asked || how == DeviceGrouping::Atomic;
            if (how != DeviceGrouping::Begins && how != DeviceGrouping::Atomic) {
                if (sorted.empty())
                    out_.line("const auto " + (sorted = out_.fresh("sorted")) + " = sort_groups(" + groups + ");");
                generator.sorted = sorted;
            }
            if (how != DeviceGrouping::Begins) continue;
            std::vector<Cell>& outputs = generator.inner[0].outputs;
            if (const NodeId rows =
                    rows_of(key, g_.params(g_.blocks(loop.node)[0])[0])) { // memory of their own is the host's
                for (const Cell& cell : outputs)
                    if (module_.types.is_array(cell.type))
                        out_.line(cell.name + " = rows_at(" + env_.at(rows).text.text + ", " + groups + ".firsts());");
            }
            for (const Cell& cell : outputs)
                if (!module_.types.is_array(cell.type))
                    out_.line(cell.name + " = array<" + value_type(cell.type) + ">(" + groups + ".size());");
            if (!std::ranges::all_of(outputs, [&](const Cell& cell) { return module_.types.is_array(cell.type); }))
                firsts.push_back(&generator);
        }
        if (asked || !firsts.empty())
            out_.insert(begin, out_.margin() + "const auto " + view + " = " + groups + ".device();\n");
        if (!firsts.empty()) print_firsts(loop, groups, firsts, faults);
    }
    std::erase_if(list, [&](const Generator& generator) {
        return generator.shape == OpKind::Bucket && is_first_of_group(g_, generator.inner[0]);
    });
}

// Prints the values emitted at each group's first index, if the key's conditions hold.
void KeyPrinter::print_firsts(const ScheduledNode& loop, const std::string& groups, std::span<Generator* const> firsts,
                              bool& faults) {
    std::vector<NodeId> roots;
    for (Generator* first : firsts) {
        const NodeId emission = keyed(first->emission);
        for (std::size_t k = 0; k < first->inner[0].outputs.size(); ++k) {
            Cell& cell = first->inner[0].outputs[k];
            if (module_.types.is_array(cell.type)) continue;
            const std::string view = out_.fresh("d_" + cell.name);
            out_.line("const auto " + view + " = " + cell.name + ".device_to_fill();");
            cell.name = view;
            roots.push_back(g_.operand(emission, k + 1));
        }
    }
    const std::vector<NodeId> nodes = reachable(g_, roots);
    const std::unordered_set<NodeId> wanted(nodes.begin(), nodes.end());
    const BlockId block = g_.blocks(loop.node)[0];
    const NodeId param = g_.params(block)[0];
    const SymbolId name = g_.param_names(block).empty() ? SymbolId{} : g_.param_names(block)[0];
    const std::string begin = out_.fresh("begin");
    Kernel kernel{};
    out_.open_names();
    const std::string group = out_.fresh("group"), index = out_.fresh(name ? module_.context.symbols[name] : "i");
    at_.kernel = &kernel, at_.only = &wanted;
    d_.kernels.print_lambda(begin, {{"std::int64_t", group}}, [&] {
        out_.line("const std::int64_t " + index + " = " + firsts[0]->groups + ".first(" + group + ");");
        define(param, {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        Region region = loop.blocks[0];
        f_.print_nodes(region);
        for (NodeId emission = firsts[0]->emission; emission != keyed(emission); emission = g_.operand(emission, 1))
            for (auto [condition, guarded] : std::vector(schedule_.blocks[region].guarded))
                if (condition == g_.operand(emission, 0)) f_.print_nodes(region = guarded);
        for (const Generator* first : firsts)
            for (std::size_t k = 0; k < first->inner[0].outputs.size(); ++k) {
                const NodeId value = g_.operand(keyed(first->emission), k + 1);
                if (module_.types.is_array(g_.type(value))) continue;
                out_.line(first->inner[0].outputs[k].name + "[" + group +
                          "] = " + stored(binding(value), g_.type(value), false, value) + ";");
            }
    });
    at_.kernel = nullptr, at_.only = nullptr;
    out_.close_names();
    out_.line("for_each_index(" + groups + ".size(), " + begin + ");");
    faults = faults || kernel.faults;
}

// A key's values arrive at what is made of its group; where groups are numbered, the key alone does.
void KeyPrinter::step_groups(Region region, const Binding& key,
                             std::vector<std::pair<Generator*, std::vector<Binding>>>& group) {
    const Generator& leader = *group[0].first;
    if (leader.groups.empty()) return out_.line(at_.kernel->key + " = " + key.text.text + ";");
    if (!leader.sorted.empty()) { // one that is made in the groups' order
        Generator fed = leader.inner[0];
        return f_.emissions.feed_group(region, leader, fed, group[0].second);
    }
    const std::string number = out_.fresh("group");
    out_.line("const std::int64_t " + number + " = " + leader.groups + "[" + at_.kernel->index + "];");
    for (auto& [generator, values] : group) {
        Generator fed = generator->inner[0];
        fed.group = number;
        f_.emissions.feed_group(region, *generator, fed, values);
    }
}

void KeyPrinter::step_in_group(Region region, const Generator& generator, const Binding& value) {
    const TypeId type = generator.state[0].type;
    if (!generator.before.empty()) out_.open(generator.before + "{");
    change_bin(region, generator, "&" + generator.state[0].name + "[" + generator.group + "]", {value.text, type});
    if (!generator.before.empty()) out_.close();
}

} // namespace irrewrite::printers
