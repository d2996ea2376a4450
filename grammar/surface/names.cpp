#include "grammar/surface/names.hpp"

#include "grammar/surface/scope_terms.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

constexpr std::uint32_t nothing = Scopes::nothing;

class NameSettler {
  public:
    NameSettler(Context& context, const Language& language, SourceId source, Terms& terms, Diagnostics& diagnostics)
        : context_(context), language_(language), source_(source), terms_(terms), diagnostics_(diagnostics),
          assigned_(find_assigned(terms)), scopes_(context.symbols),
          scope_terms_(context, terms, scopes_, path_, source, diagnostics) {}

    void function(TermId id) {
        scopes_.begin_function();
        scopes_.open_scope();
        for (SymbolId dimension : dimension_names(terms_, id))
            if (scopes_.take(dimension)) scopes_.add({dimension, false}, id, dimension, scopes_.scope());
        TermId block = nothing;
        bool gives = false; // it has results
        for (TermId child : terms_.copy_of_children(id)) {
            const Kind kind = terms_[child].kind;
            if (kind == Kind::Param) declare(child);
            if (kind == Kind::Block) block = child;
            gives |= kind != Kind::Param && kind != Kind::Block;
        }
        block == nothing ? scopes_.close_scope() : body(block, gives);
    }

  private:
    enum class Carries : std::uint8_t { Loop, Branches };
    // An operation in whose blocks variables are assigned.
    struct Carry {
        Carries kind;
        std::vector<std::uint32_t> variables;      // that have a value before
        std::vector<NameKey> fresh;                // Branches: that have none
        std::vector<std::vector<SymbolId>> ends{}; // of those, by branch
        std::size_t block = 0;                     // that is visited
        std::vector<bool> tests{};                 // by block
    };
    // -- names ------------------------------------------------------------------------------------
    std::string text_of(SymbolId name) const { return "'" + std::string(context_.symbols[name]) + "'"; }
    Span span(TermId id) const { return {source_, terms_[id].begin, terms_[id].end}; }

