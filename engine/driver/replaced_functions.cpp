// Functions that a program and its rule files both define. Calls that rules build would then mean the program's.
#include "engine/driver/tool.hpp"
#include "printers/printers.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite {

namespace {

// The names of the functions that terms of rules call.
std::unordered_set<SymbolId> called_by_rules(const RuleBase& base) {
    std::unordered_set<SymbolId> names;
    for (const Rule& rule : base.rules)
        for (const Term& term : rule.terms)
            if (term.kind == TermKind::Call) names.insert(term.text);
    return names;
}

bool same_types(const Function& a, const Function& b) {
    const auto type = [](const Parameter& parameter) { return parameter.type; };
    return std::ranges::equal(a.params, b.params, {}, type, type) && a.result_types == b.result_types;
}

} // namespace

// The program's stands where its types are those of the rule file's, with a warning unless it is a copy of it, as an
// earlier run has left it.
void Tool::compare_functions_of_rules() {
    const std::unordered_set<SymbolId> called = called_by_rules(rules_.base);
    for (const Function& own : module_.functions) {
        const Function* other = called.contains(own.name) ? rules_.functions.find(own.name) : nullptr;
        if (!other) continue;
        const std::string name = "'@" + std::string(context_.symbols[own.name]) + "'";
        const bool fits = same_types(own, *other);
        if (fits && printers::print_ir(context_, own) == printers::print_ir(context_, *other)) continue;
        Diagnostic& said = fits ? diagnostics_.warning(own.where,
                                                       "rules that call " + name +
                                                           " call this function, and not that "
                                                           "of the rule file",
                                                       "rename one of them")
                                : diagnostics_.error(own.where,
                                                     name + " is a function of a rule file too, with other types, and "
                                                            "rules call it",
                                                     "rename one of them");
        said.notes.push_back({other->where, "the other is here"});
    }
}

} // namespace irrewrite
