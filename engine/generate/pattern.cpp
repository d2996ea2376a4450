#include "engine/generate/pattern.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

UnrolledPattern::UnrolledPattern(const Context& context, const Module& library, const Rule& rule, OpenTypes& types)
    : context_(context), library_(library), rule_(rule), types_(types), lengths_(rule.variables.size()),
      iteration_(rule.variables.size(), -1) {
    for (const Term& term : rule.terms) {
        if (term.kind != TermKind::Count) continue;
        counts_ = true;
        if (term.results) counted_results_.insert(term.variable);
    }
    if (!counted_results_.empty()) types_.expect_several();
    for (const Condition& c : rule.conditions) ask_lengths(c);
    for (const Condition& c : rule.conditions) expect_match(c);
}

// Of several patterns, one of which is due, any.
void UnrolledPattern::expect_match(const Condition& c) {
    if (c.kind == Condition::Kind::Or)
        return expect_match(c.parts[types_.choices().below(static_cast<std::uint32_t>(c.parts.size()))]);
    if (c.kind == Condition::Kind::All)
        for (const Condition& part : c.parts) expect_match(part);
    if (c.kind == Condition::Kind::Match && rule_[c.a].kind == TermKind::Variable) matches_[rule_[c.a].variable] = c.b;
}

bool UnrolledPattern::unroll() {
    find_built_alike();
    if (!alike_types() || !foresee_built()) return false;
    for (TermId root : rule_.left) {
        auto made = piece(root);
        if (!made) return false;
        roots.push_back(*made);
    }
    return type_conditions();
}

PieceId UnrolledPattern::add(PatternNode piece) {
    pieces_.push_back(std::move(piece));
    return {static_cast<std::uint32_t>(pieces_.size() - 1)};
}

PieceId UnrolledPattern::leaf(PatternNode::Kind kind, TermId term, TypeClass cls) {
    PatternNode made;
    made.kind = kind, made.term = term;
    made.results = types_.list({types_.fresh(cls)});
    return add(std::move(made));
}

bool UnrolledPattern::single(PieceId id, OpenType type) {
    return types_.unify((*this)[id].results, types_.list({type}));
}

std::optional<TypeId> UnrolledPattern::type(PieceId id) {
    auto items = types_.items((*this)[id].results);
    return items.size() == 1 ? types_.choose(items[0]) : std::nullopt;
}

std::optional<PieceId> UnrolledPattern::piece_of(VariableId variable, std::size_t element) const {
    auto found = pieces_of_.find({variable, element});
    return found == pieces_of_.end() ? std::nullopt : std::optional(find(found->second));
}

// -- types ------------------------------------------------------------------------------------------

OpenType& UnrolledPattern::type_of(VariableId variable, std::size_t element) {
    auto [it, fresh] = types_of_.try_emplace({variable, element});
    if (fresh) it->second = types_.fresh(rule_[variable].cls);
    return it->second;
}

std::optional<TypeId> UnrolledPattern::type_variable(VariableId variable) {
    return types_.choose(type_of(variable, 0));
}

const TypeTerm* UnrolledPattern::annotation(VariableId variable) const {
    auto found = annotations_.find(variable);
    return found == annotations_.end() ? nullptr : found->second;
}

// The number of dimensions; the length of a sequence is chosen where it is met first.
std::size_t UnrolledPattern::rank(std::span<const TypeTerm* const> dims) {
    std::size_t count = 0;
    for (const TypeTerm* dim : dims) {
        if (!dim->any_rank) {
            ++count;
        } else if (dim->length != TypeTerm::Length::Variable) {
            count += types_.some_rank();
        } else {
            auto [it, fresh] = ranks_.try_emplace(VariableId{static_cast<std::uint32_t>(dim->dim)});
            if (fresh) it->second = types_.some_rank();
            count += it->second;
        }
    }
    return count;
}

