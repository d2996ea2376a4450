// Walks the syntax tree with a stack of its own and notes every name; values and metavariables are resolved on the way.
#include "engine/server/file_index.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite::server {

namespace {

using grammar::Kind;
using grammar::SyntaxId;
using grammar::SyntaxNode;

class NameFinder {
  public:
    explicit NameFinder(FileIndex& index) : index_(index), tree_(index.tree) {}

    void run() {
        for (SyntaxId id : tree_.children_of(tree_.root)) declaration(id);
        std::ranges::stable_sort(index_.occurrences, {}, &Occurrence::begin);
        // A name that two passes met is one occurrence; a definition stays one.
        auto& list = index_.occurrences;
        list.erase(std::unique(list.begin(), list.end(),
                               [](const Occurrence& a, const Occurrence& b) { return a.begin == b.begin; }),
                   list.end());
        number_declarations();
    }

  private:
    struct Step {
        SyntaxId id;
        bool leave = false;
    };
    using Scope = std::map<std::string_view, std::uint32_t>; // values, by name: the entity

    // -- occurrences

    std::uint32_t entity(Name kind, std::string_view name, std::uint32_t scope = 0) {
        const auto key = std::make_tuple(kind, name, is_global(kind) ? 0 : scope);
        const auto [known, added] = entities_.emplace(key, static_cast<std::uint32_t>(index_.entities.size()));
        if (added) index_.entities.push_back({kind, name, is_global(kind) ? 0 : scope});
        return known->second;
    }

    void note(SyntaxId id, std::uint32_t entity, bool definition, std::uint32_t sigil = 0) {
        const SyntaxNode& node = tree_[id];
        if (node.name_end <= node.name_begin || node.name_begin < sigil) return;
        index_.occurrences.push_back({node.name_begin - sigil, node.name_end, entity, definition, id});
    }
    void use(SyntaxId id, Name kind, std::uint32_t sigil = 0) { note(id, entity(kind, tree_.name(id)), false, sigil); }
    void define(SyntaxId id, Name kind, std::uint32_t sigil = 0) {
        note(id, entity(kind, tree_.name(id)), true, sigil);
    }

    void declares(SyntaxId id, std::uint32_t depth) { index_.declarations.push_back({id, 0, depth}); }
    void number_declarations() {
        std::unordered_map<SyntaxId, std::uint32_t> names;
        for (std::uint32_t i = 0; i < index_.occurrences.size(); ++i)
            if (index_.occurrences[i].definition) names.emplace(index_.occurrences[i].node, i);
        for (Declaration& each : index_.declarations) {
            const auto found = names.find(each.node);
            each.occurrence = found == names.end() ? UINT32_MAX : found->second;
        }
    }

    // -- declarations

    void declaration(SyntaxId id) {
        const SyntaxNode& node = tree_[id];
        scope_ = node.begin;
        in_function_ = node.kind == Kind::Func;
        strategies_.clear(), recursions_.clear();
        switch (node.kind) {
        case Kind::Func: define(id, Name::Function, 1), declares(id, 0); break;
        case Kind::StructDecl: define(id, Name::Struct), declares(id, 0); break;
        case Kind::OpDecl: define(id, Name::Operation), declares(id, 0); break;
        case Kind::TypeDecl: define(id, Name::Type), declares(id, 0); break;
        case Kind::ClassDecl: define(id, Name::Class), declares(id, 0); break;
        case Kind::RuleSet: return rule_set(id);
        case Kind::Analysis: return analysis(id);
        case Kind::Phase: node.count ? define(id, Name::Phase) : use(id, Name::Named), declares(id, 0); break;
        case Kind::Strategy: define(id, Name::Strategy), declares(id, 0); break;
        case Kind::Test: define(id, Name::Test), declares(id, 0); break;
        case Kind::TargetDecl: define(id, Name::Target), declares(id, 0); break;
        case Kind::Model: use(id, Name::Operation); break;
        case Kind::ModelType: use(id, Name::TypeUse); break;
        default: break;
        }
        walk(id);
    }

