#include "engine/match/instantiate.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite {

Instantiation::Instantiation(Builder& builder, const Rule& rule, const Bindings& bindings, const Surroundings& around)
    : builder_(builder), graph_(builder.graph()), rule_(rule), given_(bindings), around_(around),
      iteration_(bindings.size(), -1) {}

bool Instantiation::fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return false;
}

std::optional<std::vector<NodeId>> Instantiation::build(TermId id, TypeId expected) {
    return build({&id, 1}, {&expected, 1});
}

std::optional<std::vector<NodeId>> Instantiation::build(std::span<const TermId> terms,
                                                        std::span<const TypeId> expected) {
    Items items;
    for (TermId id : terms)
        if (!term(id, items.size() < expected.size() ? expected[items.size()] : TypeId{}, items)) return std::nullopt;
    Nodes nodes;
    if (!settle(items, expected, nodes)) return std::nullopt;
    return nodes;
}

// Numerals get the type that is due, or i64 or f64.
bool Instantiation::settle(const Items& items, std::span<const TypeId> types, Nodes& out) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const TypeId type = i < types.size() ? types[i] : TypeId{};
        NodeId node = items[i].node;
        if (!node && is_empty_list(items[i].numeral)) {
            Items list;
            if (!term(items[i].numeral, type, list)) return false;
            node = list[0].node;
        }
        if (!node) node = literal(items[i].numeral, type);
        if (!node) return false;
        out.push_back(node);
    }
    return true;
}

NodeId Instantiation::literal(TermId numeral, TypeId type) {
    const Types& types = graph_.context().types;
    auto value = number(numeral);
    if (!value) return {};
    const TypeKind other = is_float(numeral) ? TypeKind::F64 : TypeKind::I64;
    if (!value->type && !adapt(*value, type && types.is_scalar(type) ? types.kind(type) : other))
        return fail("a literal does not fit" + (type ? " " + types.text(type, graph_.context().symbols) : "")),
               NodeId{};
    return graph_.literal(types.scalar(*value->type), value->bits);
}

// -- terms ------------------------------------------------------------------------------------------

bool Instantiation::term(TermId id, TypeId expected, Items& out, bool unrolled) {
    const Term& t = rule_[id];
    if (t.line) {
        auto built = lines_.find(id);
        if (built == lines_.end()) return fail("a line that is not there yet");
        out.insert(out.end(), built->second.begin(), built->second.end());
        return true;
    }
    const bool built = t.sequence && !unrolled ? sequence(id, expected, out) : term_anew(id, expected, out);
    if (!built && !failed_) failed_ = id;
    return built;
}

bool Instantiation::lines(std::span<const TermId> terms) {
    for (TermId id : terms) {
        Items items;
        bool built = rule_[id].sequence ? sequence(id, {}, items) : term_anew(id, {}, items);
        if (!built) return false;
        lines_[id] = std::move(items);
    }
    return true;
}

bool Instantiation::term_anew(TermId id, TypeId expected, Items& out) {
    const Term& t = rule_[id];
    switch (t.kind) {
    case TermKind::Variable: return variable(t, out);
    case TermKind::Number: out.push_back({{}, id}); return true;
    case TermKind::Constant: return constant(t, out);
    case TermKind::Node:
    case TermKind::Struct: return node(t, expected, out);
    case TermKind::Record: return record(t, out);
    case TermKind::Project: return project(t, out);
    case TermKind::Field: {
        Items whole;
        if (!term(t.operands[0], {}, whole) || whole.size() != 1 || !whole[0].node) return false;
        auto k = graph_.context().types.field_index(graph_.type(whole[0].node), t.text);
        if (!k) return fail("no such field");
        out.push_back({builder_.field(whole[0].node, *k), {}});
        return true;
    }
    case TermKind::Apply: return apply(t, out);
    case TermKind::Named: return term(t.operands[0], expected, out);
    case TermKind::Compute:
    case TermKind::Count: {
        if (t.evaluated) {
            const NodeId value = evaluated(t);
            if (value) out.push_back({value, {}});
            return static_cast<bool>(value);
        }
        auto value = number(id);
        if (!value) return false;
        if (!value->type) {
            out.push_back({{}, id});
            return true;
        }
        const Types& types = graph_.context().types;
        out.push_back({graph_.literal(types.scalar(*value->type), value->bits), {}});
        return true;
    }
    case TermKind::Strategy: {
        Items argument;
        if (!term(t.operands[0], expected, argument) || argument.size() != 1 || !argument[0].node) return false;
        auto result = around_.apply(t.strategy, rule_, bindings(), argument[0].node);
        if (!result) return false;
        out.push_back({*result, {}});
        return true;
    }
    case TermKind::Call: return call(t, expected, out);
    case TermKind::Parts:
    case TermKind::Query:
    case TermKind::Wildcard: return fail("a term that stands for nothing here");
    }
    return false;
}

