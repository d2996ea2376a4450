#include "engine/generate/instance.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {
namespace {
constexpr std::uint32_t doubtful_leaves =
    6; // percent: what is computed earlier than it was, or in more cases, may fault
constexpr std::uint32_t likely_continued = 60; // percent
} // namespace

Instance::Instance(Context& context, const Module& library, const Rule& rule, const Vocabulary& vocabulary,
                   Choices& choices, const TermStyle& style, Function& function)
    : context_(context), rule_(rule), vocabulary_(vocabulary), choices_(choices), style_(style), function_(function),
      builder_(function.graph), terms_(vocabulary, function, builder_, choices, style),
      types_(context.types, choices, style.palette), pattern_(context, library, rule, types_),
      bindings_(rule.variables.size()) {
    around_.uses = [](NodeId) { return std::size_t{1}; };
    around_.once = [](NodeId) { return true; };
    around_.varies = [](NodeId) { return true; };
    around_.shared = [](NodeId) { return false; };
    around_.runs = [](NodeId) { return true; };
    around_.dimension = [&function](Dim dim) {
        for (const Dimension& d : function.dims)
            if (dim == Dim::named(d.name)) return d.node;
        return NodeId{};
    };
    find_definitions();
}

NodeId Instance::entry() {
    return function_.graph.param(number::function, number::entry_index, context_.types.token());
}

bool Instance::build(Setting setting) {
    if ((!unrolled_ && !unroll()) || (prepare && !prepare(pattern_))) return false;
    reserve_neutral();
    const auto* nexts = style_.plain ? nullptr : style_.continuations;
    if (nexts && !nexts->empty() && choices_.likely(likely_continued))
        next_ = &(*nexts)[choices_.below(static_cast<std::uint32_t>(nexts->size()))];
    if (!roots(setting)) return false;
    if (setting == Setting::Shared) share();
    return finish();
}

bool Instance::finish() {
    for (NodeId result : function_.results) function_.result_types.push_back(function_.graph.type(result));
    if (builder_.token_used()) function_.entry = entry(), function_.exit = builder_.token();
    return !function_.results.empty() || function_.exit;
}

std::optional<std::vector<TypeId>> Instance::chosen(OpenList list) {
    std::vector<TypeId> out;
    for (OpenType open : types_.items(list)) {
        auto type = types_.choose(open);
        if (!type) return std::nullopt;
        out.push_back(*type);
    }
    return out;
}

Bindings Instance::bindings() {
    Bindings out(rule_.variables.size());
    for (std::uint32_t i = 0; i < out.size(); ++i) {
        VariableId v{i};
        Binding& binding = out[i];
        for (std::size_t k = 0; k < pattern_.length(v).value_or(1); ++k) {
            if (auto id = pattern_.piece_of(v, k); id && built_.contains(*id)) binding.items.push_back(built_.at(*id));
            if (auto body = bodies_.find({v, k}); body != bodies_.end())
                binding.items.push_back(body->second.result), binding.holes = body->second.holes;
        }
        if (auto block = wholes_.find(v); block != wholes_.end()) binding.block = block->second;
        if (rule_[v].kind == VariableKind::Type) binding.type = pattern_.type_variable(v).value_or(TypeId{});
        if (auto dim = dimensions_.find(v); dim != dimensions_.end()) binding.dim = Dim::named(dim->second);
        binding.bound = true;
    }
    return out;
}

// -- conditions by construction ---------------------------------------------------------------------

bool Instance::is_leaf(TermId id) const {
    const Term& term = rule_[id];
    if (term.kind != TermKind::Variable || rule_[term.variable].sequence) return false;
    VariableKind kind = rule_[term.variable].kind;
    return (kind == VariableKind::Node || kind == VariableKind::Literal) && !built_terms_.contains(term.variable);
}

void Instance::find_asked(std::span<const Condition> conditions) {
    for (const Condition& c : conditions) {
        if (c.kind == Condition::Kind::Ask && rule_[c.a].kind == TermKind::Variable) asked_.insert(rule_[c.a].variable);
        find_asked(c.parts);
    }
}

// One of a few, as parameters say: what an analysis knows of it is the join of what it knows of these.
NodeId Instance::one_of_literals(TypeId type) {
    const OpId select = context_.operations.find(context_.symbols.add("select"))[0];
    NodeId made = terms_.literal(type);
    for (std::uint32_t others = choices_.weighted({50, 35, 15}); others > 0; --others) {
        const std::array operands{terms_.param(context_.types.boolean(), {}), terms_.literal(type), made};
        made = builder_.apply(select, Attributes::none(), operands).value_or(made);
    }
    return made;
}