OpenType UnrolledPattern::open(const TypeTerm& term) {
    using K = TypeTerm::Kind;
    if (term.kind == K::Opaque && types_.types().is_lowered(types_.types().name(term.type)))
        return open(lowered_term(types_.types(), term));
    if (has_any_rank(term)) {
        std::vector<const TypeTerm*> dims;
        OpenType made = open(dimensions_of(term, dims));
        for (std::size_t i = rank(dims); i > 0; --i) made = types_.array(made);
        return made;
    }
    std::vector<OpenType> parts;
    for (const TypeTerm& part : term.parts) parts.push_back(open(part));
    switch (term.kind) {
    case K::Opaque:
        if (const std::size_t count = dim_count(types_.types(), term);
            types_.types().any_rank(types_.types().name(term.type))) {
            std::vector<const TypeTerm*> dims;
            for (std::size_t i = 0; i < count; ++i) dims.push_back(&term.parts[i]);
            return types_.opaque(term.type, rank(dims), parts.size() > count ? parts.back() : OpenType{});
        } else if (parts.size() > count) {
            return types_.opaque(term.type, parts.back());
        }
        [[fallthrough]];
    case K::Known: return types_.known(types_.types().lowered(term.type));
    case K::Variable: return type_of(VariableId{term.variable}, 0);
    case K::Array: return types_.make(TypeKind::Array, types_.list(parts));
    case K::Mut: return types_.make(TypeKind::Mut, types_.list(parts));
    case K::Ref: return types_.make(TypeKind::Ref, types_.list(parts));
    case K::Tuple: return types_.make(TypeKind::Tuple, types_.list(parts));
    default: return types_.fresh();
    }
}

// `type(?x) == T` and `type(?x) == type(?y)` hold by construction.
bool UnrolledPattern::type_conditions() {
    auto side = [&](TermId id) -> std::optional<OpenType> {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Constant && term.constant.kind == AttrValue::Kind::Type)
            return types_.known(term.constant.type);
        if (term.kind != TermKind::Query || context_.symbols[term.text] != "type") return std::nullopt;
        auto found = pieces_of_.find({rule_[term.operands[0]].variable, 0});
        if (found == pieces_of_.end()) return std::nullopt;
        auto items = types_.items(pieces_[found->second.index].results);
        return items.size() == 1 ? std::optional(items[0]) : std::nullopt;
    };
    for (const Condition& c : rule_.conditions) {
        if (c.kind != Condition::Kind::Compare || context_.symbols[c.text] != "==") continue;
        auto a = side(c.a), b = side(c.b);
        if (a && b && !types_.unify(*a, *b)) return false;
    }
    return alike_holes();
}

// -- sequences --------------------------------------------------------------------------------------

std::size_t UnrolledPattern::element(VariableId variable) const {
    return iteration_[variable.index] < 0 ? 0 : static_cast<std::size_t>(iteration_[variable.index]);
}

// The sequences that `t...` runs over. What stands under an inner `...`, and the arguments of a function, run
// on their own.
void UnrolledPattern::sequences_of(TermId id, std::vector<VariableId>& out) const {
    const Term& term = rule_[id];
    auto add = [&](VariableId v) {
        if (v && rule_[v].sequence && rule_[v].kind != VariableKind::Block && iteration_[v.index] < 0) out.push_back(v);
    };
    add(term.variable);
    if (term.kind == TermKind::Apply) return;
    for (TermId operand : term.operands)
        if (!rule_[operand].sequence) sequences_of(operand, out);
    for (const AttrTerm& attr : term.attrs) add(attr.variable);
    for (const BlockTerm& block : term.blocks)
        for (TermId result : block.results)
            if (!rule_[result].sequence) sequences_of(result, out);
}

std::optional<std::size_t> UnrolledPattern::known_length(TermId id) const {
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    for (VariableId v : variables)
        if (lengths_[v.index]) return lengths_[v.index];
    return std::nullopt;
}

