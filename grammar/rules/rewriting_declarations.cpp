#include "grammar/rules/rewriting_declarations.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/program/signature.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

void normalize(Loading& loading, const RuleFile& file, SyntaxId id, RuleSetId set) {
    RuleBase& base = loading.base;
    if (base[set].parameters)
        loading.diagnostics.error(
            file.tree.name_span(id),
            quoted(file.tree.name(id)) +
                " has parameters, so 'normalize' cannot apply it: nodes that are built give no arguments");
    else if (std::ranges::find(base.normalize, set) == base.normalize.end())
        base.normalize.push_back(set);
    loading.normalize_uses.back().sets.push_back(set);
}

void report_ambiguous(Loading& loading, const RuleFile& file, SyntaxId id, const std::vector<NamedItem>& sets) {
    const auto name = [&](std::size_t i) {
        return quoted(loading.context.symbols[loading.base.sets[sets[i].index].full_name]);
    };
    auto& diagnostic = loading.diagnostics.error(file.tree.name_span(id), quoted(file.tree.name(id)) + " may mean " +
                                                                              name(0) + " or " + name(1));
    for (const NamedItem& set : sets) diagnostic.notes.push_back({loading.base.sets[set.index].where, "one is here"});
}

} // namespace

static void read_normalize(Loading& loading, const RuleFile& file, SyntaxId id) {
    for (SyntaxId child : file.tree.children_of(id)) {
        const SymbolId name = loading.context.symbols.add(file.tree.name(child));
        const auto sets = loading.names.find(name, NameKind::Set, file.number);
        const auto files = loading.names.find(name, NameKind::File, file.number);
        loading.normalize_uses.push_back({{}, file.tree.name_span(child)});
        if (sets.size() == 1) {
            normalize(loading, file, child, RuleSetId{sets[0].index});
        } else if (sets.size() > 1) {
            report_ambiguous(loading, file, child, sets);
        } else if (files.size() == 1) {
            for (RuleSetId set : loading.names.sets_of(files[0].index))
                if (!loading.base[set].parameters) normalize(loading, file, child, set);
        } else {
            loading.diagnostics.unknown(
                file.tree.name_span(child), "set of rules", file.tree.name(child),
                suggestion(file.tree.name(child), loading.names.all({NameKind::Set, NameKind::File})));
        }
    }
}

namespace {

std::uint64_t number_of(Loading& loading, const SyntaxTree& tree, SyntaxId id) {
    if (const auto value = parse_scalar(TypeKind::U32, tree.name(id))) return *value;
    loading.diagnostics.error(tree.span(id), "a cost is a whole number from 0 to 4294967295");
    return 0;
}

// All operations of each name.
std::vector<OpId> named(Loading& loading, const SyntaxTree& tree, std::span<const SyntaxId> names) {
    const Operations& operations = loading.context.operations;
    std::vector<OpId> ops;
    for (SyntaxId id : names) {
        const auto symbol = loading.context.symbols.find(tree.name(id));
        const auto found = symbol ? operations.find(*symbol) : std::span<const OpId>();
        ops.insert(ops.end(), found.begin(), found.end());
        if (!found.empty()) continue;
        std::vector<std::string_view> known;
        for (std::uint32_t i = 0; i < operations.size(); ++i)
            known.push_back(loading.context.symbols[operations[OpId{i}].name]);
        loading.diagnostics.unknown(tree.span(id), "operation", tree.name(id), suggestion(tree.name(id), known));
    }
    return ops;
}

void once(Loading& loading, const SyntaxTree& tree, SyntaxId id) {
    for (const CostDeclaration& other : loading.base.costs)
        if (other.ops.empty() && !other.rule && other.where.source == tree.span(id).source)
            loading.diagnostics.error(tree.span(id), "a second 'cost per iteration' in this file")
                .notes.push_back({other.where, "the first is here"});
}

} // namespace

static void read_cost(Loading& loading, const RuleFile& file, SyntaxId id,
                      const std::function<RuleId(SyntaxId)>& owner) {
    const SyntaxTree& tree = file.tree;
    CostDeclaration cost{.ops = {}, .value = 0, .rule = {}, .where = tree.span(id)};
    const auto children = tree.children_of(id);
    if (tree[id].kind == Kind::Cost) {
        cost.rule = owner(id);
        RuleReader(loading, file, loading.base.rules[cost.rule.index]).read_cost(id);
    } else {
        cost.value = number_of(loading, tree, children.back());
        cost.ops = named(loading, tree, children.first(children.size() - 1));
        if (tree[id].kind == Kind::CostIterations) once(loading, tree, id);
        if (tree[id].kind == Kind::CostOps && cost.ops.empty()) return;
    }
    loading.base.costs.push_back(std::move(cost));
}

