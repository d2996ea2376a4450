#include "engine/ir/infer_types.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <map>

namespace irrewrite {

namespace {
Dim plain_dim(const Graph& graph, NodeId node) {
    if (graph.is_number(node) && static_cast<std::int64_t>(graph.bits(node)) >= 0)
        return Dim::constant(static_cast<std::int64_t>(graph.bits(node)));
    if (graph.is_param(node) && graph.param_number(node) == number::dims) return Dim::named(graph.name(node));
    return {};
}

// That of a number, of a length that a type names, and of what is one of these where it is anything (`same(%n, %m)`).
Dim dim_of(const Graph& graph, NodeId node) {
    Dim dim = plain_dim(graph, node);
    const std::int32_t primitive = graph.context().operations[graph.op(node)].primitive;
    if (primitive < 0 || !primitive_gives_operands(primitive)) return dim;
    for (NodeId operand : graph.operands(node)) {
        const Dim other = plain_dim(graph, operand);
        if (dim.kind == DimKind::Constant && other.kind == DimKind::Constant && dim != other) return {}; // it faults
        if (dim.kind == DimKind::Unknown || (dim.kind == DimKind::Named && other.kind == DimKind::Constant))
            dim = other;
    }
    return dim;
}
} // namespace

OperandInfo operand_info(const Graph& graph, NodeId node) {
    const TypeId type = graph.type(node);
    return {type, type == graph.context().types.i64() ? dim_of(graph, node) : Dim{}};
}

bool infers_alike(const Graph& graph, TypeId type, NodeId operand, NodeId other) {
    if (operand == other) return true;
    if (graph.type(operand) != graph.type(other)) return false;
    return graph.context().types.is_scalar(type) ||
           operand_info(graph, operand).value == operand_info(graph, other).value;
}

namespace {
// Calls f(variable, under `...`) for each type variable of a term.
template <class F> void visit_variables(const TypeTerm& term, bool sequence, F&& f) {
    sequence = sequence || term.sequence;
    if (term.kind == TypeTerm::Kind::Variable) f(term.variable, sequence);
    for (const TypeTerm& part : term.parts) visit_variables(part, sequence, f);
}
template <class F> void visit_terms(const Signature& signature, F&& f) {
    for (const TypeTerm& term : signature.operands) f(term);
    for (const BlockSignature& block : signature.blocks) {
        for (const TypeTerm& term : block.params) f(term);
        for (const TypeTerm& term : block.results) f(term);
    }
    for (const TypeTerm& term : signature.results) f(term);
}
} // namespace

std::vector<bool> sequence_variables(const Signature& signature) {
    std::vector<bool> result(signature.type_variables.size(), true);
    visit_terms(signature, [&](const TypeTerm& term) {
        visit_variables(term, false, [&](std::uint32_t v, bool sequence) { result[v] = result[v] && sequence; });
    });
    return result;
}

Inference::Inference(Context& context, OpId op, AttrId attrs)
    : context_(context), op_(op), attrs_(attrs), signature_(context.operations[op].signature),
      is_sequence_(sequence_variables(signature_)) {
    bound_.resize(is_sequence_.size());
    sequences_.resize(is_sequence_.size());
    lengths_.resize(is_sequence_.size() + signature_.operands.size());
    dims_.resize(signature_.dim_variables);
    ranks_.resize(signature_.dim_variables);
}

std::optional<std::uint32_t> sequence_of(const TypeTerm& term, const std::vector<bool>& is_sequence) {
    std::optional<std::uint32_t> found;
    visit_variables(term, false, [&](std::uint32_t v, bool) {
        if (is_sequence[v] && !found) found = v;
    });
    return found;
}

namespace {

// Terms under `...`, by the sequence that they run over; the others.
struct Repeated {
    std::map<std::uint32_t, std::size_t> places;
    std::size_t fixed = 0;
    bool open = false; // `...` over something else
};

Repeated repeated(std::span<const TypeTerm> terms, const std::vector<bool>& sequences) {
    Repeated found;
    for (const TypeTerm& term : terms) {
        const auto sequence = term.sequence ? sequence_of(term, sequences) : std::nullopt;
        if (sequence) ++found.places[*sequence];
        found.open = found.open || (term.sequence && !sequence);
        found.fixed += !term.sequence;
    }
    return found;
}

} // namespace

// Either there is one sequence (`reduce(xs…, zs…)`: of half the operands), or the parameters are as many as the operands
// (`foldl(xs…, zs…)`).
std::optional<std::size_t> parameters_due(const Signature& signature, std::size_t block, std::size_t operands) {
    const std::vector<bool> sequences = sequence_variables(signature);
    const Repeated given = repeated(signature.operands, sequences);
    const Repeated due = repeated(signature.blocks[block].params, sequences);
    if (due.open) return std::nullopt;
    if (due.places.empty()) return due.fixed;
    if (given.open || operands < given.fixed) return std::nullopt;
    const std::size_t items = operands - given.fixed;
    if (given.places == due.places) return due.fixed + items;
    const bool same =
        given.places.size() == 1 && due.places.size() == 1 && given.places.begin()->first == due.places.begin()->first;
    if (!same || items % given.places.begin()->second) return std::nullopt;
    return due.fixed + items / given.places.begin()->second * due.places.begin()->second;
}

bool Inference::fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return false;
}

