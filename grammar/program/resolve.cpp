#include "grammar/program/resolve.hpp"

#include "grammar/program/advice.hpp"

#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

constexpr std::uint32_t none = UINT32_MAX;

// A statement uses what another one of the same block defines.
struct Dependence {
    std::uint32_t user, defines; // positions in the block
    SyntaxId use;
};

struct Binding {
    SymbolId name;
    Definition definition;
    Span where;
    std::uint32_t scope, statement; // position of the statement; none: a parameter
    std::uint32_t hidden;           // the binding of the same name outside this scope
};

struct Scope {
    SyntaxId block;
    std::uint32_t first_binding;
    std::uint32_t statement; // which one is being visited
    bool forward = false;
};

// -- the order of statements
// ------------------------------------------------------------------------

// Depth-first: a statement comes after those that it uses, and effects come after earlier effects.
class Sorter {
  public:
    Sorter(const SyntaxTree& tree, const ExpressionFacts& facts, SyntaxId block, std::vector<Dependence> dependences,
           Diagnostics& diagnostics)
        : tree_(tree), block_(block), dependences_(std::move(dependences)), diagnostics_(diagnostics) {
        const auto children = tree.children_of(block);
        std::uint32_t last_effect = none;
        for (std::uint32_t i = 0; i < children.size(); ++i) {
            if (!facts.effectful(children[i])) continue;
            if (last_effect != none) dependences_.push_back({i, last_effect, none});
            last_effect = i;
        }
        std::ranges::stable_sort(dependences_, {}, &Dependence::user);
        state_.resize(children.size());
    }

    bool sort(std::vector<SyntaxId>& order) {
        const auto children = tree_.children_of(block_);
        for (std::uint32_t i = 0; i < children.size(); ++i)
            if (state_[i] == State::New && !visit(i, order)) return false;
        return true;
    }

  private:
    enum class State : std::uint8_t { New, Open, Done };
    struct Step {
        std::uint32_t statement;
        std::size_t next; // dependence
    };

    std::size_t first_dependence(std::uint32_t statement) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(dependences_, statement, {}, &Dependence::user) -
                                        dependences_.begin());
    }

    bool visit(std::uint32_t start, std::vector<SyntaxId>& order) {
        path_.assign(1, {start, first_dependence(start)});
        state_[start] = State::Open;
        while (!path_.empty()) {
            Step& step = path_.back();
            if (step.next < dependences_.size() && dependences_[step.next].user == step.statement) {
                const Dependence& dependence = dependences_[step.next++];
                if (state_[dependence.defines] == State::Open) return report(dependence);
                if (state_[dependence.defines] == State::Done) continue;
                state_[dependence.defines] = State::Open;
                path_.push_back({dependence.defines, first_dependence(dependence.defines)});
                continue;
            }
            state_[step.statement] = State::Done;
            order.push_back(tree_.children_of(block_)[step.statement]);
            path_.pop_back();
        }
        return true;
    }

    // The path from the statement that `last` comes back to is a cycle.
    bool report(const Dependence& last) {
        std::size_t begin = path_.size();
        while (path_[--begin].statement != last.defines) {
        }
        std::vector<Dependence> cycle;
        for (std::size_t i = begin; i < path_.size(); ++i) cycle.push_back(dependences_[path_[i].next - 1]);
        const bool effects = std::ranges::any_of(cycle, [](const Dependence& d) { return d.use == none; });
        if (effects)
            report_effect(cycle);
        else
            report_cycle(cycle);
        return false;
    }

    std::string used_name(const Dependence& d) const { return "'%" + std::string(tree_.name(d.use)) + "'"; }

    void report_cycle(const std::vector<Dependence>& cycle) {
        const Dependence& use = *std::ranges::min_element(cycle, {}, &Dependence::use);
        auto& diagnostic = diagnostics_.error(tree_.span(use.use), used_name(use) + " depends on itself",
                                              cycle.size() == 1 ? advice_on_changes(tree_.name(use.use)) : "");
        constexpr std::size_t shown = 8;
        for (const Dependence& other : cycle)
            if (other.use != use.use && diagnostic.notes.size() < shown)
                diagnostic.notes.push_back({tree_.span(other.use), "through " + used_name(other)});
    }

    void report_effect(const std::vector<Dependence>& cycle) {
        for (const Dependence& d : cycle) {
            if (d.use == none || d.user >= d.defines) continue;
            diagnostics_.error(tree_.span(d.use), used_name(d) + " is used before the effects that compute it",
                               "effects happen in the order of their lines");
            return;
        }
    }

    const SyntaxTree& tree_;
    SyntaxId block_;
    std::vector<Dependence> dependences_;
    Diagnostics& diagnostics_;
    std::vector<State> state_;
    std::vector<Step> path_;
};

