// The context of an instance: nothing else, a loop, or users of its inner nodes.
#include "engine/generate/instance.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
// Operations that a context is made of, found by their shape: `{i64 -> ?R...}` over a count, `{i64 -> gen}`
// over a count, a generator of one emission alone, and an emission of values alone.
enum class Frame { Values, Generators, Emissions, Emit };
bool frames(const Operation& operation, Frame frame) {
    const Signature& s = operation.signature;
    if (!operation.has(Trait::Pure) || !operation.attributes.empty() || s.results.size() != 1 || s.operands.size() != 1)
        return false;
    if (frame == Frame::Emit)
        return s.blocks.empty() && s.operands[0].sequence && s.operands[0].kind == TypeTerm::Kind::Variable &&
               s.results[0].kind == TypeTerm::Kind::Once && operation.has(Trait::Total);
    if (frame == Frame::Emissions)
        return s.blocks.empty() && s.operands[0].kind == TypeTerm::Kind::Emission &&
               s.results[0].kind == TypeTerm::Kind::Generator && operation.has(Trait::Total);
    if (!operation.has(Trait::Counts) || s.blocks.size() != 1 || s.blocks[0].params.size() != 1) return false;
    const std::vector<TypeTerm>& results = s.blocks[0].results;
    TypeTerm::Kind due = frame == Frame::Values ? TypeTerm::Kind::Variable : TypeTerm::Kind::Generator;
    return results.size() == 1 && results[0].sequence && results[0].kind == due;
}
std::optional<OpId> find_frame(const Context& context, Frame frame) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i)
        if (frames(context.operations[OpId{i}], frame)) return OpId{i};
    return std::nullopt;
}
// A block where a test holds, and another one where it does not.
std::optional<OpId> find_branch(const Context& context) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Signature& s = context.operations[OpId{i}].signature;
        const bool tests = s.operands.size() == 1 && s.operands[0].kind == TypeTerm::Kind::Known &&
                           s.operands[0].type == context.types.boolean();
        if (tests && s.blocks.size() == 2 &&
            std::ranges::all_of(s.blocks, [](const BlockSignature& b) { return b.frequency == Frequency::Cold; }))
            return OpId{i};
    }
    return std::nullopt;
}
} // namespace

// Now and then a root that others read faults, and they hardly ever ask for it.
std::optional<NodeId> Instance::root(PieceId id) {
    const bool read = aside_ && pattern_.is_read(id);
    terms_.risky = read, terms_.reluctant = aside_ && !read;
    auto node = piece(id);
    terms_.risky = terms_.reluctant = false;
    return node;
}

bool Instance::gives(PieceId root, std::size_t result) const {
    return !(aside_ && pattern_.is_read(root)) && !pattern_.counts_uses(root, result);
}

// Several roots are now and then not asked for in every run.
void Instance::give(PieceId root, NodeId node, Nodes& out) {
    const bool behind = pattern_.roots.size() > 1 && choices_.rarely(5);
    for (std::size_t k = 0; k < function_.graph.result_count(node); ++k) {
        if (!gives(root, k)) continue;
        const NodeId result = function_.graph.result(node, k);
        if (pattern_.is_shared(root)) out.push_back(result);
        auto branch = behind ? behind_a_test(result) : std::nullopt;
        out.push_back(branch.value_or(result));
    }
}

std::optional<NodeId> Instance::behind_a_test(NodeId result) {
    auto op = find_branch(context_);
    auto type = types_.choose(types_.known(function_.graph.type(result))); // of any length
    if (!op || !type || function_.graph.has(result, TakesToken) || !can_be_param(context_.types, *type))
        return std::nullopt;
    const NodeId test = terms_.param(context_.types.boolean());
    auto otherwise = terms_.term(*type, 0);
    if (!otherwise) return std::nullopt;
    std::vector<BlockId> blocks;
    for (NodeId one : {result, *otherwise}) {
        Builder::Open block = builder_.open({});
        blocks.push_back(builder_.close(block, {}, {&one, 1}));
    }
    return builder_.apply(*op, Attributes::none(), {&test, 1}, blocks);
}

bool Instance::roots(Setting setting) {
    aside_ = std::ranges::any_of(pattern_.roots, [&](PieceId root) { return pattern_.is_read(root); }) &&
             choices_.rarely(20);
    std::vector<std::pair<PieceId, std::vector<TypeId>>> all;
    bool structured = false;
    for (PieceId root : pattern_.roots) {
        auto types = chosen(pattern_[root].results);
        if (!types) return false;
        for (TypeId type : *types) {
            TypeKind kind = context_.types.kind(type);
            structured = structured || kind == TypeKind::Generator || kind == TypeKind::Emission;
        }
        all.emplace_back(root, *types);
    }
    if (setting == Setting::Loop && !structured) return inside_loop(style_.sized && choices_.rarely(50) ? 2 : 1);
    builder_.start(entry());
    effects_ = !structured && !style_.symbolic;
    if (structured) return structured_roots();
    for (auto& [root, types] : all) {
        auto node = this->root(root);
        if (!node) return false;
        if (function_.graph.kind(*node) == TypeKind::Unit) continue; // what it does is all there is
        give(root, *node, function_.results);
    }
    return true;
}