void Instance::find_definitions() {
    find_asked(rule_.conditions);
    for (const Condition& c : rule_.conditions)
        if (c.kind == Condition::Kind::Build) built_terms_[c.variable] = c.a, definitions_.emplace(c.variable, c.a);
    for (const Condition& c : rule_.conditions) {
        if (c.kind != Condition::Kind::Compare || context_.symbols[c.text] != "==") continue;
        TermId to = is_leaf(c.b) && !is_leaf(c.a) ? c.b : c.a, from = to == c.a ? c.b : c.a;
        compares_built_ = compares_built_ ||
                          (built_terms_.contains(rule_[c.a].variable) && built_terms_.contains(rule_[c.b].variable));
        if (is_leaf(to)) definitions_.emplace(rule_[to].variable, from);
    }
}

// Binds what `term` mentions, building it where need be.
bool Instance::bind_variables(TermId id) {
    const Term& term = rule_[id];
    if (term.variable && !bindings_[term.variable.index].bound) {
        VariableId v = term.variable;
        Binding binding{.bound = true, .items = {}, .holes = {}, .block = {}, .type = {}, .dim = {}};
        if (auto built = built_terms_.find(v); built != built_terms_.end()) {
            if (!bind_variables(built->second)) return false;
            Instantiation instantiation(builder_, rule_, bindings_, around_);
            auto nodes = instantiation.build(built->second);
            if (!nodes) return false;
            binding.items = *nodes;
        } else if (rule_[v].kind == VariableKind::Node || rule_[v].kind == VariableKind::Literal) {
            std::size_t count = rule_[v].sequence ? pattern_.length(v).value_or(0) : 1;
            for (std::size_t i = 0; i < count; ++i) {
                auto of = pattern_.piece_of(v, i);
                auto node = of ? piece(*of) : std::nullopt;
                if (!node) return false;
                binding.items.push_back(*node);
            }
        } else
            return false;
        bindings_[v.index] = std::move(binding);
    }
    for (TermId operand : term.operands)
        if (!bind_variables(operand)) return false;
    for (const BlockTerm& block : term.blocks)
        for (TermId result : block.results)
            if (!bind_variables(result)) return false;
    return true;
}

std::optional<NodeId> Instance::defined(VariableId variable, TypeId type) {
    auto found = definitions_.find(variable);
    if (found == definitions_.end()) return std::nullopt;
    TermId term = found->second;
    definitions_.erase(found); // once: it may mention itself
    if (!bind_variables(term)) return std::nullopt;
    Instantiation instantiation(builder_, rule_, bindings_, around_);
    auto nodes = instantiation.build(term, type);
    if (!nodes || nodes->size() != 1 || !context_.types.agree(function_.graph.type((*nodes)[0]), type))
        return std::nullopt;
    return (*nodes)[0];
}

// -- pieces -----------------------------------------------------------------------------------------

std::optional<NodeId> Instance::piece(PieceId id) {
    id = pattern_.find(id);
    if (auto found = built_.find(id); found != built_.end()) return found->second;
    auto made = make(id, pattern_[id]);
    if (made) built_.emplace(id, *made);
    return made;
}