NodeId Instantiation::item(VariableId v) const {
    const Binding& b = binding(v);
    std::size_t i = iteration_[v.index] < 0 ? 0 : static_cast<std::size_t>(iteration_[v.index]);
    return i < b.items.size() ? b.items[i] : NodeId{};
}

bool Instantiation::variable(const Term& t, Items& out) {
    const Binding& b = binding(t.variable);
    if (rule_[t.variable].kind == VariableKind::Dim) {
        const std::int64_t i = std::max<std::int64_t>(iteration_[t.variable.index], 0);
        const Dim dim = rule_[t.variable].sequence ? b.dims[static_cast<std::size_t>(i)] : b.dim;
        NodeId node = dim.kind == DimKind::Constant ? builder_.i64(dim.value) : around_.dimension(dim);
        if (!node) return false;
        out.push_back({node, {}});
        return true;
    }
    NodeId node = item(t.variable);
    if (!b.bound || !node) return false;
    out.push_back({node, {}});
    return true;
}

bool Instantiation::constant(const Term& t, Items& out) {
    if (t.constant.kind == AttrValue::Kind::Text)
        out.push_back({graph_.text(graph_.context().symbols[t.constant.text()]), {}});
    else
        out.push_back({graph_.literal(t.constant.type, t.constant.bits), {}});
    return true;
}

bool Instantiation::project(const Term& t, Items& out) {
    auto position = number(t.operands[1]);
    if (!position) return false;
    if (!position->type && !adapt(*position, TypeKind::I64)) return false;
    const std::size_t k = position->bits;
    const Term& whole = rule_[t.operands[0]];
    // Element k of a sequence.
    if (whole.kind == TermKind::Variable && rule_[whole.variable].sequence && iteration_[whole.variable.index] < 0) {
        const Binding& b = binding(whole.variable);
        if (k >= b.items.size()) return false;
        out.push_back({b.items[k], {}});
        return true;
    }
    if (whole.kind == TermKind::Apply && rule_[whole.variable].sequence && iteration_[whole.variable.index] < 0) {
        Items all; // ?f(e).#k: element k of the results of ?f
        iteration_[whole.variable.index] = static_cast<std::int64_t>(k);
        bool built = k < binding(whole.variable).items.size() && apply(whole, all);
        iteration_[whole.variable.index] = -1;
        if (!built) return false;
        out.push_back(all[0]);
        return true;
    }
    Items items;
    if (!term(t.operands[0], {}, items) || items.size() != 1 || !items[0].node) return false;
    NodeId node = items[0].node;
    const Types& types = graph_.context().types;
    TypeKind kind = graph_.kind(node);
    if (kind == TypeKind::Tuple && k < types.elements(graph_.type(node)).size())
        out.push_back({builder_.element(node, k), {}});
    else if (kind == TypeKind::Struct && k < types.fields(graph_.type(node)).size())
        out.push_back({builder_.field(node, k), {}});
    else if (k < graph_.result_count(node))
        out.push_back({graph_.result(node, k), {}});
    else
        return fail("there is no result " + std::to_string(k));
    return true;
}

