#include "grammar/program/body.hpp"
#include "grammar/program/advice.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/ir/scalars.hpp"
#include "grammar/program/consumption.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/numeral_types.hpp"
#include "grammar/program/sharing.hpp"

namespace irrewrite::grammar {

Body::Body(Context& context, const SyntaxTree& tree, const Module& module, Function& function,
           const ExpressionFacts& facts, const Names& names, bool consumes, Diagnostics& diagnostics,
           const ObserveType& observe)
    : context_(context), tree_(tree), module_(module), function_(function), facts_(facts), names_(names),
      consumes_(consumes), diagnostics_(diagnostics), observe_(observe), graph_(function.graph), builder_(graph_),
      memory_(graph_) {
    for (const Dimension& dimension : function.dims) dimensions_.push_back(dimension.name);
    awaits_ = context.endless_functions.contains(function.name);
}

bool Body::run(SyntaxId root, SyntaxId block, std::span<const SyntaxId> params) {
    first_ = first_of_subtree(tree_, root);
    defined_.assign(root - first_ + 1, {});
    for (std::size_t i = 0; i < params.size(); ++i) define(params[i], function_.params[i].node);
    builder_.start(graph_.param(number::function, number::entry_index, context_.types.token()));
    stack_.push_back(
        OpenBlock{.id = block, .order = names_.order(tree_, block), .base = 0, .due = function_.result_types});
    while (!stack_.empty()) std::visit([this](auto& frame) { step(frame); }, stack_.back());
    graph_.current_origin = {};
    if (ok_) check_memory(root, params);
    return ok_;
}

// Checks uses after consumption and forbidden sharing.
void Body::check_memory(SyntaxId root, std::span<const SyntaxId> params) {
    ok_ = check_sharing(function_, diagnostics_);
    if (!consumes_) return;
    auto is_array = [&](SyntaxId id) {
        const NodeId node = defined_[id - first_];
        return node && graph_.kind(node) == TypeKind::Array;
    };
    ok_ &= Consumption(context_, tree_, module_, function_, facts_, names_, is_array, diagnostics_).run(root, params);
}

// -- the machine
// ------------------------------------------------------------------------------------

// The value of a leaf, or a frame for everything else. True: `result_` is there already.
bool Body::start(SyntaxId id, TypeId due) {
    if (facts_.wrong(id)) {
        ok_ = false;
        return give({});
    }
    switch (tree_[id].kind) {
    case Kind::Value: return give(value(id));
    case Kind::Number: return give(number(id, due));
    case Kind::Bool: return give(builder_.boolean(tree_.name(id) == "true"));
    case Kind::String: return give(graph_.text(unescape(tree_.name(id))));
    case Kind::Op:
    case Kind::Infix:
    case Kind::Prefix: return start_application(id, due);
    case Kind::Tuple:
    case Kind::Array:
    case Kind::Struct:
    case Kind::Update:
    case Kind::Call: return start_group(id, due);
    case Kind::Project: stack_.push_back(Projection{id}); return false;
    default: error(id, "this is allowed only in rules"); return give({});
    }
}

bool Body::give(NodeId value) {
    result_ = value;
    return true;
}

// Ends the frame on top, whose values begin at `base`.
void Body::finish(NodeId value, std::uint32_t base) {
    result_ = value;
    values_.resize(base);
    wanted_.resize(base);
    stack_.pop_back();
}

// -- leaves
// -----------------------------------------------------------------------------------------

NodeId Body::value(SyntaxId id) const {
    const Definition definition = names_[id];
    if (definition.id == nothing) return {};
    return definition.dimension ? function_.dims[definition.id].node : defined_[definition.id - first_];
}

NodeId Body::number(SyntaxId id, TypeId due) {
    const Types& types = context_.types;
    const NumberText text = split_number(tree_.name(id));
    const TypeKind kind = kind_of_number(types, text, due);
    const auto bits = parse_scalar(kind, text.digits);
    if (bits) return graph_.literal(types.scalar(kind), *bits);
    error(id, "'" + std::string(text.digits) + "' does not fit " + text_of(types.scalar(kind)));
    return {};
}

std::optional<TypeId> Body::type(SyntaxId id) {
    const auto type = elaborate_type(context_, tree_, id, dimensions_, diagnostics_);
    if (!type) ok_ = false;
    return type;
}

// -- uses of values
// ---------------------------------------------------------------------------------

// The value, if it is exactly one.
NodeId Body::single(NodeId value, SyntaxId where) {
    if (!value) return {};
    const TypeKind kind = graph_.kind(value);
    if (kind == TypeKind::Results) {
        error(where, "expected one value, but this has " + std::to_string(graph_.result_count(value)) + " results",
              "name the results, '%a, %b = …', or select one of them with '.0'; an expression gives several results "
              "only where it stands alone at the end, or among operands of which there may be any number");
        return {};
    }
    if (kind == TypeKind::Unit && !graph_.is_param(value)) {
        error(where, "expected a value, but this has no results", advice_on_no_value(graph_, value));
        return {};
    }
    return value;
}

// The value as one of the declared type: what nobody knows of its lengths is checked by the
// program.
NodeId Body::promised(NodeId value, TypeId declared, Span where, std::string_view what) {
    if (!value || !declared) return value;
    const TypeId actual = graph_.type(value);
    if (!context_.types.agree(actual, declared)) {
        ok_ = false;
        diagnostics_.error(where, std::string(what) + " is declared " + text_of(declared) + ", but this is " +
                                      text_of(actual));
        return {};
    }
    if (context_.types.knows(actual, declared)) return value;
    const auto ensure = context_.operations.find(context_.symbols.add("ensure"), 1, {});
    if (!ensure) return value;
    return builder_.apply(*ensure, type_attribute(declared), {&value, 1}, {}, declared).value_or(NodeId{});
}

AttrId Body::type_attribute(TypeId type) {
    const AttrValue value{.kind = AttrValue::Kind::Type, .type = type};
    return context_.attributes.add({&value, 1});
}

// An operation on values and blocks that fit, in program order.
NodeId Body::apply(SyntaxId where, OpId op, AttrId attrs, std::span<const NodeId> operands,
                   std::span<const BlockId> blocks, TypeId type) {
    const auto node = builder_.apply(op, attrs, operands, blocks, type);
    if (!node) {
        error(where, "cannot infer the type of this");
        return {};
    }
    if (context_.types.depth(graph_.type(*node)) > deepest_type) {
        ok_ = false;
        diagnostics_.limit(tree_.span(where), "a type nested deeper than " + std::to_string(deepest_type) + " levels");
        return {};
    }
    if (awaits_ && memory_.current == 0) await_end(*node);
    if (memory_.apply(op, attrs, *node, operands, blocks)) return *node;
    error(where, "a block of a pure operation must not have an effect that is visible outside",
          "such a block may change only memory that it allocates itself; use 'for' instead");
    return {};
}

// A loop that may not end is an effect in order, and so is a call in which there is one. What has effects of its own is
// ordered by these; any other one is awaited.
void Body::await_end(NodeId node) {
    if (graph_.has(node, Advances)) return;
    const bool call =
        graph_.core(node) == Core::Call && context_.endless_functions.contains(graph_.attrs(node)[0].text());
    if (!call && (!is_open_loop(graph_, node) || surely_ends(graph_, node, nullptr))) return;
    const NodeId value = graph_.result_count(node) ? graph_.result(node, 0) : node;
    builder_.apply(Operations::core(Core::Await), Attributes::none(), {&value, 1});
}

} // namespace irrewrite::grammar