std::optional<NodeId> Instance::make(PieceId id, const PatternNode& piece) {
    switch (piece.kind) {
    case PatternNode::Kind::Leaf:
        if (const auto made = continued(id, piece)) return made;
        return leaf(id, piece);
    case PatternNode::Kind::Literal:
    case PatternNode::Kind::Number:
        if (const auto made = continued(id, piece); made && function_.graph.is_literal(*made)) return made;
        return literal(id, piece);
    case PatternNode::Kind::Constant: {
        const AttrValue& value = rule_[piece.term].constant;
        if (value.kind == AttrValue::Kind::Text) return function_.graph.text(context_.symbols[value.text()]);
        return function_.graph.literal(value.type, value.bits);
    }
    case PatternNode::Kind::Param: {
        auto found = params_.find({piece.variable, piece.element});
        return found == params_.end() ? std::nullopt : std::optional(found->second);
    }
    case PatternNode::Kind::Apply: return apply(id, piece);
    case PatternNode::Kind::Project: return project(piece);
    case PatternNode::Kind::Field: {
        auto whole = this->piece(piece.operands[0]);
        return whole ? std::optional(builder_.field(*whole, piece.position)) : std::nullopt;
    }
    case PatternNode::Kind::Node: return node(piece);
    case PatternNode::Kind::Tuple:
    case PatternNode::Kind::List:
    case PatternNode::Kind::Struct:
    case PatternNode::Kind::Call: break;
    }
    Nodes operands;
    for (PieceId operand : piece.operands) {
        auto node = this->piece(operand);
        if (!node) return std::nullopt;
        operands.push_back(*node);
    }
    auto results = chosen(piece.results);
    if (!results) return std::nullopt;
    TypeId type = context_.types.results(*results);
    Core core = piece.kind == PatternNode::Kind::Tuple    ? Core::Tuple
                : piece.kind == PatternNode::Kind::List   ? Core::List
                : piece.kind == PatternNode::Kind::Struct ? Core::Struct
                                                          : Core::Call;
    AttrId attributes = Attributes::none();
    if (core == Core::Call) {
        AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = piece.callee.index};
        attributes = context_.attributes.add({&name, 1});
        if (const auto& named = rule_[piece.term].attrs; !named.empty()) {
            const NodeId text = function_.graph.text(context_.symbols[piece.callee]);
            Binding& binding = bindings_[named[0].variable.index];
            if (binding.bound && binding.items[0] != text) return std::nullopt;
            binding.bound = true, binding.items = {text};
        }
    }
    if (core == Core::List)
        type = context_.types.array(Dim::constant(static_cast<std::int64_t>(operands.size())),
                                    context_.types.element(type));
    return builder_.apply(Operations::core(core), attributes, operands, {}, type);
}

// Lengths that an annotation names are lengths that the parameter's type tells.
TypeId Instance::annotated(const TypeTerm& term, TypeId type) {
    Types& types = context_.types;
    if (term.kind == TypeTerm::Kind::Opaque && types.is_lowered(types.name(term.type)))
        return annotated(lowered_term(types, term), type);
    TypeKind kind = types.kind(type);
    if (kind == TypeKind::Tuple && term.kind == TypeTerm::Kind::Tuple) {
        std::vector<TypeId> parts(types.elements(type).begin(), types.elements(type).end());
        for (std::size_t i = 0; i < parts.size() && i < term.parts.size(); ++i)
            parts[i] = annotated(term.parts[i], parts[i]);
        return types.tuple(parts);
    }
    if (kind != TypeKind::Array || term.kind != TypeTerm::Kind::Array || has_any_rank(term)) return type;
    TypeId element = annotated(term.parts[0], types.element(type));
    Dim dim;
    if (term.length == TypeTerm::Length::Constant) dim = Dim::constant(term.dim);
    if (term.length == TypeTerm::Length::Variable) {
        static constexpr std::string_view names[] = {"n", "m", "k"};
        auto [it, fresh] = dimensions_.try_emplace(VariableId{static_cast<std::uint32_t>(term.dim)});
        if (fresh) it->second = context_.symbols.add(names[(dimensions_.size() - 1 + choices_.rarely(20)) % 3]);
        dim = Dim::named(it->second);
    }
    return types.array(dim, element);
}

// Of an array that nothing else is about.
std::optional<NodeId> Instance::some_length() {
    const std::array operands{terms_.param(context_.types.array(Dim{}, context_.types.boolean()), {})};
    const OpId len = context_.operations.find(context_.symbols.add("len"))[0];
    return builder_.apply(len, Attributes::none(), operands);
}

std::optional<NodeId> Instance::leaf(PieceId id, const PatternNode& piece) {
    auto type = pattern_.type(id);
    if (!type) return std::nullopt;
    Nodes saved = std::exchange(terms_.locals, base_locals_);
    const bool around =
        std::exchange(terms_.total, piece.variable && pattern_.asks("total", piece.variable) && choices_.likely(80));
    std::optional<NodeId> made;
    if (piece.variable && choices_.likely(90)) made = defined(piece.variable, *type);
    if (!made && piece.variable && pattern_.asks("length", piece.variable) && choices_.likely(95)) made = some_length();
    // An index or a count that is another one in each turn.
    if (!made && style_.sized && *type == context_.types.i64() && !base_locals_.empty() && choices_.rarely(50))
        made = base_locals_.back();
    if (!made && asked_.contains(piece.variable) && context_.types.is_scalar(*type) && choices_.likely(75))
        made = one_of_literals(*type);
    if (!made && asked_.contains(piece.variable) && !context_.types.is_scalar(*type) && choices_.likely(75))
        made = terms_.operation(*type, 0);
    SymbolId name = piece.variable ? rule_[piece.variable].name : SymbolId{};
    const TypeTerm* annotation = piece.variable ? pattern_.annotation(piece.variable) : nullptr;
    if (!made && annotation && context_.types.kind(*type) == TypeKind::Array && can_be_param(context_.types, *type))
        made = terms_.param(annotated(*annotation, *type), name);
    if (!made && style_.symbolic && piece.variable && !can_be_param(context_.types, *type))
        made = symbolic(piece, {}, *type);
    if (!made && !terms_.total && !style_.plain && choices_.rarely(doubtful_leaves)) made = terms_.doubtful(*type, {});
    if (!made) made = terms_.term(*type, style_.depth, name);
    terms_.total = around;
    terms_.locals = std::move(saved);
    return made;
}

