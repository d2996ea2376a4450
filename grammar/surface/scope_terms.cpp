#include "grammar/surface/scope_terms.hpp"

#include <algorithm>

namespace irrewrite::grammar {

bool ScopeTerms::is_scope(TermId id) const {
    if (terms_[id].kind != Kind::Op || terms_[id].count != 1 || context_.symbols[terms_[id].name] != "scope")
        return false;
    return terms_[terms_.children_of(id)[0]].kind == Kind::Block && context_.operations.find(terms_[id].name).empty();
}

void ScopeTerms::enter(TermId id) {
    if (terms_[path_.back().id].kind == Kind::Block) demote_results(terms_, terms_.children_of(id)[0]);
}

void ScopeTerms::leave(TermId id) {
    if (terms_[path_.back().id].kind != Kind::Block) return leave_value(id);
    const std::vector<TermId> statements = terms_.copy_of_children(terms_.children_of(id)[0]);
    terms_[id].kind = spliced;
    terms_.set_children(id, statements);
}

// The statements that stand before one are put there when it is settled.
void ScopeTerms::next_child() {
    Visit& visit = path_.back();
    clean_ = std::min(clean_, path_.size() - 1);
    if (visit.before.empty()) return;
    std::vector<TermId> statements = std::move(visit.before);
    visit.before.clear();
    const std::uint32_t at = visit.next - 1;
    const TermId statement = terms_.children_of(visit.id)[at];
    if (terms_[statement].kind == Kind::Results) { // it stays the last one
        std::vector<TermId> children = terms_.copy_of_children(visit.id);
        children.insert(children.begin() + at, statements.begin(), statements.end());
        terms_.set_children(visit.id, children);
        visit.next += static_cast<std::uint32_t>(statements.size());
        return;
    }
    statements.push_back(statement);
    Term made = terms_[statement];
    made.kind = spliced;
    const TermId all = terms_.add(made, statements);
    terms_.children_of(visit.id)[at] = all;
}

void ScopeTerms::leave_value(TermId id) {
    std::vector<TermId> statements = terms_.copy_of_children(terms_.children_of(id)[0]);
    const bool gives = !statements.empty() && terms_[statements.back()].kind == Kind::Results &&
                       terms_[statements.back()].count == 1 && !(terms_[statements.back()].flags & Return);
    if (!gives) {
        diagnostics_.error({source_, terms_[id].begin, terms_[id].end},
                           "a 'scope' of a right side stands here as a value, and does not end with one");
        return;
    }
    const TermId value = terms_.children_of(statements.back())[0];
    statements.pop_back();
    std::size_t block = path_.size() - 1;
    while (terms_[path_[block].id].kind != Kind::Block) --block;
    if (is_wanted(block, id)) return;
    if (!statements.empty()) lift_before(block);
    path_[block].before.insert(path_[block].before.end(), statements.begin(), statements.end());
    terms_.children_of(path_.back().id)[path_.back().next - 1] = value;
}

// True, with an error, if the value is needed only sometimes.
bool ScopeTerms::is_wanted(std::size_t block, TermId id) {
    for (std::size_t i = std::max(block + 1, clean_); i < path_.size(); ++i) {
        const Term& term = terms_[path_[i].id];
        const std::string_view name = term.kind == Kind::Infix ? context_.symbols[term.name] : "";
        if ((name != "&&" && name != "||") || path_[i].next < 2) continue;
        diagnostics_.error(
            {source_, terms_[id].begin, terms_[id].end},
            "a 'scope' of a right side stands behind '" + std::string(name) + "', where it is evaluated only sometimes",
            "write 'if(l) { r } else { false }' for 'l && r', and 'if(l) { true } else { r }' for 'l || r'");
        return true;
    }
    return false;
}

// From outside to inside: that is their order.
void ScopeTerms::lift_before(std::size_t block) {
    for (std::size_t i = std::max(block + 1, clean_); i < path_.size(); ++i)
        for (Visit& visit = path_[i]; visit.lifted + 1 < visit.next; ++visit.lifted)
            lift(visit.id, visit.lifted, path_[block].before);
    clean_ = path_.size();
}

void ScopeTerms::lift(TermId parent, std::size_t child, std::vector<TermId>& before) {
    const TermId id = terms_.children_of(parent)[child];
    switch (terms_[id].kind) {
    case Kind::Op:
    case Kind::Call:
    case Kind::Infix:
    case Kind::Prefix: break;
    case Kind::Tuple:
    case Kind::Array:
    case Kind::Struct:
    case Kind::Update:
    case Kind::FieldInit:
    case Kind::Project:
        for (std::size_t i = 0; i < terms_[id].count; ++i) lift(id, i, before);
        return;
    default: return;
    }
    if (!has_effects(id)) return;
    const SymbolId name = scopes_.fresh(terms_[id].name);
    const TermId parts[] = {name_of(terms_, Kind::Target, name, id), id};
    Term made{.kind = Kind::Bind, .name = {}, .label = {}};
    made.begin = terms_[id].begin, made.end = terms_[id].end;
    before.push_back(terms_.add(made, parts));
    const TermId value = value_of(terms_, name, id);
    terms_.children_of(parent)[child] = value;
}

// Of functions that is not known here.
bool ScopeTerms::has_effects(TermId id) const {
    std::vector<TermId> open{id};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (terms_[term].kind == Kind::Call) return true;
        if (terms_[term].kind == Kind::Op)
            for (OpId op : context_.operations.find(terms_[term].name))
                if (context_.operations[op].takes_token() || context_.operations[op].signature.tests()) return true;
        for (TermId child : terms_.children_of(term)) open.push_back(child);
    }
    return false;
}

} // namespace irrewrite::grammar