// -- names
// ------------------------------------------------------------------------------------------

class Resolver {
  public:
    Resolver(Context& context, const SyntaxTree& tree, const ExpressionFacts& facts, Names& names,
             Diagnostics& diagnostics)
        : context_(context), tree_(tree), facts_(facts), names_(names), diagnostics_(diagnostics) {}

    bool run(SyntaxId root, const Function& function) {
        names_.first = first_of_subtree(tree_, root);
        names_.definitions.assign(root - names_.first + 1, {});
        SyntaxId body = root;
        if (tree_[root].kind == Kind::Func) body = declare_function(root, function);
        if (body == none) return true;
        open_block(body);
        while (!path_.empty()) step();
        return ok_;
    }

  private:
    struct Visit {
        SyntaxId id;
        std::uint32_t next; // child
    };

    // Parameters and dimensions stand in the scope of the body.
    SyntaxId declare_function(SyntaxId root, const Function& function) {
        scopes_.push_back({root, 0, none});
        function_scope_ = true;
        for (std::uint32_t i = 0; i < function.dims.size(); ++i)
            declare(function.dims[i].name, {i, true}, function.where, none);
        SyntaxId body = none;
        for (SyntaxId child : tree_.children_of(root)) {
            if (tree_[child].kind == Kind::Param) declare(child, none);
            if (tree_[child].kind == Kind::Block) body = child;
        }
        return body;
    }

    void open_block(SyntaxId block) {
        if (function_scope_) {
            function_scope_ = false;
            scopes_.back().block = block;
        } else {
            scopes_.push_back({block, static_cast<std::uint32_t>(bindings_.size()), none});
        }
        const auto children = tree_.children_of(block);
        for (std::uint32_t i = 0; i < children.size(); ++i) {
            if (tree_[children[i]].kind == Kind::Param) declare(children[i], none);
            if (tree_[children[i]].kind != Kind::Bind) continue;
            for (SyntaxId child : tree_.children_of(children[i]))
                if (tree_[child].kind == Kind::Target) declare(child, i);
        }
        path_.push_back({block, 0});
    }

    void declare(SyntaxId id, std::uint32_t statement) {
        declare(context_.symbols.add(tree_.name(id)), {id, false}, tree_.name_span(id), statement);
    }

    void declare(SymbolId name, Definition definition, Span where, std::uint32_t statement) {
        if (name.index >= visible_.size()) visible_.resize(name.index + 1, none);
        std::uint32_t& visible = visible_[name.index];
        const auto scope = static_cast<std::uint32_t>(scopes_.size() - 1);
        if (visible != none && bindings_[visible].scope == scope) {
            redefined(name, where, bindings_[visible]);
            return;
        }
        bindings_.push_back({name, definition, where, scope, statement, visible});
        visible = static_cast<std::uint32_t>(bindings_.size() - 1);
    }

    void redefined(SymbolId name, Span where, const Binding& first) {
        ok_ = false;
        where.begin -= where.begin > 0; // the sigil
        const std::string text = "'%" + std::string(context_.symbols[name]) + "'";
        auto& diagnostic = diagnostics_.error(where, text + " is defined twice in one block");
        diagnostic.notes.push_back({first.where, first.definition.dimension ? text + " is a dimension of the function"
                                                                            : text + " is defined first here"});
    }

