// Arrays that an inner loop of a kernel's step makes and the step reads: rows of memory that is there before the kernel
// runs, one for each team or thread that runs at a time. Their lengths are the host's, the same for all indices.
#include "printers/cuda/device_printer.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

// The scratch memory in which an inner loop makes its result, of this type.
std::string TeamPrinter::place_kept(const ScheduledNode& loop, std::size_t result, TypeId type) {
    auto found = std::ranges::find_if(
        at_.kernel->kept, [&](const ScratchRow& kept) { return kept.loop == loop.node && kept.result == result; });
    if (found == at_.kernel->kept.end()) {
        ScratchRow kept{loop.node,
                        result,
                        out_.fresh("d_kept"),
                        value_type(module_.types.element(type, module_.types.rank(type))),
                        {},
                        is_shared(loop.node)};
        for (NodeId extent : kept_extents(loop, result)) {
            const std::string length = text(extent).text;
            kept.extents.push_back(code_.known_nonnegative(extent) ? length
                                                                   : "std::max<std::int64_t>(" + length + ", 0)");
        }
        found = at_.kernel->kept.insert(at_.kernel->kept.end(), std::move(kept));
    }
    return found->view + "[" + (found->of_team ? at_.kernel->team + ".number()" : "thread_number()") + "]";
}

// Memory for what the kernel's text from there on keeps; what stands for its indices.
std::string TeamPrinter::print_scratch_rows(const Kernel& kernel, const std::string& over, const std::string& amount,
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
