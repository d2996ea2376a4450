// Type checks when a rule is loaded: signatures with one meaning, annotations, numerals.
//
// A guess is a type, a class of types, or nothing; lengths are ignored. Terms are visited once, children first, as they
// are stored; a rule whose sides can only have different types is an error.
#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"
#include "grammar/program/type_classes.hpp"
#include "grammar/rules/rule_reader.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

struct Guess {
    TypeId type;                    // known
    TypeClass cls = TypeClass::Any; // else what it belongs to
    bool known() const { return static_cast<bool>(type); }
};

class TypeChecker {
  public:
    TypeChecker(Loading& loading, const Rule& rule)
        : loading_(loading), types_(loading.context.types), rule_(rule), terms_(rule.terms.size()),
          variables_(rule.variables.size()) {}

    void run() {
        const std::size_t errors = loading_.diagnostics.errors();
        // A later binding may determine an earlier guess: two passes are enough for most.
        for (int round = 0; round < 2; ++round)
            for (std::uint32_t i = 0; i < rule_.terms.size(); ++i) terms_[i] = guess(rule_.terms[i], round == 1);
        if (loading_.diagnostics.errors() > errors) return; // what follows may follow from that
        for (const Condition& condition : rule_.conditions) compare(condition);
        if (rule_.left.size() == 1 && rule_.right.size() == 1 && !rule_[rule_.right[0]].sequence) compare_sides();
    }

  private:
    void compare_sides() {
        const Guess left = terms_[rule_.left[0].index], right = terms_[rule_.right[0].index];
        if (agree(left, right)) return;
        loading_.diagnostics.error(rule_[rule_.right[0]].where,
                                   "the right side is " + text(right) + ", the left side " + text(left));
    }

    // Both sides of a comparison must be able to have one type.
    void compare(const Condition& condition) {
        for (const Condition& part : condition.parts) compare(part);
        if (condition.kind != Condition::Kind::Compare) return;
        const Guess a = terms_[condition.a.index], b = terms_[condition.b.index];
        if (agree(a, b)) return fits(condition.a, b), fits(condition.b, a);
        loading_.diagnostics.error(condition.where, "this compares " + text(a) + " with " + text(b));
    }

    // A type that is opaque until some phase may be either by the time the rule applies; what it becomes may be such a
    // type again.
    TypeId transparent(TypeId type) {
        const auto next = [&](TypeId opaque) {
            for (const OpaqueType& declared : loading_.base.opaque)
                if (declared.as && declared.name == types_.name(opaque)) return types_.represent(opaque, declared.as);
            return opaque;
        };
        for (std::size_t steps = loading_.base.opaque.size(); steps > 0; --steps) type = types_.map_opaque(type, next);
        return type;
    }

    // A type of any rank that becomes `[n...]?T`: an array, or no array where the rank is 0.
    bool may_be_any(TypeId type) {
        const TypeId later = transparent(type);
        return types_.kind(later) == TypeKind::Array && types_.dim(later).kind == DimKind::Sequence;
    }

    bool agree(Guess a, Guess b) {
        if ((a.known() && may_be_any(a.type)) || (b.known() && may_be_any(b.type))) return may_become(a, b);
        if (a.known() && b.known()) {
            const TypeKind kind = types_.kind(a.type), other = types_.kind(b.type);
            if (kind == TypeKind::Emission && other == kind) return true; // once(…) is an emission(…)
            return types_.agree(a.type, b.type) || types_.agree(transparent(a.type), transparent(b.type));
        }
        if (a.known()) return belongs(types_, transparent(a.type), b.cls) || belongs(types_, a.type, b.cls);
        if (b.known()) return agree(b, a);
        return !disjoint(a.cls, b.cls);
    }

    // One of them is of any rank. Before its phase it is what it is declared as.
    bool may_become(Guess a, Guess b) {
        const auto is_opaque = [&](Guess g) { return g.known() && types_.kind(g.type) == TypeKind::Opaque; };
        const bool is_other = is_opaque(a) && is_opaque(b) && types_.name(a.type) == types_.name(b.type);
        return !is_other || types_.agree(a.type, b.type);
    }

    static Guess narrower(Guess a, Guess b) {
        if (a.known()) return a;
        if (b.known()) return b;
        return within(b.cls, a.cls) ? b : a;
    }

