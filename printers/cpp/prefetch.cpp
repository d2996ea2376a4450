// Prefetching in emitted C++. A processor prefetches consecutive reads, but only as far as the iterations that it has
// begun: if iterations wait for histogram bins or groups, whose addresses are not predictable, it has begun few.
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

// True if many elements of the type lie in one cache line.
bool CppFunction::is_small_element(TypeId type) const {
    return types_.is_scalar(type) ? types_.bits(type) < 32 : !is_record(type);
}

// Prefetches the elements that every iteration reads at its own index.
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
