// Groups in emitted C++: keys are numbered in the order in which they first come, and what is made of each
// group stands at its number. Likewise prefetching: a processor prefetches consecutive reads, but only as far as the iterations that it
// has begun; if iterations wait for histogram bins or groups, whose addresses are not predictable, it has begun few.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace irrewrite::printers {

// Buckets that are fed with the same key under the same condition, or with the same emissions, number their keys once.
void EmissionPrinter::share_keys(std::vector<Generator>& list) {
    std::map<std::pair<NodeId, NodeId>, Generator*> leaders; // condition, key
    std::map<Generator*, std::vector<Generator*>> followers;
    for (Generator& generator : list) {
        if (generator.shape != OpKind::Bucket || generator.fed_by || !generator.through.empty()) continue;
        NodeId emission = generator.emission, condition{};
        if (module_.shapes[g_.op(emission).index] == OpKind::When) {
            condition = g_.operand(emission, 0);
            emission = g_.operand(emission, 1);
        }
        const bool keyed = !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit;
        const auto [found, fresh] =
            leaders.emplace(std::pair(condition, keyed ? g_.operand(emission, 0) : emission), &generator);
        if (fresh) continue;
        generator.follows = true;
        generator.state = found->second->state;
        followers[found->second].push_back(&generator);
    }
    for (Generator& generator : list)
        if (generator.shape == OpKind::Bucket && !generator.follows) pack(generator, followers[&generator]);
}

// Packs several accumulators of a group as fields of one entry, which are changed together. Counts come last: g++ adds
// to several fields with one vector instruction if all addends are values; if one is a literal, it builds the vector
// from scalar additions, for which the next iteration has to wait.
void EmissionPrinter::pack(Generator& leader, std::span<Generator* const> followers) {
    if (module_.options.cuda) return;
    std::vector<Generator*> packed;
    std::string fields;
    std::size_t count = 0;
    auto add = [&](Generator& bucket) {
        const Generator& inner = bucket.inner[0];
        const bool sums = inner.running.empty() && (inner.shape == OpKind::Reduce || inner.shape == OpKind::Fold);
        if (!sums || !std::ranges::all_of(inner.state, [&](const Cell& cell) { return types_.is_scalar(cell.type); }))
            return;
        packed.push_back(&bucket);
        count += inner.state.size();
    };
    add(leader);
    for (Generator* follower : followers) add(*follower);
    if (count < 2) return;
    std::stable_partition(packed.begin(), packed.end(),
                          [&](const Generator* bucket) { return !code_.adds_literal(bucket->inner[0]); });
    const std::string entry = out_.fresh("group_entry");
    out_.open("struct " + entry + " {");
    for (const Generator* bucket : packed)
        for (const Cell& cell : bucket->inner[0].state) {
            out_.line(value_type(cell.type) + " " + cell.name + ";");
            leader.fresh_entry += (leader.fresh_entry.empty() ? "" : ", ") + cell.init;
        }
    out_.close("};");
    leader.state.push_back({out_.fresh("entries"), {}, {}, "array<" + entry + ">"});
    leader.entry = entry;
    for (Generator* bucket : packed) bucket->inner[0].packed = true;
    for (Generator* follower : followers) follower->state = leader.state, follower->entry = entry;
}

// Its accumulators, as fields of an entry.
Generator EmissionPrinter::of_entry(const Generator& inner, const std::string& entry) {
    Generator fields = inner;
    for (Cell& cell : fields.state) cell.name = entry + "." + cell.name;
    return fields;
}

// As long as there are groups.
std::string EmissionPrinter::per_group(const Generator& bucket) {
    if (!bucket.entry.empty()) return bucket.state[1].name;
    const Generator& inner = bucket.inner[0];
    return inner.state.empty() ? inner.outputs[0].name : inner.state[0].name;
}

void EmissionPrinter::step_bucket(Region region, const Binding& key,
                                  std::vector<std::pair<Generator*, std::vector<Binding>>>& group) {
    if (at_.kernel != nullptr) return f_.device().step_groups(region, key, group);
    const Generator& leader = *group[0].first;
    const std::string slots = leader.slots;
    const std::string number = out_.fresh("group");
    const std::string keys = leader.state[0].name + slots;
    out_.line("const std::int64_t " + number + " = " + keys + "(" + key.text.text + ");");
    out_.open("if (" + number + " == std::ssize(" + per_group(leader) + slots + ")) {");
    for (auto& [generator, values] : group) {
        const Generator& fed = generator->inner[0];
        if (!fed.packed && !is_first_of_group(g_, fed)) new_slots(fed, slots, 0);
        for (std::size_t k = 0; k < fed.outputs.size() && is_first_of_group(g_, fed); ++k) {
            Binding value = values[k + 1];
            value.owned = false;
            out_.line(fed.outputs[k].name + slots + ".push_back(" + stored(value, fed.outputs[k].type, true, fed.node) +
                      ");");
        }
    }
    if (!leader.entry.empty()) out_.line(leader.state[1].name + ".push_back({" + leader.fresh_entry + "});");
    out_.close();
    const std::string entry = leader.entry.empty() ? "" : out_.fresh("entry");
    if (!entry.empty()) out_.line(leader.entry + "& " + entry + " = " + leader.state[1].name + "[" + number + "];");
    for (auto& [generator, values] : group) {
        if (is_first_of_group(g_, generator->inner[0])) continue;
        Generator fed = generator->inner[0];
        if (fed.packed)
            fed = of_entry(fed, entry);
        else
            fed.slots = slots + "[" + number + "]";
        feed_group(region, *generator, fed, values);
    }
}

