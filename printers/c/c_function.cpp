// A function of emitted C: its lines, its parameters' dimensions, its nodes in order.
#include "printers/c/c_function.hpp"

#include "printers/c_like/unread_names.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

// True if the variable is mentioned, not a member of its name.
bool reads(std::string_view text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
        if ((at == 0 || text[at - 1] != '.') && mentions(text.substr(at == 0 ? 0 : at - 1, name.size() + 2), name))
            return true;
    return false;
}

} // namespace

CState::CState(CModule& module, const Function& function)
    : FunctionText(module, function, Names::within(module.local_names)), module(module) {}

CFunction::CFunction(CModule& module, const Function& function)
    : CState(module, function), CParts(*this), scalars(*this), arrays(*this), control(*this), on_demand(*this),
      emissions(*this), loops(*this) {}

void CFunction::print() {
    const std::size_t errors = module_.errors.size();
    out_.open_names();
    state_.blocks.emplace_back();
    for (const Parameter& parameter : function_.params) {
        const bool fits = check_type({}, parameter.type);
        param_names.push_back(out_.fresh(module_.context.symbols[parameter.name]));
        const bool owned = fits && parameter.consumed && module_.types.holds(parameter.type);
        define(parameter.node, {{param_names.back()}, parameter.type, Form::Value, owned});
        if (owned) state_.blocks.back().push_back({param_names.back(), parameter.type});
    }
    for (TypeId result : function_.result_types) check_type({}, result);
    for (const Dimension& dimension : function_.dims)
        define(dimension.node, {{out_.fresh(module_.context.symbols[dimension.name])}, types_.i64()});
    if (module_.errors.size() > errors) return;
    print_nodes(0);
    print_return();
    const std::string body = out_.text();
    std::string checks;
    check_dimensions(checks);
    const std::string head = module_.signature(function_, param_names) + " {\n";
    std::string text = without_unread(head + checks + body + "}\n"), unread;
    for (const std::string& name : param_names)
        if (!reads(std::string_view(text).substr(head.size()), name)) unread += "    (void)" + name + ";\n";
    text.insert(head.size(), unread);
    constexpr std::string_view mark = "[[maybe_unused]]";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), "IR_UNUSED");
    module_.out += (module_.out.empty() ? "" : "\n") + text;
    out_.close_names();
}

// The length itself: where it stands first, or where the arrays around it are empty, next.
void CFunction::print_entry_extent(const Dimension& dimension, std::string& lines) {
    const std::string name = env_.at(dimension.node).text.text;
    std::string text;
    std::size_t open = 0;
    for (auto [param, depth] : dimension_places(function_, dimension.name)) {
        TypeId type = function_.params[param].type;
        std::string x = param_names[param], some;
        std::size_t level = depth;
        while (module_.types.rank(type) <= level) { // down the rows
            level -= module_.types.rank(type), type = module_.types.element(type, module_.types.rank(type));
            some += (some.empty() ? "" : " && ") + x + ".n[0] > 0";
            x += ".data[0]";
        }
        for (std::size_t k = 0; k < level; ++k)
            some += (some.empty() ? "" : " && ") + x + ".n[" + std::to_string(k) + "] > 0";
        const std::string length = x + ".n[" + std::to_string(level) + "]";
        if (some.empty()) {
            text += length;
            break;
        }
        text += some + " ? " + length + " : (", ++open;
    }
    const bool ends = open == 0 || !text.ends_with('(');
    lines += "    const int64_t " + name + " = " + text + (ends ? "" : "0") + std::string(open, ')') + ";\n";
}

void CFunction::check_dimensions(std::string& lines) {
    const std::size_t begin = out_.size();
    for (const auto& [param, depth, dim] : extents_to_check(module_.types, types_, function_))
        arrays.check_extent({{param_names[param]}, function_.params[param].type}, depth, dimension_text(dim), {});
    const std::string checks(out_.since(begin));
    for (std::size_t d = 0; d < function_.dims.size(); ++d)
        if (used_dims[d]) print_entry_extent(function_.dims[d], lines);
    lines += checks;
}

void CFunction::print_nodes(Region region) {
    // By index: printing does not change the schedule.
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    on_demand.print_demands(schedule_.blocks[region].demands);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (!at_.hoisted.contains(nodes[i].node))
            nodes[i].is_on_demand() ? on_demand.declare(nodes[i]) : print_node(nodes[i], region, i);
}

void CFunction::print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    if (g_.core(node) != Core::None) return scalars.print_core(node, region, position);
    if (ranges_.in_loop() && print_known(scheduled)) return;
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Plain:
    case OpKind::Len:
    case OpKind::Same:
    case OpKind::Select: return scalars.print_plain(node, region, position);
    case OpKind::Cast: return scalars.print_cast(node, region);
    case OpKind::Ensure: return arrays.print_ensure(node, region, position);
    case OpKind::At: return arrays.print_at(node, region);
    case OpKind::Update: return arrays.print_update(node, region, position);
    case OpKind::Copy: return CParts::define(node, binding(g_.operand(node, 0)));
    case OpKind::Loop: return loops.print_loop(scheduled, region, position);
    case OpKind::If: return control.print_if(scheduled, region);
    case OpKind::Region: return control.print_region(scheduled);
    case OpKind::While: return control.print_while(scheduled, region, position);
    case OpKind::For: return control.print_for(scheduled, region, position);
    default: return arrays.print_state(node, region, position);
    }
}

void CFunction::print_return() {
    std::string list;
    for (std::size_t k = 0; k < function_.results.size(); ++k) {
        const NodeId result = function_.results[k];
        list += (k > 0 ? ", " : "") + stored(result, function_.result_types[k], 0);
    }
    const bool plain = state_.blocks.back().empty();
    if (function_.results.empty()) return release_block();
    const bool several = function_.results.size() > 1;
    const std::string type = module_.types.results(function_.result_types);
    if (plain) return out_.line("return " + (several ? "(" + type + "){" + list + "}" : list) + ";");
    const std::string name = out_.fresh("result");
    out_.line("const " + type + " " + name + " = " + (several ? "{" + list + "}" : list) + ";");
    release_block();
    out_.line("return " + name + ";");
}

} // namespace irrewrite::printers
