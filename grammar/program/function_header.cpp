#include "grammar/program/function_header.hpp"

#include "engine/ir/type_parts.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/expression_facts.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

class Header {
  public:
    Header(Context& context, const SyntaxTree& tree, Function& function, Diagnostics& diagnostics)
        : context_(context), tree_(tree), function_(function), diagnostics_(diagnostics) {}

    bool declare(std::span<const SyntaxId> parts) {
        for (SyntaxId part : parts) {
            if (tree_[part].kind != Kind::Param) continue;
            if (tree_[part].count) find_dimensions(tree_.children_of(part)[0]);
            ++param_;
        }
        for (const Dimension& dimension : function_.dims) dimensions_.push_back(dimension.name);
        for (SyntaxId part : parts) {
            const Kind kind = tree_[part].kind;
            if (kind == Kind::Param)
                add_param(part);
            else if (kind != Kind::Block && kind != Kind::ReadBody)
                function_.result_types.push_back(type(part));
        }
        auto& results = function_.result_types;
        if (results.size() == 1 && results[0] == context_.types.unit()) results.clear();
        return complete_;
    }

  private:
    SymbolId symbol(SyntaxId id) { return context_.symbols.add(tree_.name(id)); }

    TypeId type(SyntaxId id) {
        const auto type = elaborate_type(context_, tree_, id, dimensions_, diagnostics_);
        if (!type) complete_ = false;
        return type.value_or(TypeId{});
    }

    // The lengths that the arrays of one parameter's type name.
    void find_dimensions(SyntaxId type) {
        for (std::uint32_t depth = 0;; ++depth) {
            if (tree_[type].kind == Kind::TypeMut) type = tree_.children_of(type)[0];
            if (applies_opaque(tree_, type)) return find_sizes(type, depth);
            if (tree_[type].kind != Kind::TypeArray) break;
            const SyntaxId dim = tree_.children_of(type)[0];
            if (tree_[dim].kind == Kind::DimName) add_dimension(symbol(dim), depth);
            type = tree_.children_of(type)[1];
        }
    }

    void find_sizes(SyntaxId type, std::uint32_t depth) {
        for (SyntaxId dim : sizes_of(tree_, type)) {
            if (tree_[dim].kind == Kind::DimName) add_dimension(symbol(dim), depth);
            ++depth;
        }
    }

    void add_dimension(SymbolId name, std::uint32_t depth) {
        const auto known = [&](const Dimension& dimension) { return dimension.name == name; };
        if (std::ranges::any_of(function_.dims, known)) return;
        const auto index = static_cast<std::uint32_t>(function_.dims.size());
        const NodeId node = function_.graph.param(number::dims, index, context_.types.i64());
        function_.graph.set_name(node, name);
        function_.dims.push_back({name, node, param_, depth});
    }

    void add_param(SyntaxId id) {
        if (tree_[id].count == 0) complete_ = false; // the parser said so
        const TypeId type = this->type(tree_[id].count ? tree_.children_of(id)[0] : id);
        NodeId node;
        if (type) {
            const auto index = static_cast<std::uint32_t>(function_.params.size());
            node = function_.graph.param(number::function, index, type);
            function_.graph.set_name(node, symbol(id));
        }
        const bool consumed = (tree_[id].flags & Consumed) != 0;
        const auto lies_in_memory = [&](TypeId part) {
            const TypeKind kind = context_.types.kind(part);
            return kind == TypeKind::Array || kind == TypeKind::Mut || kind == TypeKind::Opaque;
        };
        if (consumed && type && !any_type_within(context_.types, type, lies_in_memory))
            diagnostics_.error(tree_.span(id), "'*' marks an array that the function may consume, and this is " +
                                                   context_.types.text(type, context_.symbols));
        function_.params.push_back({symbol(id), type, node, consumed});
    }

    Context& context_;
    const SyntaxTree& tree_;
    Function& function_;
    Diagnostics& diagnostics_;
    std::vector<SymbolId> dimensions_;
    std::uint32_t param_ = 0; // the one whose dimensions are being found
    bool complete_ = true;
};

} // namespace

bool declare_header(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> parts, Function& function,
                    Diagnostics& diagnostics) {
    return Header(context, tree, function, diagnostics).declare(parts);
}

} // namespace irrewrite::grammar
