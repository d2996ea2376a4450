#include "engine/generate/effect_program.hpp"

#include "engine/interpret/evaluate.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
bool has_sequence(const Signature& signature) {
    return std::ranges::any_of(signature.operands, [](const TypeTerm& term) { return term.sequence; });
}
bool is_bool(const Types& types, const TypeTerm& term) {
    return term.kind == TypeTerm::Kind::Known && term.type == types.boolean();
}
// Two blocks without parameters, for what is true and what is not.
bool is_branch(const Types& types, const Signature& s) {
    return s.operands.size() == 1 && is_bool(types, s.operands[0]) && s.blocks.size() == 2 &&
           s.blocks[0].params.empty() && s.blocks[1].params.empty() && !s.blocks[0].tests && !s.blocks[1].tests;
}
bool is_loop(const Operation& operation) {
    const Signature& s = operation.signature;
    return operation.has(Trait::Counts) && s.blocks.size() == 1 && s.blocks[0].carries;
}
constexpr unsigned deepest_effects = 2; // blocks around effects that a scene's plan has nothing to do with
constexpr unsigned deepest_memory = 3;  // cells of cells of cells
} // namespace

EffectProgram::EffectProgram(Context& context, const Module& library, const RuleBase& base, RuleId rule,
                             const Vocabulary& vocabulary, Choices& choices, const TermStyle& style, Function& function,
                             Module& called)
    : Instance(context, library, base[rule], vocabulary, choices, style, function), library_(library), base_(base),
      called_(called), rule_id_(rule) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const OpId op{i};
        const Operation& operation = context.operations[op];
        const Signature& s = operation.signature;
        if (operation.core != Core::None || operation.has(Trait::Pure) || !operation.attributes.empty()) continue;
        if (!branch_ && is_branch(context.types, s)) branch_ = op;
        if (!loop_ && is_loop(operation)) loop_ = op;
        bool means = has_meaning(context, operation) || operation.expansion || base.expansions.contains(op);
        if (!means || !s.blocks.empty() || has_sequence(s)) continue;
        if (operation.has(Trait::Allocates) && s.results.size() == 1) allocating_.push_back(op);
        if (operation.reads == 1 && !operation.writes && s.operands.size() == 1 && s.results.size() == 1)
            reading_.push_back(op);
        if (operation.writes && !operation.has(Trait::Io)) writing_.push_back(op);
        if (!print_ && operation.has(Trait::Io) && s.operands.size() == 1 && s.results.empty()) print_ = op;
    }
}

bool EffectProgram::is_memory(TypeId type) const {
    return context_.types.kind(type) != TypeKind::Unit && !can_be_param(context_.types, type);
}

// -- values -----------------------------------------------------------------------------------------

// Often one that is there already, a small number, or what some memory holds.
std::optional<NodeId> EffectProgram::value(TypeId type) {
    if (is_memory(type)) return memory(type);
    switch (choices_.weighted({4, 4, 2, 2})) {
    case 0: {
        Nodes found;
        for (NodeId node : values_)
            if (context_.types.agree(function_.graph.type(node), type)) found.push_back(node);
        if (!found.empty()) return found[choices_.below(static_cast<std::uint32_t>(found.size()))];
        break;
    }
    case 1:
        if (context_.types.is_integer(type)) return function_.graph.literal(type, choices_.below(3));
        if (context_.types.is_scalar(type)) return terms_.literal(type);
        break;
    case 2:
        for (NodeId cell : cells_)
            if (auto held = read(cell); held && context_.types.agree(function_.graph.type(*held), type)) return held;
        break;
    default: break;
    }
    return terms_.term(type, 1);
}

// -- memory -----------------------------------------------------------------------------------------

