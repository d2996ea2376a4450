#include "engine/jit/first_order.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/jit/lower_rule.hpp"

#include <algorithm>

namespace irrewrite::term {

bool is_plain(const Context& context, OpId op) {
    const Operation& operation = context.operations[op];
    const Signature& signature = operation.signature;
    if (operation.core != Core::None || operation.primitive >= 0 || !operation.has(Trait::Pure)) return false;
    if (operation.commutative() || operation.takes_token() || operation.guards >= 0) return false;
    if (!operation.attributes.empty() || !signature.blocks.empty() || signature.results.size() != 1) return false;
    auto known = [&](const TypeTerm& term) {
        if (term.kind != TypeTerm::Kind::Known || term.sequence) return false;
        TypeKind kind = context.types.kind(term.type);
        return kind == TypeKind::Opaque || context.types.is_scalar(term.type);
    };
    return std::ranges::all_of(signature.operands, known) && known(signature.results[0]);
}

Symbol Program::add(const Context& context, OpId op) {
    auto [it, fresh] = symbols.try_emplace(op, first_operation + static_cast<Symbol>(operations.size()));
    if (fresh) {
        operations.push_back(op);
        arities.push_back(static_cast<std::uint32_t>(context.operations[op].signature.operands.size()));
    }
    return it->second;
}

namespace {

// Decides by unification if a rule may build the very term that it matched, which does not count as applying: its left
// and right sides then have a common instance. (J. A. Robinson, "A Machine-Oriented Logic Based on the Resolution
// Principle"; the trees are small.)
class Unifier {
  public:
    explicit Unifier(std::size_t variables) : bound_(variables) {}

    bool unify(const Shape& given_a, const Shape& given_b) {
        const Shape &a = resolve(given_a), &b = resolve(given_b);
        if (a.kind == Shape::Kind::Variable && b.kind == Shape::Kind::Variable && a.variable == b.variable) return true;
        if (a.kind == Shape::Kind::Variable) return bind(a.variable, b);
        if (b.kind == Shape::Kind::Variable) return bind(b.variable, a);
        if (is_open(a) || is_open(b)) return true;
        if (a.kind != b.kind || a.symbol != b.symbol || a.parts.size() != b.parts.size()) return false;
        if (a.kind == Shape::Kind::Literal) return a.value == b.value;
        for (std::size_t i = 0; i < a.parts.size(); ++i)
            if (!unify(a.parts[i], b.parts[i])) return false;
        return true;
    }

  private:
    static bool is_open(const Shape& s) { return s.kind == Shape::Kind::Any || s.kind == Shape::Kind::Compute; }
    const Shape& resolve(const Shape& s) const {
        const Shape* at = &s;
        while (at->kind == Shape::Kind::Variable && bound_[at->variable]) at = bound_[at->variable];
        return *at;
    }
    bool bind(std::uint32_t variable, const Shape& to) {
        if (occurs(variable, to)) return false;
        bound_[variable] = &to;
        return true;
    }
    bool occurs(std::uint32_t variable, const Shape& given) const {
        const Shape& s = resolve(given);
        if (s.kind == Shape::Kind::Variable) return s.variable == variable;
        return std::ranges::any_of(s.parts, [&](const Shape& part) { return occurs(variable, part); });
    }

    std::vector<const Shape*> bound_;
};

bool may_stand_still(Symbol symbol, const Rule& rule) {
    if (rule.right.kind != Shape::Kind::Cell || rule.right.symbol != symbol) return false;
    Unifier unifier(rule.variables);
    for (std::size_t i = 0; i < rule.operands.size(); ++i)
        if (!unifier.unify(rule.operands[i], rule.right.parts[i])) return false;
    return true;
}

} // namespace

std::optional<Program> compile(const Context& context, const RuleBase& base, std::span<const RuleId> rules) {
    Program program;
    std::unordered_map<Symbol, std::size_t> index;
    for (RuleId id : rules) {
        Lowering lowering(context, base[id], program);
        auto symbol = lowering.root();
        if (!symbol || program.arity(*symbol) > max_arity) return std::nullopt;
        std::optional<Rule> rule = lowering.rule();
        if (!rule) return std::nullopt;
        rule->may_stand_still = may_stand_still(*symbol, *rule);
        if (rule->may_stand_still && rule->built > 0) return std::nullopt; // literals would have to be compared
        rule->id = id;
        auto [it, fresh] = index.try_emplace(*symbol, program.definitions.size());
        if (fresh) program.definitions.push_back({*symbol, {}});
        program.definitions[it->second].rules.push_back(std::move(*rule));
    }
    program.defined.assign(first_operation + program.operations.size(), -1);
    for (auto [symbol, definition] : index) program.defined[symbol] = static_cast<std::int32_t>(definition);
    return program;
}

} // namespace irrewrite::term
