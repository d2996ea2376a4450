#include "grammar/rules/load_rules.hpp"

#include "grammar/program/elaborate.hpp"
#include "grammar/rules/declare.hpp"
#include "grammar/rules/expansion_effects.hpp"
#include "grammar/rules/rewriting_declarations.hpp"
#include "grammar/rules/rule_models.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/rules/rule_strategies.hpp"
#include "grammar/rules/rule_targets.hpp"
#include "grammar/rules/rule_trees.hpp"
#include "grammar/surface/read_languages.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <set>

namespace irrewrite::grammar {

namespace {

// The declarations of one file, in passes: operations and types, functions, names, then the contents.
class FileLoader {
  public:
    FileLoader(Loading& loading, SyntaxTree& tree, std::uint32_t number, bool runs)
        : loading_(loading), context_(loading.context), base_(loading.base), tree_(tree), file_{tree, number, runs} {}

    void run() {
        for (SyntaxId id : tree_.children_of(tree_.root))
            if (tree_[id].kind == Kind::Phase && file_.runs) enter_phase(id);
        declare_models(loading_, file_);
        declare_types_and_operations();
        for (SyntaxId id : tree_.children_of(tree_.root)) enter(id);
        for (SyntaxId id : tree_.children_of(tree_.root)) read(id);
    }

  private:
    SymbolId symbol(std::string_view text) { return context_.symbols.add(text); }

    void enter(SyntaxId id) {
        switch (tree_[id].kind) {
        case Kind::TypeDecl: enter_type(id); break;
        case Kind::OpDecl: enter_operation(id); break;
        case Kind::ModelType: read_model_type(loading_, file_, id); break;
        case Kind::RuleSet: enter_set(id); break;
        case Kind::Strategy: enter_definition(id); break;
        default: break;
        }
    }

    void read(SyntaxId id) {
        switch (tree_[id].kind) {
        case Kind::OpDecl: read_operation(id); break;
        case Kind::Model: read_model(loading_, file_, id, [&] { return owner(id); }); break;
        case Kind::RuleSet: read_set(id); break;
        case Kind::Phase: read_phase(id); break;
        case Kind::Strategy: read_definition(id); break;
        case Kind::Test: read_test(id); break;
        case Kind::FactAfter:
        case Kind::FactIn: read_fact(id); break;
        default: read_rewriting(loading_, file_, id, [&](SyntaxId named) { return owner(named); });
        }
    }

    // A second thing of one name: the note shows the first.
    void twice(SyntaxId id, std::string what, Span first) {
        loading_.diagnostics.error(tree_.name_span(id), std::move(what)).notes.push_back({first, "the first is here"});
    }

    // -- types and operations ---------------------------------------------------------------------

    // Opaque types, structs made of them, operations on both, and functions that use those.
    void declare_types_and_operations() {
        with_only({Kind::TypeDecl, Kind::ClassDecl}, declare);
        with_only({Kind::StructDecl}, elaborate);
        with_only({Kind::OpDecl, Kind::TargetDecl}, declare);
        find_own_memory(context_, tree_);
        declare_analyses(loading_, file_);
        with_only({Kind::OpDecl, Kind::Func}, elaborate);
        are_whole_ = loading_.diagnostics.errors() == 0;
    }

    // Shows a reader of whole files one that has declarations of those kinds alone.
    void with_only(std::initializer_list<Kind> kinds,
                   bool (*reader)(Context&, const SyntaxTree&, Module&, Diagnostics&)) {
        const SyntaxId whole = tree_.root;
        keep_only(tree_, kinds);
        if (tree_[tree_.root].count > 0) reader(context_, tree_, loading_.functions, loading_.diagnostics);
        tree_.root = whole;
    }

    // type Name as type at phase; `declare` made the type itself.
    void enter_type(SyntaxId id) {
        OpaqueType type{symbol(tree_.name(id)), {}, {}};
        const auto element = declared_element(tree_, id);
        bool given = false;
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            if (kind == Kind::DimName || kind == Kind::DimSeq || child == element) continue;
            given = given || kind != Kind::Ident;
            if (kind == Kind::Ident)
                type.phase = use_phase(child, Loading::PhaseUse::What::Type);
            else if (auto as = represented_type(context_, tree_, id, child, loading_.diagnostics))
                type.as = *as;
        }
        const auto missing = [&](std::string_view what, std::string_view then) {
            loading_.diagnostics.error(tree_.name_span(id),
                                       "the declaration does not say " + std::string(what) + quoted(tree_.name(id)) +
                                           std::string(then),
                                       "write 'type Name as … at phase', or 'type Name' for a type that stays opaque");
        };
        if (type.as && !type.phase) missing("from which phase on ", " is that type");
        if (type.phase && !given) missing("which type ", " is from that phase on");
        if (type.as) loading_.lowered_types.emplace_back(type.name, tree_.name_span(id));
        note_nesting(context_.types, type);
        base_.opaque.push_back(type);
    }