    // The name of a parameter, or of what is defined.
    void declare(TermId id) {
        const NameKey key{terms_[id].name, terms_[id].user};
        const std::uint32_t known = scopes_.find(key);
        if (known != nothing && scopes_[known].scope == scopes_.scope())
            diagnostics_.error(span(id), text_of(key.name) + " is defined twice in one block")
                .notes.push_back({span(scopes_[known].where), "defined first here"});
        settle(id, scopes_.fresh(key.name));
        scopes_.add(key, id, terms_[id].name, scopes_.scope());
    }
    void settle(TermId id, SymbolId name) { terms_[id].name = name, terms_[id].settled = true; }
    void assign(TermId id) {
        const NameKey key{terms_[id].name, terms_[id].user};
        std::uint32_t variable = scopes_.find(key);
        if (variable == nothing && !language_.undeclared) {
            unknown(id, key);
            settle(id, scopes_.fresh(key.name));
            return;
        }
        if (variable == nothing) { // it is the function's, and has no value outside of this block
            variable = scopes_.add(key, id, {}, 0);
            scopes_.change(variable, {}, scopes_.block());
        }
        const Variable& assigned = scopes_[variable];
        if (assigned.carried != scopes_.block() && assigned.value)
            diagnostics_.error(
                span(id), text_of(key.name) + " is assigned in a block that does not carry its value outside",
                "statements with blocks that carry values (while, for), or that run once at most (if), do");
        const SymbolId value = scopes_.fresh(key.name);
        settle(id, value);
        scopes_.change(variable, value, scopes_.block());
    }
    void unknown(TermId id, NameKey key) {
        if (!key.user) {
            diagnostics_.error(span(id), "'%" + std::string(context_.symbols[key.name]) +
                                             "' of the right side has no meaning here: nothing around defines it");
            return;
        }
        std::vector<std::string_view> known;
        constexpr std::size_t most = 1000;
        for (const auto& [bits, variable] : scopes_.visible())
            if (scopes_[variable].key.user && known.size() < most)
                known.push_back(context_.symbols[scopes_[variable].key.name]);
        std::ranges::sort(known);
        diagnostics_.error(span(id), "unknown name " + text_of(key.name),
                           suggestion(context_.symbols[key.name], known));
    }
    void use(TermId id) {
        if (terms_[id].settled) return;
        const NameKey key{terms_[id].name, terms_[id].user};
        const std::uint32_t variable = scopes_.find(key);
        if (variable == nothing) {
            unknown(id, key);
        } else if (!scopes_[variable].value) {
            diagnostics_.error(span(id), text_of(key.name) + " may have no value here")
                .notes.push_back({span(scopes_[variable].where), "it is assigned here, which may not have happened"});
        } else {
            settle(id, scopes_[variable].value);
        }
    }
    // -- the walk ---------------------------------------------------------------------------------
    void body(TermId block, bool gives) {
        if (!gives) demote_results(terms_, block);
        const auto children = terms_.children_of(block);
        if (!children.empty() && terms_[children.back()].kind == Kind::Results) terms_[children.back()].flags |= Return;
        function_body_ = block;
        path_.push_back({block});
        while (!path_.empty()) step();
    }
    void step() {
        scope_terms_.next_child();
        Visit& visit = path_.back();
        if (visit.next == terms_[visit.id].count) return leave();
        const TermId child = terms_.children_of(visit.id)[visit.next++];
        switch (terms_[child].kind) {
        case Kind::Value: use(child); return;
        case Kind::Param:
            if (!terms_[child].settled) declare(child);
            return;
        case Kind::Target: return; // behind the value
        case Kind::Attr:
        case Kind::TypeName:
        case Kind::TypeArray:
        case Kind::TypeTuple:
        case Kind::TypeRef:
        case Kind::TypeMut:
        case Kind::TypeApply: return;
        case Kind::Block: return enter_block(child);
        case Kind::Results:
            if ((terms_[child].flags & Return) && visit.id != function_body_)
                diagnostics_.error(span(child), "'return' may only stand at the end of a function");
            break;
        case Kind::Op: return enter_operation(child);
        default: break;
        }
        if (terms_[child].count > 0) path_.push_back({child});
    }
    void leave() {
        const Visit visit = std::move(path_.back());
        path_.pop_back();
        switch (terms_[visit.id].kind) {
        case Kind::Bind: define(visit.id); break;
        case Kind::Block: leave_block(visit.id); break;
        case Kind::Op:
            if (visit.carry != nothing)
                leave_operation(visit);
            else if (scope_terms_.is_scope(visit.id))
                scope_terms_.leave(visit.id);
            break;
        default: break;
        }
    }
    void define(TermId id) {
        const bool assigns = terms_[id].flags & Assigns;
        const auto children = terms_.copy_of_children(id);
        const std::size_t names = names_of(terms_, id);
        for (TermId name : std::span(children).first(names))
            if (!terms_[name].settled) assigns ? assign(name) : declare(name);
        terms_[id].flags &= static_cast<std::uint8_t>(~Assigns);
        if (children.size() > names + 1) define_each(id, names);
    }
    // `a, b = b, a`: the values were read before one of the names has changed.
    void define_each(TermId id, std::size_t names) {
        const std::size_t values = terms_[id].count - names;
        if (names != values) {
            diagnostics_.error(span(id), std::to_string(names) + (names == 1 ? " name for " : " names for ") +
                                             std::to_string(values) + " values");
            return;
        }
        split_definition(terms_, id, names);
    }

