// A function of emitted C++: its lines, its parameters' dimensions, its nodes in order.
#include "printers/c_like/unread_names.hpp"
#include "printers/cpp/lane_blocks.hpp"
#include "printers/plan/demands.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

CppFunction::CppFunction(CppModule& module, const Function& function)
    : module_(module), function_(function), g_(function.graph), types_(module.context.types),
      schedule_(schedule_lazily(function)), lazy_(find_demands(schedule_)), uses_(module, function, schedule_, lazy_),
      ranges_(module.shapes, module.context.types, function), out_(module.names_within(function)),
      used_dims_(function.dims.size()) {
    for (std::uint32_t lazy = 0; lazy < lazy_.size(); ++lazy) {
        const std::uint64_t region = schedule_.on_demand[lazy].region;
        lazy_places_.emplace(region << 32 | lazy_node(lazy).node.index, lazy);
    }
}

void CppFunction::error(NodeId node, std::string text) {
    Span where = module_.context.sources.at(g_.origin(node).place);
    if (where.source)
        ++where.end;
    else
        where = function_.where;
    module_.errors.push_back(
        {.severity = Severity::Error, .where = where, .text = std::move(text), .notes = {}, .help = {}});
}

// The line of the file that the messages of faults name; 0 for what comes from another file.
std::string CppFunction::line_number(NodeId node) const {
    Span where = module_.context.sources.at(node ? g_.origin(node).place : Sources::nowhere);
    if (!where.source) where = function_.where;
    return std::to_string(module_.line_of(where).value_or(0));
}

// `lines 3-5, 8`: where in the source the regions' nodes come from.
std::string CppFunction::origins(std::span<const std::uint32_t> regions) const {
    std::vector<std::ptrdiff_t> found;
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const Span where = module_.context.sources.at(g_.origin(scheduled.node).place);
            if (const auto line = where.source ? module_.line_of(where) : std::nullopt) found.push_back(*line);
        }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::string text;
    for (std::size_t i = 0; i < found.size();) {
        std::size_t end = i;
        while (end + 1 < found.size() && found[end + 1] == found[end] + 1) ++end;
        text += (text.empty() ? "" : ", ") + std::to_string(found[i]);
        if (end > i) text += "-" + std::to_string(found[end]);
        i = end + 1;
    }
    if (text.empty()) return {};
    return (found.size() == 1 ? "line " : "lines ") + text;
}

void CppFunction::print() {
    out_.open_names();
    for (const Parameter& parameter : function_.params) {
        param_names_.push_back(out_.fresh(module_.context.symbols[parameter.name]));
        if (module_.takes_over(function_, parameter))
            define(parameter.node, {{param_names_.back()}, parameter.type, Form::Value, true});
        else
            define(parameter.node,
                   {{param_names_.back()}, parameter.type, module_.types.parameter_form(parameter.type)});
        if (module_.options.cuda && module_.types.is_rows(parameter.type))
            ragged_[param_names_.back()] = {out_.fresh(param_names_.back() + "_on_device"),
                                            value_type(module_.types.element(parameter.type, 2))};
    }
    for (const Dimension& dimension : function_.dims)
        define(dimension.node, {{out_.fresh(module_.context.symbols[dimension.name])}, types_.i64()});
    print_nodes(0);
    print_return();
    out_.close_names();
    std::string checks;
    check_dimensions(checks);
    for (const auto& [parameter, rows] : ragged_)
        if (rows.used && rows.name != parameter)
            checks += "    const rows_on_device<" + rows.element + "> " + rows.name + "(" + parameter + ");\n";
    for (std::string& name : param_names_)
        if (!used_params_.contains(name)) name.clear();
    module_.out +=
        without_unread(parts_ + module_.signature(function_, param_names_) + " {\n" + checks + out_.text() + "}\n");
}

// The length itself: where it stands first, or where the arrays around it are empty, next.
std::string CppFunction::entry_extent(const Dimension& dimension) {
    std::string text;
    unsigned open = 0;
    for (auto [param, depth] : dimension_places(function_, dimension.name)) {
        const std::string& x = param_names_[param];
        used_params_.insert(x);
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
    if (on_device_ != nullptr) return "if (extent_of" + level + ") != " + length + ") " + leave({}, "lengths");
    return "check_extent" + level + ", " + line_number({}) + ");";
}

// `%n` is taken from its first occurrence; further ones, and lengths that no C++ type promises, are checked.
void CppFunction::check_dimensions(std::string& out) {
    std::string checks;
    std::unordered_map<SymbolId, std::pair<std::size_t, std::size_t>> first;
    for (std::size_t p = 0; p < function_.params.size(); ++p) {
        TypeId type = function_.params[p].type;
        const std::size_t rank = module_.types.is_array(type) ? module_.types.rank(type) : 0;
        for (std::size_t depth = 0; module_.types.is_array(type); ++depth, type = types_.element(type)) {
            const Dim dim = types_.dim(type);
            if (dim.kind != DimKind::Named && dim.kind != DimKind::Constant) continue;
            if (dim.kind == DimKind::Named) {
                const SymbolId name{static_cast<std::uint32_t>(dim.value)};
                if (first.emplace(name, std::pair(p, depth)).second && depth < rank) continue;
            }
            const std::string length = dim.kind == DimKind::Named
                                           ? dimension_text({static_cast<std::uint32_t>(dim.value)})
                                           : std::to_string(dim.value);
            used_params_.insert(param_names_[p]);
            checks += "    " + check_extent(depth, param_names_[p], length) + "\n";
        }
    }
    for (std::size_t d = 0; d < function_.dims.size(); ++d) {
        if (!used_dims_[d]) continue;
        const Dimension& dimension = function_.dims[d];
        out += "    const std::int64_t " + env_.at(dimension.node).text.text + " = " + entry_extent(dimension) + ";\n";
    }
    out += checks;
}

void CppFunction::print_nodes(Region region) {
    // By index: printing does not change the schedule.
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const bool in_lanes = lane_blocks_ != nullptr && lane_blocks_->inside;
    const bool straight = hot_ > 0 && !module_.options.cuda && (in_lanes || is_straight(region));
    const bool outer = std::exchange(straight_, straight);
    print_demands(schedule_.blocks[region].demands);
    if (!lazy_.empty()) join_loops(region);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if ((only_ != nullptr && !only_->contains(nodes[i].node)) || hoisted_.contains(nodes[i].node))
            continue;
        else if (nodes[i].is_on_demand())
            print_on_demand(nodes[i], region);
        else
            print_node(nodes[i], region, i);
    straight_ = outer;
}

void CppFunction::print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    if (g_.core(node) != Core::None) return print_core(node, region, position);
    if (ranges_.in_loop() && on_device_ == nullptr && print_known(scheduled)) return;
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Plain:
    case OpKind::Len:
    case OpKind::Same:
    case OpKind::Select: return print_plain(node, region, position);
    case OpKind::Cast: return print_cast(node, region);
    case OpKind::Ensure: return print_ensure(node, region, position);
    case OpKind::At: return print_at(node, region);
    case OpKind::Update: return print_update(node, region, position);
    case OpKind::Copy: return define(node, binding(g_.operand(node, 0)));
    case OpKind::Loop: return print_loop(scheduled, region);
    case OpKind::If: return print_if(scheduled, region);
    case OpKind::While: return print_while(scheduled, region, position);
    case OpKind::For: return print_for(scheduled, region, position);
    default: return print_state(node, region, position);
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

} // namespace irrewrite::printers