    // Its name is that of an operation; its rules stand in a set that has no other name.
    void analysis(SyntaxId id) {
        define(id, Name::Operation), declares(id, 0);
        const auto children = tree_.children_of(id);
        for (const SyntaxId child : children.first(children.size() - 1)) walk(child);
        for (const SyntaxId child : tree_.children_of(children.back())) {
            if (tree_[child].kind != Kind::Rule) continue;
            scope_ = tree_[child].begin;
            define(child, Name::Rule), declares(child, 1), walk(child);
        }
        scope_ = tree_[id].begin;
    }

    void rule_set(SyntaxId id) {
        define(id, Name::Set), declares(id, 0);
        const std::uint32_t set = tree_[id].begin;
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            if (kind == Kind::AtPhase) use(child, Name::Named);
            if (kind == Kind::Meta || kind == Kind::MetaLiteral) parameters_.push_back(child);
        }
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            if (kind != Kind::Rule && kind != Kind::FactAfter && kind != Kind::FactIn) continue;
            scope_ = tree_[child].begin;
            if (kind == Kind::Rule) define(child, Name::Rule), declares(child, 1);
            walk(child);
        }
        scope_ = set;
        for (SyntaxId parameter : parameters_) meta(parameter);
        parameters_.clear();
    }

    // -- inside of declarations

    void walk(SyntaxId root) {
        std::vector<Step> steps{{root}};
        values_.emplace_back();
        while (!steps.empty()) {
            const Step step = steps.back();
            steps.pop_back();
            if (step.leave) {
                values_.pop_back();
                continue;
            }
            if (opens_scope(step.id)) {
                values_.emplace_back();
                steps.push_back({step.id, true});
                names_of_block(step.id);
            }
            if (step.id != root) visit(step.id);
            if (step.id == root) header(step.id);
            const auto children = tree_.children_of(step.id);
            for (std::size_t i = children.size(); i-- > 0;) steps.push_back({children[i]});
        }
        values_.clear();
    }

    bool opens_scope(SyntaxId id) const { return tree_[id].kind == Kind::Block || tree_[id].kind == Kind::StrategyRec; }

    // Parameters of a function, and the names of its dimensions; parameters of strategies.
    void header(SyntaxId id) {
        if (tree_[id].kind == Kind::Strategy)
            for (SyntaxId child : tree_.children_of(id))
                if (tree_[child].kind == Kind::Ident)
                    strategies_.emplace(tree_.name(child), local(child, Name::Parameter));
        if (tree_[id].kind != Kind::Func) return;
        for (SyntaxId child : tree_.children_of(id))
            if (tree_[child].kind == Kind::Param) define_value(child);
    }

    std::uint32_t local(SyntaxId id, Name kind) {
        const std::uint32_t made = entity(kind, tree_.name(id), tree_[id].begin);
        note(id, made, true, kind == Name::Value ? 1 : 0);
        return made;
    }

    void define_value(SyntaxId id) { values_.back()[tree_.name(id)] = local(id, Name::Value); }

    void names_of_block(SyntaxId block) {
        for (SyntaxId child : tree_.children_of(block)) {
            if (tree_[child].kind == Kind::Param) define_value(child);
            if (tree_[child].kind != Kind::Bind) continue;
            for (SyntaxId target : tree_.children_of(child))
                if (tree_[target].kind == Kind::Target) define_value(target);
        }
        if (tree_[block].kind == Kind::StrategyRec) {
            recursions_[tree_.name(block)] = local(block, Name::Parameter);
        }
    }

    std::optional<std::uint32_t> value(std::string_view name) const {
        for (auto scope = values_.rbegin(); scope != values_.rend(); ++scope)
            if (const auto found = scope->find(name); found != scope->end()) return found->second;
        return std::nullopt;
    }

    // A name of a dimension is a value; the first one defines it.
    void dimension(SyntaxId id) {
        if (const auto known = value(tree_.name(id))) return note(id, *known, false);
        const std::uint32_t made = entity(Name::Value, tree_.name(id), tree_[id].begin);
        note(id, made, true);
        values_.front()[tree_.name(id)] = made;
    }

    void meta(SyntaxId id) {
        const std::uint32_t offset = tree_[id].name_begin;
        const char sigil = offset > 0 ? index_.text()[offset - 1] : '?';
        // `?x` and `#x` are two names: the sigil is part of the scope.
        note(id, entity(Name::Meta, tree_.name(id), scope_ * 2 + (sigil == '#')), is_first(id, sigil), 1);
    }
    bool is_first(SyntaxId id, char sigil) {
        return metas_.emplace(std::make_pair(scope_ * 2 + (sigil == '#'), tree_.name(id))).second;
    }

    void visit(SyntaxId id) {
        const SyntaxNode& node = tree_[id];
        switch (node.kind) {
        case Kind::Value:
            if (const auto known = value(tree_.name(id)))
                note(id, *known, false, 1);
            else
                note(id, entity(Name::Value, tree_.name(id), scope_), false, 1);
            break;
        case Kind::Op: use(id, Name::Operation); break;
        case Kind::Call: use(id, Name::Function, 1); break;
        case Kind::OperatorBlock: operator_block(id); break;
        case Kind::Infix: use(id, Name::Infix); break;
        case Kind::Prefix: use(id, Name::Prefix); break;
        case Kind::Struct: use(id, Name::TypeUse); break;
        case Kind::TypeName:
        case Kind::TypeApply: use(id, Name::TypeUse); break;
        case Kind::Meta:
        case Kind::MetaLiteral:
        case Kind::Apply:
        case Kind::Named:
        case Kind::CondBuild:
        case Kind::TypeVar:
        case Kind::DimVar: meta(id); break;
        case Kind::DimName:
            if (index_.language == grammar::FileLanguage::Ir || in_function_) dimension(id);
            break;
        case Kind::AtPhase: use(id, Name::Named); break;
        case Kind::Ident:
            if (!is_type_class(id)) use(id, Name::Named);
            break;
        case Kind::Field: define(id, Name::Field); break;
        case Kind::StrategyName:
        case Kind::StrategyCall: strategy(id); break;
        default: break;
        }
    }

    // `?T: num`
    bool is_type_class(SyntaxId id) {
        const std::uint32_t begin = tree_[id].begin;
        std::size_t at = begin;
        while (at > 0 && index_.text()[at - 1] == ' ') --at;
        if (at == 0 || index_.text()[at - 1] != ':') return strategies_.contains(tree_.name(id));
        use(id, Name::TypeUse);
        return true;
    }

    void operator_block(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        if (name.empty()) return;
        const SyntaxNode& node = tree_[id];
        const bool sigil = name[0] == '@' || name[0] == '?';
        const Name kind = name[0] == '@' ? Name::Function : name[0] == '?' ? Name::Meta : Name::Operation;
        const std::uint32_t scope = kind == Name::Meta ? scope_ * 2 : 0;
        const std::uint32_t used = entity(kind, name.substr(sigil), scope);
        const bool first = kind == Name::Meta && metas_.emplace(std::make_pair(scope, name.substr(1))).second;
        index_.occurrences.push_back({node.name_begin, node.name_end, used, first, id});
    }

    void strategy(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        if (const auto recursion = recursions_.find(name); recursion != recursions_.end())
            return note(id, recursion->second, false);
        if (const auto parameter = strategies_.find(name); parameter != strategies_.end())
            return note(id, parameter->second, false);
        use(id, Name::Named);
    }

    FileIndex& index_;
    const grammar::SyntaxTree& tree_;
    std::map<std::tuple<Name, std::string_view, std::uint32_t>, std::uint32_t> entities_;
    std::vector<Scope> values_;
    std::map<std::string_view, std::uint32_t> strategies_, recursions_; // parameters of a strategy
    std::set<std::pair<std::uint32_t, std::string_view>> metas_;
    std::vector<SyntaxId> parameters_;
    std::uint32_t scope_ = 0;
    bool in_function_ = false;
};

} // namespace

void find_names(FileIndex& index) { NameFinder(index).run(); }

} // namespace irrewrite::server
