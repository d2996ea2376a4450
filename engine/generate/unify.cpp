// Unification of the pieces of a pattern: the common instances of two left sides.
//
// Metavariables are bound to pieces, and the types of unified pieces are unified (engine/generate/open_types.hpp). A
// function `?f(%i)` of parameters of enclosing blocks is bound to any term (Miller, "A logic programming language with
// lambda-abstraction, function variables, and simple unification"); if that term depends on another parameter, the
// rules do not apply to the instance, which is found out then.
#include "engine/generate/pattern.hpp"

#include <algorithm>

namespace irrewrite {

bool UnrolledPattern::contains(PieceId whole, PieceId part) const {
    whole = find(whole);
    if (whole == part) return true;
    const PatternNode& piece = (*this)[whole];
    auto inside = [&](PieceId id) { return contains(id, part); };
    if (std::ranges::any_of(piece.operands, inside)) return true;
    return std::ranges::any_of(piece.blocks,
                               [&](const PatternNode::Block& b) { return std::ranges::any_of(b.results, inside); });
}

bool UnrolledPattern::bind(PieceId from, PieceId to) {
    if (contains(to, from) || !types_.unify(pieces_[from.index].results, pieces_[to.index].results)) return false;
    same_[from] = to;
    return true;
}

bool UnrolledPattern::unify_lists(std::span<const PieceId> a, std::span<const PieceId> b, Unifier& unifier) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!unify(a[i], b[i], unifier)) return false;
    return true;
}

bool UnrolledPattern::unify(PieceId a, PieceId b, Unifier& unifier) {
    using K = PatternNode::Kind;
    a = find(a), b = find(b);
    if (a == b) return true;
    K ka = pieces_[a.index].kind, kb = pieces_[b.index].kind;
    if (kb == K::Leaf) return bind(b, a);
    if (ka == K::Leaf) return bind(a, b);
    if (ka == K::Apply || kb == K::Apply) return unify_functions(a, b, unifier);
    auto is_literal = [](K kind) { return kind == K::Literal || kind == K::Number || kind == K::Constant; };
    if (ka == K::Literal || kb == K::Literal) {
        if (!is_literal(ka) || !is_literal(kb)) return false;
        if (kb != K::Literal) std::swap(a, b);
        unifier.literals.emplace_back(pieces_[b.index].variable, a);
        return bind(b, a);
    }
    if (ka != kb) {
        // The only result of a node is the node.
        auto single = [&](PieceId id) { return pieces_[id.index].kind == K::Project && pieces_[id.index].whole; };
        if (single(a)) return unify(pieces_[a.index].operands[0], b, unifier);
        if (single(b)) return unify(a, pieces_[b.index].operands[0], unifier);
        return false;
    }
    return unify_nodes(a, b, unifier);
}

bool UnrolledPattern::unify_nodes(PieceId a, PieceId b, Unifier& unifier) {
    using K = PatternNode::Kind;
    const PatternNode &pa = pieces_[a.index], &pb = pieces_[b.index];
    const Term &ta = rule_[pa.term], &tb = rule_[pb.term];
    switch (pa.kind) {
    case K::Param: return false;
    case K::Number: return context_.symbols[ta.text] == context_.symbols[tb.text] && bind(b, a);
    case K::Constant: return ta.constant == tb.constant && bind(b, a);
    case K::Project:
    case K::Field:
        if (pa.position != pb.position || pa.whole != pb.whole) return false;
        break;
    case K::Struct:
        if (ta.type != tb.type) return false;
        break;
    case K::Call:
        if (pa.callee != pb.callee) return false;
        break;
    case K::Node: {
        if (pa.op != pb.op || pa.operands.size() != pb.operands.size()) return false;
        const Operation& operation = context_.operations[pa.op];
        for (std::size_t i = 0; i < operation.attributes.size() && i < ta.attrs.size() && i < tb.attrs.size(); ++i) {
            if (operation.attributes[i].kind == AttrKind::Type) {
                if (!types_.unify(pa.call->attributes[i], pb.call->attributes[i])) return false;
                continue;
            }
            bool known = ta.attrs[i].kind == AttrTerm::Kind::Constant && tb.attrs[i].kind == AttrTerm::Kind::Constant;
            if (!known) return unifier.undecided = true, false;
            if (!(ta.attrs[i].constant == tb.attrs[i].constant)) return false;
        }
        return unify_blocks(a, b, unifier);
    }
    default: break;
    }
    std::vector<PieceId> left = pa.operands, right = pb.operands;
    return unify_lists(left, right, unifier) && bind(find(b), find(a));
}

