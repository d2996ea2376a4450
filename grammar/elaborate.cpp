#include "grammar/elaborate.hpp"

#include "grammar/body.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

class Elaboration {
  public:
    Elaboration(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics)
        : context_(context), tree_(tree), module_(module), diagnostics_(diagnostics) {}

    bool run() {
        const std::size_t errors = diagnostics_.errors();
        for (SyntaxId child : tree_.children_of(tree_.root)) {
            if (tree_[child].kind == Kind::StructDecl) structs_.push_back(child);
            if (tree_[child].kind == Kind::Func) functions_.push_back(child);
            if (tree_[child].kind != Kind::OpDecl) continue;
            for (SyntaxId part : tree_.children_of(child))
                if (tree_[part].kind == Kind::Block) expansions_.push_back(part);
        }
        declare_structs();
        std::erase_if(functions_, [&](SyntaxId id) { return !declare_function(id); });
        find_impure_functions(context_, tree_, functions_, module_);
        for (SyntaxId id : functions_)
            build(id);
        for (SyntaxId id : expansions_)
            build_expansion(id);
        return diagnostics_.errors() == errors && !broken_;
    }

  private:
    SymbolId symbol(SyntaxId id) { return context_.symbols.add(tree_.name(id)); }

    // -- structs ----------------------------------------------------------------------------------

    // Round after round, those whose fields are of known types; what is left contains itself.
    void declare_structs() {
        std::unordered_map<SymbolId, SyntaxId> open;
        std::erase_if(structs_, [&](SyntaxId id) {
            const auto [first, added] = open.emplace(symbol(id), id);
            if (!added)
                diagnostics_
                    .error(tree_.name_span(id),
                           "struct '" + std::string(tree_.name(id)) + "' is declared twice")
                    .notes.push_back({tree_.name_span(first->second), "declared first here"});
            return !added;
        });
        for (const auto& id : structs_)
            order_.push_back(id);
        for (std::size_t before = SIZE_MAX; structs_.size() < before;) {
            before = structs_.size();
            std::erase_if(structs_, [&](SyntaxId id) {
                if (mentions(id, open)) return false;
                declare_struct(id);
                open.erase(symbol(id));
                return true;
            });
        }
        for (SyntaxId id : structs_)
            diagnostics_.error(tree_.name_span(id),
                               "struct '" + std::string(tree_.name(id)) + "' contains itself");
        for (SyntaxId id : order_)
            if (const auto type = context_.types.find_struct(symbol(id)))
                if (std::ranges::find(module_.structs, *type) == module_.structs.end())
                    module_.structs.push_back(*type);
    }

    bool mentions(SyntaxId id, const std::unordered_map<SymbolId, SyntaxId>& names) {
        for (SyntaxId i = first_of_subtree(tree_, id); i < id; ++i)
            if (tree_[i].kind == Kind::TypeName && names.contains(symbol(i))) return true;
        return false;
    }

