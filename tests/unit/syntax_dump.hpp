// Syntax trees as S-expressions, for tests: `(Infix + (Value x) (Number 1))`. Flags follow the
// name as `!return`, a label as `label:else`. Not recursive: trees of a million levels are fine.
#pragma once

#include "grammar/syntax/syntax.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace irrewrite::grammar {

inline const char* kind_name(Kind kind) {
    static constexpr const char* names[] = {
        "File",
        "StructDecl",
        "Field",
        "Func",
        "Param",
        "Block",
        "OperatorBlock",
        "ReadBody",
        "Bind",
        "Target",
        "Results",
        "TypeName",
        "TypeArray",
        "DimNone",
        "DimName",
        "DimNumber",
        "DimVar",
        "DimSeq",
        "TypeTuple",
        "TypeRef",
        "TypeMut",
        "TypeVar",
        "TypeSeq",
        "TypeApply",
        "Value",
        "Number",
        "Bool",
        "String",
        "Op",
        "Call",
        "Infix",
        "Prefix",
        "Project",
        "Tuple",
        "Array",
        "Struct",
        "Update",
        "FieldInit",
        "Attr",
        "Meta",
        "MetaLiteral",
        "Compute",
        "Apply",
        "Named",
        "Seq",
        "Wildcard",
        "NamedCall",
        "WholeFunction",
        "StrategyTerm",
        "Import",
        "TypeDecl",
        "ClassDecl",
        "OpDecl",
        "Model",
        "ModelType",
        "CostOps",
        "CostIterations",
        "Cost",
        "Analysis",
        "AttrDecl",
        "Operands",
        "BlockType",
        "Signature",
        "Trait",
        "RuleSet",
        "AtPhase",
        "Costs",
        "Prints",
        "Rule",
        "Pattern",
        "Terms",
        "CondBuild",
        "CondStrategy",
        "Normalize",
        "TargetDecl",
        "Phase",
        "Strategy",
        "Test",
        "FactAfter",
        "FactIn",
        "Ident",
        "SyntaxDecl",
        "Production",
        "Alternative",
        "PegLiteral",
        "PegClass",
        "PegAny",
        "PegRef",
        "PegGroup",
        "PegRepeat",
        "PegAnd",
        "PegNot",
        "PegLabel",
        "PegPrec",
        "Template",
        "TypeTemplate",
        "StrategyName",
        "StrategyCall",
        "StrategyBlock",
        "StrategySeq",
        "StrategyChoice",
        "StrategyIf",
        "StrategyRec",
        "Error",
    };
    static_assert(std::size(names) == static_cast<std::size_t>(Kind::Error) + 1);
    return names[static_cast<std::size_t>(kind)];
}

inline std::string dump_head(const SyntaxTree& tree, SyntaxId id) {
    static constexpr std::array<std::pair<Flag, const char*>, 8> flags{{
        {Local, "local"},
        {Extern, "extern"},
        {Pure, "pure"},
        {Consumed, "consumed"},
        {Sequence, "sequence"},
        {Return, "return"},
        {Inexact, "inexact"},
        {Assigns, "assigns"},
    }};
    std::string head = std::string("(") + kind_name(tree[id].kind);
    if (!tree.name(id).empty()) head += " " + std::string(tree.name(id));
    for (const auto& [flag, name] : flags) {
        if (tree[id].flags & flag) head += std::string(" !") + name;
    }
    if (!tree.label(id).empty()) head += " label:" + std::string(tree.label(id));
    return head;
}

inline std::string dump(const SyntaxTree& tree, SyntaxId root) {
    constexpr SyntaxId close = UINT32_MAX;
    std::string out;
    std::vector<SyntaxId> todo{root};
    while (!todo.empty()) {
        const SyntaxId id = todo.back();
        todo.pop_back();
        if (id == close) {
            out += ')';
            continue;
        }
        out += (out.empty() ? "" : " ") + dump_head(tree, id);
        todo.push_back(close);
        const auto children = tree.children_of(id);
        todo.insert(todo.end(), children.rbegin(), children.rend());
    }
    return out;
}

inline std::string dump(const SyntaxTree& tree) { return dump(tree, tree.root); }

} // namespace irrewrite::grammar