// -- `...` ------------------------------------------------------------------------------------------

// The sequences that `t...` runs over: those of t outside inner `...`.
void Instantiation::sequences_of(TermId id, std::vector<VariableId>& out) const {
    const Term& t = rule_[id];
    auto add = [&](VariableId v) {
        if (v && rule_[v].sequence && iteration_[v.index] < 0 && rule_[v].kind != VariableKind::Block) out.push_back(v);
    };
    if (t.kind == TermKind::Count || t.line) return; // of a whole sequence; built already
    if (t.kind == TermKind::Parts && (t.sequence_of == SequenceOf::Range || is_whole_sequence(rule_[t.operands[0]])))
        return;
    if (t.kind == TermKind::Project) {
        const Term& whole = rule_[t.operands[0]];
        bool selects = (whole.kind == TermKind::Variable || whole.kind == TermKind::Apply) && whole.variable &&
                       rule_[whole.variable].sequence;
        sequences_of(t.operands[1], out);
        if (selects) { // ?v.#k picks from ?v; the arguments of ?f(e).#k count
            for (TermId operand : whole.operands)
                if (!rule_[operand].sequence) sequences_of(operand, out);
        } else
            sequences_of(t.operands[0], out);
        return;
    }
    add(t.variable);
    for (TermId operand : t.operands)
        if (!rule_[operand].sequence) sequences_of(operand, out);
    for (const AttrTerm& attr : t.attrs) add(attr.variable);
    for (const BlockTerm& block : t.blocks)
        for (TermId result : block.results)
            if (!rule_[result].sequence) sequences_of(result, out);
}

std::optional<std::size_t> Instantiation::sequence_length(TermId id) {
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    std::optional<std::size_t> length;
    for (VariableId v : variables) {
        std::size_t n = binding(v).items.size();
        if (length && *length != n) return std::nullopt;
        length = n;
    }
    return length;
}

bool Instantiation::for_each_element(TermId id, FunctionRef<bool()> body) {
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    if (variables.empty()) return body();
    auto length = sequence_length(id);
    if (!length) return fail("sequences of different lengths under '...'");
    bool fine = true;
    for (std::size_t i = 0; i < *length && fine; ++i) {
        for (VariableId v : variables) iteration_[v.index] = static_cast<std::int64_t>(i);
        fine = body();
    }
    for (VariableId v : variables) iteration_[v.index] = -1;
    return fine;
}

bool Instantiation::sequence(TermId id, TypeId expected, Items& out) {
    const Term& t = rule_[id];
    if (t.kind == TermKind::Apply && rule_[t.variable].sequence) {
        std::vector<VariableId> others;
        for (TermId operand : t.operands)
            if (!rule_[operand].sequence) sequences_of(operand, others);
        if (others.empty()) return batch(t, out);
    }
    if (t.kind == TermKind::Apply && rule_[t.variable].kind == VariableKind::Block)
        return inline_block(t, binding(t.variable), out);
    if (t.kind == TermKind::Variable && rule_[t.variable].sequence) { // all of it, also inside of another `...` over it
        const Binding& all = binding(t.variable);
        if (rule_[t.variable].kind == VariableKind::Dim) {
            auto length = [&] { return variable(t, out); };
            return for_each_element(id, length);
        }
        out.reserve(out.size() + all.items.size());
        for (NodeId item : all.items) out.push_back({item, {}});
        return all.bound;
    }
    auto body = [&] { return term(id, expected, out, true); };
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    if (variables.empty()) return spread(id, expected, out);
    return for_each_element(id, body);
}