    // op … = { … } at phase
    void enter_operation(SyntaxId id) {
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind != Kind::Ident) continue;
            const SymbolId phase = use_phase(child, Loading::PhaseUse::What::Expansion);
            for (OpId op : context_.operations.find(symbol(tree_.name(id))))
                if (is_declared_at(op, id)) context_.operations.edit(op).expansion_phase = phase;
        }
    }

    bool is_declared_at(OpId op, SyntaxId id) const {
        const Span where = context_.operations[op].where, here = tree_.name_span(id);
        return where.source == here.source && where.begin == here.begin;
    }

    // op … = { … }, where that is a rule (see declare.hpp).
    void read_operation(SyntaxId id) {
        SyntaxId block = UINT32_MAX;
        for (SyntaxId child : tree_.children_of(id))
            if (tree_[child].kind == Kind::Block) block = child;
        if (block == UINT32_MAX) return;
        for (OpId op : context_.operations.find(symbol(tree_.name(id)))) {
            const Operation& operation = context_.operations[op];
            if (!is_declared_at(op, id)) continue;
            if (operation.expansion) {
                if (const Function* made = loading_.functions.find(operation.expansion); made && are_whole_)
                    report(loading_.diagnostics, tree_.span(block),
                           undeclared_effects(operation, *made, loading_.functions));
                return;
            }
            base_.expansions[op] = owner(id);
            RuleReader(loading_, file_, base_.rules[base_.expansions[op].index]).read_expansion(block, op);
        }
    }

    SymbolId use_phase(SyntaxId id, Loading::PhaseUse::What what, RuleSetId set = {}, RuleId rule = {}) {
        return loading_.use_phase({what, symbol(tree_.name(id)), tree_.name_span(id), set, rule}, file_.number);
    }
    // -- sets of rules ----------------------------------------------------------------------------

    std::string qualified(std::string_view name) const {
        return std::string(context_.symbols[loading_.names.file_name(file_.number)]) + "." + std::string(name);
    }

    void enter_set(SyntaxId id) {
        for (RuleSetId other : loading_.names.sets_of(file_.number))
            if (context_.symbols[base_[other].name] == tree_.name(id))
                twice(id, "a second set " + quoted(tree_.name(id)) + " in this file", base_[other].where);
        is_free(id);
        const RuleSetId set{static_cast<std::uint32_t>(base_.sets.size())};
        sets_.push_back(set);
        RuleSet& entry = base_.sets.emplace_back();
        entry.name = symbol(tree_.name(id));
        entry.full_name = symbol(qualified(tree_.name(id)));
        entry.inexact = tree_[id].flags & Inexact;
        entry.where = tree_.name_span(id);
        std::vector<SyntaxId> rules;
        bool delayed = false;
        for (SyntaxId child : tree_.children_of(id)) {
            switch (tree_[child].kind) {
            case Kind::Meta:
            case Kind::MetaLiteral: ++entry.parameters; break;
            case Kind::Ident:
                loading_.diagnostics.error(tree_.span(child), "the parameters of a set must be metavariables",
                                           "write '?" + std::string(tree_.name(child)) + "'");
                break;
            case Kind::AtPhase:
                delayed = true;
                use_phase(child, Loading::PhaseUse::What::Rules, set);
                break;
            case Kind::Trait: entry.ordered = true; break;
            case Kind::String: entry.ends = unescape(tree_.name(child)); break;
            case Kind::Rule: rules.push_back(child); break;
            case Kind::Costs: entry.costs = true; break;
            case Kind::Prints: entry.prints = true; break;
            default: break;
            }
        }
        refuse_twins(tree_, id, "set", loading_.diagnostics);
        loading_.names.add_set(base_, set, file_.number);
        std::unordered_map<SymbolId, Span> seen;
        for (SyntaxId rule : rules) enter_rule(rule, set, delayed, seen);
    }

    void enter_rule(SyntaxId id, RuleSetId set, bool delayed, std::unordered_map<SymbolId, Span>& seen) {
        const RuleId rule{static_cast<std::uint32_t>(base_.rules.size())};
        Rule& entry = base_.rules.emplace_back();
        entry.name = symbol(tree_.name(id));
        entry.full_name =
            symbol(std::string(context_.symbols[base_[set].full_name]) + "." + std::string(tree_.name(id)));
        entry.set = set;
        entry.inexact = base_[set].inexact;
        entry.where = tree_.name_span(id);
        base_.sets[set.index].rules.push_back(rule);
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind != Kind::AtPhase) continue;
            delayed = true;
            use_phase(child, Loading::PhaseUse::What::Rules, {}, rule);
        }
        loading_.delayed.resize(base_.rules.size());
        loading_.delayed[rule.index] = delayed;
        const auto [first, is_new] = seen.emplace(entry.name, entry.where);
        if (!is_new) return twice(id, "a second rule " + quoted(tree_.name(id)) + " in this set", first->second);
        // Parameters are counted when the rule is read; names need their number before.
        entry.parameters = base_[set].parameters;
        loading_.names.add_rule(base_, rule, file_.number);
        entry.parameters = 0;
    }

    void read_set(SyntaxId id) {
        const RuleSetId set = sets_[next_set_++];
        std::vector<SyntaxId> parameters;
        std::size_t next = 0;
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            if (kind == Kind::Meta || kind == Kind::MetaLiteral) parameters.push_back(child);
            if (kind == Kind::FactAfter || kind == Kind::FactIn) read_fact(child);
            if (kind != Kind::Rule) continue;
            RuleReader reader(loading_, file_, base_.rules[base_[set].rules[next++].index]);
            reader.parameters(parameters);
            reader.read_rule(child);
        }
    }

    void read_fact(SyntaxId id) {
        const RuleId rule{static_cast<std::uint32_t>(base_.rules.size())};
        Rule& entry = base_.rules.emplace_back();
        loading_.delayed.resize(base_.rules.size());
        const std::string place = RuleReader::name_of_fact(tree_, id);
        entry.name = symbol(place);
        entry.full_name = symbol(qualified(place));
        entry.where = tree_.span(id);
        if (const auto fact = RuleReader(loading_, file_, entry).read_fact(id))
            base_.facts.push_back({rule, fact->after, fact->block});
    }

    // A set or a strategy that has the name of another one could not be named.
    void is_free(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        if (StrategyReader::is_primitive(name))
            loading_.diagnostics.error(tree_.name_span(id), quoted(name) + " is a built-in strategy");
        auto strategies = loading_.names.find_imported(symbol(name), NameKind::Definition, file_.number);
        const auto is_other = [&](std::uint32_t file) { return file != file_.number && file != strategies_file; };
        std::erase_if(strategies, [&](const NamedItem& item) { return is_other(item.file); });
        if (tree_[id].kind == Kind::RuleSet && !strategies.empty())
            twice(id, quoted(name) + " is a strategy already", base_.definitions[strategies[0].index].where);
        for (RuleSetId set : loading_.names.sets_of(file_.number))
            if (tree_[id].kind == Kind::Strategy && context_.symbols[base_[set].name] == name)
                twice(id, quoted(name) + " is a set of rules already", base_[set].where);
    }
    // -- phases and strategies --------------------------------------------------------------------

    void enter_phase(SyntaxId id) {
        const SymbolId name = symbol(tree_.name(id));
        if (const Phase* first = loading_.phases.own(name, file_.number)) {
            if (tree_[id].count)
                twice(id, "the phase " + quoted(tree_.name(id)) + " is declared already", first->where);
            return;
        }
        loading_.phases.declare(name, file_.number, loading_.names.file_name(file_.number), tree_.name_span(id));
        own_phases_.push_back(id);
    }

    void read_phase(SyntaxId id) {
        if (!tree_[id].count || std::ranges::find(own_phases_, id) == own_phases_.end()) return;
        const StrategyId strategy = read_strategy(owner(id), tree_.children_of(id)[0], {}, {});
        loading_.phases.own(symbol(tree_.name(id)), file_.number)->strategy = strategy;
    }

    void enter_definition(SyntaxId id) {
        const SymbolId name = symbol(tree_.name(id));
        StrategyDefinition definition{.name = name,
                                      .parameters = {},
                                      .is_term = {},
                                      .owner = owner(id),
                                      .body = {},
                                      .where = tree_.name_span(id)};
        refuse_twins(tree_, id, "strategy", loading_.diagnostics);
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            const bool is_term = kind == Kind::Meta || kind == Kind::MetaLiteral;
            if (kind == Kind::Ident) definition.parameters.push_back(symbol(tree_.name(child)));
            if (kind == Kind::Ident || is_term) definition.is_term.push_back(is_term);
        }
        const auto number = static_cast<std::uint32_t>(base_.definitions.size());
        const auto parameters = static_cast<std::uint32_t>(definition.is_term.size());
        definitions_.push_back(number);
        is_free(id);
        for (const NamedItem& other : loading_.names.find(name, NameKind::Definition, file_.number))
            if (other.parameters == parameters)
                twice(id, "the strategy " + quoted(tree_.name(id)) + " is declared already",
                      base_.definitions[other.index].where);
        base_.definitions.push_back(std::move(definition));
        loading_.names.add_definition(name, number, parameters, file_.number);
    }

    void read_definition(SyntaxId id) {
        StrategyDefinition& definition = base_.definitions[definitions_[next_definition_++]];
        definition.body =
            read_strategy(definition.owner, tree_.children_of(id).back(), terms_of(id), definition.parameters);
    }

    // A rule in no set, for the terms that stand in a strategy outside of rules.
    RuleId owner(SyntaxId id) {
        const RuleId rule{static_cast<std::uint32_t>(base_.rules.size())};
        Rule& entry = base_.rules.emplace_back();
        loading_.delayed.resize(base_.rules.size());
        entry.name = symbol(tree_.name(id));
        entry.full_name = symbol(qualified(tree_.name(id)));
        entry.where = tree_.name_span(id);
        return rule;
    }

    std::vector<SyntaxId> terms_of(SyntaxId definition) const {
        std::vector<SyntaxId> terms;
        for (SyntaxId child : tree_.children_of(definition))
            if (tree_[child].kind == Kind::Meta || tree_[child].kind == Kind::MetaLiteral) terms.push_back(child);
        return terms;
    }

    StrategyId read_strategy(RuleId owner, SyntaxId id, std::span<const SyntaxId> terms,
                             std::span<const SymbolId> parameters) {
        RuleReader reader(loading_, file_, base_.rules[owner.index]);
        reader.parameters(terms);
        StrategyReader strategies(
            loading_, file_, [&](SyntaxId argument) { return reader.argument(argument); }, owner);
        strategies.parameters = parameters;
        return strategies.read(id);
    }

    void read_test(SyntaxId id) {
        const SymbolId name = symbol(tree_.name(id));
        if (const auto [first, is_new] = tests_.emplace(name, tree_.name_span(id)); !is_new)
            twice(id, "a second test " + quoted(tree_.name(id)) + " in this file", first->second);
        const RuleId rule{static_cast<std::uint32_t>(base_.rules.size())};
        Rule& entry = base_.rules.emplace_back();
        loading_.delayed.resize(base_.rules.size());
        entry.name = name, entry.full_name = symbol(qualified(tree_.name(id)));
        entry.where = tree_.name_span(id);
        RuleReader(loading_, file_, entry).read_test(id);
        const SyntaxId last = tree_.children_of(id).back();
        const bool stops = tree_[last].kind == Kind::AtPhase;
        const SymbolId until = stops ? use_phase(last, Loading::PhaseUse::What::Name) : SymbolId{};
        base_.tests.push_back({name, rule, tree_[id].count < 2u + stops, until, tree_.name_span(id)});
    }

    Loading& loading_;
    Context& context_;
    RuleBase& base_;
    SyntaxTree& tree_;
    RuleFile file_;
    std::vector<RuleSetId> sets_; // of this file's RuleSets, in order
    std::vector<std::uint32_t> definitions_;
    std::vector<SyntaxId> own_phases_; // whose strategy is the phase's
    bool are_whole_ = false;           // the expansions
    std::size_t next_set_ = 0, next_definition_ = 0;
    std::unordered_map<SymbolId, Span> tests_;
};

} // namespace

bool load_rule_file(Loading& loading, SourceId source, std::string_view file_name, bool runs,
                    std::span<const std::uint32_t> imports) {
    const std::size_t errors = loading.diagnostics.errors();
    const std::size_t before = loading.diagnostics.all().size();
    SyntaxTree tree = parse_with_own_labels(loading.context, source, loading.diagnostics);
    const auto& faults = loading.diagnostics.all();
    const std::uint32_t last_fault = faults.size() > before ? faults.back().where.begin : 0;
    if (!runs) loading.for_sets.push_back(source);
    FileLoader(loading, tree, loading.names.add_file(loading.context.symbols.add(file_name), imports), runs).run();
    if (loading.targets) read_targets(loading.context, tree, *loading.targets, loading.diagnostics);
    if (loading.languages) read_languages(loading.context, tree, *loading.languages, loading.diagnostics, last_fault);
    return loading.diagnostics.errors() == errors;
}

void load_phases(Loading& loading, SourceId source, std::uint32_t number) {
    SyntaxTree tree = parse_with_own_labels(loading.context, source, loading.diagnostics);
    keep_only(tree, {Kind::Phase});
    FileLoader(loading, tree, number, true).run();
}

} // namespace irrewrite::grammar
