// Functions of a pattern, its nodes and their blocks, as an instance has them.
#include "engine/generate/instance.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::int64_t few_operations = 8;       // what costs more is a loop
constexpr std::uint32_t doubtful_functions = 12; // percent, that fault for some arguments
} // namespace

// -- functions --------------------------------------------------------------------------------------

std::optional<NodeId> Instance::apply(PieceId id, const PatternNode& piece) {
    auto type = pattern_.type(id);
    if (!type) return std::nullopt;
    Nodes holes;
    for (PieceId operand : piece.operands) {
        auto node = this->piece(operand);
        if (!node) return std::nullopt;
        holes.push_back(*node);
    }
    auto put = [&](const Body& body) -> NodeId {
        Substitution substitution(function_.graph);
        for (std::size_t i = 0; i < holes.size(); ++i)
            if (body.holes[i] != holes[i]) substitution.put(body.holes[i], holes[i]);
        return substitution.empty() ? body.result : substitution(body.result);
    };
    if (auto met = bodies_.find({piece.variable, piece.element}); met != bodies_.end()) return put(met->second);
    // Now and then what another function of the pattern is: some conditions compare them.
    auto same = [&](const Body& body) {
        return body.type == *type && std::ranges::equal(body.holes, holes, [&](NodeId a, NodeId b) {
                   return function_.graph.type(a) == function_.graph.type(b);
               });
    };
    std::optional<NodeId> made;
    if (style_.symbolic) made = symbolic(piece, holes, *type);
    if (VariableId other = pattern_.alike(piece.variable); other && !made)
        if (auto met = bodies_.find({other, piece.element}); met != bodies_.end() && same(met->second))
            made = put(met->second);
    const bool total = pattern_.asks("total", piece.variable);
    for (const auto& [key, body] : bodies_)
        if (!made && same(body) && (!total || pattern_.asks("total", key.first)) &&
            choices_.rarely(compares_built_ ? 70 : 30))
            made = put(body);
    if (!made) {
        Nodes saved = std::exchange(terms_.locals, base_locals_);
        const bool around = std::exchange(terms_.total, total && choices_.likely(95));
        const bool params = choices_.rarely(75);
        Nodes wanted;
        std::ranges::copy_if(holes, std::back_inserter(wanted),
                             [&](NodeId hole) { return params || !function_.graph.is_param(hole); });
        terms_.want(wanted);
        const std::int64_t cost = pattern_.least_cost(piece.variable);
        if (cost > few_operations) made = terms_.repeating(*type, holes);
        if (!made && cost == 0 && !total && choices_.rarely(doubtful_functions)) made = terms_.doubtful(*type, holes);
        if (!made) made = terms_.body(*type, holes);
        // The holes that the pattern looks for in the body should be there.
        auto used = [&](NodeId hole) {
            return !made || function_.graph.is_param(hole) || reaches(function_.graph, {&*made, 1}, hole);
        };
        for (unsigned tries = 0; tries < 10 && !std::ranges::all_of(holes, used) && choices_.likely(95); ++tries)
            made = terms_.body(*type, holes);
        for (std::int64_t k = 0; made && k < cost && cost <= few_operations && context_.types.is_scalar(*type); ++k)
            if (auto more = terms_.through(*type, *made)) made = more;
        if (style_.sized && made && cost == 0) made = repeated(*type, *made);
        terms_.want({});
        terms_.total = around;
        terms_.locals = std::move(saved);
    }
    if (made) bodies_.emplace(std::pair(piece.variable, piece.element), Body{holes, *made, *type});
    return made;
}

