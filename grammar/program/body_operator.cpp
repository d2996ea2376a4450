// Blocks of applications: which one is built next, what is called with what. `a && b` and `a || b` of conditions:
// `if(a) { b } else { false }` and `if(a) { true } else { b }` where `b` may fault or has effects, and else the operations
// `and` and `or`, which need both operands.
#include "grammar/program/advice.hpp"
#include "grammar/program/body.hpp"
#include "grammar/program/expected_types.hpp"
#include "grammar/program/expression_facts.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite::grammar {

namespace {

using KnownNodes = tsl::robin_set<NodeId, std::hash<NodeId>>;

// Adds the values that the names of an expression stand for.
void add_named(const SyntaxTree& tree, SyntaxId expression, const std::function<NodeId(SyntaxId)>& value,
               KnownNodes& out) {
    for (SyntaxId id = first_of_subtree(tree, expression); id <= expression; ++id)
        if (tree[id].kind == Kind::Value)
            if (const NodeId node = value(id)) out.insert(node);
}

// True if `root` is computed from a node that may fault and is not in `known`. Adds those that were seen to `known`, as
// long as there are fewer than `most`.
bool faults_alone(const Graph& graph, NodeId root, KnownNodes& known, std::size_t most) {
    std::vector<NodeId> stack{root};
    bool faults = false;
    for (std::size_t seen = 0; !stack.empty() && seen < most; ++seen) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (graph.is_param(node) || !graph.has(node, DeepFault) || !known.insert(node).second) continue;
        faults = faults || graph.has(node, MayFault);
        for (NodeId operand : graph.operands(node)) stack.push_back(operand);
    }
    return faults || !stack.empty();
}

} // namespace

// -- before types
// -----------------------------------------------------------------------------------

std::vector<BlockShape> Body::block_shapes(const Application& frame) const {
    std::vector<BlockShape> shapes(context_.operations[frame.op].signature.blocks.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const SyntaxId block = find_block(frame, i);
        if (block == nothing)
            shapes[i] = {0, 0, 0};
        else if (tree_[block].kind == Kind::OperatorBlock)
            shapes[i] = {operator_arity(block), 1, SIZE_MAX};
        else
            shapes[i] = written_shape(block);
    }
    return shapes;
}

// An expression may have several results: the block has at least as many as are written.
BlockShape Body::written_shape(SyntaxId block, unsigned depth) const {
    const auto children = tree_.children_of(block);
    const auto params =
        std::ranges::count_if(children, [&](SyntaxId child) { return tree_[child].kind == Kind::Param; });
    const bool has_results = !children.empty() && tree_[children.back()].kind == Kind::Results;
    std::size_t results = has_results ? tree_[children.back()].count : 0;
    if (results == 1) results = least_results(tree_.children_of(children.back())[0], depth);
    return {static_cast<std::size_t>(params), results, SIZE_MAX};
}

// As far as its text says it: of a call, and of an operation that has as many results as its blocks.
std::size_t Body::least_results(SyntaxId id, unsigned depth) const {
    constexpr unsigned deepest = 16; // blocks within blocks: few are looked through
    const SymbolId name = context_.symbols.add(tree_.name(id));
    if (tree_[id].kind == Kind::Call) {
        const Function* callee = module_.find(name);
        return callee ? std::max<std::size_t>(callee->result_types.size(), 1) : 1;
    }
    if (tree_[id].kind != Kind::Op || depth == deepest) return 1;
    const auto is_list = [](const std::vector<TypeTerm>& terms) { return terms.size() == 1 && terms[0].sequence; };
    const auto has_those_of_blocks = [&](OpId op) {
        const Signature& signature = context_.operations[op].signature;
        return is_list(signature.results) && std::ranges::any_of(signature.blocks, [&](const BlockSignature& block) {
                   return is_list(block.results);
               });
    };
    const auto overloads = context_.operations.find(name);
    if (overloads.empty() || !std::ranges::all_of(overloads, has_those_of_blocks)) return 1;
    std::size_t least = 1;
    for (SyntaxId child : tree_.children_of(id))
        if (tree_[child].kind == Kind::Block) least = std::max(least, written_shape(child, depth + 1).least_results);
    return least;
}

