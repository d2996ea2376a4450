// Conditionals and sequential loops in emitted C++.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace irrewrite::printers {

void ControlPrinter::print_if(const ScheduledNode& scheduled, Region region) {
    if (print_conditional(scheduled, region)) return;
    if (at_.straight && code_.is_choice(scheduled)) return print_choice(scheduled, region);
    print_branches(scheduled);
}

// Both sides are computed, and the condition chooses.
void ControlPrinter::print_choice(const ScheduledNode& scheduled, Region region) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    const Text condition = as_variable(binding(g_.operand(node, 0)), "chosen").text;
    std::vector<std::vector<Binding>> sides(2);
    for (std::size_t side = 0; side < 2; ++side) {
        f_.print_nodes(scheduled.blocks[side]);
        for (NodeId value : g_.results(g_.blocks(node)[side]))
            sides[side].push_back(as_variable(binding(value), "v")); // a load under a condition would be a branch
    }
    const auto choice = [&](std::size_t k) {
        // A choice of booleans keeps compilers from running it in lanes.
        const Text yes = sides[0][k].text, no = sides[1][k].text;
        if (types_.kind(types[k]) == TypeKind::Bool && no.text == "false")
            return ScalarPrinter::all_of(std::array{condition, yes});
        if (types_.kind(types[k]) == TypeKind::Bool && yes.text == "true")
            return ScalarPrinter::all_of(std::array{condition, no}, true);
        return Text{condition.text + " ? " + parenthesized(sides[0][k].text, precedence::logical_or) + " : " +
                        parenthesized(sides[1][k].text, precedence::logical_or),
                    precedence::ternary, 99};
    };
    if (types.size() == 1 && g_.kind(node) != TypeKind::Results) return define_value(node, choice(0), region);
    std::vector<Binding> results;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const NodeId projection = uses_.find_projection(node, k);
        Binding result{choice(k), types[k]};
        results.push_back(projection ? Binding{{name_of(projection)}, types[k]} : result);
        if (projection)
            out_.line("const " + value_type(types[k]) + " " + results.back().text.text + " = " + result.text.text +
                      ";");
    }
    define(node, std::move(results));
}

void ControlPrinter::print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId test = g_.blocks(node)[0], step = g_.blocks(node)[1];
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_carried(node, step, 0, region, position);
    const std::vector<NodeId> next(g_.results(step).begin(), g_.results(step).end());
    f_.arrays.declare_spares(scheduled.blocks[1], next, types);
    std::string given_up; // on the device, where a fault is noted and no more
    if (f_.device().goes_on_after_faults()) {
        const std::string rounds = out_.fresh("rounds");
        out_.line("unsigned " + rounds + " = 0;");
        given_up = "given_up(" + rounds + ")";
        if (at_.kernel != nullptr) at_.kernel->shared_faults = true;
    }
    const bool rounds = f_.device().begin_rounds(scheduled);
    out_.open("while (true) {");
    const std::size_t begin = out_.size();
    const auto carry = [&](BlockId block, bool owned) {
        for (std::size_t k = 0; k < types.size(); ++k)
            define(g_.params(block)[k], {{names[k]}, types[k], Form::Value, owned && !types_.is_scalar(types[k])});
    };
    const bool tables = std::exchange(at_.tables, true);
    {
        const Scope scope(env_, ranges_);
        carry(test, false); // the step still needs them
        const Ranges::Carried bounds(ranges_, node);
        f_.print_nodes(scheduled.blocks[0]);
        const Text stay = text(g_.results(test)[0]);
        if (out_.size() == begin) { // nothing stands before the test
            const std::string again =
                given_up.empty() ? stay.text : "!" + given_up + " && " + parenthesized(stay, precedence::equality);
            out_.replace_last("while (true) {", "while (" + again + ") {");
        } else {
            out_.line("if (" + (given_up.empty() ? "" : given_up + " || ") + "!" +
                      parenthesized(stay, precedence::primary) + ") break;");
        }
        carry(step, true);
        if (may_not_end(node)) out_.line("may_not_end();");
        ranges_.enter(Condition{g_.results(test)[0], true});
        f_.print_nodes(scheduled.blocks[1]);
        assign(names, types, g_.results(step), scheduled.blocks[1]);
        ranges_.leave_condition();
    }
    at_.tables = tables;
    out_.close();
    f_.device().end_rounds(rounds);
    f_.arrays.drop_spares(next);
    bind_results(node, names, types);
}

// On the device every loop ends: it gives up.
bool ControlPrinter::may_not_end(NodeId loop) {
    if (at_.kernel != nullptr || (module_.options.cuda && module_.on_device(function_) != OnDeviceAs::None))
        return false;
    return state_.may_not_end(loop);
}

// The variables of what a loop carries, with the values that they have at first: the operands from `first` on.
std::vector<std::string> ControlPrinter::declare_carried(NodeId node, BlockId step, std::size_t first, Region r,
                                                         std::uint32_t at) {
    const std::vector<TypeId> types = code_.result_types(node);
    const std::span<const SymbolId> params = g_.param_names(step);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const SymbolId param = k + first < params.size() ? params[k + first] : SymbolId{};
        names.push_back(result_name(node, k, param ? module_.context.symbols[param] : "t"));
        out_.line(value_type(types[k]) + " " + names[k] + " = " + stored(g_.operand(node, k + first), types[k], r, at) +
                  ";");
    }
    return names;
}

void ControlPrinter::print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId block = g_.blocks(node)[0];
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::uint32_t> settled = f_.lazies.print_before(scheduled, region);
    const std::vector<std::string> names = declare_carried(node, block, 1, region, position);
    const std::vector<NodeId> next(g_.results(block).begin(), g_.results(block).end());
    f_.arrays.declare_spares(scheduled.blocks[0], next, types);
    const Binding extent = as_variable({text(g_.operand(node, 0)), types_.i64()}, "n");
    out_.open_names();
    const std::string index = index_of(block, "i");
    const bool rounds = f_.device().begin_rounds(scheduled);
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + extent.text.text + "; ++" + index + ") {");
    const bool tables = std::exchange(at_.tables, true);
    {
        const Scope scope(env_, ranges_);
        const std::vector<NodeId> params(g_.params(block).begin(), g_.params(block).end());
        define(params[0], {{index}, types_.i64(), Form::Value, false, g_.operand(node, 0)});
        for (std::size_t k = 0; k < types.size(); ++k)
            define(params[k + 1], {{names[k]}, types[k], Form::Value, !types_.is_scalar(types[k])});
        const Ranges::CarriedArrays arrays(ranges_, node);
        f_.print_nodes(scheduled.blocks[0]);
        assign(names, types, g_.results(block), scheduled.blocks[0]);
    }
    at_.tables = tables;
    out_.close();
    f_.device().end_rounds(rounds);
    out_.close_names();
    f_.arrays.drop_spares(next);
    f_.lazies.forget(settled);
    bind_results(node, names, types);
}

} // namespace irrewrite::printers