// `count(?xs) > 7`: what a few elements do not tell.
void UnrolledPattern::ask_lengths(const Condition& condition) {
    constexpr std::uint64_t few = 2, most = 40;
    for (const Condition& part : condition.parts) ask_lengths(part);
    if (condition.kind != Condition::Kind::Compare) return;
    for (const auto& [counted, bound] : {std::pair(condition.a, condition.b), std::pair(condition.b, condition.a)}) {
        if (rule_[counted].kind != TermKind::Count || rule_[bound].kind != TermKind::Number) continue;
        auto bits = parse_scalar(TypeKind::I64, split_number(context_.symbols[rule_[bound].text]).digits);
        if (!bits || *bits <= few || *bits > most) continue;
        for (std::uint64_t length : {*bits, *bits + 1, *bits - 1}) lengths_asked_.push_back(length);
    }
}

// Of the sequences in `t...`.
std::size_t UnrolledPattern::random_length(TermId id) {
    static constexpr std::array lengths = {1, 2, 0, 3};
    if (!lengths_asked_.empty() && types_.choices().rarely(40))
        return lengths_asked_[types_.choices().below(static_cast<std::uint32_t>(lengths_asked_.size()))];
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    // Most numbers of results do not fit if results are counted, but zero does.
    auto counted = [&](VariableId v) { return counted_results_.contains(v); };
    const std::uint32_t none = std::ranges::any_of(variables, counted) ? 8 : 3, three = counts_ ? 5 : 1;
    return static_cast<std::size_t>(lengths[types_.choices().weighted({11, 6, none, three})]);
}

bool UnrolledPattern::repeat(TermId id, std::size_t count, Pieces& out) {
    std::vector<VariableId> variables;
    sequences_of(id, variables);
    for (VariableId v : variables) {
        if (lengths_[v.index].value_or(count) != count) return false;
        lengths_[v.index] = count;
    }
    bool fine = true;
    for (std::size_t i = 0; i < count && fine; ++i) {
        for (VariableId v : variables) iteration_[v.index] = static_cast<std::int64_t>(i);
        auto made = piece(id);
        fine = made.has_value();
        if (made) out.push_back(*made);
    }
    for (VariableId v : variables) iteration_[v.index] = -1;
    return fine;
}

bool UnrolledPattern::list(std::span<const TermId> terms, Pieces& out, const CommonLengths& common,
                           std::vector<std::size_t>* made) {
    std::size_t run = CommonLengths::unknown; // the length of sequences side by side
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const TermId id = terms[i];
        const std::size_t before = out.size();
        if (rule_[id].sequence) {
            auto known = known_length(id);
            std::size_t* other = common.at(i);
            if (!known && other && *other != CommonLengths::unknown) known = *other;
            if (!known && run == CommonLengths::unknown) run = random_length(id);
            const std::size_t length = known.value_or(run);
            if (other) *other = length;
            if (!repeat(id, length, out)) return false;
        } else {
            run = CommonLengths::unknown;
            auto one = piece(id);
            if (!one) return false;
            out.push_back(*one);
        }
        if (made) made->push_back(out.size() - before);
    }
    return true;
}

// -- terms ------------------------------------------------------------------------------------------

std::optional<PieceId> UnrolledPattern::piece(TermId id) {
    const Term& term = rule_[id];
    switch (term.kind) {
    case TermKind::Variable: return variable(id);
    case TermKind::Wildcard: return leaf(PatternNode::Kind::Leaf, id);
    case TermKind::Number: {
        NumberText text = split_number(context_.symbols[term.text]);
        PieceId made = leaf(PatternNode::Kind::Number, id, text.is_float ? TypeClass::Float : TypeClass::Num);
        bool fits = !text.suffix || single(made, types_.known(types_.types().scalar(*text.suffix)));
        return fits ? std::optional(made) : std::nullopt;
    }
    case TermKind::Constant: {
        PieceId made = leaf(PatternNode::Kind::Constant, id);
        bool text = term.constant.kind == AttrValue::Kind::Text;
        OpenType type = text ? types_.array(types_.known(types_.types().u8())) : types_.known(term.constant.type);
        return single(made, type) ? std::optional(made) : std::nullopt;
    }
    case TermKind::Node: return node(id);
    case TermKind::Struct: return structure(id, Core::Struct);
    case TermKind::Project: return project(id);
    case TermKind::Apply: return apply(id);
    case TermKind::Named: {
        const auto match = matches_.find(term.variable);
        const bool closer = match != matches_.end() && says_all(match->second, term.operands[0]);
        auto inner = piece(closer ? match->second : term.operands[0]);
        if (inner && !pieces_of_.emplace(std::pair(term.variable, element(term.variable)), *inner).second)
            return std::nullopt;
        return inner;
    }
    case TermKind::Call: return call(id);
    case TermKind::Field: {
        auto whole = piece(term.operands[0]);
        if (!whole) return std::nullopt;
        // Its struct is the one that has such a field.
        for (TypeId type : library_.structs) {
            if (!types_.types().field_index(type, term.text)) continue;
            if (!single(*whole, types_.known(type))) return std::nullopt;
            PatternNode made;
            made.kind = PatternNode::Kind::Field, made.term = id, made.operands = {*whole};
            made.position = *types_.types().field_index(type, term.text);
            made.results = types_.list({types_.known(types_.types().fields(type)[made.position].type)});
            return add(std::move(made));
        }
        return std::nullopt;
    }
    default: return std::nullopt;
    }
}

