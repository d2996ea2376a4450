#include "engine/passes/new_functions.hpp"

#include "engine/ir/awaited.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/passes/kept_lengths.hpp"
#include "engine/passes/link_functions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

AttrId named(Context& context, SymbolId name) {
    const AttrValue value{.kind = AttrValue::Kind::Text, .type = {}, .bits = name.index};
    return context.attributes.add({&value, 1});
}

SymbolId name_of_callee(const Graph& graph, NodeId call) { return graph.attrs(call)[0].text(); }

std::vector<NodeId> roots_of(const Graph& graph, BlockId block) {
    std::vector<NodeId> roots(graph.results(block).begin(), graph.results(block).end());
    if (graph[block].exit) roots.push_back(graph[block].exit);
    return roots;
}

// The call that is all that the function does; none: it does more.
NodeId only_call(const Function& function) {
    const Graph& graph = function.graph;
    const NodeId first = function.results.empty() ? function.exit : function.results[0];
    if (!first || graph.is_param(first)) return {};
    const NodeId call = graph.is_project(first) ? graph.operand(first, 0) : first;
    if (graph.core(call) != Core::Call || (function.exit && function.exit != call && function.exit != function.entry))
        return {};
    if (const NodeId token = graph.token(call); token && token != function.entry) return {};
    const bool has_several = graph.kind(call) == TypeKind::Results;
    if (function.results.size() != (graph.kind(call) == TypeKind::Unit ? 0 : graph.result_count(call))) return {};
    for (std::size_t k = 0; k < function.results.size(); ++k) {
        const NodeId result = function.results[k];
        if (has_several ? !graph.is_project(result) || graph.operand(result, 0) != call || graph.position(result) != k
                        : result != call)
            return {};
    }
    return call;
}

bool may_run_on(const Function& function) {
    const Graph& graph = function.graph;
    const auto& endless = graph.context().endless_functions;
    return std::ranges::any_of(reachable(graph, roots(function)), [&](NodeId node) {
        return graph.core(node) == Core::Await || is_open_loop(graph, node) ||
               (graph.core(node) == Core::Call && endless.contains(name_of_callee(graph, node)));
    });
}

} // namespace

// Values that a block uses of the place around it, without constants.
struct NewFunctions::Free {
    std::vector<NodeId> values;
};

std::optional<NewFunctions::Free> NewFunctions::free_values(const Graph& graph, BlockId block) const {
    const std::vector<NodeId> inside = reachable(graph, roots_of(graph, block));
    std::set<std::uint32_t> bound{graph[block].number};
    for (const NodeId node : inside)
        for (const BlockId nested : graph.blocks(node)) bound.insert(graph[nested].number);
    const auto is_bound = [&](NodeId node) {
        return std::ranges::any_of(bound, [&](std::uint32_t number) { return graph.depends_on_number(node, number); });
    };
    const auto is_free = [&](NodeId node) {
        if (graph.is_param(node)) return !bound.contains(graph.param_number(node));
        return graph.token(node) && !is_bound(node);
    };
    Free free;
    std::vector<NodeId> stack = roots_of(graph, block);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen(stack.begin(), stack.end());
    for (std::size_t i = 0; i < stack.size(); ++i) { // grows
        const NodeId node = stack[i];
        if (!is_free(node)) {
            for_each_part(graph, node, [&](NodeId part) {
                if (seen.insert(part).second) stack.push_back(part);
            });
            continue;
        }
        const TypeKind kind = graph.kind(node);
        if (kind == TypeKind::Results || kind == TypeKind::Unit || kind == TypeKind::Token) return std::nullopt;
        free.values.push_back(node);
    }
    return free;
}

const Function* NewFunctions::find(SymbolId name) const {
    if (const Function* found = program_.find(name)) return found;
    for (const Function& function : waiting_)
        if (function.name == name) return &function;
    return library_.find(name);
}

namespace {
// Letters, digits and `_`.
std::string as_name(std::string_view wanted) {
    std::string name(wanted);
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "_");
    return name;
}
} // namespace

SymbolId NewFunctions::unused_name(SymbolId wanted) {
    const std::string name = as_name(context_.symbols[wanted]);
    SymbolId free = context_.symbols.add(name);
    for (unsigned number = 2; find(free) || names_.contains(free) || reserved_.contains(free); ++number)
        free = context_.symbols.add(name + "_" + std::to_string(number));
    names_.insert(free);
    return free;
}

SymbolId NewFunctions::reserved(SymbolId function, SymbolId wanted) {
    const SymbolId name = context_.symbols.add(as_name(context_.symbols[wanted]));
    if (find(name) || names_.contains(name)) return {};
    return reserved_.emplace(name, function).first->second == function ? name : SymbolId{};
}

