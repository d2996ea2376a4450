#include "engine/generate/roots_program.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
template <class F> bool any_root_operation(const Context& context, const Rule& rule, F&& f) {
    return rule.left.size() > 1 && std::ranges::any_of(rule.left, [&](TermId root) {
               return std::ranges::any_of(rule[root].ops, [&](OpId op) { return f(context.operations[op]); });
           });
}
bool uses_memory(const Context& context, const Rule& rule, TermId id) {
    const Term& term = rule[id];
    const auto inside = [&](TermId part) { return uses_memory(context, rule, part); };
    return std::ranges::any_of(term.ops, [&](OpId op) { return context.operations[op].touches_memory(); }) ||
           std::ranges::any_of(term.operands, inside) || std::ranges::any_of(term.blocks, [&](const BlockTerm& block) {
               return std::ranges::any_of(block.results, inside);
           });
}
} // namespace

bool RootsProgram::due(const Context& context, const Rule& rule) {
    const auto in_memory = [&](TermId root) { return uses_memory(context, rule, root); };
    return std::ranges::any_of(rule.left, in_memory) ||
           any_root_operation(context, rule, [](const Operation& operation) { return operation.has(Trait::Io); });
}

bool RootsProgram::possible(const Context& context, const Rule& rule) {
    return any_root_operation(context, rule, [](const Operation& operation) {
        return !operation.has(Trait::Pure) && !operation.signature.blocks.empty();
    });
}

bool RootsProgram::build() {
    if (!pattern_.unroll()) return false;
    effects_ = !style_.symbolic;
    if (!style_.plain)
        before_effect = [this] { return !choices_.rarely(50) || (choices_.below(2) ? disturb() : between()); };
    behind_effect = [this](NodeId node) { remember(node); };
    inside = [this](std::span<const NodeId> holes) {
        if (style_.plain || choices_.below(2))
            print_something(holes);
        else
            changes(holes);
    };
    builder_.start(entry());
    if (!leaves()) return false;
    const auto part = [&] { return between() && in_order() && between(); };
    const auto nothing = [&] { return between(); };
    bool fine = false;
    const auto again = [&] { return part() && twice(); };
    switch (style_.plain ? 0 : choices_.weighted({6, 2, 2, 2})) {
    case 0: fine = (style_.plain || between()) && in_order(); break;
    case 1: fine = between() && branch(part, nothing); break;
    case 2: fine = again(); break;
    default: fine = between() && loop(part);
    }
    return fine && (style_.plain || between()) && contents() && finish();
}

// Stands for each metavariable, before everything else: memory, what some memory holds, or any term.
bool RootsProgram::leaves() {
    for (std::uint32_t i = 0; i < pattern_.size(); ++i) {
        const PieceId id{i};
        if (pattern_.find(id) != id || pattern_[id].kind != PatternNode::Kind::Leaf || built_.contains(id)) continue;
        auto type = pattern_.type(id);
        if (!type) return false;
        auto from = !is_memory(*type) && !style_.plain && choices_.rarely(20) ? source(*type) : std::nullopt;
        auto made = is_memory(*type) ? memory(*type) : from ? read(from->cell) : piece(id);
        if (!made) return false;
        built_[id] = *made;
        if (!is_memory(*type)) values_.push_back(*made);
    }
    return true;
}

bool RootsProgram::in_order() {
    for (std::size_t i = 0; i < pattern_.roots.size(); ++i) {
        if (i > 0 && !style_.plain && choices_.rarely(50) && !between()) return false;
        auto made = piece(pattern_.roots[i]);
        if (!made || !show(*made)) return false;
    }
    return style_.plain || !choices_.rarely(20) || show_parts();
}

// Other uses of what stands inside of the roots.
bool RootsProgram::show_parts() {
    Nodes parts;
    for (const auto& [id, node] : built_) {
        const bool inside = pattern_[id].kind == PatternNode::Kind::Node &&
                            std::ranges::find(pattern_.roots, id) == pattern_.roots.end();
        if (inside && !function_.graph.is_literal(node) && function_.graph.free(node) == 0) parts.push_back(node);
    }
    return std::ranges::all_of(parts, [&](NodeId node) { return !choices_.below(2) || show(node); });
}

// The same roots over the same metavariables, once more.
bool RootsProgram::twice() {
    std::erase_if(built_, [&](const auto& entry) { return pattern_[entry.first].kind != PatternNode::Kind::Leaf; });
    return in_order() && between();
}

// Changes memory that is there, in a block.
void RootsProgram::changes(std::span<const NodeId> holes) {
    const Nodes cells = cells_, values = values_;
    values_.insert(values_.end(), holes.begin(), holes.end());
    ++depth_;
    if (!effect()) print_something(holes);
    --depth_;
    cells_ = cells, values_ = values;
}

// Memory that the pattern makes may be changed by what comes between its parts.
void RootsProgram::remember(NodeId node) {
    if (is_memory(function_.graph.type(node)) && std::ranges::find(cells_, node) == cells_.end())
        cells_.push_back(node);
}

// Puts something between two roots: nothing, changes, a read whose value is seen, or a print.
bool RootsProgram::between() {
    switch (choices_.weighted({3, 4, 3, 1})) {
    case 0: return true;
    case 1: return disturb();
    case 2: {
        if (cells_.empty()) return true;
        auto held = read(cells_[choices_.below(static_cast<std::uint32_t>(cells_.size()))]);
        return !held || show(*held);
    }
    default: return !print_ || print(builder_.i64(choices_.below(3)));
    }
}

// Makes visible what all memory that was made here holds in the end.
bool RootsProgram::contents() {
    const Nodes cells = cells_;
    return std::ranges::all_of(cells, [&](NodeId cell) {
        auto held = read(cell);
        return !held || show(*held);
    });
}

} // namespace irrewrite