// A call of an external function: nothing is known of it.
std::optional<NodeId> Instance::symbolic(const PatternNode& piece, std::span<const NodeId> holes, TypeId type) {
    std::string name(context_.symbols[rule_[piece.variable].name]);
    if (rule_[piece.variable].sequence) name += std::to_string(piece.element);
    AttrValue callee{.kind = AttrValue::Kind::Text, .type = {}, .bits = context_.symbols.add(name).index};
    Nodes operands(holes.begin(), holes.end());
    if (style_.repeating) operands.insert(operands.end(), holes.begin(), holes.end());
    return builder_.apply(Operations::core(Core::Call), context_.attributes.add({&callee, 1}), operands, {}, type);
}

// -- nodes ------------------------------------------------------------------------------------------

AttrId Instance::attributes(const PatternNode& piece) {
    const Operation& operation = context_.operations[piece.op];
    const Term& term = rule_[piece.term];
    std::vector<AttrValue> values;
    for (std::size_t i = 0; i < operation.attributes.size(); ++i) {
        AttrKind kind = operation.attributes[i].kind;
        if (kind == AttrKind::Type) {
            auto type = types_.choose(piece.call->attributes[i]);
            values.push_back({.kind = AttrValue::Kind::Type, .type = type.value_or(TypeId{}), .bits = 0});
        } else if (i < term.attrs.size() && term.attrs[i].kind == AttrTerm::Kind::Literal) {
            VariableId v = term.attrs[i].variable;
            Binding& binding = bindings_[v.index];
            TypeId type = kind == AttrKind::Float  ? context_.types.f64()
                          : kind == AttrKind::Bool ? context_.types.boolean()
                                                   : context_.types.i64();
            if (!binding.bound)
                binding.bound = true, binding.items = {kind == AttrKind::Text ? some_text() : attribute(v, type)};
            values.push_back(function_.graph.attrs(binding.items[0])[0]);
        } else if (i < term.attrs.size())
            values.push_back(term.attrs[i].constant);
    }
    return values.empty() ? Attributes::none() : context_.attributes.add(values);
}

NodeId Instance::attribute(VariableId variable, TypeId type) {
    if (auto bits = found_literal(variable)) return function_.graph.literal(type, *bits);
    return terms_.literal(type);
}

// One that the rule mentions, or another one.
NodeId Instance::some_text() {
    std::vector<SymbolId> texts{context_.symbols.add("a"), context_.symbols.add("b")};
    for (const Term& term : rule_.terms) {
        if (term.kind == TermKind::Constant && term.constant.kind == AttrValue::Kind::Text)
            texts.push_back(term.constant.text());
        for (const AttrTerm& attribute : term.attrs)
            if (attribute.kind == AttrTerm::Kind::Constant && attribute.constant.kind == AttrValue::Kind::Text)
                texts.push_back(attribute.constant.text());
    }
    return function_.graph.text(context_.symbols[texts[choices_.below(static_cast<std::uint32_t>(texts.size()))]]);
}

// Finds the combining operator of a node.
void Instance::prepare_combiner(const PatternNode& piece) {
    combiner_.clear();
    auto block = combining_block(context_.operations[piece.op]);
    if (!block || *block >= piece.blocks.size()) return;
    const PatternNode::Block& b = piece.blocks[*block];
    auto types = chosen(b.result_types);
    if (!types) return;
    if (b.whole && combiners_.contains(b.whole)) {
        combiner_ = combiners_[b.whole];
        return;
    }
    // An operator that the pattern writes out.
    for (std::size_t i = 0; i < b.results.size() && i < types->size(); ++i) {
        const PatternNode& result = pattern_[b.results[i]];
        if (result.kind != PatternNode::Kind::Node) continue;
        for (const Vocabulary::Combiner& known : vocabulary_.combiners(context_.types, (*types)[i]))
            if (known.op == result.op && !known.choice && combiner_.size() == i) combiner_.push_back(known);
    }
    if (combiner_.size() == types->size()) return;
    combiner_.clear();
    auto written = [&](PieceId result) { return pattern_[result].kind != PatternNode::Kind::Apply; };
    if (std::ranges::any_of(b.results, written)) return; // what it starts from is for the pattern to say
    if (auto found = terms_.combine(*types)) combiner_ = *found;
    if (b.whole) combiners_[b.whole] = combiner_;
}