void NewFunctions::renamed(const std::map<SymbolId, SymbolId>& names) {
    const auto rename = [&](SymbolId& name) {
        if (const auto found = names.find(name); found != names.end()) name = found->second;
    };
    for (auto& [key, made] : known_) rename(made.name);
    for (auto& [name, origin] : origins_) rename(name), rename(origin);
    reserved_.clear();
}

void NewFunctions::forget(SymbolId name) {
    std::erase_if(known_, [&](const auto& entry) { return entry.second.name == name; });
}

// Its parameters are those of the block, and what the block uses of the place around it but for the lengths that these have.
struct NewFunctions::Signature {
    std::vector<NodeId> params;
    std::vector<TypeId> types; // in the caller
    KeptLengths lengths;
    std::vector<std::pair<KeptLengths::Length, NodeId>> used{}; // of the caller's lengths
};

NewFunctions::Signature NewFunctions::signature(const Request& request, Free& free) {
    const Graph& graph = request.caller.graph;
    std::vector<NodeId> params(graph.params(request.block).begin(), graph.params(request.block).end());
    params.insert(params.end(), free.values.begin(), free.values.end());
    std::vector<TypeId> types;
    for (const NodeId param : params) types.push_back(graph.type(param));
    Signature made{params, types, KeptLengths(context_.types, types)};
    for (const Dimension& dimension : request.caller.dims) {
        const KeptLengths::Length* length = made.lengths.find(dimension.name);
        if (!length || !length->whole || std::erase(free.values, dimension.node) == 0) continue;
        const auto place = std::ranges::find(made.params, dimension.node) - made.params.begin();
        made.params.erase(made.params.begin() + place), made.types.erase(made.types.begin() + place);
        made.used.emplace_back(*length, dimension.node);
    }
    made.lengths = KeptLengths(context_.types, made.types); // they stand elsewhere
    return made;
}

// The names of parameters and lengths.
void NewFunctions::declare(Function& function, const Request& request, Signature& signature, Clone& clone) {
    const Graph& graph = request.caller.graph;
    const auto names = graph.param_names(request.block);
    std::set<SymbolId> taken;
    for (const KeptLengths::Length& length : signature.lengths.all) {
        const auto index = static_cast<std::uint32_t>(function.dims.size());
        const NodeId node = function.graph.param(number::dims, index, context_.types.i64());
        function.graph.give_name(node, length.own);
        function.dims.push_back({length.own, node, length.param, length.depth});
        taken.insert(length.own);
    }
    for (const auto& [length, node] : signature.used)
        clone.put(node, std::ranges::find(function.dims, length.own, &Dimension::name)->node);
    for (std::size_t i = 0; i < signature.params.size(); ++i) {
        const NodeId old = signature.params[i];
        const TypeId type = signature.lengths.of_param(signature.types[i]);
        const NodeId param = function.graph.param(number::function, static_cast<std::uint32_t>(i), type);
        SymbolId name = i < names.size() ? names[i] : graph.name(old);
        for (unsigned n = static_cast<unsigned>(i); !name || !taken.insert(name).second; ++n)
            name = context_.symbols.add("p" + std::to_string(n));
        function.params.push_back({name, type, param});
        function.graph.give_name(param, name);
        clone.put(old, param);
    }
}

std::optional<NewFunctions::Made> NewFunctions::make(const Request& request, Signature& signature) {
    const Graph& graph = request.caller.graph;
    Function& function = waiting_.emplace_back(context_);
    function.name = unused_name(request.name);
    function.where = request.caller.where;
    function.local = true;
    const auto of_value = [&](TypeId type) { return signature.lengths.of_value(type); };
    Clone clone(graph, function.graph, of_value);
    declare(function, request, signature, clone);
    const Block block = graph[request.block];
    if (block.entry) {
        function.entry = function.graph.param(number::function, number::entry_index, context_.types.token());
        clone.put(block.entry, function.entry);
    }
    clone.run(roots_of(graph, request.block));
    for (const NodeId result : graph.results(request.block)) function.results.push_back(clone(result));
    if (block.exit) function.exit = clone(block.exit);
    for (const NodeId result : function.results) function.result_types.push_back(function.graph.type(result));
    function.pure = !function.entry;
    context_.impure_functions.erase(function.name); // of another run
    context_.endless_functions.erase(function.name);
    if (!function.pure) context_.impure_functions[function.name] = true;
    const NodeId call = only_call(function);
    if (may_run_on(function)) context_.endless_functions[function.name] = true;
    const Function* other = call ? find(name_of_callee(function.graph, call)) : nullptr;
    if (!other || other->external) return Made{function.name, false};
    const auto body = inlined(function, call, *other, OwnMemory::InRegions);
    if (!body) {
        waiting_.pop_back();
        return std::nullopt;
    }
    function.results = body->results;
    if (function.entry) function.exit = body->exit ? body->exit : function.entry;
    return Made{function.name, true};
}