std::string Inference::text(TypeId type) const { return context_.types.text(type, context_.symbols); }

bool Inference::operands(std::span<const OperandInfo> operands, std::span<const BlockShape> blocks) {
    operands_.assign(operands.begin(), operands.end());
    if (!choose_lengths(operands.size(), blocks))
        return fail(context_.operations.accepts(op_, operands.size()) ? "the operands do not fit the blocks"
                                                                      : "wrong number of operands");
    error_.clear();
    if (lacks_arrays())
        return fail("'" + std::string(context_.symbols[context_.operations[op_].name]) + "' needs at least one array");
    return try_operands(operands);
}

// Arrays of one length, `[?n]?A...`, that an operation begins with: without any there is no length.
bool Inference::lacks_arrays() const {
    if (signature_.operands.empty()) return false;
    const TypeTerm& first = signature_.operands[0];
    const bool arrays =
        first.sequence && first.kind == TypeTerm::Kind::Array && first.length == TypeTerm::Length::Variable;
    return arrays && length(first) == 0;
}

bool Inference::try_operands(std::span<const OperandInfo> operands) {
    for (std::size_t round = 0; round <= ranks_.size(); ++round) {
        postponed_ = false;
        if (!unify_operands(operands)) return false;
        if (!postponed_) return true;
    }
    return true; // the type is not determined, perhaps
}

bool Inference::unify_operands(std::span<const OperandInfo> operands) {
    std::size_t next = 0;
    for (const TypeTerm& term : signature_.operands) {
        std::size_t count = term.sequence ? length(term) : 1;
        for (std::size_t k = 0; k < count; ++k, ++next) {
            if (next >= operands.size()) return fail("wrong number of operands");
            if (!operands[next].type) continue;
            std::string inner;
            if (!unify(term, operands[next].type, k, false)) {
                std::string why = error_;
                error_.clear();
                return fail("operand " + std::to_string(next + 1) + " of '" +
                            std::string(context_.symbols[context_.operations[op_].name]) + "' is " +
                            text(operands[next].type) + (why.empty() ? "" : ", " + why));
            }
        }
    }
    return next == operands.size() || fail("wrong number of operands");
}

TypeId Inference::operand(std::size_t i) {
    std::size_t next = 0;
    for (const TypeTerm& term : signature_.operands) {
        std::size_t count = term.sequence ? length(term) : 1;
        if (i < next + count) return build(term, i - next).value_or(TypeId{});
        next += count;
    }
    return {};
}

// -- what follows -----------------------------------------------------------------------------------

std::optional<Dim> Inference::build_dim(const TypeTerm& term) const {
    switch (term.length) {
    case TypeTerm::Length::Unknown: return Dim{};
    case TypeTerm::Length::Constant: return Dim::constant(term.dim);
    case TypeTerm::Length::Named: return Dim{DimKind::Named, term.dim};
    case TypeTerm::Length::Variable: return dims_[static_cast<std::size_t>(term.dim)].value_or(Dim{});
    case TypeTerm::Length::Operand: return operands_[static_cast<std::size_t>(term.dim)].value;
    case TypeTerm::Length::Each: return each_once_ ? Dim{DimKind::Each, 0} : Dim{};
    }
    return std::nullopt;
}

std::optional<TypeId> Inference::build(const TypeTerm& term, std::size_t position) {
    Types& types = context_.types;
    using K = TypeTerm::Kind;
    std::vector<TypeId> parts;
    switch (term.kind) {
    case K::Known: return types.lowered(term.type);
    case K::Any: return std::nullopt;
    case K::Attribute: {
        auto attrs = context_.attributes[attrs_];
        if (attrs.size() <= term.variable) return std::nullopt;
        return attrs[term.variable].type;
    }
    case K::Variable: {
        TypeId bound = !is_sequence_[term.variable]                  ? bound_[term.variable]
                       : position < sequences_[term.variable].size() ? sequences_[term.variable][position]
                                                                     : TypeId{};
        if (!bound) return std::nullopt;
        return bound;
    }
    case K::Array:
        if (has_any_rank(term)) return build_nested(term, position);
        [[fallthrough]];
    case K::Mut:
    case K::Ref: {
        auto element = build(term.parts[0], position);
        auto dim = build_dim(term);
        if (!element || !dim) return std::nullopt;
        if (term.kind == K::Ref) return types.ref(*element);
        return term.kind == K::Array ? types.array(*dim, *element) : types.mut(*dim, *element);
    }
    case K::Opaque: return build_opaque(term, position);
    case K::Tuple:
        if (!build_list(term.parts, parts)) return std::nullopt;
        return types.tuple(parts);
    case K::Generator:
        if (!build_list(term.parts, parts)) return std::nullopt;
        return types.generator(parts);
    case K::Emission:
    case K::Once:
        if (!build_list(term.parts, parts)) return std::nullopt;
        return types.emission(parts, term.kind == K::Once);
    }
    return std::nullopt;
}

