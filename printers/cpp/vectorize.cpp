// Which loops of emitted C++ are asked to run in vector lanes.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace irrewrite::printers {

// Scalars alone, computed without branches and without faults.
bool CppFunction::is_straight(Region region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    if (waits(region)) return false; // what it calls may throw
    if (std::ranges::any_of(block.demands, [&](std::uint32_t value) { return lazy_[value].perhaps; })) return false;
    return std::all_of(block.nodes.begin(), block.nodes.end(), [&](const ScheduledNode& scheduled) {
        if (hoisted_.contains(scheduled.node) || (only_ != nullptr && !only_->contains(scheduled.node))) return true;
        return is_straight(scheduled);
    });
}

bool CppFunction::is_straight(const ScheduledNode& scheduled) const {
    const NodeId node = scheduled.node;
    if (scheduled.is_on_demand()) return false;
    if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::If) return is_straight(node);
    const std::optional<bool> known = ranges_.known_condition(g_.operand(node, 0));
    if (known && types_.is_scalar(g_.type(node))) return is_straight(scheduled.blocks[*known ? 0 : 1]);
    return is_choice(scheduled);
}

// A conditional of which both sides are computed, since that costs less than a branch that is not foreseen, and vector
// lanes have no branches.
bool CppFunction::is_choice(const ScheduledNode& scheduled) const {
    constexpr std::uint64_t most_computed = 12; // operations of both sides
    if (scheduled.blocks.size() != 2 || module_.options.cuda) return false;
    const std::vector<TypeId> types = result_types(scheduled.node);
    if (types.empty() || !std::ranges::all_of(types, [&](TypeId type) { return types_.is_scalar(type); })) return false;
    return cost(scheduled.blocks[0]) + cost(scheduled.blocks[1]) <= most_computed + 2 &&
           std::ranges::all_of(scheduled.blocks, [&](Region side) {
               return schedule_.blocks[side].guarded.empty() && schedule_.blocks[side].nested.empty() &&
                      is_straight(side);
           });
}

// A struct or tuple of scalars.
bool CppFunction::is_record(TypeId type) const {
    auto scalar = [&](const auto& part) {
        if constexpr (requires { part.type; })
            return types_.is_scalar(part.type);
        else
            return types_.is_scalar(part);
    };
    if (types_.kind(type) == TypeKind::Struct) return std::ranges::all_of(types_.fields(type), scalar);
    return types_.kind(type) == TypeKind::Tuple && std::ranges::all_of(types_.elements(type), scalar);
}

bool CppFunction::is_straight(NodeId node) const {
    if (g_.core(node) == Core::Field || g_.core(node) == Core::Element) return is_record(g_.type(g_.operand(node, 0)));
    if (g_.core(node) == Core::Struct || g_.core(node) == Core::Tuple) return is_record(g_.type(node));
    if (g_.core(node) != Core::None || !(types_.is_scalar(g_.type(node)) || is_record(g_.type(node)))) return false;
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Plain:
    case OpKind::Select: return types_.is_scalar(g_.type(node)) && !g_.has(node, MayFault) && !g_.has(node, TakesToken);
    case OpKind::Cast:
    case OpKind::Len: return true;
    case OpKind::At: return reads_within(node);
    default: return false;
    }
}

// Of an `at`: every index is known to be one of its array's.
bool CppFunction::reads_within(NodeId at) const {
    TypeId type = g_.type(g_.operand(at, 0));
    for (std::size_t k = 1; k < g_.operands(at).size(); ++k, type = types_.element(type))
        if (!is_within(g_.operand(at, k), k == 1 ? g_.operand(at, 0) : NodeId{}, type, k - 1)) return false;
    return true;
}

namespace {
constexpr std::uint64_t cheap = 24; // operations that cost less than a branch that is not foreseen
} // namespace

// The reduction that lanes may make, where it has one accumulator.
std::optional<LaneReduction> CppFunction::lane_reduction(const Generator& generator) const {
    if (generator.shape != OpKind::Reduce || generator.state.size() != 1 || !generator.through.empty()) return {};
    const NodeId result = g_.results(generator.block)[0];
    if (g_.is_param(result) || g_.is_literal(result) || g_.core(result) != Core::None) return {};
    const TypeId type = g_.type(result);
    if (!types_.is_scalar(type) || g_.operands(result).size() != 2 || !g_.is_param(g_.operand(result, 0)) ||
        !g_.is_param(g_.operand(result, 1)) || g_.operand(result, 0) == g_.operand(result, 1) ||
        !g_.is_number(generator.seeds[0]))
        return {};
    // Associative, floats' sums by promise, and commutative: what lanes may regroup.
    const Scalar scalar = g_.scalar(result);
    const bool of_floats = types_.is_float(type), of_bools = types_.kind(type) == TypeKind::Bool;
    const std::string name =
        types_.text(generator.state[0].type, module_.context.symbols); // a block's sum may have fewer bits
    switch (scalar) {
    case Scalar::Add: return LaneReduction{scalar, of_floats ? "+" : "wrap_sum_" + name};
    case Scalar::Min: return LaneReduction{scalar, of_floats ? "lesser_" + name : "min"};
    case Scalar::Max: return LaneReduction{scalar, of_floats ? "greater_" + name : "max"};
    case Scalar::And: return LaneReduction{scalar, of_bools ? "&&" : "&", of_bools};
    case Scalar::Or: return LaneReduction{scalar, of_bools ? "||" : "|", of_bools};
    default: return {};
    }
}

