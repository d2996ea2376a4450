#include "printers/c_like/function/function_text.hpp"

namespace irrewrite::printers {

FunctionText::FunctionText(const TextModule& module, const Function& function, Names names)
    : FunctionFacts(module, function), code(*this), demands(*this), planner(*this), out(std::move(names)),
      used_dims(function.dims.size()) {
    at.known = &env;
}

FunctionParts::FunctionParts(const TextModule& module, FunctionText& text)
    : function_(text.function), g_(text.graph), types_(text.types), schedule_(text.schedule), lazy_(text.lazy),
      uses_(text.uses), ranges_(text.ranges), at_(text.at), out_(text.out), env_(text.env), code_(text.code),
      demands_(text.demands), planner_(text.planner), text_module_(module) {}

// -- values ----------------------------------------------------------------------------------------

void FunctionParts::define(NodeId node, Binding value) {
    ranges_.set_extent(node, value.extent);
    env_.define(node, std::move(value));
}

bool FunctionParts::is_atomic(const Text& text) {
    return text.precedence == precedence::primary && text.depth == 0 && text.text.find('(') == std::string::npos;
}

std::string FunctionParts::name_of(NodeId node, std::string_view otherwise) {
    const SymbolId name = g_.name(node);
    return out_.fresh(name ? text_module_.context.symbols[name] : otherwise);
}

std::string FunctionParts::result_name(NodeId node, std::size_t k, std::string_view otherwise) {
    if (g_.result_count(node) == 1) return name_of(node, otherwise);
    const NodeId projection = uses_.find_projection(node, k);
    return projection ? name_of(projection, otherwise) : out_.fresh(otherwise);
}

std::string FunctionParts::index_of(BlockId block, std::string_view otherwise) {
    const auto names = g_.param_names(block);
    return out_.fresh(!names.empty() && names[0] ? text_module_.context.symbols[names[0]] : otherwise);
}

std::string FunctionParts::dimension_text(SymbolId name) {
    for (const Dimension& dimension : function_.dims)
        if (dimension.name == name) return text(dimension.node).text;
    return {};
}

std::string FunctionParts::dimension_text(Dim dim) {
    return dim.kind == DimKind::Named ? dimension_text(SymbolId{static_cast<std::uint32_t>(dim.value)})
                                      : std::to_string(dim.value);
}

std::string FunctionParts::stored(NodeId node, TypeId type, Region region, std::uint32_t position) {
    return stored(binding(node), type, uses_.may_move(node, region, position), node);
}

void FunctionParts::bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types) {
    std::vector<Binding> results;
    for (std::size_t k = 0; k < names.size(); ++k)
        results.push_back({{names[k]}, types[k], Form::Value, is_owned(types[k])});
    if (g_.kind(node) != TypeKind::Results && results.size() == 1)
        define(node, results[0]);
    else
        define(node, std::move(results));
}

std::vector<Cell> FunctionParts::running_cells(NodeId node) {
    std::vector<Cell> cells;
    for (NodeId param : g_.params(g_.blocks(node)[0]).first(g_.operands(node).size() - 1)) {
        const NodeId seed = g_.operand(node, cells.size());
        cells.push_back({out_.fresh("running"), g_.type(param), stored(binding(seed), g_.type(param), false, seed)});
    }
    return cells;
}

// -- places ----------------------------------------------------------------------------------------

Diagnostic FunctionParts::error_at(NodeId node, std::string text) const {
    Span where = text_module_.context.sources.at(node ? g_.origin(node).place : Sources::nowhere);
    if (where.source)
        ++where.end;
    else
        where = function_.where;
    return {.severity = Severity::Error, .where = where, .text = std::move(text), .notes = {}, .help = {}};
}

std::string FunctionParts::line_number(NodeId node) const {
    Span where = text_module_.context.sources.at(node ? g_.origin(node).place : Sources::nowhere);
    if (!where.source) where = function_.where;
    return std::to_string(text_module_.line_of(where).value_or(0));
}

// -- nodes -----------------------------------------------------------------------------------------

bool FunctionParts::print_difference(NodeId node, Region region) {
    static const TextTemplate difference("$0 - $1");
    if (g_.scalar(node) != Scalar::Add || !g_.is_number(g_.operand(node, 1))) return false;
    const auto number = static_cast<std::int64_t>(g_.bits(g_.operand(node, 1)));
    if (number >= 0 || number == INT64_MIN) return false;
    const Text positive = literal(g_.kind(node), static_cast<std::uint64_t>(-number));
    define_value(node, difference.fill({text(g_.operand(node, 0)), positive}, "", ""), region);
    return true;
}

bool FunctionParts::print_known(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    if (!types_.is_scalar(g_.type(node))) return false;
    if (const NodeId operand = ranges_.chosen(node)) {
        define(node, binding(operand));
        return true;
    }
    if (const std::optional<bool> known = ranges_.known_condition(node)) {
        define(node, {{*known ? "true" : "false"}, types_.boolean()});
        return true;
    }
    if (text_module_.shapes[g_.op(node).index] != OpKind::If) return false;
    const std::optional<bool> known = ranges_.known_condition(g_.operand(node, 0));
    if (!known) return false;
    const std::size_t branch = *known ? 0 : 1;
    print_nodes(scheduled.blocks[branch]);
    define(node, binding(g_.results(g_.blocks(node)[branch])[0]));
    return true;
}

bool FunctionParts::print_conditional(const ScheduledNode& scheduled, Region region) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    if (types.size() != 1 || !types_.is_scalar(types[0])) return false;
    for (Region branch : scheduled.blocks)
        if (!schedule_.blocks[branch].nodes.empty() || code_.waits(branch)) return false;
    const auto side = [&](std::size_t k) {
        return parenthesized(text(g_.results(g_.blocks(node)[k])[0]), precedence::logical_or);
    };
    const std::string condition = parenthesized(text(g_.operand(node, 0)), precedence::logical_or);
    define_value(node, {condition + " ? " + side(0) + " : " + side(1), precedence::ternary, 99}, region);
    return true;
}

void FunctionParts::print_branches(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    const Text condition = text(g_.operand(node, 0));
    const std::vector<std::string> names = declare_results(node, types);
    const auto branch = [&](std::size_t k) {
        const Scope scope(env_, ranges_);
        ranges_.enter(Condition{g_.operand(node, 0), k == 0});
        print_nodes(scheduled.blocks[k]);
        ranges_.leave_condition();
        if (!types.empty()) assign(names, types, g_.results(g_.blocks(node)[k]), scheduled.blocks[k]);
    };
    open("if (" + condition.text + ") {");
    branch(0);
    const bool computes = scheduled.blocks.size() > 1 &&
                          (!schedule_.blocks[scheduled.blocks[1]].nodes.empty() || code_.waits(scheduled.blocks[1]));
    if (scheduled.blocks.size() > 1 && (!types.empty() || computes)) {
        otherwise();
        branch(1);
    }
    close();
    bind_results(node, names, types);
}

void FunctionParts::print_region(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_results(node, types);
    open("{");
    {
        const Scope scope(env_, ranges_);
        print_nodes(scheduled.blocks[0]);
        if (!types.empty()) assign(names, types, g_.results(g_.blocks(node)[0]), scheduled.blocks[0]);
    }
    close();
    bind_results(node, names, types);
}

} // namespace irrewrite::printers