    void declare_struct(SyntaxId id) {
        std::vector<StructField> fields;
        bool complete = true;
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind != Kind::Field || tree_[child].count == 0) continue;
            const auto same = [&](const StructField& f) { return f.name == symbol(child); };
            if (std::ranges::any_of(fields, same))
                diagnostics_.error(tree_.name_span(child), "field '" +
                                                               std::string(tree_.name(child)) +
                                                               "' is declared twice");
            const auto type = elaborate_type(context_, tree_, tree_.children_of(child)[0],
                                             std::span<const SymbolId>{}, diagnostics_);
            if (type)
                fields.push_back({symbol(child), *type});
            else
                complete = false;
        }
        if (!complete || context_.types.declare_struct(symbol(id), fields)) return;
        diagnostics_.error(tree_.name_span(id),
                           "another struct '" + std::string(tree_.name(id)) + "' has other fields");
    }

    // -- signatures -------------------------------------------------------------------------------

    bool declare_function(SyntaxId id) {
        Span where = tree_.name_span(id);
        where.begin -= where.begin > 0; // the sigil
        if (const Function* first = module_.find(symbol(id))) {
            diagnostics_.error(where, "'@" + std::string(tree_.name(id)) + "' is defined twice")
                .notes.push_back({first->where, "defined first here"});
            return false;
        }
        Function& function = module_.add(context_, symbol(id));
        function.where = where;
        function.local = tree_[id].flags & Local;
        function.external = tree_[id].flags & Extern;
        for (SyntaxId child : tree_.children_of(id))
            if (tree_[child].kind == Kind::Param && tree_[child].count)
                find_dimensions(function, tree_.children_of(child)[0]);
            else if (tree_[child].kind == Kind::Param)
                ++param_;
        param_ = 0;
        for (const Dimension& dimension : function.dims)
            dimensions_.push_back(dimension.name);
        for (SyntaxId child : tree_.children_of(id))
            declare_part(function, child);
        dimensions_.clear();
        if (function.result_types.size() == 1 && function.result_types[0] == context_.types.unit())
            function.result_types.clear();
        return true;
    }

    // The lengths that the arrays of one parameter's type name.
    void find_dimensions(Function& function, SyntaxId type) {
        for (std::uint32_t depth = 0;; ++depth) {
            if (tree_[type].kind == Kind::TypeMut) type = tree_.children_of(type)[0];
            if (tree_[type].kind != Kind::TypeArray) break;
            const SyntaxId dim = tree_.children_of(type)[0];
            if (tree_[dim].kind == Kind::DimName) add_dimension(function, symbol(dim), depth);
            type = tree_.children_of(type)[1];
        }
        ++param_;
    }

    void add_dimension(Function& function, SymbolId name, std::uint32_t depth) {
        if (std::ranges::any_of(function.dims, [&](const Dimension& d) { return d.name == name; }))
            return;
        const auto index = static_cast<std::uint32_t>(function.dims.size());
        const NodeId node = function.graph.param(number::dims, index, context_.types.i64());
        function.graph.set_name(node, name);
        function.dims.push_back({name, node, param_, depth});
    }

    void declare_part(Function& function, SyntaxId id) {
        if (tree_[id].kind == Kind::Block) return;
        const bool param = tree_[id].kind == Kind::Param;
        if (param && tree_[id].count == 0) broken_ = true; // the parser said so
        const SyntaxId written = param && tree_[id].count ? tree_.children_of(id)[0] : id;
        const TypeId type =
            elaborate_type(context_, tree_, written, dimensions_, diagnostics_).value_or(TypeId{});
        if (!type) broken_ = true;
        if (!param) return function.result_types.push_back(type);
        NodeId node;
        if (type) {
            node = function.graph.param(number::function,
                                        static_cast<std::uint32_t>(function.params.size()), type);
            function.graph.set_name(node, symbol(id));
        }
        function.params.push_back({symbol(id), type, node, (tree_[id].flags & Consumed) != 0});
    }

    // -- bodies -----------------------------------------------------------------------------------

    void build(SyntaxId id) {
        Function& function = *module_.find(symbol(id));
        if (function.external) return;
        std::vector<SyntaxId> params;
        SyntaxId body = id;
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind == Kind::Param) params.push_back(child);
            if (tree_[child].kind == Kind::Block) body = child;
        }
        if (body != id)
            build(id, body, params, function);
        else
            broken_ = true; // the parser said so
    }

    // What `declare` found behind an operation: its function starts where the block does.
    void build_expansion(SyntaxId block) {
        const auto is_ours = [&](const Function& f) {
            return f.where.source == tree_.source && f.where.begin == tree_[block].begin;
        };
        const auto function = std::ranges::find_if(module_.functions, is_ours);
        if (function == module_.functions.end()) return; // refused there
        std::vector<SyntaxId> params;
        for (SyntaxId child : tree_.children_of(block))
            if (tree_[child].kind == Kind::Param) params.push_back(child);
        if (params.size() == function->params.size()) return build(block, block, params, *function);
        diagnostics_.error(
            tree_.span(block),
            "this block does not have as many parameters as the operation has operands");
    }

    void build(SyntaxId root, SyntaxId body, std::span<const SyntaxId> params, Function& function) {
        const Facts facts(context_, tree_, root, module_, diagnostics_);
        Names names;
        resolve(context_, tree_, root, function, facts, names, diagnostics_);
        broken_ |= !Body(context_, tree_, module_, function, facts, names, diagnostics_)
                        .run(root, body, params);
    }

    Context& context_;
    const SyntaxTree& tree_;
    Module& module_;
    Diagnostics& diagnostics_;
    std::vector<SyntaxId> structs_, order_, functions_, expansions_;
    std::vector<SymbolId> dimensions_; // of the function being declared
    std::uint32_t param_ = 0;          // the parameter whose dimensions are being found
    bool broken_ = false;
};

} // namespace

bool elaborate(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics) {
    return Elaboration(context, tree, module, diagnostics).run();
}

} // namespace irrewrite::grammar
