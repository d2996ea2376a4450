#include "grammar/program/elaborate.hpp"

#include "engine/passes/endless_functions.hpp"
#include "grammar/program/body.hpp"
#include "grammar/program/consumption.hpp"
#include "grammar/program/function_header.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

class Elaboration {
  public:
    Elaboration(Context& context, const SyntaxTree& tree, StraightFunctions& read, Module& module,
                Diagnostics& diagnostics, const ObserveType& observe)
        : context_(context), tree_(tree), read_(read), module_(module), diagnostics_(diagnostics), observe_(observe) {}

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
        consumes_ = Consumption::concerns(module_);
        for (SyntaxId id : functions_) build(id);
        for (SyntaxId id : expansions_) build_expansion(id);
        if (diagnostics_.errors() == errors && !broken_) settle_endings(context_, module_);
        return diagnostics_.errors() == errors && !broken_;
    }

  private:
    SymbolId symbol(SyntaxId id) { return context_.symbols.add(tree_.name(id)); }

    // -- structs ----------------------------------------------------------------------------------

    // Repeats: declares the structs whose fields have known types. Those left in the end contain themselves.
    void declare_structs() {
        std::unordered_map<SymbolId, SyntaxId> open;
        std::erase_if(structs_, [&](SyntaxId id) {
            const auto [first, added] = open.emplace(symbol(id), id);
            if (!added)
                diagnostics_
                    .error(tree_.name_span(id), "struct '" + std::string(tree_.name(id)) + "' is declared twice")
                    .notes.push_back({tree_.name_span(first->second), "declared first here"});
            return !added;
        });
        for (const auto& id : structs_) order_.push_back(id);
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
            diagnostics_.error(tree_.name_span(id), "struct '" + std::string(tree_.name(id)) + "' contains itself");
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
                diagnostics_.error(tree_.name_span(child),
                                   "field '" + std::string(tree_.name(child)) + "' is declared twice");
            const auto type =
                elaborate_type(context_, tree_, tree_.children_of(child)[0], std::span<const SymbolId>{}, diagnostics_);
            if (type)
                fields.push_back({symbol(child), *type});
            else
                complete = false;
        }
        if (context_.opaque_types.contains(symbol(id))) {
            const std::string name(tree_.name(id));
            Diagnostic& error = diagnostics_.error(
                tree_.name_span(id), "struct '" + name + "' has the name of the opaque type '" + name + "'",
                "give the struct another name");
            if (const auto place = context_.opaque_places.find(symbol(id)); place != context_.opaque_places.end())
                error.notes.push_back({place->second, "the type is declared here"});
            return;
        }
        if (!complete || context_.types.declare_struct(symbol(id), fields)) return;
        diagnostics_.error(tree_.name_span(id),
                           "another struct '" + std::string(tree_.name(id)) + "' has other fields");
    }

    // -- signatures -------------------------------------------------------------------------------

    bool declare_function(SyntaxId id) {
        const Span where = tree_.sigil_span(id);
        if (const Function* first = module_.find(symbol(id))) {
            diagnostics_.error(where, "'@" + std::string(tree_.name(id)) + "' is defined twice")
                .notes.push_back({first->where, "defined first here"});
            return false;
        }
        Function& function = module_.add(context_, symbol(id));
        function.where = where;
        function.local = tree_[id].flags & Local;
        function.external = tree_[id].flags & Extern;
        if (was_read(id))
            take_read(id, function);
        else
            broken_ |= !declare_header(context_, tree_, tree_.children_of(id), function, diagnostics_);
        return true;
    }

    bool was_read(SyntaxId id) const {
        return tree_[id].count && tree_[tree_.children_of(id).back()].kind == Kind::ReadBody;
    }

    void take_read(SyntaxId id, Function& function) {
        const std::uint32_t begin = tree_[tree_.children_of(id).back()].begin;
        const auto found = std::ranges::lower_bound(read_.begins, begin);
        Function& done = read_.functions[static_cast<std::size_t>(found - read_.begins.begin())];
        function.params = std::move(done.params);
        function.dims = std::move(done.dims);
        function.result_types = std::move(done.result_types);
        function.results = std::move(done.results);
        function.graph = std::move(done.graph);
    }

    // -- bodies -----------------------------------------------------------------------------------

    void build(SyntaxId id) {
        Function& function = *module_.find(symbol(id));
        if (function.external || was_read(id)) return;
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

    // Builds an expansion that `declare` found after an operation: its function starts where the block does.
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
        diagnostics_.error(tree_.span(block),
                           "this block does not have as many parameters as the operation has operands");
    }

    void build(SyntaxId root, SyntaxId body, std::span<const SyntaxId> params, Function& function) {
        const ExpressionFacts facts(context_, tree_, root, module_, diagnostics_);
        Names names;
        resolve(context_, tree_, root, function, facts, names, diagnostics_);
        broken_ |= !Body(context_, tree_, module_, function, facts, names, consumes_, diagnostics_, observe_)
                        .run(root, body, params);
    }

    Context& context_;
    const SyntaxTree& tree_;
    StraightFunctions& read_;
    Module& module_;
    Diagnostics& diagnostics_;
    const ObserveType& observe_;
    std::vector<SyntaxId> structs_, order_, functions_, expansions_;
    bool broken_ = false, consumes_ = false;
};

} // namespace

bool elaborate(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics) {
    return elaborate(context, tree, module, diagnostics, ObserveType());
}

bool elaborate(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics,
               const ObserveType& observe) {
    StraightFunctions none;
    return Elaboration(context, tree, none, module, diagnostics, observe).run();
}

bool elaborate(Context& context, const SyntaxTree& tree, StraightFunctions& read, Module& module,
               Diagnostics& diagnostics) {
    const ObserveType nobody;
    return Elaboration(context, tree, read, module, diagnostics, nobody).run();
}

} // namespace irrewrite::grammar