// The elements of a tuple, or the results of a node with several.
bool Instantiation::spread(TermId id, TypeId expected, Items& out) {
    if (rule_[id].kind == TermKind::Parts) return computed_sequence(rule_[id], out);
    Items whole;
    if (!term(id, expected, whole, true) || whole.size() != 1 || !whole[0].node) return false;
    NodeId node = whole[0].node;
    TypeKind kind = graph_.kind(node);
    if (kind != TypeKind::Tuple && kind != TypeKind::Results) return fail("'...' over one value");
    std::size_t count = graph_.context().types.elements(graph_.type(node)).size();
    for (std::size_t k = 0; k < count; ++k)
        out.push_back({kind == TypeKind::Tuple ? builder_.element(node, k) : builder_.project(node, k), {}});
    return true;
}

// All elements of `?f(e, …)...` at once, sharing what they share.
bool Instantiation::batch(const Term& t, Items& out) {
    Nodes args;
    if (!arguments(t, args)) return false;
    const Binding& b = binding(t.variable);
    if (args.size() != b.holes.size())
        return b.items.empty() || fail("a function applied to another number of arguments");
    if (!b.items.empty() && !fit(b.holes, args)) return false;
    Substitution substitution(graph_);
    for (std::size_t i = 0; i < args.size(); ++i) substitution.put(b.holes[i], args[i]);
    for (NodeId item : b.items) out.push_back({substitution(item), {}});
    return true;
}

// -- ?f(…) ------------------------------------------------------------------------------------------

bool Instantiation::arguments(const Term& t, Nodes& out) {
    for (TermId operand : t.operands) {
        Items items;
        if (!term(operand, {}, items)) return false;
        std::vector<TypeId> types; // numerals take the type of what they replace
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto& holes = binding(t.variable).holes;
            std::size_t hole = out.size() + i;
            types.push_back(hole < holes.size() ? graph_.type(holes[hole]) : TypeId{});
        }
        if (!settle(items, types, out)) return false;
    }
    return true;
}

bool Instantiation::fit(std::span<const NodeId> holes, std::span<const NodeId> args) {
    const Types& types = graph_.context().types;
    for (std::size_t i = 0; i < args.size(); ++i)
        if (!types.agree(graph_.type(holes[i]), graph_.type(args[i])))
            return fail("a function applied to a value of another type");
    return true;
}

bool Instantiation::apply(const Term& t, Items& out) {
    const Binding& b = binding(t.variable);
    if (!b.bound) return false;
    if (rule_[t.variable].kind == VariableKind::Block) return inline_block(t, b, out);
    Nodes args;
    if (!arguments(t, args)) return false;
    if (args.size() != b.holes.size()) return fail("a function applied to another number of arguments");
    NodeId body = item(t.variable);
    if (!body || !fit(b.holes, args)) return false;
    Substitution substitution(graph_);
    for (std::size_t i = 0; i < args.size(); ++i) substitution.put(b.holes[i], args[i]);
    out.push_back({substitution(body), {}});
    return true;
}

// Inlines a whole block, with its effects after those so far.
bool Instantiation::inline_block(const Term& t, const Binding& b, Items& out) {
    Nodes args;
    if (!b.block || !arguments(t, args) || args.size() != graph_.params(b.block).size()) return false;
    const Block block = graph_[b.block];
    Nodes results(graph_.results(b.block).begin(), graph_.results(b.block).end());
    Substitution substitution(graph_);
    for (std::size_t i = 0; i < args.size(); ++i) substitution.put(graph_.params(b.block)[i], args[i]);
    if (block.entry && !builder_.token()) { // effects are not possible here
        const auto reads = [&](NodeId result) {
            return graph_.depends_on_number(result, graph_.param_number(block.entry));
        };
        if (block.exit != block.entry || std::ranges::any_of(results, reads)) return false;
    } else if (block.entry) {
        substitution.put(block.entry, builder_.token());
    }
    for (NodeId result : results) out.push_back({substitution(result), {}});
    if (block.entry && builder_.token())
        builder_.advance(block.exit == block.entry ? builder_.token() : substitution.token(block.exit));
    return true;
}

} // namespace irrewrite
