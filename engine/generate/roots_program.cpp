#include "engine/generate/roots_program.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
template <class F> bool any_root_operation(const Context& context, const Rule& rule, F&& f) {
    return rule.left.size() > 1 && std::ranges::any_of(rule.left, [&](TermId root) {
               return std::ranges::any_of(rule[root].ops, [&](OpId op) { return f(context.operations[op]); });
           });
}
} // namespace

bool RootsProgram::due(const Context& context, const Rule& rule) {
    return any_root_operation(context, rule, [](const Operation& operation) {
        return operation.reads || operation.writes || operation.has(Trait::Allocates) || operation.has(Trait::Io);
    });
}

bool RootsProgram::possible(const Context& context, const Rule& rule) {
    return any_root_operation(context, rule, [](const Operation& operation) {
        return !operation.has(Trait::Pure) && !operation.signature.blocks.empty();
    });
}

bool RootsProgram::build() {
    if (!pattern_.unroll()) return false;
    effects_ = !style_.symbolic;
    builder_.start(entry());
    if (!leaves()) return false;
    const auto part = [&] { return between() && in_order() && between(); };
    const auto nothing = [&] { return between(); };
    bool fine = false;
    switch (style_.plain ? 0 : choices_.weighted({6, 2, 2})) {
    case 0: fine = (style_.plain || between()) && in_order(); break;
    case 1: fine = between() && branch(part, nothing); break;
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
    return true;
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