    // -- blocks -----------------------------------------------------------------------------------
    Carry* carry_around() {
        return path_.empty() || path_.back().carry == nothing ? nullptr : &carries_[path_.back().carry];
    }
    void enter_block(TermId id) {
        Carry* carry = carry_around();
        scopes_.open_scope(scope_terms_.is_scope(path_.back().id));
        if (carry) {
            std::vector<TermId> children = terms_.copy_of_children(id);
            std::size_t params = 0;
            while (params < children.size() && terms_[children[params]].kind == Kind::Param) ++params;
            std::vector<TermId> added;
            for (std::uint32_t variable : carry->variables) {
                SymbolId value = scopes_[variable].value;
                if (carry->kind == Carries::Loop) {
                    value = scopes_.fresh(scopes_[variable].key.name);
                    added.push_back(name_of(terms_, Kind::Param, value, id));
                }
                const bool tests = carry->tests[carry->block];
                scopes_.change(variable, value, tests ? nothing : scopes_.block());
            }
            children.insert(children.begin() + static_cast<std::ptrdiff_t>(params), added.begin(), added.end());
            terms_.set_children(id, children);
        }
        path_.push_back({id});
    }
    void leave_block(TermId id) {
        Carry* carry = carry_around();
        if (carry && !carry->tests[carry->block]) {
            std::vector<TermId> values;
            for (std::uint32_t variable : carry->variables)
                values.push_back(value_of(terms_, scopes_[variable].value, id));
            add_results(terms_, id, values);
            std::vector<SymbolId>& ends = carry->ends.emplace_back();
            for (NameKey key : carry->fresh) {
                const std::uint32_t variable = scopes_.find(key);
                ends.push_back(variable == nothing ? SymbolId{} : scopes_[variable].value);
            }
        }
        if (carry) ++carry->block;
        scopes_.close_scope();
    }
    // -- operations whose blocks assign -----------------------------------------------------------
    const Signature* signature(TermId id) const {
        for (OpId op : context_.operations.find(terms_[id].name))
            if (!context_.operations[op].signature.blocks.empty()) return &context_.operations[op].signature;
        return nullptr;
    }
    // Blocks that run once at most, one of them, without values of their own.
    static bool branches(const Signature& signature) {
        return std::ranges::all_of(signature.blocks, [](const BlockSignature& block) {
            return block.params.empty() && block.frequency != Frequency::Hot && !block.tests && !block.carries &&
                   block.results.size() == 1 && block.results[0].sequence;
        });
    }
    void enter_operation(TermId id) {
        if (scope_terms_.is_scope(id)) {
            scope_terms_.enter(id);
            return path_.push_back({id});
        }
        std::uint32_t carry = nothing;
        const Term& around = terms_[path_.back().id];
        const bool bound = around.kind == Kind::Bind && around.count == names_of(terms_, path_.back().id) + 1;
        const bool statement = around.kind == Kind::Block || bound;
        const Signature* operation = statement && terms_[id].count > 0 ? signature(id) : nullptr;
        if (operation && (operation->carrying() || branches(*operation))) {
            drop_results(id, *operation);
            if (const auto assigned = assigned_.find(id); assigned != assigned_.end())
                carry = begin_carry(id, *operation, assigned->second);
        }
        if (terms_[id].count > 0) path_.push_back({id, 0, carry});
    }
    std::uint32_t begin_carry(TermId id, const Signature& operation, const std::vector<NameKey>& assigned) {
        Carry carry{.kind = operation.carrying() ? Carries::Loop : Carries::Branches, .variables = {}, .fresh = {}};
        for (NameKey key : assigned) {
            const std::uint32_t variable = scopes_.find(key);
            const bool has_value = variable != nothing && scopes_[variable].value;
            if (has_value && scopes_[variable].carried != scopes_.block()) continue; // reported where it is assigned
            if (has_value)
                carry.variables.push_back(variable);
            else if (language_.undeclared && carry.kind == Carries::Branches)
                carry.fresh.push_back(key);
        }
        if (carry.variables.empty() && carry.fresh.empty()) return nothing;
        for (std::size_t b = 0; b < operation.blocks.size(); ++b) carry.tests.push_back(operation.blocks[b].tests);
        carry.tests.resize(terms_[id].count + 1);
        if (carry.kind == Carries::Loop) {
            std::vector<TermId> children = terms_.copy_of_children(id), added;
            const auto block = std::ranges::find_if(children, [&](TermId t) { return is_a_block(t); });
            for (std::uint32_t variable : carry.variables)
                added.push_back(value_of(terms_, scopes_[variable].value, id));
            children.insert(block, added.begin(), added.end());
            terms_.set_children(id, children);
        }
        carries_.push_back(std::move(carry));
        return static_cast<std::uint32_t>(carries_.size() - 1);
    }
    bool is_a_block(TermId t) const { return terms_[t].kind == Kind::Block || terms_[t].kind == Kind::OperatorBlock; }
    // Results that nobody takes are statements.
    void drop_results(TermId id, const Signature& operation) {
        const bool taken = terms_[path_.back().id].kind == Kind::Bind;
        std::size_t operands = 0;
        for (TermId child : terms_.children_of(id)) operands += terms_[child].kind != Kind::Attr && !is_a_block(child);
        const auto fixed = static_cast<std::size_t>(
            std::ranges::count_if(operation.operands, [](const TypeTerm& t) { return !t.sequence; }));
        if (taken || operands > fixed) return;
        for (TermId block : terms_.copy_of_children(id)) {
            const bool tests = operation.tests() && terms_[block].label == operation.blocks[0].label;
            if (terms_[block].kind == Kind::Block && !tests) demote_results(terms_, block);
        }
    }
    void leave_operation(const Visit& visit) {
        Carry carry = std::move(carries_[visit.carry]);
        const Signature& operation = *signature(visit.id);
        std::vector<SymbolId> bases;
        if (carry.kind == Carries::Branches) {
            const bool all = carry.ends.size() == operation.blocks.size();
            if (!all && !carry.variables.empty()) add_branch(visit.id, operation, carry);
            join(visit.id, carry, all);
        }
        for (std::uint32_t variable : carry.variables) {
            const SymbolId value = scopes_.fresh(scopes_[variable].key.name);
            bases.push_back(value);
            scopes_.change(variable, value, scopes_[variable].carried);
        }
        take_results(visit.id, bases);
    }
    // The branch that is not written leaves everything as it is.
    void add_branch(TermId id, const Signature& operation, const Carry& carry) {
        std::vector<TermId> values;
        for (std::uint32_t variable : carry.variables) values.push_back(value_of(terms_, scopes_[variable].value, id));
        Term made{.kind = Kind::Block, .name = {}, .label = operation.blocks.back().label};
        made.begin = terms_[id].begin, made.end = terms_[id].end;
        const TermId block = terms_.add(made);
        add_results(terms_, block, values);
        std::vector<TermId> children = terms_.copy_of_children(id);
        children.push_back(block);
        terms_.set_children(id, children);
    }
    // Variables that all branches define have a value behind them.
    void join(TermId id, Carry& carry, bool all) {
        for (std::size_t k = 0; k < carry.fresh.size(); ++k) {
            if (!all || std::ranges::any_of(carry.ends, [&](const auto& ends) { return !ends[k]; })) continue;
            std::size_t branch = 0;
            for (TermId block : terms_.copy_of_children(id))
                if (terms_[block].kind == Kind::Block) {
                    const TermId value = value_of(terms_, carry.ends[branch++][k], block);
                    add_results(terms_, block, {&value, 1});
                }
            std::uint32_t variable = scopes_.find(carry.fresh[k]);
            scopes_.change(variable, scopes_[variable].value, scopes_.block()); // it is assigned in this block
            carry.variables.push_back(variable);
        }
    }
    // `%x = if …`: the names of what the operation carries, behind those that the template has.
    void take_results(TermId id, std::span<const SymbolId> names) {
        if (names.empty()) return;
        std::vector<TermId> targets;
        for (SymbolId name : names) targets.push_back(name_of(terms_, Kind::Target, name, id));
        Visit& around = path_.back();
        if (terms_[around.id].kind == Kind::Bind) {
            std::vector<TermId> children = terms_.copy_of_children(around.id);
            children.insert(children.end() - 1, targets.begin(), targets.end());
            terms_.set_children(around.id, children);
            around.next = terms_[around.id].count;
            return;
        }
        targets.push_back(id);
        Term made{.kind = Kind::Bind, .name = {}, .label = {}};
        made.begin = terms_[id].begin, made.end = terms_[id].end;
        const TermId bind = terms_.add(made, targets);
        terms_.children_of(around.id)[around.next - 1] = bind;
    }

    Context& context_;
    const Language& language_;
    SourceId source_;
    Terms& terms_;
    Diagnostics& diagnostics_;
    std::unordered_map<TermId, std::vector<NameKey>> assigned_;
    Scopes scopes_;
    std::vector<Carry> carries_;
    std::vector<Visit> path_;
    ScopeTerms scope_terms_;
    TermId function_body_ = nothing;
};

} // namespace

void settle_names(Context& context, const Language& language, SourceId source, std::span<const TermId> declarations,
                  Terms& terms, Diagnostics& diagnostics) {
    NameSettler settler(context, language, source, terms, diagnostics);
    for (TermId id : declarations)
        if (terms[id].kind == Kind::Func) settler.function(id);
}

} // namespace irrewrite::grammar
