#include "grammar/program/consumption.hpp"

#include <algorithm>

namespace irrewrite::grammar {

Consumption::Consumption(const Context& context, const SyntaxTree& tree, const Module& module, const Function& function,
                         const ExpressionFacts& facts, const Names& names, std::function<bool(SyntaxId)> is_array,
                         Diagnostics& diagnostics)
    : context_(context), tree_(tree), module_(module), function_(function), facts_(facts), names_(names),
      is_array_(std::move(is_array)), diagnostics_(diagnostics) {}

bool Consumption::concerns(const Module& module) {
    return std::ranges::any_of(module.functions, [](const Function& function) {
        return std::ranges::any_of(function.params, &Parameter::consumed);
    });
}

bool Consumption::run(SyntaxId root, std::span<const SyntaxId> params) {
    const SyntaxId first = first_of_subtree(tree_, root);
    std::unordered_map<SyntaxId, std::vector<std::pair<SyntaxId, SyntaxId>>> begins; // inner blocks first
    for (SyntaxId id = first; id <= root; ++id)
        if (tree_[id].kind == Kind::Op)
            for (SyntaxId child : tree_.children_of(id))
                if (tree_[child].kind == Kind::Block) begins[first_of_subtree(tree_, child)].emplace_back(child, id);
    for (std::size_t k = 0; k < params.size() && k < function_.params.size(); ++k)
        arrays_[params[k]].consumable = function_.params[k].consumed;
    std::unordered_map<SyntaxId, SyntaxId> owners;
    for (SyntaxId id = first; id <= root; ++id) {
        if (const auto found = begins.find(id); found != begins.end())
            for (std::size_t i = found->second.size(); i-- > 0;) {
                open(found->second[i].first, found->second[i].second);
                owners.insert(found->second[i]);
            }
        if (const auto owner = owners.find(id); owner != owners.end())
            close(id, owner->second);
        else
            visit(id);
    }
    return ok_;
}

void Consumption::error(SyntaxId where, std::string text, SyntaxId place, std::string note) {
    ok_ = false;
    diagnostics_.error(tree_.span(where), std::move(text)).notes.push_back({tree_.span(place), std::move(note)});
}

const Operation* Consumption::operation(SyntaxId id) const {
    return tree_[id].kind == Kind::Op && facts_.op(id) ? &context_.operations[facts_.op(id)] : nullptr;
}

std::vector<SyntaxId> Consumption::operands(SyntaxId application) const {
    std::vector<SyntaxId> out;
    for (SyntaxId child : tree_.children_of(application))
        if (tree_[child].kind != Kind::Attr && !is_block(tree_[child])) out.push_back(child);
    return out;
}

// -- what shares memory with what -------------------------------------------------------------------------

SyntaxId Consumption::root(SyntaxId definition) const {
    const auto found = roots_.find(definition);
    return found == roots_.end() ? definition : found->second;
}

SyntaxId Consumption::array_of(SyntaxId id) const {
    for (;;) {
        if (tree_[id].kind == Kind::Value) {
            const Definition definition = names_[id];
            return definition.id == nothing || definition.dimension ? nothing : root(definition.id);
        }
        if (tree_[id].kind == Kind::Project) {
            id = tree_.children_of(id)[0];
            continue;
        }
        const Operation* operation = this->operation(id);
        if (!operation || !operation->aliases) return nothing;
        const std::vector<SyntaxId> list = operands(id);
        const auto k = static_cast<std::size_t>(std::countr_zero(operation->aliases));
        if (k >= list.size()) return nothing;
        id = list[k];
    }
}

// -- from top to bottom -------------------------------------------------------------------------------------

void Consumption::visit(SyntaxId id) {
    switch (tree_[id].kind) {
    case Kind::Value: return use(id);
    case Kind::Op: return apply(id);
    case Kind::Call: return call(id);
    case Kind::Bind: return bind(id);
    default: return;
    }
}

void Consumption::use(SyntaxId value) {
    const SyntaxId array = array_of(value);
    if (array == nothing) return;
    Array& known = arrays_[array];
    known.used = value;
    if (known.consumed == nothing) return;
    error(value, "'%" + std::string(tree_.shown_name(value)) + "' is used after it was consumed", known.consumed,
          "consumed here");
    known.consumed = nothing; // told once
}

void Consumption::consume(SyntaxId array, SyntaxId where) {
    if (arrays_[array].consumed == nothing) arrays_[array].consumed = where;
    trail_.push_back(array);
}

void Consumption::apply(SyntaxId id) {
    for (auto [array, where] : behind_[id]) consume(array, where);
    const Operation* operation = this->operation(id);
    if (!operation || !operation->has(Trait::Pure)) return;
    const std::vector<SyntaxId> list = operands(id);
    for (std::size_t k = 0; k < list.size() && k < 64; ++k) {
        if (!(operation->copies >> k & 1)) continue;
        const SyntaxId array = array_of(list[k]);
        if (array == nothing || !arrays_[array].consumable) continue;
        consume(array, id);
        updated_[id] = {true};
    }
}

void Consumption::call(SyntaxId id) {
    const Function* callee = module_.find(context_.symbols.find(tree_.name(id)).value_or(SymbolId{}));
    if (!callee) return;
    const std::vector<SyntaxId> list = operands(id);
    for (std::size_t k = 0; k < list.size() && k < callee->params.size(); ++k) {
        const SyntaxId array = callee->params[k].consumed ? array_of(list[k]) : nothing;
        if (array == nothing) continue;
        for (std::size_t other = 0; other < list.size(); ++other)
            if (other != k && array_of(list[other]) == array && is_array_(array)) {
                const std::string callee_name = "'@" + std::string(tree_.name(id)) + "'";
                error(list[other], "the same call consumes an array that shares memory with this", list[k],
                      callee_name + " consumes this");
                return;
            }
        consume(array, id);
    }
}

void Consumption::bind(SyntaxId id) {
    const auto children = tree_.children_of(id);
    const auto targets = children.first(children.size() - 1);
    const SyntaxId expression = children.back();
    if (const auto found = updated_.find(expression); found != updated_.end())
        for (std::size_t k = 0; k < targets.size() && k < found->second.size(); ++k)
            arrays_[targets[k]].consumable = found->second[k];
    if (const SyntaxId array = array_of(expression); array != nothing)
        for (SyntaxId target : targets)
            if (is_array_(target)) roots_[target] = array;
}

// -- blocks -----------------------------------------------------------------------------------------------------

void Consumption::open(SyntaxId block, SyntaxId owner) {
    Scope& scope = scopes_.emplace_back(Scope{block, trail_.size(), {}});
    const Operation* operation = this->operation(owner);
    if (!operation || !operation->signature.carrying()) return;
    std::vector<SyntaxId> params;
    for (SyntaxId child : tree_.children_of(block))
        if (tree_[child].kind == Kind::Param) params.push_back(child);
    const std::vector<SyntaxId> list = operands(owner);
    const auto fixed = static_cast<std::size_t>(
        std::ranges::count_if(operation->signature.operands, [](const TypeTerm& term) { return !term.sequence; }));
    for (std::size_t k = fixed; k < list.size() && params.size() >= list.size() - fixed; ++k) {
        const SyntaxId param = params[params.size() - list.size() + k], array = array_of(list[k]);
        arrays_[param].consumable = array != nothing && arrays_[array].consumable;
        scope.carried.emplace_back(param, array);
    }
}

// A branch is over for the others, and counts behind all of them.
void Consumption::close(SyntaxId block, SyntaxId owner) {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    const SyntaxId first = first_of_subtree(tree_, block);
    const Operation* operation = this->operation(owner);
    const bool cold =
        operation && std::ranges::all_of(operation->signature.blocks, [](const BlockSignature& signature) {
            return signature.frequency == Frequency::Cold;
        });
    for (std::size_t i = scope.mark; i < trail_.size(); ++i) {
        const SyntaxId array = trail_[i], where = arrays_[array].consumed;
        if (where == nothing || (array >= first && array <= block)) continue;
        if (!cold)
            error(where, "each iteration of this block consumes an array from outside the block", array, "made here");
        arrays_[array].consumed = nothing;
        if (cold) behind_[owner].emplace_back(array, where);
    }
    trail_.resize(scope.mark);
    std::vector<bool> updated;
    for (auto [param, array] : scope.carried) {
        const SyntaxId where = arrays_[param].consumed;
        updated.push_back(where != nothing);
        if (where == nothing || array == nothing) continue;
        if (const SyntaxId used = arrays_[array].used; used != nothing && used >= first && used <= block)
            error(used, "this is used after an earlier iteration consumed it", where,
                  "consumed here, as a value that iterations carry");
        behind_[owner].emplace_back(array, owner);
    }
    updated_[owner] = std::move(updated);
}

} // namespace irrewrite::grammar