    std::string text(Guess guess) const {
        if (guess.known()) return "a value of the type '" + types_.text(guess.type, loading_.context.symbols) + "'";
        switch (guess.cls) {
        case TypeClass::Int: return "an integer";
        case TypeClass::Signed: return "a signed integer";
        case TypeClass::Unsigned: return "an unsigned integer";
        case TypeClass::Float: return "a float";
        case TypeClass::Num: return "a number";
        case TypeClass::Bool: return "a bool";
        case TypeClass::Bits: return "an integer or bool";
        case TypeClass::Scalar: return "a scalar";
        case TypeClass::Array: return "an array";
        case TypeClass::Record: return "a tuple or struct";
        case TypeClass::Any: break;
        }
        return "of any type";
    }

    Guess guess(const Term& term, bool report) {
        switch (term.kind) {
        case TermKind::Variable: return variable(term);
        case TermKind::Number: return number(term);
        case TermKind::Constant:
            if (term.constant.kind == AttrValue::Kind::Number) return {term.constant.type, {}};
            return {{}, TypeClass::Array};
        case TermKind::Count: return {types_.i64(), {}};
        case TermKind::Struct: return {term.type, {}};
        case TermKind::Compute: return terms_[term.operands[0].index];
        case TermKind::Named: {
            const Guess inner = terms_[term.operands[0].index];
            if (term.variable) note(term.variable, inner);
            return inner;
        }
        case TermKind::Node: return term.ops.size() == 1 && !term.sequence ? node(term, report) : Guess{};
        case TermKind::Parts:
        case TermKind::Record:
        case TermKind::Project:
        case TermKind::Field:
        case TermKind::Apply:
        case TermKind::Wildcard:
        case TermKind::Strategy:
        case TermKind::Call:
        case TermKind::Query: return {};
        }
        return {};
    }

    Guess number(const Term& term) const {
        if (term.type) return {term.type, {}};
        return {{}, split_number(loading_.context.symbols[term.text]).is_float ? TypeClass::Float : TypeClass::Num};
    }

    Guess variable(const Term& term) {
        const Variable& variable = rule_[term.variable];
        if (variable.sequence || variable.kind == VariableKind::Param) return {};
        if (variable.kind == VariableKind::Dim) return {types_.i64(), {}};
        Guess said{{}, term.annotation_class};
        if (term.annotation &&
            (term.annotation->kind == TypeTerm::Kind::Known || term.annotation->kind == TypeTerm::Kind::Opaque))
            said.type = term.annotation->type;
        if (term.annotation && term.annotation->kind == TypeTerm::Kind::Array && !has_any_rank(*term.annotation))
            said.cls = TypeClass::Array;
        note(term.variable, said);
        return narrower(variables_[term.variable.index], said);
    }

    void note(VariableId id, Guess guess) { variables_[id.index] = narrower(variables_[id.index], guess); }

    // Operands that answer to one type variable have one type, the result perhaps as well.
    Guess node(const Term& term, bool report) {
        const Operation& operation = loading_.context.operations[term.ops[0]];
        const Signature& signature = operation.signature;
        if (operation.core != Core::None) return {};
        std::vector<Guess> bound;
        for (TypeClass cls : signature.type_variables) bound.push_back({{}, cls});
        if (term.operands.size() == signature.operands.size() && !compares_wholes(term))
            operands(term, signature, bound, report);
        if (report) blocks(term, signature);
        if (signature.results.size() != 1 || signature.results[0].sequence) return {};
        return result(term, signature.results[0], bound);
    }

    // `==` of arrays, tuples or structs on a right side.
    bool compares_wholes(const Term& term) {
        return term.compares && std::ranges::any_of(term.operands, [&](TermId operand) {
                   const Guess guess = terms_[operand.index];
                   return guess.known() ? belongs(types_, transparent(guess.type), TypeClass::Array) ||
                                              belongs(types_, transparent(guess.type), TypeClass::Record)
                                        : guess.cls == TypeClass::Array || guess.cls == TypeClass::Record;
               });
    }