// Builds neutral elements first: a leaf that must be neutral for an operator has that value everywhere, outside of the
// node and before it, too.
void Instance::reserve_neutral() {
    for (std::uint32_t p = 0; p < pattern_.size(); ++p) {
        const PatternNode& piece = pattern_[PieceId{p}];
        if (piece.kind != PatternNode::Kind::Node || prepared_.contains(&piece)) continue;
        prepare_combiner(piece);
        prepared_[&piece] = combiner_;
        for (std::size_t i = 0; i < piece.operands.size(); ++i) {
            const PieceId operand = piece.operands[i];
            const auto k = neutral_operand(context_.operations[piece.op], *piece.call, i);
            if (!k || *k >= combiner_.size() || pattern_[operand].kind != PatternNode::Kind::Leaf) continue;
            if (auto type = pattern_.type(operand))
                built_.try_emplace(pattern_.find(operand), terms_.neutral(combiner_[*k], *type));
        }
    }
}

bool Instance::makes(TypeKind kind, const PatternNode& piece) {
    auto results = types_.items(piece.results);
    return results.size() == 1 && types_.kind(results[0]) == kind;
}

std::optional<NodeId> Instance::node(const PatternNode& piece) {
    const Operation& operation = context_.operations[piece.op];
    const bool around = effects_;
    auto made = applied(piece, operation);
    effects_ = around;
    return made;
}

std::optional<NodeId> Instance::applied(const PatternNode& piece, const Operation& operation) {
    const std::vector<Vocabulary::Combiner> combiner = prepared_[&piece];
    Nodes operands;
    for (std::size_t i = 0; i < piece.operands.size(); ++i) {
        PieceId operand = piece.operands[i];
        // The operands from which a generator starts are known before its loop runs.
        auto given = types_.kind(types_.items(pattern_[operand].results)[0]);
        bool starts = makes(TypeKind::Generator, piece) && given != TypeKind::Emission;
        Nodes saved = starts ? std::exchange(base_locals_, {}) : base_locals_;
        auto node = this->piece(operand);
        base_locals_ = std::move(saved);
        if (!node) return std::nullopt;
        operands.push_back(*node);
    }
    std::vector<BlockId> blocks;
    effects_ = effects_ && !operation.has(Trait::Pure); // what stands at an operand comes before
    const AttrId attributes = this->attributes(piece);
    for (std::size_t i = 0; i < piece.blocks.size(); ++i) {
        const PatternNode::Block& b = piece.blocks[i];
        const auto params = parameters(piece, i, attributes, operands);
        if (!params) return std::nullopt;
        combiner_ = combiner;
        auto made = b.whole ? whole(b, *params) : block(b, *params);
        if (!made) return std::nullopt;
        blocks.push_back(*made);
    }
    const bool seen = effects_ && (operation.touches_memory() || operation.has(Trait::Io));
    if (seen && before_effect && !before_effect()) return std::nullopt;
    auto made = builder_.apply(piece.op, attributes, operands, blocks);
    if (made && seen && behind_effect) behind_effect(*made);
    return made;
}

namespace {
bool mentions(const TypeTerm& term, std::uint32_t variable) {
    return (term.kind == TypeTerm::Kind::Variable && term.variable == variable) ||
           std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return mentions(part, variable); });
}

// A parameter has the type of what a block results in: what is known of its lengths depends on that block.
bool carries_types(const Signature& signature, const TypeTerm& param) {
    const auto is_met = [&](std::uint32_t variable) {
        return std::ranges::any_of(signature.blocks, [&](const BlockSignature& block) {
            return std::ranges::any_of(block.results, [&](const TypeTerm& term) { return mentions(term, variable); });
        });
    };
    return (param.kind == TypeTerm::Kind::Variable && is_met(param.variable)) ||
           std::ranges::any_of(param.parts, [&](const TypeTerm& part) { return carries_types(signature, part); });
}
} // namespace