// The number of parameters of `{add}` or `{@f}`, if only one is possible.
std::optional<std::size_t> Body::operator_arity(SyntaxId block) const {
    const std::string_view name = tree_.name(block);
    if (name.starts_with('@')) {
        const Function* callee = module_.find(context_.symbols.add(name.substr(1)));
        return callee ? std::optional(callee->params.size()) : std::nullopt;
    }
    const auto overloads = context_.operations.find(context_.symbols.add(name));
    if (overloads.size() != 1) return std::nullopt;
    const auto& operands = context_.operations[overloads[0]].signature.operands;
    if (std::ranges::any_of(operands, &TypeTerm::sequence)) return std::nullopt;
    return operands.size();
}

// The block with the label of block i in the signature.
SyntaxId Body::find_block(const Application& frame, std::size_t i) const {
    const SymbolId label = context_.operations[frame.op].signature.blocks[i].label;
    const std::string_view text = label ? context_.symbols[label] : std::string_view{};
    const auto children = tree_.children_of(frame.id);
    for (std::size_t k = frame.first; k < children.size(); ++k)
        if (is_block(tree_[children[k]]) && tree_.label(children[k]) == text) return children[k];
    return nothing;
}

// -- one after the other
// ----------------------------------------------------------------------------

void Body::next_block(Application& frame) {
    const std::size_t i = frame.blocks->built.size();
    const auto types = frame.blocks->inference->block_params(i);
    const SyntaxId id = find_block(frame, i);
    if (!types) {
        error(id == nothing ? frame.id : id, "cannot infer the types of this block's parameters");
        return fail(frame.base);
    }
    if (id == nothing) return block_built(frame, builder_.close(builder_.open({}), {}, {}));
    if (tree_[id].kind == Kind::Block) return open_block(frame, i, id, *types);
    block_built(frame, operator_block(frame, id, *types).value_or(BlockId{}));
}

// Takes in a block; then comes the next, or the node, or all blocks again with weaker types.
void Body::block_built(Application& frame, BlockId block) {
    block_.reset();
    if (!block) return fail(frame.base);
    const std::size_t i = frame.blocks->built.size();
    std::vector<TypeId> types;
    for (NodeId result : graph_.results(block)) types.push_back(graph_.type(result));
    if (!frame.blocks->inference->block(i, types)) {
        const SyntaxId id = find_block(frame, i);
        if (id == nothing)
            error(frame.id, "'" + std::string(tree_.name(frame.id)) + "' with results needs all its blocks");
        else
            error(tree_[id].count ? tree_.children_of(id).back() : id,
                  "the results of this block do not fit: " + frame.blocks->inference->error());
        return fail(frame.base);
    }
    frame.blocks->built.push_back(block);
    if (frame.blocks->built.size() < context_.operations[frame.op].signature.blocks.size()) return next_block(frame);
    constexpr unsigned most_rounds = 8; // each forgets a length
    if (!frame.blocks->inference->settled() && frame.blocks->round++ < most_rounds) return weaken(frame);
    const auto blocks = std::move(frame.blocks);
    conclude(frame, *blocks->inference, blocks->built);
}