// Feeds a key's values to the generator of its group.
void EmissionPrinter::feed_group(Region region, const Generator& bucket, Generator& fed,
                                 const std::vector<Binding>& values) {
    const Region block = uses_.nested_region(region, bucket.block);
    if (block == UINT32_MAX) return error(bucket.node, "this generator has no text for C++");
    const NodeId param = g_.params(bucket.block)[0];
    env_.emitted[param] = {values.begin() + 1, values.end()};
    for (Binding& value : env_.emitted[param]) value.owned = false;
    const Scope scope(env_, ranges_);
    f_.print_nodes(block);
    const std::pair<Generator*, NodeId> feed{&fed, fed.emission};
    walk(block, std::span(&feed, 1));
}

// Numbers the groups of a later chunk: new ones are appended, others are joined.
void EmissionPrinter::join_groups(Region region, std::vector<Generator>& wholes, std::vector<Generator>& parts,
                                  std::size_t leader) {
    const std::string keys = wholes[leader].state[0].name, later = parts[leader].state[0].name;
    const std::string from = out_.fresh("later"), to = out_.fresh("group");
    for (std::size_t g = leader; g < wholes.size(); ++g)
        if (wholes[g].shape == OpKind::Bucket && wholes[g].state[0].name == keys && wholes[g].inner[0].laid)
            for (const Cell& cell : parts[g].inner[0].outputs) out_.line(cell.name + ".lay();");
    out_.open("for (std::int64_t " + from + " = 0; " + from + " < " + later + ".size(); ++" + from + ") {");
    out_.line("const std::int64_t " + to + " = " + keys + "(" + later + ".key(" + from + "));");
    auto each = [&](auto&& f) {
        for (std::size_t g = leader; g < wholes.size(); ++g)
            if (wholes[g].shape == OpKind::Bucket && wholes[g].state[0].name == keys)
                f(wholes[g], wholes[g].inner[0], parts[g].inner[0]);
    };
    out_.open("if (" + to + " == std::ssize(" + per_group(wholes[leader]) + ")) {");
    const std::string& entry = wholes[leader].entry;
    if (!entry.empty())
        out_.line(wholes[leader].state[1].name + ".push_back(" + parts[leader].state[1].name + "[" + from + "]);");
    each([&](const Generator&, const Generator& whole, const Generator& part) {
        if (whole.packed) return;
        for (std::size_t k = 0; k < whole.outputs.size() && whole.laid; ++k) {
            out_.line(whole.outputs[k].name + ".add_row();");
            out_.line(whole.outputs[k].name + ".append(" + to + ", " + part.outputs[k].name + "[" + from + "]);");
        }
        if (whole.laid) return;
        for (auto cells : {&Generator::state, &Generator::outputs})
            for (std::size_t k = 0; k < (whole.*cells).size(); ++k) {
                const std::string value = (part.*cells)[k].name + "[" + from + "]";
                const bool copied = types_.is_scalar((part.*cells)[k].type);
                out_.line((whole.*cells)[k].name + ".push_back(" + (copied ? value : "std::move(" + value + ")") +
                          ");");
            }
    });
    out_.close_names(), out_.outdent();
    out_.open("} else {");
    const std::string old = entry.empty() ? "" : out_.fresh("entry"), more = entry.empty() ? "" : out_.fresh("more");
    if (!entry.empty()) {
        out_.line(entry + "& " + old + " = " + wholes[leader].state[1].name + "[" + to + "];");
        out_.line("const " + entry + "& " + more + " = " + parts[leader].state[1].name + "[" + from + "];");
    }
    each([&](const Generator& bucket, const Generator& whole, const Generator& part) {
        if (is_first_of_group(g_, whole)) return;
        for (std::size_t k = 0; k < whole.outputs.size(); ++k)
            out_.line(whole.laid
                          ? whole.outputs[k].name + ".append(" + to + ", " + part.outputs[k].name + "[" + from + "]);"
                          : whole.outputs[k].name + "[" + to + "].append(std::move(" + part.outputs[k].name + "[" +
                                from + "]));");
        const Generator next = whole.packed ? of_entry(part, more) : part;
        std::vector<Binding> values;
        for (const Cell& cell : next.state)
            values.push_back({{whole.packed ? cell.name : cell.name + "[" + from + "]"}, cell.type, Form::Value});
        const Region inner = uses_.nested_region(region, bucket.block);
        if (whole.packed)
            combine(inner, whole, of_entry(whole, old).state, "", values);
        else if (!values.empty())
            combine(inner, whole, whole.state, "[" + to + "]", values);
    });
    out_.close();
    out_.close();
}

} // namespace irrewrite::printers
