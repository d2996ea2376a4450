// Values that a loop on the device needs at some of its indices, under conditions that only its indices know, and that do not
// change in the loop. No thread computes what all threads share: a kernel before the loop's own evaluates these conditions
// and notes which values an index needs; the host computes them, once, and the loop reads them.
//
// An index that needs a value that is not there is left, since more conditions may depend on it. So there are as many rounds
// as values that such conditions depend on.
#include "printers/cuda/device_printer.hpp"

#include "printers/cuda/device.hpp"

#include <algorithm>

namespace irrewrite::printers {

// The conditions of a region, and what is asked for where they hold.
void KernelPrinter::print_asking(Region region, const Asked& asked) {
    at_.only = &asked.conditions;
    f_.print_nodes(region);
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
            const Scope scope(env_, ranges_);
            ranges_.enter(Condition{condition, holds});
            print_asking(inner, asked);
            ranges_.leave_condition();
        } else {
            const NodeId extent = g_.operand(owner, 0);
            const Text end = text(extent);
            const std::string index = out_.fresh("i");
            out_.open("for (std::int64_t " + index + " = 0; " + index + " < " +
                      parenthesized(end, precedence::additive) + "; ++" + index + ") {");
            const Scope scope(env_, ranges_);
            define(g_.params(block.id)[0], {{index}, types_.i64(), Form::Value, false, extent});
            print_asking(inner, asked);
        }
        out_.close();
    }
}

// Computes what an index of the loop needs; the values that are there now, wherever the loop reads them.
std::vector<std::uint32_t> KernelPrinter::print_asks(const ScheduledNode& loop, const std::string& n) {
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
    at_.kernel = &kernel;
    const std::string index = out_.fresh("i");
    print_lambda(ask, {{"std::int64_t", index}}, [&] {
        define(g_.params(g_.blocks(loop.node)[0])[0],
               {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        print_asking(loop.blocks[0], *asked);
    });
    at_.kernel = nullptr, at_.only = nullptr;
    env_.captured.clear();
    print_host_values(values, begin);
    out_.line("for_each_index(" + n + ", " + ask + ");");
    if (several) out_.line(again + " = false;");
    for (std::size_t k = 0; k < asked->values.size(); ++k) {
        const std::string compute = lazy_[asked->values[k]].compute;
        out_.line("if (" + flags + ".data()[" + std::to_string(k) + "] != 0) " +
                  (several ? compute + ", " + again + " = true;" : compute + ";"));
    }
    out_.close();
    for (std::uint32_t value : asked->values) f_.lazies.settle(value);
    return asked->values;
}

} // namespace irrewrite::printers