// Everything the roots compute, for each index of a short loop, or of loops in loops.
bool Instance::inside_loop(unsigned loops) {
    auto op = find_frame(context_, Frame::Values);
    if (!op) return false;
    // A loop in a loop is another one in each turn.
    NodeId count = base_locals_.empty() ? turns(3) : base_locals_.back();
    TypeId index = context_.types.i64();
    Builder::Open block = builder_.open({&index, 1});
    base_locals_.push_back(block.params[0]);
    terms_.locals = base_locals_;
    Nodes results;
    bool fine = true;
    if (loops > 1) fine = inside_loop(loops - 1), results = std::exchange(function_.results, {});
    for (PieceId root : loops > 1 ? std::vector<PieceId>() : pattern_.roots) {
        auto node = this->root(root);
        fine = fine && node;
        if (!node) break;
        give(root, *node, results);
    }
    if (!fine || results.empty()) {
        builder_.abandon(block);
        return false;
    }
    SymbolId name = context_.symbols.add("t");
    BlockId body = builder_.close(block, {&name, 1}, results);
    auto node = builder_.apply(*op, Attributes::none(), {&count, 1}, {&body, 1});
    if (!node) return false;
    for (std::size_t k = 0; k < function_.graph.result_count(*node); ++k)
        function_.results.push_back(function_.graph.result(*node, k));
    return true;
}

// Generators run in one loop, in which an emission is collected, and each value that another root gives.
bool Instance::structured_roots() {
    auto loop = find_frame(context_, Frame::Generators);
    if (!loop) return false;
    NodeId count = turns(choices_.below(2) ? 1 : 3);
    TypeId index = context_.types.i64();
    Builder::Open block = builder_.open({&index, 1});
    terms_.locals = base_locals_ = block.params;
    Nodes generators;
    if (!std::ranges::all_of(pattern_.roots, [&](PieceId root) { return generate(root, generators); })) {
        builder_.abandon(block);
        return false;
    }
    SymbolId name = context_.symbols.add("i");
    BlockId body = builder_.close(block, {&name, 1}, generators);
    auto made = builder_.apply(*loop, Attributes::none(), {&count, 1}, {&body, 1});
    if (!made) return false;
    for (std::size_t k = 0; k < function_.graph.result_count(*made); ++k)
        function_.results.push_back(function_.graph.result(*made, k));
    return true;
}

bool Instance::generate(PieceId root, Nodes& generators) {
    auto collect = find_frame(context_, Frame::Emissions), emit = find_frame(context_, Frame::Emit);
    auto node = this->root(root);
    if (!node || !collect || !emit) return false;
    const TypeKind kind = function_.graph.kind(*node);
    Nodes results;
    if (kind == TypeKind::Generator || kind == TypeKind::Emission)
        results.push_back(*node);
    else
        give(root, *node, results);
    for (NodeId result : results) {
        std::optional<NodeId> made = result;
        if (kind != TypeKind::Generator && kind != TypeKind::Emission)
            made = builder_.apply(*emit, Attributes::none(), {&result, 1});
        if (made && kind != TypeKind::Generator) made = builder_.apply(*collect, Attributes::none(), {&*made, 1});
        if (!made) return false;
        generators.push_back(*made);
    }
    return true;
}

// Some of what stands inside the left side is needed elsewhere too.
void Instance::share() {
    for (const auto& [id, node] : built_) {
        const Graph& graph = function_.graph;
        if (graph.free(node) || graph.is_param(node) || graph.is_literal(node) || function_.results.size() > 4)
            continue;
        if (pattern_[id].kind != PatternNode::Kind::Node && pattern_[id].kind != PatternNode::Kind::Leaf) continue;
        if (aside_ && pattern_.is_read(id)) continue;
        if (std::ranges::find(function_.results, node) != function_.results.end() || !choices_.below(2)) continue;
        for (std::size_t k = 0; k < graph.result_count(node); ++k) {
            NodeId result = function_.graph.result(node, k);
            if (can_be_param(context_.types, function_.graph.type(result))) function_.results.push_back(result);
        }
    }
}

} // namespace irrewrite
