#include "grammar/rules/lint_notes.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/syntax/syntax.hpp"

#include <map>
#include <set>

namespace irrewrite::grammar {

std::vector<SetNote> read_notes(const Context& context, const RuleBase& base) {
    std::map<std::pair<SourceId, std::uint32_t>, SetNote> by_place;
    std::set<SourceId> sources;
    for (const RuleSet& set : base.sets) sources.insert(set.where.source);
    const auto is_label = [&](std::string_view name) {
        const auto symbol = context.symbols.find(name);
        return symbol && context.operations.is_label(*symbol);
    };
    for (SourceId source : sources) {
        Diagnostics seen; // reported when the rules were loaded
        const SyntaxTree tree = parse_rules(context.sources, source, is_label, seen);
        for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
            const SyntaxId id{i};
            if (tree[id].kind != Kind::RuleSet) continue;
            SetNote& note = by_place[{source, tree.name_span(id).begin}];
            for (SyntaxId child : tree.children_of(id)) {
                if (tree[child].kind == Kind::Trait) note.ordered = true;
                if (tree[child].kind == Kind::String) note.ends = unescape(tree.name(child));
            }
        }
    }
    std::vector<SetNote> out;
    for (const RuleSet& set : base.sets) out.push_back(by_place[{set.where.source, set.where.begin}]);
    return out;
}

} // namespace irrewrite::grammar
