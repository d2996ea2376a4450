// Arrays that an inner loop of a kernel's step makes and the step reads: rows of memory that is there before the kernel
// runs, one for each team or thread that runs at a time. Their lengths are the host's, the same for all indices.
#include "printers/cuda/device.hpp"

#include <algorithm>

namespace irrewrite::printers {

// The lengths, outermost first, of what an inner loop makes, one element for each index; none: the host does not know
// them.
std::vector<NodeId> CppFunction::kept_extents(const ScheduledNode& loop, std::size_t result) const {
    const OnDevice device(module_, function_, schedule_);
    std::vector<NodeId> extents;
    for (const ScheduledNode* made = &loop; made != nullptr;) {
        const NodeId extent = g_.operand(made->node, 0);
        if (!g_.is_literal(extent) && !env_.contains(extent)) return {};
        extents.push_back(extent);
        NodeId generator{};
        for (NodeId each : g_.results(g_.blocks(made->node)[0])) {
            const std::size_t count = types_.elements(g_.type(each)).size();
            generator = each;
            if (result < count) break;
            result -= count;
        }
        const OpKind shape = module_.shapes[g_.op(generator).index];
        const NodeId emission = g_.operands(generator).back();
        const bool makes = shape == OpKind::Collect || (shape == OpKind::Scan && g_.blocks(generator).size() == 1);
        if (!makes || !types_.once(g_.type(emission))) return {};
        const TypeId element = types_.elements(g_.type(emission))[result];
        if (device.is_plain(element)) return extents;
        if (shape != OpKind::Collect || g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit)
            return {};
        const NodeId row = g_.operand(emission, result);
        result = g_.is_project(row) ? g_.position(row) : 0;
        made = find_row_loop(made->blocks[0], row, true);
    }
    return {};
}

bool CppFunction::is_kept(NodeId loop, std::size_t result) const {
    return std::ranges::any_of(on_device_->kept,
                               [&](const ScratchRow& kept) { return kept.loop == loop && kept.result == result; });
}

// The scratch memory in which an inner loop makes its result, of this type.
std::string CppFunction::place_kept(const ScheduledNode& loop, std::size_t result, TypeId type) {
    auto found = std::ranges::find_if(
        on_device_->kept, [&](const ScratchRow& kept) { return kept.loop == loop.node && kept.result == result; });
    if (found == on_device_->kept.end()) {
        ScratchRow kept{loop.node,
                        result,
                        out_.fresh("d_kept"),
                        value_type(module_.types.element(type, module_.types.rank(type))),
                        {},
                        is_shared(loop.node)};
        for (NodeId extent : kept_extents(loop, result)) {
            const std::string length = text(extent).text;
            kept.extents.push_back(known_nonnegative(extent) ? length : "std::max<std::int64_t>(" + length + ", 0)");
        }
        found = on_device_->kept.insert(on_device_->kept.end(), std::move(kept));
    }
    return found->view + "[" + (found->of_team ? on_device_->team + ".number()" : "thread_number()") + "]";
}

// Memory for what the kernel's text from there on keeps; what stands for its indices.
std::string CppFunction::print_kept(const Kernel& kernel, const std::string& over, const std::string& amount,
                                    std::size_t begin) {
    std::string threads, bytes, lines;
    const std::string margin = out_.margin();
    for (const ScratchRow& kept : kernel.kept) {
        std::string extents;
        for (const std::string& extent : kept.extents) extents += (extents.empty() ? "" : ", ") + extent;
        if (!kept.of_team) bytes += (bytes.empty() ? "" : " + ") + ("bytes_of<" + kept.type + ">(" + extents + ")");
    }
    if (!bytes.empty()) {
        threads = out_.fresh("threads");
        lines += margin + "const few_threads " + threads + "(" + over + ", " + bytes + ");\n";
    }
    for (const ScratchRow& kept : kernel.kept) {
        const std::string memory = out_.fresh(kept.view.substr(2));
        lines += margin + "array<" + kept.type + ", " + std::to_string(kept.extents.size() + 1) + "> " + memory +
                 " = kept_rows<" + kept.type + ">(" +
                 (kept.of_team ? "most_teams(" + over + ", " + amount + ")" : threads + ".threads()");
        for (const std::string& extent : kept.extents) lines += ", " + extent;
        lines += ");\n" + margin + "const auto " + kept.view + " = " + memory + ".device_to_fill();\n";
    }
    out_.insert(begin, lines);
    return threads.empty() ? over : threads;
}

} // namespace irrewrite::printers
