#include "grammar/surface/assigned.hpp"

#include <unordered_set>

namespace irrewrite::grammar {

namespace {

// Names, each once, in the order of the first assignments.
class Keys {
  public:
    void add(NameKey key) {
        if (known_.insert(key.bits()).second) list_.push_back(key);
    }
    void add(Keys&& more, const Keys& except) {
        if (list_.empty() && except.list_.empty()) {
            *this = std::move(more);
            return;
        }
        for (NameKey key : more.list_)
            if (!except.known_.contains(key.bits())) add(key);
    }
    const std::vector<NameKey>& list() const { return list_; }

  private:
    std::vector<NameKey> list_;
    std::unordered_set<std::uint64_t> known_;
};

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
    std::unordered_map<TermId, Keys> open; // of terms whose parent comes yet
    std::unordered_map<TermId, std::vector<NameKey>> found;
    for (TermId id = 0; id < terms.size(); ++id) {
        const Term& term = terms[id];
        Keys keys, own; // own: that a block has defined itself
        for (TermId child : terms.children_of(id)) {
            const Term& part = terms[child];
            if (term.kind == Kind::Bind && (term.flags & Assigns) && part.kind == Kind::Target)
                keys.add({part.name, part.user});
            if (const auto it = open.find(child); it != open.end()) {
                keys.add(std::move(it->second), own);
                open.erase(it);
            }
            if (term.kind == Kind::Block && part.kind == Kind::Param) own.add({part.name, part.user});
            if (term.kind == Kind::Block && part.kind == Kind::Bind && !(part.flags & Assigns))
                for (TermId target : terms.children_of(child))
                    if (terms[target].kind == Kind::Target) own.add({terms[target].name, terms[target].user});
        }
        if (keys.list().empty()) continue;
        if (term.kind == Kind::Op) found.emplace(id, keys.list());
        open.emplace(id, std::move(keys));
    }
    return found;
}

} // namespace irrewrite::grammar