namespace {

// One declaration `analysis …`. What its blocks mean are expansions of operations, `bits.join` and `bits.holds`.
class AnalysisReader {
  public:
    AnalysisReader(Loading& loading, const RuleFile& file, SyntaxId id)
        : loading_(loading), context_(loading.context), file_(file), tree_(file.tree), id_(id), name_(tree_.name(id)) {}

    void declare() {
        const std::size_t errors = loading_.diagnostics.errors();
        Signature signature = read_signature();
        if (signature.operands.size() != 1) return error("an analysis is about one value", "write one type in '(…)'");
        if (is_finite()) signature.results = {set_of_elements()};
        if (signature.results.size() != 1)
            return error("what an analysis knows of a value is one value", "a tuple, perhaps");
        const TypeTerm value = signature.operands[0], known = signature.results[0];
        const auto takes = [&](std::vector<TypeTerm> operands, TypeTerm result) {
            Signature other = signature;
            other.operands = std::move(operands), other.results = {std::move(result)};
            return other;
        };
        const TypeTerm truth = of_type(context_.types.boolean());
        Analysis analysis{.name = symbol(name_),
                          .op = operation("", signature),
                          .join = {},
                          .holds = {},
                          .elements = {},
                          .rules = {},
                          .where = tree_.name_span(id_)};
        analysis.join = operation(".join", takes({known, known}, known));
        analysis.holds = operation(".holds", takes({value, known}, truth));
        if (is_finite() && loading_.diagnostics.errors() == errors)
            for (const SyntaxId block : blocks())
                analysis.elements.push_back(operation("." + std::string(tree_.label(block)), takes({value}, truth)));
        if (loading_.diagnostics.errors() == errors) loading_.base.analyses.push_back(std::move(analysis));
    }

    void read(const std::function<RuleId(SyntaxId)>& owner) {
        Analysis* analysis = nullptr;
        for (Analysis& each : loading_.base.analyses)
            if (each.where.source == tree_.name_span(id_).source && each.where.begin == tree_.name_span(id_).begin)
                analysis = &each;
        if (!analysis) return; // it was wrong
        const auto rule = [&] { return owner(id_); };
        if (is_finite())
            read_elements(*analysis, rule);
        else
            read_meaning(*analysis, rule);
        std::unordered_map<SymbolId, Span> seen;
        for (const SyntaxId child : tree_.children_of(tree_.children_of(id_).back())) {
            if (tree_[child].kind == Kind::FactAfter || tree_[child].kind == Kind::FactIn)
                loading_.diagnostics.error(tree_.span(child), "a fact stands outside of an analysis");
            if (tree_[child].kind != Kind::Rule) continue;
            const auto [first, is_new] = seen.emplace(symbol(tree_.name(child)), tree_.name_span(child));
            if (!is_new)
                loading_.diagnostics
                    .error(tree_.name_span(child), "a second rule " + quoted(tree_.name(child)) + " in this analysis")
                    .notes.push_back({first->second, "the first is here"});
            const RuleId made = owner(child);
            Rule& entry = loading_.base.rules[made.index];
            const std::string whole(context_.symbols[entry.full_name]);
            entry.full_name = symbol(whole.substr(0, whole.size() - tree_.name(child).size()) + std::string(name_) +
                                     "." + std::string(tree_.name(child)));
            RuleReader(loading_, file_, entry).read_transfer(child);
            refuse_other_types(*analysis, entry);
            analysis->rules.push_back(made);
        }
        if (is_finite() && !analysis->elements.empty()) make_any(*analysis, rule());
    }

  private:
    // A node whose operation always has another type is none of the values that the analysis is about.
    void refuse_other_types(const Analysis& analysis, const Rule& rule) {
        if (rule.left.empty() || rule[rule.left[0]].kind != TermKind::Node) return;
        const Signature& about = context_.operations[analysis.op].signature;
        const TypeTerm& value = about.operands[0];
        const auto fits = [&](OpId op) {
            const std::vector<TypeTerm>& results = context_.operations[op].signature.results;
            if (results.size() != 1 || results[0].sequence) return true;
            using K = TypeTerm::Kind;
            if (results[0].kind == K::Array && value.kind == K::Known) return !context_.types.is_scalar(value.type);
            if (results[0].kind != K::Known) return true;
            if (value.kind == K::Known) return results[0].type == value.type;
            return value.kind != K::Variable ||
                   belongs(context_.types, results[0].type, about.type_variables[value.variable]);
        };
        if (std::ranges::none_of(rule[rule.left[0]].ops, fits))
            loading_.diagnostics.error(rule.where,
                                       "this rule never applies: what it matches has another type than the values of " +
                                           quoted(name_));
    }