// Builds the blocks again: what they carry around is known less well than what they started with.
void Body::weaken(Application& frame) {
    Blocks& blocks = *frame.blocks;
    std::vector<TypeId>& weaker = weakened_[frame.id];
    weaker.assign(blocks.infos.size(), {});
    for (std::size_t i = 0; i < blocks.infos.size(); ++i) {
        const TypeId type = blocks.inference->operand(i);
        if (!type || !context_.types.agree(type, blocks.infos[i].type)) continue;
        weaker[i] = blocks.infos[i].type = context_.types.meet(type, blocks.infos[i].type);
    }
    blocks.built.clear();
    blocks.inference.emplace(context_, frame.op, frame.attrs);
    if (blocks.inference->operands(blocks.infos, block_shapes(frame))) return next_block(frame);
    error(frame.id, blocks.inference->error());
    fail(frame.base);
}

// The number of results of block i, if its parameters or a missing block determine it.
std::optional<std::size_t> Body::result_count(const Application& frame, std::size_t i, std::size_t params) const {
    const Signature& signature = context_.operations[frame.op].signature;
    const BlockSignature& block = signature.blocks[i];
    const auto sequences = [](const std::vector<TypeTerm>& terms) {
        return static_cast<std::size_t>(std::ranges::count_if(terms, &TypeTerm::sequence));
    };
    if (sequences(block.results) == 0) return block.results.size();
    for (std::size_t k = 0; k < signature.blocks.size(); ++k)
        if (k != i && find_block(frame, k) == nothing) return 0; // an `if` without `else`
    if (block.results.size() != 1 || sequences(block.params) != 1) return std::nullopt;
    const auto& carried = *std::ranges::find_if(block.params, &TypeTerm::sequence);
    const bool same = carried.kind == TypeTerm::Kind::Variable && block.results[0].kind == TypeTerm::Kind::Variable &&
                      carried.variable == block.results[0].variable;
    if (!same || params + 1 < block.params.size()) return std::nullopt;
    return params + 1 - block.params.size();
}

// -- `{add}`, `{@f}`
// --------------------------------------------------------------------------------

std::optional<BlockId> Body::operator_block(const Application& frame, SyntaxId id, std::span<const TypeId> types) {
    const bool pure = context_.operations[frame.op].has(Trait::Pure);
    const Builder::Open open = builder_.open(types);
    memory_.current += pure;
    const NodeId node = apply_operator(id, open.params);
    memory_.current -= pure;
    if (!node) {
        ok_ = false;
        builder_.abandon(open);
        return std::nullopt;
    }
    std::vector<NodeId> results;
    for (std::size_t k = 0; k < graph_.result_count(node); ++k) results.push_back(graph_.result(node, k));
    if (pure) keeps_memory(id, results);
    const std::vector<SymbolId> names(types.size());
    return builder_.close(open, names, results);
}

NodeId Body::apply_operator(SyntaxId id, std::span<const NodeId> operands) {
    if (facts_.wrong(id)) return {};
    const std::string name(tree_.name(id));
    const std::string takes =
        " does not take " + std::to_string(operands.size()) + " operands, which the operation passes to this block";
    if (name.starts_with('@')) {
        const Function* callee = module_.find(context_.symbols.add(std::string_view(name).substr(1)));
        if (callee->params.size() == operands.size()) return make_call(id, *callee, operands);
        error(id, "'" + name + "'" + takes);
        return {};
    }
    const SymbolId symbol = context_.symbols.add(name);
    const auto op = context_.operations.find(symbol, operands.size(), {});
    if (!op) {
        error(id, "'" + name + "'" + takes);
        return {};
    }
    std::vector<OperandInfo> infos;
    for (NodeId operand : operands) infos.push_back(operand_info(graph_, operand));
    Inference inference(context_, *op);
    const bool fits = context_.operations[*op].attributes.empty() && inference.operands(infos, {});
    const auto type = fits ? inference.result() : std::nullopt;
    if (type) return apply(id, *op, Attributes::none(), operands, {}, *type);
    error(id, inference.error().empty() ? "'" + name + "' alone cannot be a block here" : inference.error());
    return {};
}

// -- `==`, `<` and the like of arrays, tuples and structs
// --------------------------------------------------------------------------------

