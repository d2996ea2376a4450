// Operations of a pattern, with their attributes and blocks; projections, functions and calls.
#include "engine/generate/pattern.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

std::optional<PieceId> UnrolledPattern::node(TermId id) {
    const Term& term = rule_[id];
    Core core = context_.operations[term.ops[0]].core;
    if (core == Core::Tuple || core == Core::List) return structure(id, core);
    if (core != Core::None) return std::nullopt;
    PatternNode made;
    made.kind = PatternNode::Kind::Node, made.term = id;
    std::vector<std::size_t> counts; // of pieces, by operand
    if (!list(term.operands, made.operands, {}, &counts)) return std::nullopt;
    std::vector<OpId> ops;
    for (OpId op : term.ops)
        if (context_.operations.accepts(op, made.operands.size())) ops.push_back(op);
    if (ops.empty()) return std::nullopt;
    made.op = ops[types_.choices().below(static_cast<std::uint32_t>(ops.size()))];
    const Operation& operation = context_.operations[made.op];
    std::vector<OpenType> given;
    for (PieceId operand : made.operands) {
        given.push_back(types_.fresh());
        if (!single(operand, given.back())) return std::nullopt;
    }
    made.call = OpenCall::make(types_, operation, made.operands.size(), given);
    if (!made.call || !attributes(term, operation, made)) return std::nullopt;
    std::vector<std::size_t> common = common_lengths(rule_.correspondence(term, made.op), counts);
    for (std::size_t i = 0; i < term.blocks.size(); ++i)
        if (!block(term.blocks[i], operation, i, common, made)) return std::nullopt;
    made.results = made.call->results;
    return add(std::move(made));
}

bool UnrolledPattern::attributes(const Term& term, const Operation& operation, PatternNode& piece) {
    for (std::size_t i = 0; i < term.attrs.size() && i < operation.attributes.size(); ++i) {
        const AttrTerm& attr = term.attrs[i];
        if (operation.attributes[i].kind != AttrKind::Type) continue;
        OpenType type =
            attr.kind == AttrTerm::Kind::Type ? type_of(attr.variable, 0) : types_.known(attr.constant.type);
        if (!types_.unify(piece.call->attributes[i], type)) return false;
    }
    return true;
}

bool UnrolledPattern::block(const BlockTerm& term, const Operation& operation, std::size_t i,
                            std::span<std::size_t> common, PatternNode& piece) {
    if (i >= piece.call->blocks.size()) return false;
    PatternNode::Block block;
    block.combines = operation.signature.blocks[i].combines;
    block.param_types = piece.call->blocks[i].params, block.result_types = piece.call->blocks[i].results;
    bool flattens = piece.call->flattens == i;
    if (term.whole) {
        block.whole = term.whole;
        auto [it, fresh] = whole_.try_emplace(term.whole, block.param_types, block.result_types);
        if (!fresh &&
            !(types_.unify(it->second.first, block.param_types) && types_.unify(it->second.second, block.result_types)))
            return false;
        if (flattens && !piece.call->flatten(types_, types_.items(block.result_types))) return false;
        piece.blocks.push_back(std::move(block));
        return true;
    }
    block.names = term.names;
    CommonLengths of_params, of_results;
    if (const Correspondence* corresponding = rule_.correspondence(rule_[piece.term], piece.op))
        of_params = {corresponding->params[i], common}, of_results = {corresponding->results[i], common};
    if (!params(term, of_params, block) || !list(term.results, block.results, of_results)) return false;
    std::vector<OpenType> results;
    for (PieceId result : block.results) {
        if (is_effect(pieces_[result.index])) continue;
        OpenType type = types_.fresh();
        if (!single(result, type)) return false;
        if (flattens && one_each(pieces_[result.index].variable) &&
            !types_.unify(type, types_.make(TypeKind::Generator, types_.list({types_.fresh()}))))
            return false;
        results.push_back(type);
    }
    bool fits =
        flattens ? piece.call->flatten(types_, results) : types_.unify(block.result_types, types_.list(results));
    piece.blocks.push_back(std::move(block));
    return fits;
}

// An operation without results, or a loop or conditional of such, which stands in a block for what it does.
bool UnrolledPattern::is_effect(const PatternNode& piece) const {
    return piece.kind == PatternNode::Kind::Node && !context_.operations[piece.op].has(Trait::Pure) &&
           !types_.count(piece.results).value_or(1);
}

bool UnrolledPattern::params(const BlockTerm& term, const CommonLengths& common, PatternNode::Block& block) {
    auto is_sequence = [&](VariableId v) { return rule_[v].sequence; };
    if (std::ranges::none_of(term.params, is_sequence) && !types_.count(block.param_types)) {
        std::vector<OpenType> fresh;
        for (std::size_t i = 0; i < term.params.size(); ++i) fresh.push_back(types_.fresh());
        if (!types_.unify(block.param_types, types_.list(fresh))) return false;
    }
    std::vector<OpenType> items = types_.items(block.param_types);
    auto counts = share_params(rule_, term, items.size(), common);
    if (!counts) return false;
    std::size_t next = 0;
    for (std::size_t k = 0; k < term.params.size(); ++k) {
        VariableId v = term.params[k];
        if (is_sequence(v)) lengths_[v.index] = (*counts)[k];
        for (std::size_t i = 0; i < (*counts)[k]; ++i) {
            if (!types_.unify(type_of(v, i), items[next++])) return false;
            block.params.emplace_back(v, i);
        }
    }
    return true;
}