std::optional<NodeId> EffectProgram::allocate(TypeId type) {
    for (OpId op : allocating_) {
        const Operation& operation = context_.operations[op];
        auto call = OpenCall::make(types_, operation, operation.signature.operands.size());
        if (!call || !types_.unify(call->results, types_.list({types_.known(type)}))) continue;
        Nodes operands;
        ++nested_;
        for (OpenType open : call->operands) {
            auto operand = types_.choose(open);
            bool counts = operand && *operand == context_.types.i64() && context_.types.kind(type) == TypeKind::Mut;
            auto node = !operand || nested_ > deepest_memory ? std::nullopt
                        : counts && choices_.likely(80)      ? std::optional(builder_.i64(1 + choices_.below(3)))
                                                             : value(*operand);
            if (node) operands.push_back(*node);
        }
        --nested_;
        if (operands.size() != call->operands.size()) continue;
        if (auto made = builder_.apply(op, Attributes::none(), operands)) {
            cells_.push_back(*made);
            return made;
        }
    }
    return std::nullopt;
}

// New memory, some that is there, or one of two.
std::optional<NodeId> EffectProgram::memory(TypeId type) {
    Nodes same;
    for (NodeId cell : cells_)
        if (context_.types.agree(function_.graph.type(cell), type)) same.push_back(cell);
    auto any = [&] { return same[choices_.below(static_cast<std::uint32_t>(same.size()))]; };
    if (!same.empty() && choices_.rarely(35)) return any();
    auto made = allocate(type);
    if (made && choices_.rarely(20)) hold(*made);
    if (!made || same.empty() || !branch_ || !choices_.rarely(25)) return made;
    auto condition = value(context_.types.boolean());
    if (!condition) return made;
    NodeId first = *made, second = any();
    std::vector<BlockId> blocks;
    for (NodeId cell : {first, second}) {
        Builder::Open open = builder_.open({});
        blocks.push_back(builder_.close(open, {}, {&cell, 1}));
    }
    auto one = builder_.apply(branch_, Attributes::none(), {&*condition, 1}, blocks);
    if (one) cells_.push_back(*one);
    return one ? one : made;
}

// Other memory holds this one: what is read from there is the same, and nobody can tell.
void EffectProgram::hold(NodeId cell) {
    auto holder = allocate(context_.types.ref(function_.graph.type(cell)));
    if (!holder || !write(*holder, cell)) return;
    if (auto same = read(*holder)) cells_.push_back(*same);
}

// All that it holds.
std::optional<NodeId> EffectProgram::read(NodeId cell) {
    for (OpId op : reading_)
        if (auto made = builder_.apply(op, Attributes::none(), {&cell, 1})) return made;
    return std::nullopt;
}

bool EffectProgram::write(NodeId cell, NodeId value) {
    const std::array<NodeId, 2> operands = {cell, value};
    return std::ranges::any_of(writing_, [&](OpId op) {
        return context_.operations[op].signature.operands.size() == 2 &&
               builder_.apply(op, Attributes::none(), operands);
    });
}

// Memory that holds a value of this type.
std::optional<EffectProgram::Source> EffectProgram::source(TypeId type) {
    for (OpId op : reading_) {
        auto call = OpenCall::make(types_, context_.operations[op], 1);
        if (!call || !types_.unify(call->results, types_.list({types_.known(type)}))) continue;
        auto cell = types_.choose(call->operands[0]);
        if (!cell || !is_memory(*cell)) continue;
        if (auto made = allocate(*cell)) return Source{*made};
    }
    return std::nullopt;
}

// -- effects ----------------------------------------------------------------------------------------

bool EffectProgram::disturb() {
    for (std::uint32_t i = choices_.below(4); i > 0; --i)
        if (depth_ < deepest_effects && choices_.rarely(20))
            nested();
        else if (!choices_.rarely(10) || !call())
            effect();
    return true;
}

// Effects inside of a branch or a loop: what holds behind it is what holds on all paths.
bool EffectProgram::nested() {
    auto changes = [&] {
        for (std::uint32_t i = 1 + choices_.below(2); i > 0; --i)
            if (depth_ == deepest_effects || !choices_.rarely(in_callee_ ? 50 : 20) || !nested()) effect();
        return true;
    };
    auto nothing = [] { return true; };
    switch (choices_.below(3)) {
    case 0: return branch(changes, nothing);
    case 1: return branch(nothing, changes);
    default: return loop(changes);
    }
}