// Of a sum: its accumulator.
std::optional<std::string> CppFunction::lane_sum(const Generator& generator) const {
    const std::optional<LaneReduction> reduction = lane_reduction(generator);
    if (!reduction || reduction->operation != Scalar::Add) return {};
    return generator.state[0].name;
}

// As further parameters of a step of the loop, each behind its type, and as their arguments.
std::string CppFunction::lane_accumulators(std::span<const Generator> generators, bool typed) const {
    std::string text;
    for (const Generator& generator : generators) {
        if (!lane_reduction(generator)) continue;
        if (generator.same_ends) continue;
        const bool extreme = !generator.least.empty();
        const std::string type = extreme ? order_type(generator) : value_type(generator.state[0].type);
        const std::string before = typed ? ", " + type + "& " : ", ";
        text += before + (extreme ? generator.least + before + generator.greatest : generator.state[0].name);
    }
    return text;
}

// note: why accumulators come last. GCC turns conditions that are alike into paths, and copies the code between them to
// each path. An accumulator of a `simd` loop that is changed on some paths only becomes a masked store, whose address
// GCC 12 computes wrongly. So everything that may branch is computed before the first accumulator changes.
bool CppFunction::gathers(std::span<const Generator> generators) const {
    return generators.size() > 1 && std::ranges::any_of(generators, [&](const Generator& generator) {
               return lane_reduction(generator).has_value();
           });
}

// Stores a value that may branch in a variable.
Binding CppFunction::before_sums(const Binding& value) {
    return value.text.text.find_first_of("?&|(") == std::string::npos ? value : as_variable(value, "v");
}

// A minimum or maximum in lanes is that of integers in the order of its values. It takes both ends, since NaNs are
// there; one of the same values has the same.
void CppFunction::open_extremes(std::span<Generator> generators) {
    std::map<NodeId, const Generator*> ends; // by what is emitted
    for (Generator& generator : generators) {
        const std::optional<LaneReduction> reduction = lane_reduction(generator);
        const bool extreme = reduction && (reduction->operation == Scalar::Min || reduction->operation == Scalar::Max);
        if (!extreme || !types_.is_float(generator.state[0].type)) continue;
        auto [found, fresh] = ends.try_emplace(generator.emission, &generator);
        generator.least = fresh ? out_.fresh("least") : found->second->least;
        generator.greatest = fresh ? out_.fresh("greatest") : found->second->greatest;
        generator.same_ends = !fresh;
        if (!fresh) continue;
        const std::string infinity = "std::numeric_limits<" + value_type(generator.state[0].type) + ">::infinity()";
        out_.line(order_type(generator) + " " + generator.least + " = order_of(" + infinity + "), " +
                  generator.greatest + " = order_of(-" + infinity + ");");
    }
}

std::string CppFunction::order_type(const Generator& generator) const {
    return types_.kind(generator.state[0].type) == TypeKind::F32 ? "std::int32_t" : "std::int64_t";
}

void CppFunction::step_extreme(const Generator& generator, const Binding& value) {
    if (generator.same_ends) return;
    const std::string order = out_.fresh("order");
    out_.line("const " + order_type(generator) + " " + order + " = order_of(" + value.text.text + ");");
    const std::size_t begin = out_.size();
    out_.line(generator.least + " = std::min(" + generator.least + ", " + order + ");");
    out_.line(generator.greatest + " = std::max(" + generator.greatest + ", " + order + ");");
    out_.put_by_since(begin);
}

void CppFunction::close_extremes(std::span<Generator> generators) {
    for (Generator& generator : generators) {
        if (generator.least.empty()) continue;
        const std::string& name = generator.state[0].name;
        const bool least = lane_reduction(generator)->operation == Scalar::Min;
        const std::string type = value_type(generator.state[0].type),
                          ends = "(" + generator.least + ", " + generator.greatest + ")";
        out_.line(name + " = " + (least ? "minimum(" : "maximum(") + name + ", " +
                  (least ? "least_of<" : "greatest_of<") + type + ">" + ends + ");");
        generator.least.clear(), generator.greatest.clear();
        generator.same_ends = false;
    }
}

