// Loops of emitted C++ whose reductions OpenMP has no name for: contiguous strips side by side, joined in order, which
// the promise of `reduce` allows. No strip waits for another, and the compiler may give each a vector lane.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr unsigned stretches = 8;

// An accumulator of all stretches: one array, or one for each part of a struct or tuple, which vector lanes load and
// store as they are.
struct Strip {
    std::vector<std::string> arrays, accesses; // of the parts: `.count`, `std::get<0>(`
    std::string type{}, local{};               // of a struct or tuple: a variable of a step
};

std::string part_text(const std::string& value, const std::string& access) {
    return access.starts_with('.') ? value + access : access + value + ")";
}

} // namespace

void StripPrinter::print_stretches(const ScheduledNode& loop, std::span<const Generator> generators,
                                   std::string_view begin, std::string_view end) {
    out_.open_names();
    const std::string count = out_.fresh("stretches"), stretch = out_.fresh("stretch"), length = out_.fresh("length"),
                      step = out_.fresh("step");
    out_.line("// Stretches side by side, joined in order.");
    out_.line("constexpr std::int64_t " + count + " = " + std::to_string(stretches) + ";");
    out_.line("const std::int64_t " + length + " = (" + std::string(end) + " - " + std::string(begin) + ") / " + count +
              ";");
    std::vector<Generator> side(generators.begin(), generators.end());
    std::vector<std::vector<Strip>> strips(side.size());
    const std::string slots = "[" + stretch + "]", slots_count = "[" + count + "];";
    for (std::size_t k = 0; k < side.size(); ++k) {
        const bool records =
            std::ranges::any_of(side[k].state, [&](const Cell& cell) { return code_.is_record(cell.type); });
        side[k].slots = records ? "" : slots;
        for (Cell& cell : side[k].state) {
            Strip strip;
            const auto add_part = [&](const std::string& name, TypeId type, std::string access) {
                strip.arrays.push_back(out_.fresh(name));
                strip.accesses.push_back(std::move(access));
                out_.line(value_type(type) + " " + strip.arrays.back() + slots_count);
            };
            if (types_.kind(cell.type) == TypeKind::Struct) {
                for (std::size_t f = 0; f < types_.fields(cell.type).size(); ++f) {
                    const std::string& field = module_.types.field(cell.type, f);
                    add_part(cell.name + "_" + field, types_.fields(cell.type)[f].type, "." + field);
                }
            } else if (types_.kind(cell.type) == TypeKind::Tuple) {
                for (std::size_t f = 0; f < types_.elements(cell.type).size(); ++f)
                    add_part(cell.name + "_" + std::to_string(f), types_.elements(cell.type)[f],
                             "std::get<" + std::to_string(f) + ">(");
            } else {
                add_part(cell.name + "s", cell.type, "");
            }
            if (records) {
                strip.local = out_.fresh(cell.name + "_here");
                strip.type = value_type(cell.type);
            }
            cell.name = records ? strip.local : strip.arrays[0];
            strips[k].push_back(std::move(strip));
        }
    }
    const auto value_of = [&](const Strip& strip) {
        if (strip.accesses[0].empty()) return strip.arrays[0] + slots;
        std::string list; // of a struct or tuple

        for (const std::string& array : strip.arrays) list += (list.empty() ? "" : ", ") + array + slots;
        return strip.type + "{" + list + "}";
    };
    const auto store = [&](const Strip& strip, const std::string& value) {
        for (std::size_t f = 0; f < strip.arrays.size(); ++f)
            out_.line(strip.arrays[f] + slots + " = " + part_text(value, strip.accesses[f]) + ";");
    };
    const std::string each =
        "for (std::int64_t " + stretch + " = 0; " + stretch + " < " + count + "; ++" + stretch + ")";
    out_.open(each + " {");
    for (std::size_t k = 0; k < side.size(); ++k)
        for (std::size_t c = 0; c < side[k].state.size(); ++c) {
            const Strip& strip = strips[k][c];
            if (strip.accesses[0].empty())
                out_.line(strip.arrays[0] + slots + " = " + side[k].state[c].init + ";");
            else
                store(strip,
                      as_variable({{side[k].state[c].init, precedence::ternary, 1}, side[k].state[c].type}, "start")
                          .text.text);
        }
    out_.close();
    out_.open_names();
    const std::string index = index_of(loop);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    out_.open("const auto " + step + " = [&](std::int64_t " + index + ", std::int64_t " + stretch + ") {");
    for (std::size_t k = 0; k < side.size(); ++k)
        for (const Strip& strip : strips[k])
            if (!strip.local.empty()) out_.line(strip.type + " " + strip.local + " = " + value_of(strip) + ";");
    f_.loops.print_round(loop, side, {param, g_.operand(loop.node, 0), 0, 0}, index, false);
    for (std::size_t k = 0; k < side.size(); ++k)
        for (const Strip& strip : strips[k])
            if (!strip.local.empty() && strip.accesses[0].empty())
                out_.line(strip.arrays[0] + slots + " = " + strip.local + ";");
            else if (!strip.local.empty())
                store(strip, strip.local);
    out_.close("};");
    auto from = [&](const std::string& first) {
        return "for (std::int64_t " + index + " = " + first + "; " + index + " < ";
    };
    out_.open(from(std::string(begin)) + std::string(begin) + " + " + length + "; ++" + index + ") {");
    out_.line("#pragma omp simd");
    out_.line(each + " " + step + "(" + index + " + " + stretch + " * " + length + ", " + stretch + ");");
    out_.close();
    out_.line(from(std::string(begin) + " + " + count + " * " + length) + std::string(end) + "; ++" + index + ") " +
              step + "(" + index + ", " + count + " - 1);");
    out_.close_names();
    out_.open(each + " {");
    for (std::size_t k = 0; k < side.size(); ++k) {
        std::vector<Binding> values;
        for (std::size_t c = 0; c < side[k].state.size(); ++c) {
            const Binding value{{value_of(strips[k][c]), precedence::primary, 1}, side[k].state[c].type, Form::Value};
            values.push_back(strips[k][c].accesses[0].empty() ? value : as_variable(value, "v"));
        }
        f_.emissions.combine(generators[k].home, generators[k], generators[k].state, "", values);
    }
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