PieceId UnrolledPattern::param(VariableId v, std::size_t element) {
    if (auto known = piece_of(v, element)) return *known;
    PieceId made = leaf(PatternNode::Kind::Param, TermId{});
    single(made, type_of(v, element));
    pieces_[made.index].variable = v, pieces_[made.index].element = element;
    pieces_of_.emplace(std::pair(v, element), made);
    return made;
}

// A node is one of the two; a whole block, {?op}, is what the other one writes out.
bool UnrolledPattern::unify_blocks(PieceId a, PieceId b, Unifier& unifier) {
    auto wholes = [&](PieceId id) {
        return std::ranges::count_if(pieces_[id.index].blocks,
                                     [](const PatternNode::Block& block) { return bool(block.whole); });
    };
    if (wholes(a) > wholes(b)) std::swap(a, b);
    PatternNode pa = pieces_[a.index], pb = pieces_[b.index]; // pieces are added meanwhile
    if (pa.blocks.size() != pb.blocks.size()) return false;
    bool crosswise = false;
    if (context_.operations[pa.op].commutative() && pa.operands.size() == 2)
        crosswise = unifier.orders >> std::min(unifier.met++, 31u) & 1;
    if (crosswise) std::swap(pb.operands[0], pb.operands[1]);
    if (!unify_lists(pa.operands, pb.operands, unifier)) return false;
    for (std::size_t i = 0; i < pa.blocks.size(); ++i) {
        const PatternNode::Block &x = pa.blocks[i], &y = pb.blocks[i];
        if (!types_.unify(x.param_types, y.param_types) || !types_.unify(x.result_types, y.result_types)) return false;
        if (y.whole) continue;
        if (x.whole) return unifier.undecided = true, false;
        if (x.params.size() != y.params.size()) return false;
        for (std::size_t k = 0; k < x.params.size(); ++k)
            if (!bind(param(y.params[k].first, y.params[k].second), param(x.params[k].first, x.params[k].second)))
                return false;
        if (!unify_lists(x.results, y.results, unifier)) return false;
    }
    return bind(b, a);
}

bool UnrolledPattern::unify_functions(PieceId a, PieceId b, Unifier& unifier) {
    using K = PatternNode::Kind;
    auto arguments = [&](PieceId id) {
        std::vector<PieceId> out;
        for (PieceId operand : pieces_[id.index].operands) out.push_back(find(operand));
        return out;
    };
    auto simple = [&](PieceId id) {
        return pieces_[id.index].kind == K::Apply &&
               std::ranges::all_of(arguments(id), [&](PieceId operand) { return (*this)[operand].kind == K::Param; });
    };
    if (simple(b) && simple(a)) { // the one that depends on less
        std::vector<PieceId> less = arguments(a), more = arguments(b);
        auto within = [](const std::vector<PieceId>& x, const std::vector<PieceId>& y) {
            return std::ranges::all_of(x, [&](PieceId id) { return std::ranges::find(y, id) != y.end(); });
        };
        if (within(less, more)) return bind(b, a);
        if (within(more, less)) return bind(a, b);
        return unifier.undecided = true, false;
    }
    if (simple(b) && pieces_[a.index].kind != K::Apply) return bind(b, a);
    if (simple(a) && pieces_[b.index].kind != K::Apply) return bind(a, b);
    return unifier.undecided = true, false;
}

} // namespace irrewrite