bool CppFunction::runs_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda) return false;
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const Scope scope(*this);
    define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    bool straight = is_straight(loop.blocks[0]);
    for (auto [condition, region] : schedule_.blocks[loop.blocks[0]].guarded)
        straight = straight && is_straight(region);
    for (const Generator& generator : generators) {
        NodeId emission = generator.emission;
        if (lane_sum(generator) && module_.shapes[g_.op(emission).index] == OpKind::When)
            emission = g_.operand(emission, 1);
        const bool collects = generator.shape == OpKind::Collect && !generator.index.empty();
        straight = straight && (lane_reduction(generator) || collects) &&
                   module_.shapes[g_.op(emission).index] == OpKind::Emit;
        for (const Cell& cell : generator.outputs) straight = straight && types_.is_scalar(types_.element(cell.type));
    }
    return straight;
}

std::string CppFunction::simd_pragma(std::span<const Generator> generators) const {
    std::map<std::string, std::string> reductions; // by what combines them
    auto add = [&](const std::string& reduction, const std::string& name) {
        std::string& list = reductions[reduction];
        list += (list.empty() ? "" : ", ") + name;
    };
    for (const Generator& generator : generators) {
        const std::optional<LaneReduction> reduction = lane_reduction(generator);
        if (!reduction || generator.same_ends) continue;
        if (generator.least.empty())
            add(reduction->name, generator.state[0].name);
        else
            add("min", generator.least), add("max", generator.greatest);
    }
    std::string pragma = "#pragma omp simd";
    for (const auto& [operation, list] : reductions) pragma += " reduction(" + operation + " : " + list + ")";
    return pragma;
}

// The region guarded by a condition in a region; the region itself if there is none.
CppFunction::Region CppFunction::guarded_by(NodeId condition, Region region) const {
    for (auto [node, inner] : schedule_.blocks[region].guarded)
        if (node == condition) return inner;
    return region;
}

// The conditions that all of them wait for one after the other, and what is guarded by each; `group` emits what is
// left.
auto CppFunction::guards(Region region, NodeId condition, EmissionsOf& group)
    -> std::vector<std::pair<NodeId, Region>> {
    std::vector<std::pair<NodeId, Region>> list;
    for (NodeId next = condition; next;) {
        region = guarded_by(next, region);
        list.emplace_back(next, region);
        next = {};
        for (auto& [generator, emission] : group) {
            const bool waits = !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::When;
            if (!waits || (next && next != g_.operand(emission, 0))) return list;
            next = g_.operand(emission, 0);
        }
        if (!is_straight(guarded_by(next, region))) return list;
        for (auto& [generator, emission] : group) emission = g_.operand(emission, 1);
    }
    return list;
}

// A guarded sum of values that may be computed anyway: a choice runs in lanes, a branch does not, and costs where it is
// not foreseen. Of several conditions the later ones are worth it where they are cheap.
bool CppFunction::print_selected(Region region, NodeId condition, EmissionsOf& waiting) {
    const Region inner = guarded_by(condition, region);
    if (inner == region || !is_straight(inner)) return false;
    EmissionsOf group = waiting;
    const std::vector<std::pair<NodeId, Region>> conditions = guards(region, condition, group);
    if (conditions.size() > 1 && cost(inner) > cheap) return false;
    for (auto [generator, emission] : group) {
        if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit || !generator->slots.empty())
            return false;
        if (!lane_sum(*generator) || !generator->group.empty())
            return false; // on the device a group's accumulator is
                          // a histogram bin
    }
    const Scope scope(*this);
    std::vector<Text> all;
    for (auto [each, guarded] : conditions) {
        if (guarded != region) print_nodes(guarded);
        all.push_back(without_branches(each));
        region = guarded;
    }
    const Binding condition_value{all_of(all), types_.boolean()};
    const Binding chosen = group.size() > 1 ? as_variable(condition_value, "chosen") : condition_value;
    for (auto [generator, emission] : group) {
        const std::string value = parenthesized(text(g_.operand(emission, 0)), precedence::logical_or);
        const TypeId type = generator->state[0].type;
        const std::string& name = generator->state[0].name;
        // Adding -0.0 changes nothing at all.
        const std::string nothing = types_.kind(type) == TypeKind::F32 ? "-0.0f" : types_.is_float(type) ? "-0.0" : "0";
        std::string choice = parenthesized(chosen.text, precedence::logical_or) + " ? " + value + " : " + nothing;
        if (out_.puts_by()) choice = as_variable({{choice, precedence::primary, 1}, type}, "v").text.text;
        const std::size_t begin = out_.size();
        out_.line(types_.is_float(type) ? name + " += " + choice + ";"
                                        : name + " = wrap_add(" + name + ", " + choice + ");");
        out_.put_by_since(begin);
    }
    return true;
}