bool NewFunctions::reaches(SymbolId from, SymbolId to) const {
    std::vector<SymbolId> stack{from};
    std::set<SymbolId> seen;
    while (!stack.empty()) {
        const SymbolId name = stack.back();
        stack.pop_back();
        if (name == to) return true;
        const Function* function = seen.insert(name).second ? find(name) : nullptr;
        if (!function) continue;
        for (const NodeId node : irrewrite::reachable(function->graph, roots(*function)))
            if (function->graph.core(node) == Core::Call) stack.push_back(name_of_callee(function->graph, node));
    }
    return false;
}

std::optional<NewFunctions::Call> NewFunctions::call(Builder& builder, const Request& request) {
    Graph& graph = request.caller.graph;
    auto free = free_values(graph, request.block);
    if (!free) return std::nullopt;
    Signature signature = this->signature(request, *free);
    // The definition as a closed block, which is one for all that are equal: lengths are numbered in it.
    KeptLengths numbered = signature.lengths;
    for (std::size_t i = 0; i < numbered.all.size(); ++i)
        numbered.all[i].own = context_.symbols.add("% length " + std::to_string(i));
    std::vector<TypeId> types;
    for (const TypeId type : signature.types) types.push_back(numbered.of_param(type));
    Builder definitions(definitions_);
    const Builder::Open open = definitions.open(types);
    Clone clone(graph, definitions_, [&](TypeId type) { return numbered.of_value(type); });
    for (std::size_t i = 0; i < types.size(); ++i) clone.put(signature.params[i], open.params[i]);
    for (const auto& [length, node] : signature.used) {
        const auto index = static_cast<std::uint32_t>(numbered.find(length.name) - numbered.all.data());
        const NodeId value = definitions_.param(number::dims, index, context_.types.i64());
        definitions_.give_name(value, numbered.all[index].own);
        clone.put(node, value);
    }
    const Block block = graph[request.block];
    if (block.entry) clone.put(block.entry, open.entry);
    clone.run(roots_of(graph, request.block));
    std::vector<NodeId> results;
    for (const NodeId result : graph.results(request.block)) results.push_back(clone(result));
    if (block.exit) definitions.advance(clone(block.exit));
    Key key{request.name, definitions.close(open, {}, results), {}};
    for (const NodeId result : results) key.types.push_back(definitions_.type(result));

    auto known = known_.find(key);
    if (known != known_.end() && !find(known->second.name)) { // it has been inlined everywhere
        names_.erase(known->second.name);
        known_.erase(known);
        known = known_.end();
    }
    const bool is_new = known == known_.end();
    if (is_new) {
        const auto made = make(request, signature);
        if (!made) return std::nullopt;
        known = known_.emplace(key, *made).first;
        origins_.emplace_back(made->name, request.caller.name);
        ++made_;
    } else if (!known->second.unfolds && reaches(known->second.name, request.caller.name)) {
        return std::nullopt;
    }
    std::vector<NodeId> operands(request.operands.begin(), request.operands.end());
    operands.insert(operands.end(), free->values.begin(), free->values.end());
    const auto node =
        builder.apply(Operations::core(Core::Call), named(context_, known->second.name), operands, {}, request.type);
    if (!node) return std::nullopt;
    return Call{*node, is_new ? &waiting_.back() : nullptr};
}

std::size_t NewFunctions::join() {
    const std::size_t count = waiting_.size();
    for (Function& function : waiting_) {
        program_.index.emplace(function.name, program_.functions.size());
        program_.functions.push_back(std::move(function));
    }
    waiting_.clear();
    return count;
}

// Depth first, in the order in which they were made.
void NewFunctions::arrange() {
    if (origins_.empty()) return;
    std::map<SymbolId, std::vector<SymbolId>> made_in;
    std::set<SymbolId> made;
    for (const auto& [name, origin] : origins_)
        if (program_.find(name) && made.insert(name).second) made_in[origin].push_back(name);
    std::vector<SymbolId> order, stack;
    const auto place = [&](SymbolId first) {
        stack.assign(1, first);
        while (!stack.empty()) {
            const SymbolId name = stack.back();
            stack.pop_back();
            order.push_back(name);
            const auto& behind = made_in[name];
            stack.insert(stack.end(), behind.rbegin(), behind.rend());
        }
    };
    for (const Function& function : program_.functions)
        if (!made.contains(function.name)) place(function.name);
    const std::set<SymbolId> placed(order.begin(), order.end());
    for (const SymbolId name : made)
        if (!placed.contains(name)) order.push_back(name); // where it was made is gone
    std::deque<Function> functions;
    for (const SymbolId name : order) functions.push_back(std::move(program_.functions[program_.index.at(name)]));
    program_.functions = std::move(functions);
    program_.index.clear();
    for (std::size_t i = 0; i < program_.functions.size(); ++i) program_.index.emplace(program_.functions[i].name, i);
}

} // namespace irrewrite
