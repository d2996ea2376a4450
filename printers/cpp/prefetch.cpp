// Memory of emitted C++ that is asked for before its round comes. A processor foresees reads in a row, but only as far as the
// rounds that it has begun: where rounds wait for bins or groups, whose places nobody foresees, it has begun few.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

bool changes_by_key(const Generator& generator) {
    return generator.shape == OpKind::Histogram || generator.shape == OpKind::Bucket;
}

} // namespace

bool CppFunction::fetches_ahead(const ScheduledNode& loop, std::span<const Generator> generators) const {
    const NodeId extent = g_.operand(loop.node, 0);
    const bool is_short = g_.is_number(extent) && g_.bits(extent) <= 1024;
    return !module_.options.cuda && hot_ == 1 && !is_short && std::ranges::any_of(generators, changes_by_key);
}

// Whether many of it lie in the memory that is fetched at once.
bool CppFunction::is_small_element(TypeId type) const {
    return types_.is_scalar(type) ? types_.bits(type) < 32 : !is_record(type);
}

// What every round reads at its own index.
void CppFunction::print_fetches(const ScheduledNode& loop, const std::string& index) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At ||
            g_.operands(node).size() != 2 || g_.operand(node, 1) != param || is_small_element(g_.type(node)) ||
            scheduled.is_on_demand() || (only_ != nullptr && !only_->contains(node)))
            continue;
        if (const auto pointer = pointers().find(g_.operand(node, 0)); pointer != pointers().end())
            line("fetch_ahead(&" + pointer->second + "[" + index + "]);");
    }
}

} // namespace irrewrite::printers
