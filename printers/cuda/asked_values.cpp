// Values that a loop on the device needs at some of its indices, under conditions that only its indices know, and that do not
// change in the loop. No thread computes what all threads share: a kernel before the loop's own evaluates these conditions
// and notes which values an index needs; the host computes them, once, and the loop reads them.
//
// An index that needs a value that is not there is left, since more conditions may depend on it. So there are as many rounds
// as values that such conditions depend on.
#include "printers/cuda/device.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

// Those that the region computes on demand, also for what each user computes.
std::set<std::uint32_t> demanded(const Schedule& schedule, std::uint32_t region) {
    std::set<std::uint32_t> found;
    std::vector<std::uint32_t> list = schedule.blocks[region].demands;
    while (!list.empty()) {
        const OnDemand& entry = schedule.on_demand[list.back()];
        const std::uint32_t value = list.back();
        list.pop_back();
        if (entry.kept)
            found.insert(value);
        else
            list.insert(list.end(), entry.demands.begin(), entry.demands.end());
    }
    return found;
}

} // namespace

// None if a kernel cannot find out: a condition depends on running values, on effects or on arrays that an index makes.
std::optional<Asked> CppFunction::asked_by(const ScheduledNode& loop) const {
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    Asked asked;
    const auto is_inside = [&](Region region) { return std::ranges::find(regions, region) != regions.end(); };
    for (Region region : regions) {
        for (std::uint32_t value : demanded(schedule_, region)) {
            if (lazy_[value].settled || is_inside(schedule_.on_demand[value].region)) continue;
            if (lazy_[value].compute.empty()) return {};
            if (std::ranges::find(asked.values, value) == asked.values.end()) asked.values.push_back(value);
            for (Region r = region;; r = schedule_.blocks[r].parent) {
                asked.needed[r].insert(value);
                if (r == loop.blocks[0]) break;
            }
        }
    }
    for (const auto& [region, values] : asked.needed) {
        if (region == loop.blocks[0]) continue;
        const ScheduledBlock& block = schedule_.blocks[region];
        NodeId decides = block.owner;
        if (block.id) {
            if (g_.core(block.owner) != Core::None) return {};
            const OpKind shape = module_.shapes[g_.op(block.owner).index];
            const bool first = g_.blocks(block.owner)[0] == block.id;
            if (shape != OpKind::If && !((shape == OpKind::Loop || shape == OpKind::Each) && first)) return {};
            decides = g_.operand(block.owner, 0);
        }
        asked.inside[block.parent].push_back(region);
        const std::vector<NodeId> needs = reachable(g_, std::span(&decides, 1));
        asked.conditions.insert(needs.begin(), needs.end());
    }
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const NodeId node = scheduled.node;
            const bool asks = asked.conditions.contains(node);
            const bool makes =
                g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Loop &&
                std::ranges::any_of(result_types(node), [&](TypeId type) { return module_.types.is_array(type); });
            if (asks && (makes || (g_[node].flags & (TakesToken | Advances)))) return {};
        }
    return asked;
}

// The conditions of a region, and what is asked for where they hold.
void CppFunction::print_asking(Region region, const Asked& asked) {
    only_ = &asked.conditions;
    print_nodes(region);
    const auto inside = asked.inside.find(region);
    if (inside == asked.inside.end()) return;
    for (Region inner : inside->second) {
        const auto is_there = [&](std::uint32_t value) { return lazy_[value].settled; };
        if (std::ranges::all_of(asked.needed.at(inner), is_there)) continue;
        const ScheduledBlock& block = schedule_.blocks[inner];
        const NodeId owner = block.owner;
        if (!block.id || module_.shapes[g_.op(owner).index] == OpKind::If) {
            const NodeId condition = block.id ? g_.operand(owner, 0) : owner;
            const bool holds = !block.id || g_.blocks(owner)[0] == block.id;
            const Text test = text(condition);
            out_.open("if (" + (holds ? test.text : "!" + parenthesized(test, precedence::primary)) + ") {");
            const Scope scope(*this);
            ranges_.enter(Condition{condition, holds});
            print_asking(inner, asked);
            ranges_.leave_condition();
        } else {
            const NodeId extent = g_.operand(owner, 0);
            const Text end = text(extent);
            const std::string index = out_.fresh("i");
            out_.open("for (std::int64_t " + index + " = 0; " + index + " < " +
                      parenthesized(end, precedence::additive) + "; ++" + index + ") {");
            const Scope scope(*this);
            define(g_.params(block.id)[0], {{index}, types_.i64(), Form::Value, false, extent});
            print_asking(inner, asked);
        }
        out_.close();
    }
}

// Computes what an index of the loop needs; the values that are there now, wherever the loop reads them.
std::vector<std::uint32_t> CppFunction::print_asks(const ScheduledNode& loop, const std::string& n) {
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    const std::optional<Asked> asked = asked_by(loop);
    if (!asked || asked->values.empty()) return {};
    std::string known;
    for (std::uint32_t value : asked->values) known += (known.empty() ? "" : " && ") + lazy_[value].known;
    const bool several = asked->values.size() > 1;
    const std::string again = several ? out_.fresh("again") : "";
    if (several)
        out_.open("for (bool " + again + " = !(" + known + "); " + again +
                  ";) { // what an index needs is computed first");
    else
        out_.open("if (!" + known + ") { // if an index needs it, it is computed first");
    const std::string flags = out_.fresh("asked"), ask = out_.fresh("needs");
    out_.line("array<std::int32_t> " + flags + " = filled<std::int32_t>(" + std::to_string(asked->values.size()) +
              ", 0);");
    Kernel kernel{.asks = out_.fresh("d_asked"), .asked = asked->values};
    out_.line("const auto " + kernel.asks + " = " + flags + ".device_to_change();");
    std::vector<NodeId> arrays;
    for (NodeId array : arrays_read(schedule_, g_, loop, regions))
        if (asked->conditions.contains(array)) arrays.push_back(array);
    capture(arrays);
    const std::size_t begin = out_.size();
    const HostValues values = host_values(loop, regions);
    on_device_ = &kernel;
    const std::string index = out_.fresh("i");
    print_lambda(ask, {{"std::int64_t", index}}, [&] {
        define(g_.params(g_.blocks(loop.node)[0])[0],
               {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        print_asking(loop.blocks[0], *asked);
    });
    on_device_ = nullptr, only_ = nullptr;
    captured_.clear();
    print_host_values(values, begin);
    out_.line("for_each_index(" + n + ", " + ask + ");");
    if (several) out_.line(again + " = false;");
    for (std::size_t k = 0; k < asked->values.size(); ++k) {
        const std::string compute = lazy_[asked->values[k]].compute;
        out_.line("if (" + flags + ".data()[" + std::to_string(k) + "] != 0) " +
                  (several ? compute + ", " + again + " = true;" : compute + ";"));
    }
    out_.close();
    for (std::uint32_t value : asked->values) settle(value);
    return asked->values;
}

} // namespace irrewrite::printers
