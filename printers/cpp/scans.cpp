// Values that run from index to index in emitted C++: scans, and generators that are fed with what
// depends on running values. Those that run alike share their variables. And what is stored backwards.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

// The same operator, from the same values on, over the same emission: the first keeps the running values.
void CppFunction::share_running(std::vector<Generator>& list) const {
    auto runs = [](const Generator& generator) {
        return (generator.shape == OpKind::Scan || generator.shape == OpKind::Running) && !generator.fed_by;
    };
    for (std::size_t g = 0; g < list.size(); ++g) {
        if (!runs(list[g])) continue;
        const auto leader =
            std::find_if(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(g), [&](const Generator& other) {
                return runs(other) && other.block == list[g].block && other.emission == list[g].emission &&
                       other.seeds == list[g].seeds && other.through.empty() && list[g].through.empty();
            });
        if (leader == list.begin() + static_cast<std::ptrdiff_t>(g)) continue;
        list[g].follows = true;
        list[g].state = leader->state;
    }
}

// The list must not move while an iteration is printed.
void CppFunction::set_feeds(std::vector<Generator>& list) const {
    for (Generator& generator : list) generator.feeds.clear();
    for (Generator& generator : list)
        if (generator.fed_by) list[*generator.fed_by].feeds.push_back(&generator);
}

void CppFunction::step_running(Region region, Generator& generator, const std::vector<Binding>& values) {
    if (!generator.follows && !generator.made) combine(region, generator, generator.state, generator.slots, values);
    if (generator.shape == OpKind::Running) {
        EmissionsOf list;
        for (Generator* fed : generator.feeds) list.emplace_back(fed, fed->emission);
        return step_fed(region, generator, list);
    }
    Generator outputs = generator;
    outputs.shape = OpKind::Collect;
    if (generator.then) {
        const std::pair<Generator*, NodeId> feed{&outputs, g_.results(generator.then)[0]};
        const bool guarded = !outputs.before.empty(); // before that, the values are not what they will be
        if (guarded) out_.open(outputs.before + "{");
        outputs.before.clear();
        step_fed(region, generator, std::span(&feed, 1));
        return guarded ? out_.close() : void();
    }
    std::vector<Binding> running;
    for (const Cell& cell : generator.state) running.push_back({{cell.name + generator.slots}, cell.type});
    step(region, outputs, std::move(running));
}

// Runs the second block of a `gen.running` on the present values.
void CppFunction::step_fed(Region region, const Generator& generator,
                           std::span<const std::pair<Generator*, NodeId>> list) {
    const Region inner = uses_.nested_region(region, generator.then);
    const std::vector<NodeId> params(g_.params(generator.then).begin(), g_.params(generator.then).end());
    const Scope scope(*this);
    for (std::size_t k = 0; k < params.size(); ++k)
        define(params[k], {{generator.state[k].name + generator.slots}, generator.state[k].type});
    print_nodes(inner);
    walk(inner, list);
}

// Of what is reversed, and was made in its order: at the end of the loop, each group's for itself.
void CppFunction::turn_round(const Generator& generator, std::span<const Cell> cells, std::span<const TypeId> types) {
    std::size_t depth = 0;
    for (const Generator* level = &generator; level != nullptr;
         level = level->inner.empty() ? nullptr : &level->inner[0]) {
        for (std::size_t k = 0; k < cells.size() && level->turned; ++k) {
            TypeId type = types[k];
            for (std::size_t d = 0; d < depth; ++d) type = types_.element(type);
            if (module_.types.rank(type) != 1)
                error(generator.node, "the reverse of what this generator makes has no text for C++");
            std::string array = cells[k].name;
            for (std::size_t d = 0; d < depth; ++d) {
                const std::string group = out_.fresh("group");
                out_.open("for (auto& " + group + " : " + array + ") {");
                array = group;
            }
            out_.line("std::ranges::reverse(" + array + ");");
            for (std::size_t d = 0; d < depth; ++d) out_.close();
        }
        ++depth;
    }
}

} // namespace irrewrite::printers