    // An operand that may have several results.
    bool may_be_several(TermId id) const {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Call) return true;
        if (term.kind != TermKind::Node) return false;
        const auto one = [&](const BlockTerm& block) {
            return !block.whole && block.results.size() == 1 && !rule_[block.results[0]].sequence;
        };
        return std::ranges::any_of(term.ops, [&](OpId op) {
            const Operation& operation = loading_.context.operations[op];
            if (operation.core != Core::None) return false;
            const auto count = operation.signature.result_count();
            return count ? *count > 1 : term.blocks.empty() || !std::ranges::all_of(term.blocks, one);
        });
    }

    // A block that is written out has as many parameters as the operands ask for.
    void blocks(const Term& term, const Signature& signature) {
        const auto is_sequence = [&](auto id) { return rule_[id].sequence; };
        if (std::ranges::any_of(term.operands, [&](TermId id) { return is_sequence(id) || may_be_several(id); }))
            return;
        for (std::size_t b = 0; b < std::min(term.blocks.size(), signature.blocks.size()); ++b) {
            const BlockTerm& block = term.blocks[b];
            if (block.whole || std::ranges::any_of(block.params, is_sequence)) continue;
            const auto due = parameters_due(signature, b, term.operands.size());
            if (!due || *due == block.params.size()) continue;
            loading_.diagnostics.error(
                term.where, "a block with " + counted(block.params.size(), "parameter") + ", where '" +
                                std::string(loading_.context.symbols[loading_.context.operations[term.ops[0]].name]) +
                                "' of these operands has " + std::to_string(*due));
        }
    }

    void operands(const Term& term, const Signature& signature, std::vector<Guess>& bound, bool report) {
        for (const TypeTerm& declared : signature.operands)
            if (declared.sequence) return;
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            if (rule_[term.operands[i]].sequence) return;
            const Guess given = terms_[term.operands[i].index];
            Guess due = result(term, signature.operands[i], bound);
            if (!agree(due, given) || (given.known() && !bind(signature.operands[i], given.type, bound))) {
                if (report) conflict(term, term.operands[i], given, due);
                continue;
            }
            if (signature.operands[i].kind == TypeTerm::Kind::Variable)
                due = bound[signature.operands[i].variable] = narrower(due, given);
            learn(term.operands[i], due);
        }
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            const Guess due = result(term, signature.operands[i], bound);
            learn(term.operands[i], due);
            if (!report) continue;
            if (is_literal(term.operands[i]) && never_literal(due)) conflict(term, term.operands[i], "a literal", due);
            fits(term.operands[i], due);
        }
    }

    // Binds the type variables inside of a declared type, by a type; false if one of them cannot be that.
    bool bind(const TypeTerm& declared, TypeId given, std::vector<Guess>& bound) {
        using K = TypeTerm::Kind;
        const TypeKind kind = types_.kind(given);
        const bool fits = (declared.kind == K::Array && kind == TypeKind::Array) ||
                          (declared.kind == K::Mut && kind == TypeKind::Mut) ||
                          (declared.kind == K::Ref && kind == TypeKind::Ref) ||
                          (declared.kind == K::Tuple && kind == TypeKind::Tuple) ||
                          (declared.kind == K::Opaque && kind == TypeKind::Opaque);
        const std::vector<TypeId> parts(types_.elements(given).begin(), types_.elements(given).end());
        if (fits && declared.kind == K::Opaque && types_.any_rank(types_.name(given)))
            return bind_element(declared, given, bound);
        if (!fits || has_any_rank(declared) || parts.size() != declared.parts.size()) return true;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const TypeTerm& part = declared.parts[i];
            if (part.sequence) return true;
            if (part.kind != K::Variable) {
                if (!bind(part, parts[i], bound)) return false;
                continue;
            }
            if (!agree(bound[part.variable], {parts[i], {}})) return false;
            bound[part.variable] = narrower(bound[part.variable], {parts[i], {}});
        }
        return true;
    }

    // The elements alone, where the number of dimensions is open.
    bool bind_element(const TypeTerm& declared, TypeId given, std::vector<Guess>& bound) {
        const TypeId element = types_.opaque_element(given);
        if (!element || types_.name(declared.type) != types_.name(given)) return true;
        TypeTerm elements;
        elements.kind = TypeTerm::Kind::Tuple, elements.parts = {declared.parts.back()};
        return bind(elements, types_.tuple({&element, 1}), bound);
    }

    // A declared type in which all variables are known.
    TypeId known(const Term& term, const TypeTerm& declared, const std::vector<Guess>& bound) const {
        using K = TypeTerm::Kind;
        if (declared.sequence) return {};
        std::vector<TypeId> parts;
        if (has_any_rank(declared)) return {};
        const bool has_parts = declared.kind == K::Array || declared.kind == K::Mut || declared.kind == K::Ref ||
                               declared.kind == K::Tuple || declared.kind == K::Opaque;
        if (!has_parts) return result(term, declared, bound).type;
        for (const TypeTerm& part : declared.parts) {
            parts.push_back(known(term, part, bound));
            if (!parts.back()) return {};
        }
        switch (declared.kind) {
        case K::Array: return types_.array({}, parts[0]);
        case K::Mut: return types_.mut({}, parts[0]);
        case K::Ref: return types_.ref(parts[0]);
        case K::Tuple: return types_.tuple(parts);
        default: break;
        }
        if (std::ranges::any_of(declared.parts, &TypeTerm::any_rank)) return declared.type;
        const std::size_t dims = dim_count(types_, declared);
        return types_.opaque(types_.name(declared.type), std::vector<Dim>(dims),
                             parts.size() > dims ? parts.back() : TypeId{});
    }

    bool is_literal(TermId id) const {
        const Term& term = rule_[id];
        return term.kind == TermKind::Variable && rule_[term.variable].kind == VariableKind::Literal;
    }

    // Numbers, truth values and texts are literals.
    bool never_literal(Guess due) {
        if (!due.known() || may_be_any(due.type)) return false;
        const TypeKind kind = types_.kind(transparent(due.type));
        return kind != TypeKind::Array && !belongs(types_, transparent(due.type), TypeClass::Scalar);
    }

    // A numeral is a literal of the type that stands there.
    void fits(TermId id, Guess due) {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Compute) return fits(term.operands[0], due);
        if (term.kind != TermKind::Number || term.type) return;
        const std::string_view digits = loading_.context.symbols[term.text];
        const auto is_one = [&](TypeKind kind) { return parse_scalar(kind, digits).has_value(); };
        const TypeId type = due.known() ? transparent(due.type) : TypeId{};
        if (split_number(digits).is_float) return;
        if (type && belongs(types_, type, TypeClass::Int) && !is_one(types_.kind(type)))
            loading_.diagnostics.error(term.where,
                                       std::string(digits) + " does not fit the type '" +
                                           types_.text(type, loading_.context.symbols) + "'",
                                       digits == "-1" ? "'#(not(0))' is the number whose bits are all set" : "");
        if (!type && within(due.cls, TypeClass::Int) && !is_one(TypeKind::I64) && !is_one(TypeKind::U64))
            loading_.diagnostics.error(term.where, std::string(digits) + " is not an integer of 64 bits");
    }

    // A metavariable that stands as an operand has the operand's type.
    void learn(TermId operand, Guess due) {
        const Term& term = rule_[operand];
        const bool plain = term.kind == TermKind::Variable && !rule_[term.variable].sequence &&
                           rule_[term.variable].kind != VariableKind::Param;
        if (plain && agree(variables_[term.variable.index], due)) note(term.variable, due);
    }

    void conflict(const Term& term, TermId operand, Guess given, Guess due) {
        conflict(term, operand, text(given), due);
    }

    void conflict(const Term& term, TermId operand, const std::string& given, Guess due) {
        const std::string name(loading_.context.symbols[loading_.context.operations[term.ops[0]].name]);
        loading_.diagnostics.error(rule_[operand].where,
                                   "this is " + given + ", where '" + name + "' takes " + text(due));
    }

    Guess result(const Term& term, const TypeTerm& declared, const std::vector<Guess>& bound) const {
        switch (declared.kind) {
        case TypeTerm::Kind::Known: return {declared.type, {}};
        case TypeTerm::Kind::Variable: return bound[declared.variable];
        case TypeTerm::Kind::Array: {
            if (has_any_rank(declared)) return {};
            const TypeId type = known(term, declared, bound);
            return type ? Guess{type, {}} : Guess{{}, TypeClass::Array};
        }
        case TypeTerm::Kind::Attribute: {
            const bool given =
                declared.variable < term.attrs.size() && term.attrs[declared.variable].kind == AttrTerm::Kind::Constant;
            return given ? Guess{term.attrs[declared.variable].constant.type, {}} : Guess{};
        }
        case TypeTerm::Kind::Opaque: {
            const TypeId type = known(term, declared, bound);
            return {type ? type : declared.type, {}};
        }
        case TypeTerm::Kind::Mut:
        case TypeTerm::Kind::Ref:
        case TypeTerm::Kind::Tuple: return {known(term, declared, bound), {}};
        case TypeTerm::Kind::Generator:
        case TypeTerm::Kind::Emission:
        case TypeTerm::Kind::Once:
        case TypeTerm::Kind::Any: return {};
        }
        return {};
    }

    Loading& loading_;
    Types& types_;
    const Rule& rule_;
    std::vector<Guess> terms_, variables_;
};

} // namespace

void check_types(Loading& loading, const Rule& rule) { TypeChecker(loading, rule).run(); }

} // namespace irrewrite::grammar
