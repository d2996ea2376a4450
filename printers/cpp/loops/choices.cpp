// Emissions under conditions in emitted C++ that are made without a branch.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t cheap = 24; // operations that cost less than a branch that is not foreseen

} // namespace

// Stores a value that may branch in a variable.
Binding EmissionPrinter::before_sums(const Binding& value) {
    return value.text.text.find_first_of("?&|(") == std::string::npos ? value : as_variable(value, "v");
}

void EmissionPrinter::step_extreme(const Generator& generator, const Binding& value) {
    if (generator.same_ends) return;
    const std::string order = out_.fresh("order");
    out_.line("const " + f_.loops.order_type(generator) + " " + order + " = order_of(" + value.text.text + ");");
    const std::size_t begin = out_.size();
    out_.line(generator.least + " = std::min(" + generator.least + ", " + order + ");");
    out_.line(generator.greatest + " = std::max(" + generator.greatest + ", " + order + ");");
    out_.put_by_since(begin);
}

// A guarded sum of values that may be computed anyway: a choice runs in lanes, a branch does not, and costs where it is
// not foreseen. Of several conditions the later ones are worth it where they are cheap.
bool EmissionPrinter::print_selected(Region region, NodeId condition, EmissionsOf& waiting) {
    const Region inner = code_.guarded_by(condition, region);
    if (inner == region || !code_.is_straight(inner)) return false;
    EmissionsOf group = waiting;
    const std::vector<std::pair<NodeId, Region>> conditions = code_.guards(region, condition, group);
    if (conditions.size() > 1 && code_.cost(inner) > cheap) return false;
    for (auto [generator, emission] : group) {
        if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit || !generator->slots.empty())
            return false;
        if (!code_.lane_sum(*generator) || !generator->group.empty())
            return false; // on the device a group's accumulator is
                          // a histogram bin
    }
    const Scope scope(env_, ranges_);
    std::vector<Text> all;
    for (auto [each, guarded] : conditions) {
        if (guarded != region) f_.print_nodes(guarded);
        all.push_back(f_.scalars.without_branches(each));
        region = guarded;
    }
    const Binding condition_value{f_.scalars.all_of(all), types_.boolean()};
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
bool EmissionPrinter::print_kept(Region region, NodeId condition, EmissionsOf& group) {
    constexpr std::uint64_t cheap_to_keep = 8; // operations that take no longer than a branch that is not foreseen
    const Region inner = code_.guarded_by(condition, region);
    const auto may_push = [&](const std::pair<Generator*, NodeId>& fed) { // and take it back
        const Generator& generator = *fed.first;
        return generator.reserved && generator.shape == OpKind::Collect && generator.index.empty() &&
               generator.slots.empty() && generator.through.empty() && generator.count.empty() &&
               !g_.is_param(fed.second) && module_.shapes[g_.op(fed.second).index] == OpKind::Emit;
    };
    const bool cheap = inner == region || (code_.is_straight(inner) && code_.cost(inner) <= cheap_to_keep);
    if (!cheap || !std::ranges::all_of(group, may_push)) return false;
    const Scope scope(env_, ranges_);
    if (inner != region) f_.print_nodes(inner);
    const Text kept = as_variable({f_.scalars.without_branches(condition), types_.boolean()}, "kept").text;
    for (auto& [generator, emission] : group)
        for (std::size_t k = 0; k < generator->outputs.size(); ++k)
            out_.line(generator->outputs[k].name + ".push_back_if(" + kept.text + ", " +
                      text(g_.operand(emission, k)).text + ");");
    return true;
}

} // namespace irrewrite::printers