std::optional<PieceId> UnrolledPattern::variable(TermId id) {
    const Term& term = rule_[id];
    VariableId v = term.variable;
    std::pair key(v, element(v));
    VariableKind kind = rule_[v].kind;
    auto found = pieces_of_.find(key);
    if (found == pieces_of_.end()) {
        std::optional<PieceId> made;
        if (kind == VariableKind::Node && matches_.contains(v)) {
            TermId pattern = matches_[v];
            matches_.erase(v); // once: the pattern may mention the variable
            made = piece(pattern);
        } else {
            made = leaf(kind == VariableKind::Literal ? PatternNode::Kind::Literal
                        : kind == VariableKind::Param ? PatternNode::Kind::Param
                                                      : PatternNode::Kind::Leaf,
                        id, kind == VariableKind::Literal && !rule_[v].compound ? TypeClass::Scalar : TypeClass::Any);
            if (kind == VariableKind::Param && !single(*made, type_of(v, key.second))) return std::nullopt;
        }
        if (!made) return std::nullopt;
        PatternNode& piece = pieces_[made->index];
        if (!piece.variable) piece.variable = v, piece.element = key.second;
        found = pieces_of_.emplace(key, *made).first;
    }
    PieceId made = found->second;
    if (term.annotation_class != TypeClass::Any) {
        auto items = types_.items(pieces_[made.index].results);
        if (items.size() != 1 || !types_.limit(items[0], term.annotation_class)) return std::nullopt;
    }
    if (term.annotation) {
        annotations_[v] = &*term.annotation;
        if (!single(made, open(*term.annotation))) return std::nullopt;
    }
    return made;
}

std::optional<PieceId> UnrolledPattern::structure(TermId id, Core core) {
    PatternNode made;
    made.term = id;
    if (!list(rule_[id].operands, made.operands)) return std::nullopt;
    std::vector<OpenType> parts;
    for (PieceId operand : made.operands) {
        OpenType part = types_.fresh();
        if (!single(operand, part)) return std::nullopt;
        parts.push_back(part);
    }
    if (core == Core::Tuple) {
        made.kind = PatternNode::Kind::Tuple;
        made.results = types_.list({types_.make(TypeKind::Tuple, types_.list(parts))});
    } else if (core == Core::List) {
        made.kind = PatternNode::Kind::List;
        OpenType element = types_.fresh();
        for (OpenType part : parts)
            if (!types_.unify(element, part)) return std::nullopt;
        made.results = types_.list({types_.array(element)});
    } else {
        made.kind = PatternNode::Kind::Struct;
        auto fields = types_.types().fields(rule_[id].type);
        if (fields.size() != parts.size()) return std::nullopt;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (!types_.unify(parts[i], types_.known(fields[i].type))) return std::nullopt;
        made.results = types_.list({types_.known(rule_[id].type)});
    }
    return add(std::move(made));
}

} // namespace irrewrite
