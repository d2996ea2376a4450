#include "grammar/rules/rule_trees.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace irrewrite::grammar {

namespace {

using Words = std::set<std::string, std::less<>>;

Words declared_labels(const SyntaxTree& tree) {
    Words labels;
    for (SyntaxId declaration : tree.children_of(tree.root)) {
        if (tree[declaration].kind != Kind::OpDecl) continue;
        for (SyntaxId child : tree.children_of(declaration))
            if (tree[child].kind == Kind::BlockType && !tree.label(child).empty()) labels.emplace(tree.label(child));
    }
    return labels;
}

} // namespace

// The syntax of declarations does not depend on labels: they are read first, and the file again if one of its labels
// stands before a block.
SyntaxTree parse_with_own_labels(const Context& context, SourceId source, Diagnostics& diagnostics) {
    Words own, refused;
    const IsLabel is_label = [&](std::string_view word) {
        const auto symbol = context.symbols.find(word);
        if ((symbol && context.operations.is_label(*symbol)) || own.contains(word)) return true;
        refused.emplace(word);
        return false;
    };
    Diagnostics first;
    SyntaxTree tree = parse_rules(context.sources, source, is_label, first);
    own = declared_labels(tree);
    for (const std::string& word : refused)
        if (own.contains(word)) return parse_rules(context.sources, source, is_label, diagnostics);
    diagnostics.append(std::move(first));
    return tree;
}

void keep_only(SyntaxTree& tree, std::initializer_list<Kind> kinds) {
    SyntaxNode part = tree[tree.root];
    part.first = static_cast<std::uint32_t>(tree.children.size());
    for (std::uint32_t i = 0, n = tree[tree.root].count; i < n; ++i) {
        const SyntaxId child = tree.children_of(tree.root)[i];
        if (std::ranges::find(kinds, tree[child].kind) != kinds.end()) tree.children.push_back(child);
    }
    part.count = static_cast<std::uint32_t>(tree.children.size()) - part.first;
    tree.nodes.push_back(part);
    tree.root = static_cast<SyntaxId>(tree.nodes.size() - 1);
}

} // namespace irrewrite::grammar