    bool is_finite() const { return tree_[id_].flags & Finite; }
    SymbolId symbol(std::string_view text) { return context_.symbols.add(text); }
    void error(std::string text, std::string help) {
        loading_.diagnostics.error(tree_.name_span(id_), std::move(text), std::move(help));
    }

    std::vector<SyntaxId> blocks() const {
        std::vector<SyntaxId> found;
        for (const SyntaxId child : tree_.children_of(id_))
            if (tree_[child].kind == Kind::Block) found.push_back(child);
        return found;
    }

    Signature read_signature() {
        const auto list = [&](Kind kind) -> std::span<const SyntaxId> {
            for (const SyntaxId child : tree_.children_of(id_))
                if (tree_[child].kind == kind) return tree_.children_of(child);
            return {};
        };
        SignatureReader reader(context_, tree_, {}, 1, loading_.diagnostics);
        Signature signature;
        signature.operands = reader.read_list(list(Kind::Operands));
        signature.results = reader.read_list(list(Kind::Signature));
        std::move(reader).finish(signature);
        return signature;
    }

    static TypeTerm of_type(TypeId type) {
        TypeTerm term;
        term.kind = TypeTerm::Kind::Known, term.type = type;
        return term;
    }

    // A struct that says of each element whether the value may be one such.
    TypeTerm set_of_elements() {
        std::vector<StructField> fields;
        for (const SyntaxId block : blocks()) {
            const SymbolId label = symbol(tree_.label(block));
            if (std::ranges::find(fields, label, &StructField::name) != fields.end())
                loading_.diagnostics.error({tree_.source, tree_[block].label_begin, tree_[block].label_end},
                                           "two elements of this set are named " + quoted(tree_.label(block)));
            else
                fields.push_back({label, context_.types.boolean()});
        }
        const bool is_taken =
            context_.opaque_types.contains(symbol(name_)) || context_.types.find_struct(symbol(name_));
        const auto type = is_taken ? std::nullopt : context_.types.declare_struct(symbol(name_), fields);
        if (!type)
            error("there is a type " + quoted(name_) + " already", "the set of an analysis is a struct of its name");
        return of_type(type.value_or(context_.types.boolean()));
    }

    OpId operation(std::string_view suffix, Signature signature) {
        Operation made;
        made.name = symbol(std::string(name_) + std::string(suffix));
        made.where = tree_.name_span(id_);
        made.signature = std::move(signature);
        made.traits = static_cast<std::uint32_t>(Trait::Pure) |
                      static_cast<std::uint32_t>(suffix.empty() ? Trait::Total : Trait::Partial);
        for (const OpId other : context_.operations.find(made.name))
            loading_.diagnostics
                .error(tree_.name_span(id_),
                       "there is an operation " + quoted(context_.symbols[made.name]) + " already")
                .notes.push_back({context_.operations[other].where, "it is declared here"});
        return context_.operations.add(std::move(made));
    }

    void expand(OpId op, SyntaxId block, RuleId rule) {
        loading_.base.expansions[op] = rule;
        RuleReader(loading_, file_, loading_.base.rules[rule.index]).read_expansion(block, op);
    }

    // join {…} holds {…}
    void read_meaning(Analysis& analysis, const std::function<RuleId()>& owner) {
        bool has_join = false, has_holds = false;
        for (const SyntaxId block : blocks()) {
            const std::string_view label = tree_.label(block);
            bool* has = label == "join" ? &has_join : label == "holds" ? &has_holds : nullptr;
            if (!has || *has) {
                loading_.diagnostics.error({tree_.source, tree_[block].label_begin, tree_[block].label_end},
                                           has ? "a second block " + quoted(label)
                                               : "the blocks of an analysis are 'join' and 'holds', not " +
                                                     quoted(label));
                continue;
            }
            *has = true;
            expand(has == &has_join ? analysis.join : analysis.holds, block, owner());
        }
        if (!has_join)
            error("the analysis has no block 'join'", "join { |%a, %b| … }: what is known where either is known");
        if (!has_holds)
            error("the analysis has no block 'holds'",
                  "holds { |%x, %a| … }: if what is known is true of a value; '-check' tests the rules by it");
    }

    // over neg { |%x| … } zero { |%x| … }: join, `holds`, and what is known of a literal follow.
    void read_elements(Analysis& analysis, const std::function<RuleId()>& owner) {
        const std::vector<SyntaxId> blocks = this->blocks();
        if (blocks.empty())
            return error("the set has no elements", "over even { |%x| %x % 2 == 0 } odd { |%x| %x % 2 != 0 }");
        if (analysis.elements.size() != blocks.size()) return;
        for (std::size_t i = 0; i < blocks.size(); ++i) expand(analysis.elements[i], blocks[i], owner());
        const RuleId join = owner(), holds = owner(), literal = owner();
        loading_.base.expansions[analysis.join] = join, loading_.base.expansions[analysis.holds] = holds;
        make_join(analysis, loading_.base.rules[join.index]);
        make_holds(analysis, loading_.base.rules[holds.index]);
        make_literal(analysis, loading_.base.rules[literal.index]);
        analysis.rules.push_back(literal);
    }