    void step() {
        Visit& visit = path_.back();
        const auto children = tree_.children_of(visit.id);
        if (visit.next == children.size()) {
            if (tree_[visit.id].kind == Kind::Block) close_block();
            path_.pop_back();
            return;
        }
        const bool in_block = tree_[visit.id].kind == Kind::Block;
        if (in_block) scopes_.back().statement = visit.next;
        const SyntaxId child = children[visit.next++];
        switch (tree_[child].kind) {
        case Kind::Value: use(child); break;
        case Kind::Block: open_block(child); break;
        case Kind::Param:
        case Kind::Target:
        case Kind::TypeName:
        case Kind::TypeArray:
        case Kind::TypeTuple:
        case Kind::TypeRef:
        case Kind::TypeMut:
        case Kind::TypeApply: break; // no values in them
        default:
            if (tree_[child].count) path_.push_back({child, 0});
        }
    }

    void use(SyntaxId value) {
        const SymbolId name = context_.symbols.add(tree_.name(value));
        if (name.index >= visible_.size() || visible_[name.index] == none) return unknown(value);
        const Binding& binding = bindings_[visible_[name.index]];
        names_.definitions[value - names_.first] = binding.definition;
        if (binding.statement == none) return;
        Scope& scope = scopes_[binding.scope];
        if (binding.statement >= scope.statement) scope.forward = true;
        dependences_of(binding.scope).push_back({scope.statement, binding.statement, value});
    }

    // Kept for the next block of the same depth: no allocation for each block.
    std::vector<Dependence>& dependences_of(std::uint32_t scope) {
        if (by_scope_.size() <= scope) by_scope_.resize(scope + 1);
        return by_scope_[scope];
    }

    void unknown(SyntaxId value) {
        ok_ = false;
        constexpr std::size_t most_suggestions = 20; // each looks at all names
        std::string help;
        if (unknown_++ < most_suggestions) {
            std::vector<std::string_view> known;
            for (const Binding& binding : bindings_) known.push_back(context_.symbols[binding.name]);
            help = suggestion(tree_.name(value), known, "%");
        }
        diagnostics_.error(tree_.span(value), "unknown value '%" + std::string(tree_.name(value)) + "'", help);
    }

    void close_block() {
        const Scope scope = scopes_.back();
        auto& dependences = dependences_of(static_cast<std::uint32_t>(scopes_.size() - 1));
        if (scope.forward) {
            std::vector<SyntaxId> order;
            if (Sorter(tree_, facts_, scope.block, std::move(dependences), diagnostics_).sort(order))
                names_.orders.emplace(scope.block, std::move(order));
            else
                ok_ = false;
        }
        dependences.clear();
        while (bindings_.size() > scope.first_binding) {
            visible_[bindings_.back().name.index] = bindings_.back().hidden;
            bindings_.pop_back();
        }
        scopes_.pop_back();
    }

    Context& context_;
    const SyntaxTree& tree_;
    const ExpressionFacts& facts_;
    Names& names_;
    Diagnostics& diagnostics_;
    std::vector<std::uint32_t> visible_; // by symbol: the innermost binding
    std::vector<Binding> bindings_;
    std::vector<Scope> scopes_;
    std::vector<std::vector<Dependence>> by_scope_;
    std::vector<Visit> path_;
    std::size_t unknown_ = 0;
    bool function_scope_ = false;
    bool ok_ = true;
};

} // namespace

std::span<const SyntaxId> Names::order(const SyntaxTree& tree, SyntaxId block) const {
    const auto it = orders.find(block);
    if (it == orders.end()) return tree.children_of(block);
    return it->second;
}

bool resolve(Context& context, const SyntaxTree& tree, SyntaxId root, const Function& function,
             const ExpressionFacts& facts, Names& names, Diagnostics& diagnostics) {
    return Resolver(context, tree, facts, names, diagnostics).run(root, function);
}

} // namespace irrewrite::grammar