std::optional<std::vector<TypeId>> Instance::parameters(const PatternNode& piece, std::size_t block, AttrId attributes,
                                                        std::span<const NodeId> operands) {
    auto params = chosen(piece.blocks[block].param_types);
    const Signature& signature = context_.operations[piece.op].signature;
    if (!params || context_.operations[piece.op].core != Core::None || block >= signature.blocks.size() ||
        std::ranges::any_of(signature.blocks[block].params,
                            [&](const TypeTerm& param) { return carries_types(signature, param); }))
        return params;
    std::vector<OperandInfo> infos;
    for (NodeId operand : operands) infos.push_back(operand_info(function_.graph, operand));
    std::vector<BlockShape> shapes(piece.blocks.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const PatternNode::Block& other = piece.blocks[i];
        shapes[i].params = types_.items(other.param_types).size();
        shapes[i].least_results = shapes[i].most_results = types_.items(other.result_types).size();
    }
    Inference inference(context_, piece.op, attributes);
    if (!inference.operands(infos, shapes)) return params;
    const auto known = inference.block_params(block);
    if (!known || known->size() != params->size()) return params;
    for (std::size_t i = 0; i < params->size(); ++i)
        if (context_.types.agree((*known)[i], (*params)[i])) (*params)[i] = (*known)[i];
    return params;
}

std::optional<BlockId> Instance::block(const PatternNode::Block& b, std::span<const TypeId> params) {
    Builder::Open open = builder_.open(params);
    for (std::size_t i = 0; i < b.params.size(); ++i) {
        params_[b.params[i]] = open.params[i];
        if (auto piece = pattern_.piece_of(b.params[i].first, b.params[i].second)) built_[*piece] = open.params[i];
    }
    // A pattern spells out all effects of its blocks.
    auto around = std::exchange(before_effect, nullptr);
    auto behind = std::exchange(behind_effect, nullptr);
    auto made = results(b);
    before_effect = std::move(around), behind_effect = std::move(behind);
    if (!made) {
        builder_.abandon(open);
        return std::nullopt;
    }
    std::vector<SymbolId> names = b.names.size() == params.size() ? b.names : terms_.names(params);
    return builder_.close(open, names, *made);
}

// Makes the function beside an associative operator that continues from its values, `fold { |%a, %x| ?f(%a, %x) }`: it
// combines them with a term of the other parameters. False: there is no such function.
bool Instance::continued(const PatternNode::Block& b, std::size_t i, std::span<const Vocabulary::Combiner> combiner) {
    const PatternNode& result = pattern_[b.results[i]];
    const std::size_t count = b.results.size();
    const bool goes_on = !b.combines && combiner.size() == count && result.kind == PatternNode::Kind::Apply &&
                         result.operands.size() > count && !bodies_.contains({result.variable, result.element});
    if (!goes_on) return true;
    Nodes holes;
    for (PieceId operand : result.operands)
        if (auto node = piece(operand)) holes.push_back(*node);
    auto type = pattern_.type(b.results[i]);
    if (!type || holes.size() != result.operands.size()) return false;
    for (std::size_t k = 0; k < count; ++k)
        if (k >= b.params.size() || params_[b.params[k]] != holes[k]) return true;
    if (!context_.types.agree(function_.graph.type(holes[i]), *type)) return true;
    Nodes saved = std::exchange(terms_.locals, base_locals_);
    auto more = terms_.body(*type, std::span(holes).subspan(count));
    terms_.locals = std::move(saved);
    if (!more) return false;
    const NodeId made = terms_.combined(combiner.subspan(i, 1), std::span(holes).subspan(i, 1), {&*more, 1})[0];
    bodies_.emplace(std::pair(result.variable, result.element), Body{holes, made, *type});
    return true;
}

