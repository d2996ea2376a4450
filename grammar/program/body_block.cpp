// Blocks and their statements.
#include "grammar/program/advice.hpp"
#include "grammar/program/body.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/expected_types.hpp"

#include <algorithm>

namespace irrewrite::grammar {

// -- parameters
// -------------------------------------------------------------------------------------

void Body::open_block(const Application& frame, std::size_t i, SyntaxId id, std::span<const TypeId> types) {
    const auto children = tree_.children_of(id);
    const auto params = static_cast<std::size_t>(
        std::ranges::count_if(children, [&](SyntaxId child) { return tree_[child].kind == Kind::Param; }));
    if (params != types.size()) {
        std::string given, names;
        for (std::size_t k = 0; k < types.size(); ++k) {
            names += std::string(k ? ", %" : "%") + static_cast<char>('a' + k % 26);
            given += (k ? ", " : "") + text_of(types[k]);
        }
        error(params ? children[0] : id,
              "this block has " + std::to_string(params) + (params == 1 ? " parameter" : " parameters") +
                  ", but the operation passes " + std::to_string(types.size()),
              given.empty() ? "" : "the operation passes " + given + ": '{ |" + names + "| … }'");
        return fail(frame.base);
    }
    OpenBlock block{.id = id, .order = names_.order(tree_, id), .base = static_cast<std::uint32_t>(values_.size())};
    block.wanted = result_count(frame, i, types.size());
    const Signature& signature = context_.operations[frame.op].signature;
    const std::size_t results =
        children.empty() || tree_[children.back()].kind != Kind::Results ? 0 : tree_[children.back()].count;
    const std::size_t due = results == 1 && block.wanted ? *block.wanted : results; // one expression may give them all
    block.due = frame.blocks->inference->expected_results(i, due);
    block.due.resize(due);
    Expected expected(context_.types, signature, frame.due);
    for (std::size_t k = 0; k < due; ++k)
        if (!block.due[k]) block.due[k] = expected.block_result(i, k);
    block.pure = context_.operations[frame.op].has(Trait::Pure);
    block.open = builder_.open(types);
    block.saved_place = graph_.current_origin.place;
    const auto first = values_.begin() + frame.base;
    const std::vector<NodeId> operands(first, first + static_cast<std::ptrdiff_t>(frame.count));
    const std::uint32_t level = memory_.lowest(operands);
    memory_.current += block.pure;
    bind_parameters(block, types, level);
    stack_.push_back(std::move(block));
}

void Body::bind_parameters(const OpenBlock& block, std::span<const TypeId> types, std::uint32_t level) {
    for (std::size_t k = 0; k < types.size(); ++k) {
        const SyntaxId param = block.order.size() > k ? tree_.children_of(block.id)[k] : nothing;
        NodeId node = block.open->params[k];
        memory_.set(node, level);
        if (tree_[param].count)
            if (const auto declared = type(tree_.children_of(param)[0]))
                node = promised(node, *declared, tree_.span(param), "this parameter");
        define(param, node);
    }
}

// -- statements
// -------------------------------------------------------------------------------------

void Body::step(OpenBlock& block) {
    for (;;) {
        if (block.statement != nothing) take_statement(block);
        if (block.result) {
            if (!next_result(block)) return;
            continue;
        }
        if (block.next == block.order.size()) break;
        const SyntaxId id = block.order[block.next++];
        const SyntaxNode& node = tree_[id];
        if (node.kind == Kind::Param) continue;
        if (node.kind == Kind::Error) {
            block.failed = true;
            continue;
        }
        graph_.current_origin.place = context_.sources.place(tree_.source, node.begin);
        if (node.kind == Kind::Results) {
            if (block.returned != nothing) // the parser said that nothing may follow the first
                continue;
            block.returned = id;
            block.result = 1;
            --block.next; // until all its expressions are built
            continue;
        }
        block.statement = id;
        const bool bind = node.kind == Kind::Bind;
        if (!start(bind ? tree_.children_of(id).back() : id, bind ? due_of(id) : TypeId{})) return;
    }
    if (block.open)
        close_block(block);
    else
        close_function(block);
}

// The next expression of the Results that the block ends with. False: it takes a frame.
bool Body::next_result(OpenBlock& block) {
    const auto results = tree_.children_of(block.order[block.next]);
    const std::size_t k = block.result - 1;
    if (k == results.size()) {
        block.result = 0;
        ++block.next;
        return true;
    }
    ++block.result;
    block.statement = results[k];
    graph_.current_origin.place = context_.sources.place(tree_.source, tree_[results[k]].begin);
    if (results.size() == 1 && block.due.size() > 1) return start(results[k], due_of_all(block.due));
    return start(results[k], k < block.due.size() ? block.due[k] : TypeId{});
}

// The type of one expression that gives several results.
TypeId Body::due_of_all(std::span<const TypeId> due) {
    if (std::ranges::any_of(due, [](TypeId type) { return !type; })) return {};
    return context_.types.results(due);
}

// True if `value`, which stands alone at the end of a block, gives all results that are due there.
bool Body::gives_all(const OpenBlock& block, NodeId value) const {
    const std::size_t written = tree_[block.order[block.next]].count;
    const std::optional<std::size_t> due = block.open ? block.wanted : std::optional(block.due.size());
    return written == 1 && graph_.kind(value) == TypeKind::Results && (!due || *due > 1);
}

void Body::take_statement(OpenBlock& block) {
    const SyntaxId id = block.statement;
    block.statement = nothing;
    const NodeId value = result_;
    if (block.result) {
        const SyntaxId results = block.order[block.next];
        const bool dropped = block.open && block.wanted == 0u; // a call at the end of a block without results
        const bool nothing_given = value && graph_.kind(value) == TypeKind::Unit && tree_[results].count == 1 &&
                                   (block.open || block.due.empty());
        if (!value) block.failed = true;
        if (!value || dropped || (nothing_given && !graph_.is_param(value))) return;
        if (gives_all(block, value)) {
            for (std::size_t k = 0; k < graph_.result_count(value); ++k)
                values_.push_back(builder_.project(value, k)), wanted_.emplace_back();
            return;
        }
        const NodeId result = single(value, id);
        if (!result)
            block.failed = true;
        else
            values_.push_back(result), wanted_.emplace_back();
        return;
    }
    if (!value) block.failed = true;
    if (tree_[id].kind == Kind::Bind) bind(id, value);
}

// The type that the annotations require: of the one name, or of all of several.
TypeId Body::due_of(SyntaxId id) {
    std::vector<TypeId> types;
    const auto children = tree_.children_of(id);
    for (SyntaxId target : children.first(children.size() - 1)) {
        if (!tree_[target].count) return {};
        Diagnostics later; // reported when it is bound
        const auto type = elaborate_type(context_, tree_, tree_.children_of(target)[0], dimensions_, later);
        if (!type) return {};
        types.push_back(*type);
    }
    return context_.types.results(types);
}

void Body::bind(SyntaxId statement, NodeId value) {
    const auto children = tree_.children_of(statement);
    const auto targets = children.first(children.size() - 1);
    if (!value) return;
    if (targets.size() == 1) return bind_target(targets[0], value);
    const std::size_t count = graph_.result_count(value);
    if (count != targets.size()) {
        error(targets[0],
              std::to_string(targets.size()) + " names for " + std::to_string(count) +
                  (count == 1 ? " result" : " results"),
              graph_.kind(value) == TypeKind::Tuple ? "a tuple is one result, its parts are '.0', '.1'" : "");
        return;
    }
    for (std::size_t k = 0; k < targets.size(); ++k) bind_target(targets[k], builder_.project(value, k));
}

void Body::bind_target(SyntaxId target, NodeId value) {
    if (tree_[target].count) {
        const auto declared = type(tree_.children_of(target)[0]);
        if (!declared || !single(value, target)) return;
        value = promised(value, *declared, tree_.span(target), "'%" + std::string(tree_.shown_name(target)) + "'");
        if (!value) return;
    }
    define(target, value);
    if (!graph_.is_literal(value) && !graph_.is_param(value))
        graph_.set_name(value, context_.symbols.add(tree_.shown_name(target)));
}

// -- the end
// ----------------------------------------------------------------------------------------

void Body::close_block(OpenBlock& block) {
    memory_.current -= block.pure;
    graph_.current_origin.place = block.saved_place;
    block_.reset();
    if (block.failed) {
        builder_.abandon(*block.open);
        return finish({}, block.base);
    }
    std::vector<SymbolId> names;
    for (std::size_t k = 0; k < block.open->params.size(); ++k)
        names.push_back(context_.symbols.add(tree_.shown_name(tree_.children_of(block.id)[k])));
    const std::vector<NodeId> results(values_.begin() + block.base, values_.end());
    if (block.pure) keeps_memory(block.returned == nothing ? block.id : block.returned, results);
    block_ = builder_.close(*block.open, names, results);
    const std::uint32_t base = block.base;
    finish({}, base);
}

// Equal nodes of pure operations are one, so the memory of two would be one.
void Body::keeps_memory(SyntaxId where, std::span<const NodeId> results) {
    if (std::ranges::any_of(results, [&](NodeId result) { return memory_.of(result) > memory_.current; }))
        error(where, "a block of a pure operation must not result in memory that it allocates",
              "allocate outside of the block, or result in the value that the memory holds");
}

void Body::close_function(OpenBlock& block) {
    const std::size_t due = function_.result_types.size();
    const std::string name = "'@" + std::string(context_.symbols[function_.name]) + "'";
    std::vector<NodeId> results(values_.begin() + block.base, values_.end());
    const SyntaxId last = block.returned == nothing ? block.id : block.returned;
    if (block.returned == nothing && due && !block.failed) {
        ok_ = false;
        Span end = tree_.span(block.id);
        end.begin = end.end - 1;
        diagnostics_.error(end, name + " ends without 'return'",
                           "it must return " + std::to_string(due) + (due == 1 ? " value" : " values"));
    } else if (!block.failed && results.size() != due) {
        error(last,
              name + " has " + std::to_string(due) + (due == 1 ? " result" : " results") + ", but this returns " +
                  std::to_string(results.size()),
              advice_on_results(context_, function_.result_types, results.size()));
    } else if (!block.failed) {
        for (std::size_t k = 0; k < due; ++k)
            results[k] = promised(results[k], function_.result_types[k],
                                  tree_.span(tree_.children_of(last)[tree_[last].count == 1 ? 0 : k]),
                                  due == 1 ? "the result" : "result " + std::to_string(k + 1));
    }
    function_.results = std::move(results);
    if (builder_.token_used()) {
        function_.entry = graph_.param(number::function, number::entry_index, context_.types.token());
        function_.exit = builder_.token();
    }
    if (block.failed) ok_ = false;
    finish(function_.results.empty() ? NodeId{} : function_.results[0], block.base);
}

} // namespace irrewrite::grammar
