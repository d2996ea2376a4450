#include "grammar/surface/term_edits.hpp"

namespace irrewrite::grammar {

TermId name_of(Terms& terms, Kind kind, SymbolId name, TermId near) {
    Term made{.kind = kind, .settled = true, .name = name, .label = {}};
    made.begin = terms[near].begin, made.end = terms[near].end;
    return terms.add(made);
}

TermId value_of(Terms& terms, SymbolId name, TermId near) { return name_of(terms, Kind::Value, name, near); }

void add_results(Terms& terms, TermId block, std::span<const TermId> values) {
    if (values.empty()) return;
    std::vector<TermId> children = terms.copy_of_children(block);
    std::vector<TermId> results;
    if (!children.empty() && terms[children.back()].kind == Kind::Results) {
        results = terms.copy_of_children(children.back());
        children.pop_back();
    }
    results.insert(results.end(), values.begin(), values.end());
    Term made{.kind = Kind::Results, .name = {}, .label = {}};
    made.begin = terms[block].begin, made.end = terms[block].end;
    children.push_back(terms.add(made, results));
    terms.set_children(block, children);
}

void demote_results(Terms& terms, TermId block) {
    std::vector<TermId> children = terms.copy_of_children(block);
    if (children.empty() || terms[children.back()].kind != Kind::Results || (terms[children.back()].flags & Return))
        return;
    const std::vector<TermId> plain = terms.copy_of_children(children.back());
    children.pop_back();
    children.insert(children.end(), plain.begin(), plain.end());
    terms.set_children(block, children);
}

std::size_t names_of(const Terms& terms, TermId bind) {
    std::size_t names = 0;
    for (TermId child : terms.children_of(bind)) names += terms[child].kind == Kind::Target;
    return names;
}

void split_definition(Terms& terms, TermId bind, std::size_t names) {
    const std::vector<TermId> children = terms.copy_of_children(bind);
    std::vector<TermId> each;
    for (std::size_t k = 0; k < names; ++k) {
        const TermId parts[] = {children[k], children[names + k]};
        each.push_back(terms.add(terms[bind], parts));
    }
    terms[bind].kind = spliced;
    terms.set_children(bind, each);
}

} // namespace irrewrite::grammar