    // -- rules that no text says

    TermId add(Rule& rule, Term term) const {
        term.where = tree_.name_span(id_);
        rule.terms.push_back(std::move(term));
        return {static_cast<std::uint32_t>(rule.terms.size() - 1)};
    }
    TermId variable(Rule& rule, std::string_view name, VariableKind kind = VariableKind::Node) {
        rule.variables.push_back({symbol(name), kind, false});
        return add(rule,
                   {.kind = TermKind::Variable, .variable = {static_cast<std::uint32_t>(rule.variables.size() - 1)}});
    }
    TermId apply(Rule& rule, OpId op, std::vector<TermId> operands) const {
        return add(rule, {.kind = TermKind::Node, .ops = {op}, .operands = std::move(operands)});
    }
    TermId apply(Rule& rule, std::string_view op, std::vector<TermId> operands) {
        return apply(rule, context_.operations.find(symbol(op))[0], std::move(operands));
    }
    TermId field(Rule& rule, TermId set, std::size_t i) {
        const TypeId type = type_of_set();
        return add(rule, {.kind = TermKind::Field, .text = context_.types.fields(type)[i].name, .operands = {set}});
    }
    TypeId type_of_set() { return *context_.types.find_struct(symbol(name_)); }

    void make_join(const Analysis& analysis, Rule& rule) {
        const TermId a = variable(rule, "a"), b = variable(rule, "b");
        rule.left = {apply(rule, analysis.join, {a, b})};
        std::vector<TermId> parts;
        for (std::size_t i = 0; i < analysis.elements.size(); ++i)
            parts.push_back(apply(rule, "or", {field(rule, a, i), field(rule, b, i)}));
        rule.right = {add(rule, {.kind = TermKind::Struct, .type = type_of_set(), .operands = parts})};
    }
    void make_holds(const Analysis& analysis, Rule& rule) {
        const TermId x = variable(rule, "x"), set = variable(rule, "set");
        rule.left = {apply(rule, analysis.holds, {x, set})};
        TermId all;
        for (std::size_t i = 0; i < analysis.elements.size(); ++i) {
            const TermId is_none = apply(rule, "not", {apply(rule, analysis.elements[i], {x})});
            const TermId may = apply(rule, "or", {field(rule, set, i), is_none});
            all = all ? apply(rule, "and", {all, may}) : may;
        }
        rule.right = {all};
    }
    // `?x`, of which nothing else is known, may be any element.
    void make_any(Analysis& analysis, RuleId id) {
        Rule& rule = loading_.base.rules[id.index];
        rule.left = {variable(rule, "x")};
        std::vector<TermId> parts;
        for (std::size_t i = 0; i < analysis.elements.size(); ++i)
            parts.push_back(add(rule, {.kind = TermKind::Constant,
                                       .constant = {AttrValue::Kind::Number, context_.types.boolean(), 1}}));
        rule.right = {add(rule, {.kind = TermKind::Struct, .type = type_of_set(), .operands = parts})};
        analysis.rules.push_back(id);
    }
    void make_literal(const Analysis& analysis, Rule& rule) {
        const TermId k = variable(rule, "k", VariableKind::Literal);
        rule.left = {k};
        std::vector<TermId> parts;
        for (const OpId element : analysis.elements) parts.push_back(apply(rule, element, {k}));
        rule.right = {add(rule, {.kind = TermKind::Struct, .type = type_of_set(), .operands = parts})};
    }

    Loading& loading_;
    Context& context_;
    const RuleFile& file_;
    const SyntaxTree& tree_;
    SyntaxId id_;
    std::string_view name_;
};

} // namespace

void declare_analyses(Loading& loading, const RuleFile& file) {
    for (const SyntaxId id : file.tree.children_of(file.tree.root))
        if (file.tree[id].kind == Kind::Analysis) AnalysisReader(loading, file, id).declare();
}

void read_rewriting(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId(SyntaxId)>& owner) {
    switch (file.tree[id].kind) {
    case Kind::Normalize: return read_normalize(loading, file, id);
    case Kind::CostOps:
    case Kind::CostIterations:
    case Kind::Cost: return read_cost(loading, file, id, owner);
    case Kind::Analysis: return AnalysisReader(loading, file, id).read(owner);
    default: return;
    }
}

} // namespace irrewrite::grammar
