// Folds on the device: one thread takes values in, one after the other, as a fold promises nothing that a second one
// could use. What it is fed with is computed beside it, by as many threads as a block has.
#include "printers/cuda/device_printer.hpp"

namespace irrewrite::printers {

// `step(i, value)` if an index has one value, which `take(part, value)` folds; else `step(i, part)` folds all.
void KeyPrinter::print_fold(const ScheduledNode& loop, Kernel& kernel, const std::string& n) {
    Generator& fold = kernel.generators[0];
    const std::vector<Cell> cells = fold.state;
    const bool one = code_.emits_at_most_once(fold.emission);
    const std::string part = side_by_side(part_types(fold, cells)), step = out_.fresh("step");
    std::string whole;
    for (const Cell& cell : cells) whole += (whole.empty() ? "" : ", ") + cell.name;
    kernel.given = one ? side_by_side(given_types(fold)) : part;
    at_.kernel = &kernel;
    out_.open_names();
    if (one) {
        kernel.value = out_.fresh("value");
    } else {
        kernel.bin = out_.fresh("part");
        for (std::size_t k = 0; k < cells.size(); ++k) fold.state[k].name = part_of(kernel.bin, k, cells.size());
    }
    d_.kernels.print_step(loop, kernel, step, "");
    out_.close_names();
    const std::string take = one ? ", " + print_bin_operator(loop, fold, part) : "";
    at_.kernel = nullptr;
    const std::string start = cells.size() == 1 ? whole : part + "(" + whole + ")";
    out_.line((cells.size() == 1 ? whole : "std::tie(" + whole + ")") + " = " +
              (one ? "fold_indices<" + kernel.given + ">(" : "fold_in_turn(") + n + ", " + start + ", " + step + take +
              ");");
}

} // namespace irrewrite::printers
