// A function of emitted C++: its lines, its parameters' dimensions, its nodes in order.
#include "printers/cpp/cpp_function.hpp"

#include "printers/c_like/unread_names.hpp"
#include "printers/cpp/loops/lane_blocks.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

CppFunction::CppFunction(CppModule& module, const Function& function)
    : FunctionState(module, function), Values(*this), scalars(*this), arrays(*this), control(*this), lazies(*this),
      emissions(*this), loops(*this), chunks(*this), counts(*this), blocks(*this), columns(*this), tiles(*this),
      strips(*this), pieces(*this), decisions(*this),
      device_(module.device ? module.device(*this) : std::make_unique<DeviceCode>()) {}

void CppFunction::print(bool appending) {
    out_.open_names();
    for (const Parameter& parameter : function_.params) {
        state_.param_names.push_back(out_.fresh(module_.context.symbols[parameter.name]));
        if (module_.takes_over(function_, parameter))
            define(parameter.node, {{state_.param_names.back()}, parameter.type, Form::Value, true});
        else
            define(parameter.node,
                   {{state_.param_names.back()}, parameter.type, module_.types.parameter_form(parameter.type)});
        if (module_.options.cuda && module_.types.is_rows(parameter.type))
            state_.ragged[state_.param_names.back()] = {out_.fresh(state_.param_names.back() + "_on_device"),
                                                        value_type(module_.types.element(parameter.type, 2))};
    }
    for (const Dimension& dimension : function_.dims)
        define(dimension.node, {{out_.fresh(module_.context.symbols[dimension.name])}, types_.i64()});
    if (appending) state_.into = out_.fresh("into"), state_.behind = appended_result();
    print_nodes(0);
    appending ? print_appended() : print_return();
    out_.close_names();
    std::string checks;
    check_dimensions(checks);
    for (const auto& [parameter, rows] : state_.ragged)
        if (rows.used && rows.name != parameter)
            checks += "    const rows_on_device<" + rows.element + "> " + rows.name + "(" + parameter + ");\n";
    for (std::string& name : state_.param_names)
        if (!state_.used_params.contains(name)) name.clear();
    const std::string head = appending ? module_.appending_signature(function_, state_.param_names, " " + state_.into)
                                       : module_.signature(function_, state_.param_names);
    module_.out += without_unread(state_.parts + head + " {\n" + checks + out_.text() + "}\n");
}

// The length itself: where it stands first, or where the arrays around it are empty, next.
std::string CppFunction::entry_extent(const Dimension& dimension) {
    std::string text;
    unsigned open = 0;
    for (auto [param, depth] : dimension_places(function_, dimension.name)) {
        const std::string& x = state_.param_names[param];
        state_.used_params.insert(x);
        if (!text.empty()) text += ", ";
        if (depth == 0) {
            text += "std::ssize(" + x + ")";
            break;
        }
        text += "extent_of<" + std::to_string(depth) + ">(" + x;
        ++open;
    }
    return text + std::string(open, ')');
}

std::string CppFunction::check_extent(std::size_t depth, const std::string& x, const std::string& length) const {
    const std::string level = "<" + std::to_string(depth) + ">(" + x + ", " + length;
    if (at_.kernel != nullptr)
        return "if (extent_of" + level + ") != " + length + ") " + f_.device().leave({}, "lengths");
    return "check_extent" + level + ", " + line_number({}) + ");";
}

void CppFunction::check_dimensions(std::string& out) {
    std::string checks;
    for (const auto& [param, depth, dim] : extents_to_check(module_.types, types_, function_)) {
        const std::string length = dimension_text(dim);
        state_.used_params.insert(state_.param_names[param]);
        checks += "    " + check_extent(depth, state_.param_names[param], length) + "\n";
    }
    for (std::size_t d = 0; d < function_.dims.size(); ++d) {
        if (!state_.used_dims[d]) continue;
        const Dimension& dimension = function_.dims[d];
        out += "    const std::int64_t " + env_.at(dimension.node).text.text + " = " + entry_extent(dimension) + ";\n";
    }
    out += checks;
}