// Values that are kept under a condition, each in the room of its index: written without a branch, where they are cheap.
bool CppFunction::print_kept(Region region, NodeId condition, EmissionsOf& group) {
    constexpr std::uint64_t cheap_to_keep = 8; // operations that take no longer than a branch that is not foreseen
    const Region inner = guarded_by(condition, region);
    const auto may_push = [&](const std::pair<Generator*, NodeId>& fed) { // and take it back
        const Generator& generator = *fed.first;
        return generator.reserved && generator.shape == OpKind::Collect && generator.index.empty() &&
               generator.slots.empty() && generator.through.empty() && generator.count.empty() &&
               !g_.is_param(fed.second) && module_.shapes[g_.op(fed.second).index] == OpKind::Emit;
    };
    const bool cheap = inner == region || (is_straight(inner) && cost(inner) <= cheap_to_keep);
    if (!cheap || !std::ranges::all_of(group, may_push)) return false;
    const Scope scope(*this);
    if (inner != region) print_nodes(inner);
    const Text kept = as_variable({without_branches(condition), types_.boolean()}, "kept").text;
    for (auto& [generator, emission] : group)
        for (std::size_t k = 0; k < generator->outputs.size(); ++k)
            out_.line(generator->outputs[k].name + ".push_back_if(" + kept.text + ", " +
                      text(g_.operand(emission, k)).text + ");");
    return true;
}

// A loop that reads parts of arrays that begin anywhere, as slices do, may run in lanes if all of each part is there: the
// test for that, after which their indices are assumed to be within. Empty if nothing is gained.
std::string CppFunction::parts_read(const ScheduledNode& loop, std::span<const Generator> generators) {
    constexpr std::size_t most_parts = 4;
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const std::uint32_t own = g_.param_number(param);
    if (module_.options.cuda || only_ != nullptr || !assumed_.empty() || waits(loop.blocks[0])) return {};
    const std::string n = text(g_.operand(loop.node, 0)).text;
    std::vector<std::string> tests;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId at = scheduled.node;
        if (g_.core(at) != Core::None || module_.shapes[g_.op(at).index] != OpKind::At || g_.operands(at).size() != 2)
            continue;
        const NodeId array = g_.operand(at, 0), index = g_.operand(at, 1);
        if (g_.depends_on_number(array, own) || g_.scalar(index) != Scalar::Add) continue;
        const bool first = g_.operand(index, 0) == param;
        const NodeId from = g_.operand(index, first ? 1 : 0);
        if ((!first && g_.operand(index, 1) != param) || g_.depends_on_number(from, own)) continue;
        const auto is_there = [&](NodeId value) { // before the loop
            return g_.is_literal(value) || env_.contains(value) ||
                   (g_.is_project(value) && results_.contains(g_.operand(value, 0)));
        };
        if (!is_there(from) || !is_there(array) || is_within(index, array, g_.type(array), 0) ||
            !assumed_.insert({index, array}).second)
            continue;
        const std::string test = "is_part(" + text(from).text + ", " + n + ", " + length_text(array) + ")";
        if (std::ranges::find(tests, test) == tests.end()) tests.push_back(test);
    }
    std::string all;
    for (const std::string& test : tests) all += (all.empty() ? "" : " && ") + test;
    if (tests.empty() || tests.size() > most_parts || !runs_in_lanes(loop, generators)) assumed_.clear(), all.clear();
    return all;
}

bool CppFunction::print_if_parts_are_there(const ScheduledNode& loop, std::vector<Generator>& generators,
                                           std::string_view begin, std::string_view end, std::string_view stride) {
    if (runs_in_lanes(loop, generators)) return false;
    const std::string test = parts_read(loop, generators);
    if (test.empty()) return false;
    out_.open("if (" + test + ") {");
    print_body(loop, generators, begin, end, stride);
    assumed_ = {{{}, {}}}; // nothing further
    out_.outdent(), out_.close_names();
    out_.open("} else {");
    print_body(loop, generators, begin, end, stride);
    assumed_.clear();
    out_.close();
    return true;
}

// Vector lanes cost more than they save if there are few values, as inner loops often have.
void CppFunction::print_few_or_lanes(std::string_view end, const std::string& loop, const std::string& pragma) {
    out_.open("if (" + std::string(end) + " >= " + std::to_string(few_values) + ") [[unlikely]] {");
    out_.line(pragma);
    out_.line(loop);
    out_.outdent();
    out_.close_names();
    out_.open("} else {");
    out_.line(loop);
    out_.close();
}

} // namespace irrewrite::printers