// An operation that changes memory that is there.
bool EffectProgram::effect() {
    if (writing_.empty() || cells_.empty()) return false;
    NodeId cell = cells_[choices_.below(static_cast<std::uint32_t>(cells_.size()))];
    const std::uint32_t first = choices_.below(static_cast<std::uint32_t>(writing_.size()));
    for (std::uint32_t i = 0; i < writing_.size(); ++i) {
        const OpId op = writing_[(first + i) % writing_.size()];
        const Operation& operation = context_.operations[op];
        auto call = OpenCall::make(types_, operation, operation.signature.operands.size());
        auto written = static_cast<std::size_t>(std::countr_zero(operation.writes));
        if (!call || written >= call->operands.size() ||
            !types_.unify(call->operands[written], types_.known(function_.graph.type(cell))))
            continue;
        Nodes operands;
        for (std::size_t k = 0; k < call->operands.size(); ++k) {
            auto type = types_.choose(call->operands[k]);
            auto node = k == written ? std::optional(cell) : type ? value(*type) : std::nullopt;
            if (node) operands.push_back(*node);
        }
        if (operands.size() != call->operands.size()) continue;
        if (auto made = builder_.apply(op, Attributes::none(), operands)) return show(*made);
    }
    return false;
}

// Makes a computed value visible: as a result of the function, or printed.
bool EffectProgram::show(NodeId node) {
    Graph& graph = function_.graph;
    if (graph.kind(node) == TypeKind::Unit) return true;
    for (std::size_t k = 0; k < graph.result_count(node); ++k) {
        NodeId result = graph.result(node, k);
        if (is_memory(graph.type(result))) {
            cells_.push_back(result);
            continue;
        }
        if (depth_ == 0 && !in_callee_)
            function_.results.push_back(result);
        else if (!print(result))
            return false;
    }
    return true;
}

bool EffectProgram::print(NodeId value) { return print_ && builder_.apply(print_, Attributes::none(), {&value, 1}); }

// -- blocks -------------------------------------------------------------------------------------------

std::optional<BlockId> EffectProgram::block(std::span<const TypeId> params, Part part, const Nodes& results) {
    const Builder::Open open = builder_.open(params);
    const Nodes cells = cells_, values = values_;
    const auto built = built_;
    for (NodeId param : open.params) (is_memory(function_.graph.type(param)) ? cells_ : values_).push_back(param);
    ++depth_;
    const bool fine = part();
    --depth_;
    cells_ = cells, values_ = values, built_ = built;
    if (fine) return builder_.close(open, terms_.names(params), results);
    builder_.abandon(open);
    return std::nullopt;
}

bool EffectProgram::branch(Part first, Part second) {
    auto condition = branch_ ? value(context_.types.boolean()) : std::nullopt;
    if (!condition) return false;
    std::vector<BlockId> blocks;
    for (Part part : {first, second})
        if (auto made = block({}, part, {})) blocks.push_back(*made);
    return blocks.size() == 2 && builder_.apply(branch_, Attributes::none(), {&*condition, 1}, blocks);
}

// Never, once, or several times.
bool EffectProgram::loop(Part body) {
    if (!loop_) return false;
    auto call = OpenCall::make(types_, context_.operations[loop_], 1);
    auto params = call ? chosen(call->blocks[0].params) : std::nullopt;
    if (!params) return false;
    static constexpr std::array counts = {2, 1, 3, 0};
    const NodeId count = builder_.i64(counts[choices_.weighted({5, 2, 2, 1})]);
    auto made = block(*params, body, {});
    return made && builder_.apply(loop_, Attributes::none(), {&count, 1}, {&*made, 1});
}

} // namespace irrewrite