void CppFunction::print_nodes(Region region) {
    // By index: printing does not change the schedule.
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const bool in_lanes = at_.lane_blocks != nullptr && at_.lane_blocks->inside;
    const bool straight = at_.hot > 0 && !module_.options.cuda && (in_lanes || code_.is_straight(region));
    const bool outer = std::exchange(at_.straight, straight);
    f_.lazies.print_demands(schedule_.blocks[region].demands);
    if (!lazy_.empty()) demands_.join_loops(region);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if ((at_.only != nullptr && !at_.only->contains(nodes[i].node)) || at_.hoisted.contains(nodes[i].node))
            continue;
        else if (nodes[i].is_on_demand())
            f_.lazies.print_on_demand(nodes[i], region);
        else
            print_node(nodes[i], region, i);
    at_.straight = outer;
}

void CppFunction::print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const bool one_by_one = at_.tables && at_.only == nullptr && at_.lane_blocks == nullptr && !at_.remainder;
    if (one_by_one && f_.scalars.print_looked_up(node, region)) return;
    if (g_.core(node) != Core::None) return f_.scalars.print_core(node, region, position);
    if (ranges_.in_loop() && at_.kernel == nullptr && print_known(scheduled)) return;
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Plain:
    case OpKind::Len:
    case OpKind::Same:
    case OpKind::Select: return f_.scalars.print_plain(node, region, position);
    case OpKind::Cast: return f_.scalars.print_cast(node, region);
    case OpKind::Ensure: return f_.arrays.print_ensure(node, region, position);
    case OpKind::At: return f_.arrays.print_at(node, region);
    case OpKind::Update: return f_.arrays.print_update(node, region, position);
    case OpKind::Copy: return define(node, binding(g_.operand(node, 0)));
    case OpKind::Loop: return f_.loops.print_loop(scheduled, region, position);
    case OpKind::If: return f_.control.print_if(scheduled, region);
    case OpKind::Region: return f_.control.print_region(scheduled);
    case OpKind::While: return f_.control.print_while(scheduled, region, position);
    case OpKind::For: return f_.control.print_for(scheduled, region, position);
    default: return f_.control.print_state(node, region, position);
    }
}

void CppFunction::print_return() {
    std::vector<Stored> values;
    for (std::size_t k = 0; k < function_.results.size(); ++k) {
        const NodeId result = function_.results[k];
        const TypeId type = function_.result_types[k];
        values.push_back(to_store(binding(result), type, uses_.may_move(result, 0, UINT32_MAX), result));
        note_stored(binding(result), type, values.back(), result);
    }
    if (values.empty()) return;
    if (values.size() == 1) // returning a variable moves it
        return out_.line("return " + (is_name(values[0].moved) ? values[0].moved : values[0].text) + ";");
    std::string list;
    for (const Stored& value : values) list += (list.empty() ? "" : ", ") + value.text;
    out_.line("return {" + list + "};");
}

// The memory that stands behind the caller's elements; none if somebody writes it once it is frozen.
ReturnedMemory CppFunction::appended_result() const {
    const std::optional<ReturnedMemory> found = find_returned_memory(module_, function_);
    if (!found) return {};
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[0].nodes;
    const auto frozen = std::ranges::find(nodes, found->frozen, &ScheduledNode::node);
    const bool last = frozen != nodes.end() && !frozen->is_on_demand() &&
                      uses_.may_take(found->memory, 0, static_cast<std::uint32_t>(frozen - nodes.begin()));
    return last ? *found : ReturnedMemory{};
}

void CppFunction::print_appended() {
    const Binding result = binding(function_.results[0]);
    if (!state_.behind.memory || state_.behind.slice) out_.line(state_.into + ".append(" + result.text.text + ");");
}

} // namespace irrewrite::printers