// So that another rule applies to the result.
std::optional<NodeId> Instance::continued(PieceId id, const PatternNode& piece) {
    if (!next_ || !piece.variable) return std::nullopt;
    const auto found = next_->patterns.find({piece.variable, piece.element});
    const auto type = found == next_->patterns.end() ? std::nullopt : pattern_.type(id);
    if (!type) return std::nullopt;
    const auto made = term_of_pattern(terms_, builder_, choices_, style_.depth, *next_->next, found->second, *type);
    return made && context_.types.agree(function_.graph.type(*made), *type) ? made : std::nullopt;
}

std::optional<NodeId> Instance::literal(PieceId id, const PatternNode& piece) {
    auto type = pattern_.type(id);
    if (!type) return std::nullopt;
    if (piece.variable && rule_[piece.variable].compound) return terms_.constant(*type);
    if (!context_.types.is_scalar(*type)) return std::nullopt;
    if (piece.kind == PatternNode::Kind::Number) {
        auto bits =
            parse_scalar(context_.types.kind(*type), split_number(context_.symbols[rule_[piece.term].text]).digits);
        return bits ? std::optional(function_.graph.literal(*type, *bits)) : std::nullopt;
    }
    if (auto at = pattern_.positions.find({piece.variable, piece.element}); at != pattern_.positions.end())
        return function_.graph.literal(*type, at->second);
    if (auto bits = found_literal(piece.variable)) return function_.graph.literal(*type, *bits);
    if (style_.pick) return std::nullopt;
    if (auto made = defined(piece.variable, *type); made && function_.graph.is_number(*made)) return made;
    return terms_.literal(*type);
}

// The literal that the search has found for a variable, if the search is used at all.
std::optional<std::uint64_t> Instance::found_literal(VariableId variable) {
    if (!style_.search) return std::nullopt;
    std::span<const VariableId> variables = style_.search->variables();
    if (!tuple_) {
        tuple_ = nullptr;
        if (!style_.pick && (!style_.search->conditional() || choices_.rarely(35))) return std::nullopt;
        std::vector<TypeId> types(rule_.variables.size());
        for (std::uint32_t i = 0; i < types.size(); ++i)
            if (auto of = pattern_.piece_of(VariableId{i})) {
                auto type = pattern_.type(*of);
                if (type && context_.types.is_scalar(*type)) types[i] = *type;
            }
        for (std::size_t i = 0; i < variables.size(); ++i)
            if (TypeId type = style_.search->type_of_attribute(i); type && !types[variables[i].index])
                types[variables[i].index] = type;
        if (std::ranges::any_of(variables, [&](VariableId v) { return !types[v.index]; })) return std::nullopt;
        const LiteralSearch::Found& found = style_.search->find(types);
        const auto& among = found.tight.empty() || choices_.rarely(40) ? found.tuples : found.tight;
        if (style_.pick)
            tuple_ = LiteralSearch::selected(found, style_.pick->k, style_.pick->most);
        else if (!among.empty())
            tuple_ = &among[choices_.below(static_cast<std::uint32_t>(among.size()))];
    }
    auto at = std::ranges::find(variables, variable);
    if (!*tuple_ || at == variables.end()) return std::nullopt;
    return (**tuple_)[static_cast<std::size_t>(at - variables.begin())];
}

std::optional<NodeId> Instance::project(const PatternNode& piece) {
    auto whole = this->piece(piece.operands[0]);
    if (!whole || piece.whole) return whole;
    Graph& graph = function_.graph;
    if (graph.kind(*whole) == TypeKind::Results) return builder_.project(*whole, piece.position);
    if (graph.kind(*whole) != TypeKind::Tuple) return std::nullopt;
    return builder_.element(*whole, piece.position);
}

} // namespace irrewrite
