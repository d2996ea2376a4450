#include "grammar/surface/assigned.hpp"

#include <unordered_set>

namespace irrewrite::grammar {

namespace {

using Keys = std::vector<NameKey>;

void merge(Keys& into, Keys&& more) {
    if (into.empty()) {
        into = std::move(more);
        return;
    }
    std::unordered_set<std::uint64_t> known;
    for (NameKey key : into) known.insert(key.bits());
    for (NameKey key : more)
        if (known.insert(key.bits()).second) into.push_back(key);
}

} // namespace

std::vector<SymbolId> dimension_names(const Terms& terms, TermId function) {
    std::vector<SymbolId> names;
    std::vector<TermId> open{function};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (terms[term].kind == Kind::DimName) names.push_back(terms[term].name);
        if (terms[term].kind == Kind::Block) continue;
        for (TermId child : terms.children_of(term)) open.push_back(child);
    }
    return names;
}

std::unordered_map<TermId, std::vector<NameKey>> find_assigned(const Terms& terms) {
    std::unordered_map<TermId, Keys> open, found; // open: of terms whose parent comes yet
    for (TermId id = 0; id < terms.size(); ++id) {
        const Term& term = terms[id];
        Keys keys;
        Keys own; // that a block defines itself
        for (TermId child : terms.children_of(id)) {
            const Term& part = terms[child];
            if (term.kind == Kind::Bind && (term.flags & Assigns) && part.kind == Kind::Target)
                merge(keys, {{part.name, part.user}});
            if (term.kind == Kind::Block && part.kind == Kind::Param) own.push_back({part.name, part.user});
            if (term.kind == Kind::Block && part.kind == Kind::Bind && !(part.flags & Assigns))
                for (TermId target : terms.children_of(child))
                    if (terms[target].kind == Kind::Target) own.push_back({terms[target].name, terms[target].user});
            const auto it = open.find(child);
            if (it == open.end()) continue;
            merge(keys, std::move(it->second));
            open.erase(it);
        }
        if (!keys.empty() && !own.empty()) {
            std::unordered_set<std::uint64_t> defined;
            for (NameKey key : own) defined.insert(key.bits());
            std::erase_if(keys, [&](NameKey key) { return defined.contains(key.bits()); });
        }
        if (keys.empty()) continue;
        if (term.kind == Kind::Op) found.emplace(id, keys);
        open.emplace(id, std::move(keys));
    }
    return found;
}

} // namespace irrewrite::grammar