std::optional<Instance::Nodes> Instance::results(const PatternNode::Block& b) {
    Nodes out;
    std::vector<Vocabulary::Combiner> combiner = combiner_;
    for (std::size_t i = 0; i < b.results.size(); ++i) {
        const PatternNode& result = pattern_[b.results[i]];
        if (!continued(b, i, combiner)) return std::nullopt;
        if (b.combines && result.kind == PatternNode::Kind::Apply && result.operands.size() == 2 * b.results.size() &&
            !bodies_.contains({result.variable, result.element})) {
            if (combiner.size() != b.results.size()) return std::nullopt;
            Nodes holes;
            for (PieceId operand : result.operands)
                if (auto node = piece(operand)) holes.push_back(*node);
            if (holes.size() != result.operands.size()) return std::nullopt;
            std::span<const NodeId> all(holes);
            NodeId made = terms_.combined(combiner, all.first(holes.size() / 2), all.last(holes.size() / 2))[i];
            bodies_.emplace(std::pair(result.variable, result.element), Body{holes, made, function_.graph.type(made)});
        }
        auto node = piece(b.results[i]);
        if (!node) return std::nullopt;
        if (function_.graph.kind(*node) != TypeKind::Unit) out.push_back(*node);
    }
    return out;
}

// An effect that can be seen: an operation of that shape, on a parameter of the block or a literal.
void Instance::print_something(std::span<const NodeId> holes) {
    for (std::uint32_t i = 0; i < context_.operations.size(); ++i) {
        const Operation& operation = context_.operations[OpId{i}];
        const Signature& s = operation.signature;
        if (!operation.has(Trait::Io) || operation.core != Core::None || !operation.attributes.empty() ||
            !s.blocks.empty() || !s.results.empty() || s.operands.size() != 1 ||
            s.operands[0].kind != TypeTerm::Kind::Variable)
            continue;
        NodeId what = terms_.literal(context_.types.i64());
        for (NodeId hole : holes)
            if (context_.types.is_scalar(function_.graph.type(hole)) && choices_.below(2)) what = hole;
        builder_.apply(OpId{i}, Attributes::none(), {&what, 1});
        return;
    }
}

std::optional<BlockId> Instance::whole(const PatternNode::Block& b, std::span<const TypeId> params) {
    if (auto met = wholes_.find(b.whole); met != wholes_.end()) return met->second;
    auto results = chosen(b.result_types);
    if (!results) return std::nullopt;
    Builder::Open open = builder_.open(params);
    Nodes made;
    std::span<const NodeId> holes(open.params);
    if (b.combines) {
        if (combiner_.size() == results->size())
            made = terms_.combined(combiner_, holes.first(results->size()), holes.last(results->size()));
    } else {
        // A block without results is there for its effects alone.
        const bool pure = pattern_.asks("pure", b.whole) && choices_.likely(90);
        if (effects_ && !pure && (results->empty() ? choices_.likely(90) : choices_.rarely(30)))
            inside ? inside(holes) : print_something(holes);
        bool continues = !combiner_.empty() && results->size() == combiner_.size() && params.size() > results->size() &&
                         std::equal(results->begin(), results->end(), params.begin());
        std::span<const NodeId> inner = continues ? holes.subspan(results->size()) : holes;
        Nodes saved = std::exchange(terms_.locals, base_locals_);
        terms_.total = pattern_.asks("total", b.whole) && choices_.likely(95);
        for (TypeId type : *results)
            if (auto node = terms_.body(type, inner)) made.push_back(*node);
        terms_.total = false;
        terms_.locals = std::move(saved);
        if (continues && made.size() == results->size())
            made = terms_.combined(combiner_, holes.first(results->size()), made);
    }
    if (made.size() != results->size()) {
        builder_.abandon(open);
        return std::nullopt;
    }
    BlockId closed = builder_.close(open, terms_.names(params), made);
    wholes_.emplace(b.whole, closed);
    return closed;
}

} // namespace irrewrite