// True if the operator compares what it takes in scalars alone.
bool Body::compares_wholes(const Application& frame) const {
    if (frame.count != 2 || tree_[frame.id].kind != Kind::Infix) return false;
    if (!is_comparison(tree_.name(frame.id))) return false;
    return std::ranges::all_of(std::span(values_).subspan(frame.base, 2), [&](NodeId value) {
        if (!value || value == pending) return false;
        const TypeKind kind = graph_.kind(value);
        return kind == TypeKind::Array || kind == TypeKind::Tuple || kind == TypeKind::Struct;
    });
}

// `a < b` is `compare(a, b) < 0`.
void Body::compare_wholes(Application& frame) {
    const auto compare = context_.operations.find(context_.symbols.add("compare"), 2, {});
    if (!compare) return fail(frame.base);
    Inference inference(context_, *compare);
    const bool fits = inference.operands(operand_infos(frame), {});
    const auto type = fits ? inference.result() : std::nullopt;
    if (!type) {
        error(frame.id, inference.error(), declared_as(context_, *compare));
        return fail(frame.base);
    }
    const NodeId operands[] = {values_[frame.base], values_[frame.base + 1]};
    const NodeId order = apply(frame.id, *compare, Attributes::none(), operands, {}, *type);
    const NodeId signs[] = {order, graph_.literal(context_.types.scalar(TypeKind::I64), 0)};
    finish(apply(frame.id, frame.op, frame.attrs, signs, {}, context_.types.boolean()), frame.base);
}

// -- `&&` and `||`
// -------------------------------------------------------------------------------------------------------

// True if the left side is a condition, so that the right side may not be needed.
bool Body::may_guard(const Application& frame) const {
    if (tree_[frame.id].kind != Kind::Infix) return false;
    const std::string_view name = tree_.name(frame.id);
    const NodeId left = values_[frame.base];
    return (name == "&&" || name == "||") && left.index < graph_.size() && graph_.kind(left) == TypeKind::Bool;
}

void Body::open_guard(Application& frame) { frame.guarded = std::make_unique<Builder::Open>(builder_.open({})); }

void Body::close_guard(Application& frame, NodeId right) {
    const NodeId results[] = {right};
    if (right)
        frame.right = builder_.close(*frame.guarded, {}, results);
    else
        builder_.abandon(*frame.guarded);
    frame.guarded.reset();
}

// True if the right side may fault on its own: what its names stand for, and what the left side needs, is computed anyway.
bool Body::needs_guard(const Application& frame) const {
    if (!may_guard(frame) || !graph_.has(values_[frame.base + 1], DeepFault)) return false;
    constexpr std::size_t most_on_the_left = 64; // long chains stay linear
    const auto children = tree_.children_of(frame.id);
    KnownNodes known;
    const auto value_of = [&](SyntaxId id) { return value(id); };
    add_named(tree_, children[1], value_of, known);
    faults_alone(graph_, values_[frame.base], known, most_on_the_left);
    return faults_alone(graph_, values_[frame.base + 1], known, SIZE_MAX);
}

NodeId Body::make_guard(Application& frame) {
    const SymbolId labels[] = {SymbolId{}, context_.symbols.add("else")};
    const auto op = context_.operations.find(context_.symbols.add("if"), 1, labels);
    if (!op) return {};
    const bool both = tree_.name(frame.id) == "&&";
    const NodeId condition = values_[frame.base];
    const NodeId known[] = {builder_.boolean(!both)}, right[] = {values_[frame.base + 1]};
    if (!frame.right) frame.right = builder_.close(builder_.open({}), {}, right);
    const BlockId otherwise = builder_.close(builder_.open({}), {}, known);
    const BlockId blocks[] = {both ? *frame.right : otherwise, both ? otherwise : *frame.right};
    return apply(frame.id, *op, Attributes::none(), {&condition, 1}, blocks, {});
}

} // namespace irrewrite::grammar