std::optional<PieceId> UnrolledPattern::project(TermId id) {
    const Term& term = rule_[id];
    auto whole = piece(term.operands[0]);
    if (!whole) return std::nullopt;
    PatternNode made;
    made.kind = PatternNode::Kind::Project, made.term = id, made.operands = {*whole};
    auto items = types_.items(pieces_[whole->index].results);
    PatternNode::Kind kind = pieces_[whole->index].kind;
    const bool root = std::ranges::find(rule_.left, id) != rule_.left.end(); // a rule of elements, not of whole nodes
    made.whole = items.size() == 1 && !root && (kind == PatternNode::Kind::Node || kind == PatternNode::Kind::Call);
    if (items.size() == 1 && !made.whole) { // an element of a tuple
        OpenList parts = types_.open_list();
        if (!types_.unify(items[0], types_.make(TypeKind::Tuple, parts))) return std::nullopt;
        // Mostly one that could be taken for the results of a root.
        if (kind == PatternNode::Kind::Leaf && !roots.empty() && types_.choices().likely(70) &&
            !types_.unify(parts, (*this)[roots[0]].results))
            return std::nullopt;
        items = types_.items(parts);
    }
    if (items.empty()) return std::nullopt;
    const Term& position_term = rule_[term.operands[1]];
    if (position_term.kind == TermKind::Number) {
        auto k = parse_scalar(TypeKind::I64, split_number(context_.symbols[position_term.text]).digits);
        if (!k) return std::nullopt;
        made.position = *k;
    } else if (position_term.kind == TermKind::Variable) {
        std::pair key(position_term.variable, element(position_term.variable));
        auto [it, fresh] = positions.try_emplace(key);
        if (fresh) it->second = position(position_term.variable, items.size());
        made.position = it->second;
        auto literal = variable(term.operands[1]);
        if (!literal || !single(*literal, types_.known(types_.types().i64()))) return std::nullopt;
    }
    if (made.position >= items.size()) return std::nullopt;
    made.results = types_.list({items[made.position]});
    return add(std::move(made));
}

std::optional<PieceId> UnrolledPattern::apply(TermId id) {
    const Term& term = rule_[id];
    PatternNode made;
    made.kind = PatternNode::Kind::Apply, made.term = id;
    made.variable = term.variable, made.element = element(term.variable);
    for (TermId operand : term.operands) {
        const Term& argument = rule_[operand];
        bool params = argument.kind == TermKind::Variable && rule_[argument.variable].kind == VariableKind::Param;
        auto known = known_length(operand);
        std::size_t count = !argument.sequence && !(params && rule_[argument.variable].sequence) ? SIZE_MAX
                            : known                                                              ? *known
                                    : random_length(operand);
        if (count != SIZE_MAX) {
            if (!repeat(operand, count, made.operands)) return std::nullopt;
        } else if (auto one = piece(operand))
            made.operands.push_back(*one);
        else
            return std::nullopt;
    }
    std::vector<OpenType> holes;
    for (PieceId operand : made.operands) {
        OpenType type = types_.fresh();
        if (!single(operand, type)) return std::nullopt;
        holes.push_back(type);
    }
    auto [it, fresh] = holes_.try_emplace(term.variable, holes);
    if (!fresh && !types_.unify(types_.list(it->second), types_.list(holes))) return std::nullopt;
    made.results = types_.list({type_of(term.variable, made.element)});
    return add(std::move(made));
}

// Any function of the library that takes as many operands, where a literal names it.
const Function* UnrolledPattern::callee(const Term& term, std::size_t operands) {
    if (term.attrs.empty()) return library_.find(term.text);
    std::vector<const Function*> fitting;
    for (const Function& function : library_.functions)
        if (function.params.size() == operands && !function.external) fitting.push_back(&function);
    if (fitting.empty()) return nullptr;
    return fitting[types_.choices().below(static_cast<std::uint32_t>(fitting.size()))];
}

std::optional<PieceId> UnrolledPattern::call(TermId id) {
    const Term& term = rule_[id];
    PatternNode made;
    made.kind = PatternNode::Kind::Call, made.term = id;
    if (!list(term.operands, made.operands)) return std::nullopt;
    const Function* function = callee(term, made.operands.size());
    if (!function || made.operands.size() != function->params.size()) return std::nullopt;
    made.callee = function->name;
    for (std::size_t i = 0; i < made.operands.size(); ++i)
        if (!single(made.operands[i], types_.known(function->params[i].type))) return std::nullopt;
    std::vector<OpenType> results;
    for (TypeId type : function->result_types) results.push_back(types_.known(type));
    made.results = types_.list(std::move(results));
    return add(std::move(made));
}

} // namespace irrewrite
