#include "printers/c/c_function.hpp"

#include <algorithm>

namespace irrewrite::printers {

void CControl::print_if(const ScheduledNode& scheduled, Region region) {
    if (!print_conditional(scheduled, region)) print_branches(scheduled);
}

// The variables of what a loop carries, with the values that they have at first: the operands from `first` on.
std::vector<std::string> CControl::declare_carried(NodeId node, BlockId step, std::size_t first, Region region,
                                                   std::uint32_t position) {
    const std::vector<TypeId> types = code_.result_types(node);
    const std::span<const SymbolId> params = g_.param_names(step);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        if (!check_type(node, types[k])) return std::vector<std::string>(types.size(), "t");
        const SymbolId param = k + first < params.size() ? params[k + first] : SymbolId{};
        names.push_back(result_name(node, k, param ? module_.context.symbols[param] : "t"));
        declare(types[k], names[k], stored(g_.operand(node, k + first), types[k], region, position),
                is_unread(node, k));
    }
    return names;
}

void CControl::print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId test = g_.blocks(node)[0], step = g_.blocks(node)[1];
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_carried(node, step, 0, region, position);
    const std::size_t before = out_.size();
    open("while (true) {");
    const std::size_t begin = out_.size();
    const auto carry = [&](BlockId block, bool owned) {
        for (std::size_t k = 0; k < types.size(); ++k)
            define(g_.params(block)[k], {{names[k]}, types[k], Form::Value, owned && module_.types.holds(types[k])});
    };
    {
        const Scope scope(env_, ranges_);
        carry(test, false); // the step still needs them
        const Ranges::Carried bounds(ranges_, node);
        f_.print_nodes(scheduled.blocks[0]);
        const Text stay = text(g_.results(test)[0]);
        if (out_.size() == begin) { // nothing stands before the test
            out_.cut(before);
            out_.outdent();
            out_.line("while (" + stay.text + ") {");
            out_.indent();
        } else if (state_.blocks.back().empty()) {
            out_.line("if (!" + parenthesized(stay, precedence::primary) + ") break;");
        } else {
            out_.open("if (!" + parenthesized(stay, precedence::primary) + ") {");
            release_block();
            out_.line("break;");
            out_.close();
        }
        carry(step, true);
        if (state_.may_not_end(node)) out_.line("ir_may_not_end();");
        ranges_.enter(Condition{g_.results(test)[0], true});
        f_.print_nodes(scheduled.blocks[1]);
        assign(names, types, g_.results(step), scheduled.blocks[1]);
        ranges_.leave_condition();
    }
    close();
    bind_results(node, names, types);
}

void CControl::print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId block = g_.blocks(node)[0];
    const std::vector<TypeId> types = code_.result_types(node);
    const Binding extent = as_variable({text(g_.operand(node, 0)), types_.i64()}, "n");
    const std::vector<std::uint32_t> settled = f_.on_demand.print_before(scheduled.blocks[0], region, extent.text.text);
    const std::vector<std::string> names = declare_carried(node, block, 1, region, position);
    out_.open_names();
    const std::string index = index_of(block, "i");
    open("for (int64_t " + index + " = 0; " + index + " < " + extent.text.text + "; ++" + index + ") {");
    {
        const Scope scope(env_, ranges_);
        const std::vector<NodeId> params(g_.params(block).begin(), g_.params(block).end());
        define(params[0], {{index}, types_.i64(), Form::Value, false, g_.operand(node, 0)});
        for (std::size_t k = 0; k < types.size(); ++k)
            define(params[k + 1], {{names[k]}, types[k], Form::Value, module_.types.holds(types[k])});
        const Ranges::CarriedArrays arrays(ranges_, node);
        f_.print_nodes(scheduled.blocks[0]);
        assign(names, types, g_.results(block), scheduled.blocks[0]);
    }
    close();
    out_.close_names();
    f_.on_demand.forget(settled);
    bind_results(node, names, types);
}

} // namespace irrewrite::printers