bool Inference::build_list(std::span<const TypeTerm> terms, std::vector<TypeId>& out) {
    for (const TypeTerm& term : terms) {
        auto v = term.sequence ? sequence_of(term, is_sequence_) : std::nullopt;
        std::size_t count = !term.sequence ? 1 : v ? std::max(sequences_[*v].size(), lengths_[*v].value_or(0)) : 0;
        for (std::size_t k = 0; k < count; ++k) {
            auto type = build(term, k);
            if (!type) return false;
            out.push_back(*type);
        }
    }
    return true;
}

std::optional<std::vector<TypeId>> Inference::block_params(std::size_t i) {
    std::vector<TypeId> out;
    if (!build_list(signature_.blocks[i].params, out)) return std::nullopt;
    return out;
}

std::vector<TypeId> Inference::expected_results(std::size_t i, std::size_t count) {
    std::vector<TypeId> out;
    const auto& terms = signature_.blocks[i].results;
    if (terms.size() == 1 && terms[0].sequence) {
        for (std::size_t k = 0; k < count; ++k) out.push_back(build(terms[0], k).value_or(TypeId{}));
        return out;
    }
    for (const TypeTerm& term : terms) {
        auto v = term.sequence ? sequence_of(term, is_sequence_) : std::nullopt;
        std::size_t n = !term.sequence ? 1 : v ? sequences_[*v].size() : 0;
        for (std::size_t k = 0; k < n; ++k) out.push_back(build(term, k).value_or(TypeId{}));
    }
    return out;
}

bool Inference::block(std::size_t i, std::span<const TypeId> results) {
    auto before = block_params(i);
    const auto& terms = signature_.blocks[i].results;
    // gen(?R...)...: the lists of all generators follow each other.
    bool append = terms.size() == 1 && terms[0].sequence && terms[0].kind != TypeTerm::Kind::Variable &&
                  terms[0].kind != TypeTerm::Kind::Array;
    if (append) {
        for (TypeId result : results)
            if (!unify(terms[0], result, 0, true)) return false;
    } else if (!unify_list(terms, results, false))
        return false;
    if (before && block_params(i) != before) settled_ = false;
    return true;
}

// True if the generators of a block take something exactly once for each index of the enclosing loop: not several times
// (the operation runs its block so many times, or for what is emitted), and not for each key.
bool Inference::runs_once() const {
    const auto groups = [](const BlockSignature& block) {
        return std::ranges::any_of(block.params, [](const TypeTerm& p) { return p.kind == TypeTerm::Kind::Emission; });
    };
    return each_once_ && !context_.operations[op_].has(Trait::Counts) &&
           !std::ranges::any_of(signature_.blocks, groups);
}

std::optional<TypeId> Inference::result() {
    std::vector<TypeId> results;
    if (!build_list(signature_.results, results)) return std::nullopt;
    for (TypeId& type : results) {
        const bool generator = context_.types.kind(type) == TypeKind::Generator;
        if (generator ? runs_once() : operands_.empty()) continue;
        const Dim extent = generator ? Dim{} : operands_[0].value;
        type = context_.types.map_dims(type, [&](Dim d) { return d.kind == DimKind::Each ? extent : d; });
    }
    return context_.types.results(results);
}

Inferred infer(const Graph& graph, OpId op, AttrId attrs, std::span<const NodeId> operands,
               std::span<const BlockId> blocks) {
    Context& context = graph.context();
    const Operation& operation = context.operations[op];
    std::vector<TypeId> types;
    for (NodeId operand : operands) types.push_back(graph.type(operand));
    switch (operation.core) { // the notations of their own
    case Core::Tuple: return {context.types.tuple(types), {}};
    case Core::Pack: return {context.types.results(types), {}};
    case Core::Await: return {context.types.unit(), {}};
    case Core::Project:
    case Core::Element: return {context.types.elements(types[0])[context.attributes[attrs][0].bits], {}};
    case Core::Field: return {context.types.fields(types[0])[context.attributes[attrs][0].bits].type, {}};
    case Core::None: break;
    default: return {std::nullopt, "the type must be given"};
    }
    std::vector<OperandInfo> infos;
    for (NodeId operand : operands) infos.push_back(operand_info(graph, operand));
    std::vector<BlockShape> shapes;
    for (BlockId block : blocks) shapes.push_back(block_shape(graph, block));
    Inference inference(context, op, attrs);
    if (!inference.operands(infos, shapes)) return {std::nullopt, inference.error()};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::vector<TypeId> results;
        for (NodeId result : graph.results(blocks[i])) results.push_back(graph.type(result));
        if (!inference.block(i, results)) return {std::nullopt, inference.error()};
    }
    auto type = inference.result();
    if (!type) return {std::nullopt, inference.error().empty() ? "the type is not determined" : inference.error()};
    return {type, {}};
}

} // namespace irrewrite
