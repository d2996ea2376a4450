#include "engine/check/effect_laws.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
bool is_memory(const TypeTerm& term) { return term.kind == TypeTerm::Kind::Ref || term.kind == TypeTerm::Kind::Mut; }
} // namespace

bool concerns_memory(const Operation& operation) {
    return operation.takes_token() || std::ranges::any_of(operation.signature.operands, is_memory);
}

std::vector<TraitLaw> laws_of_memory(const Operation& operation) {
    using Kind = TraitLaw::Kind;
    std::vector<TraitLaw> out;
    const auto& results = operation.signature.results;
    if (operation.has(Trait::Total)) out.push_back({Kind::Total, "total"});
    if (operation.overwrites & 1) out.push_back({Kind::Overwrites, "overwrites"});
    if (operation.element == 2 && (operation.writes & 1)) out.push_back({Kind::ElementWrite, "element"});
    if (operation.element == 2 && operation.reads == 1 && !operation.writes)
        out.push_back({Kind::ElementRead, "element"});
    const bool hands_on = (operation.aliases | operation.extracts | operation.contains) & 1;
    const bool takes_memory = !operation.signature.operands.empty() && is_memory(operation.signature.operands[0]);
    if (takes_memory && results.size() == 1 && is_memory(results[0]) && !hands_on)
        out.push_back({Kind::Apart, "aliases"});
    return out;
}

namespace {

class EffectLawPrograms {
  public:
    EffectLawPrograms(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                      const TermStyle& style, Module& module)
        : context_(context), op_(op), operation_(context.operations[op]), law_(law), choices_(choices), style_(style),
          module_(module), before_(module.add(context, context.symbols.add("before"))), builder_(before_.graph),
          terms_(vocabulary, before_, builder_, choices, style) {
        terms_.total = true;
    }

    bool run() {
        if (!operation_.attributes.empty() || !types() || !inputs()) return false;
        Function& after = module_.add(context_, context_.symbols.add("after"));
        after = before_;
        after.name = context_.symbols.add("after");
        if (!side(before_, true) || !side(after, false)) return false;
        if (law_.never_faults()) module_.functions.pop_back(), module_.index.erase(context_.symbols.add("after"));
        return true;
    }

  private:
    using Kind = TraitLaw::Kind;
    static constexpr std::size_t elements = 3; // of an array

    bool holds(TypeId type) const {
        return context_.types.kind(type) == TypeKind::Ref || context_.types.kind(type) == TypeKind::Mut;
    }
    bool is_cell(TypeId type) const { return context_.types.kind(type) == TypeKind::Ref; }

    bool types() {
        if (std::ranges::any_of(operation_.signature.operands, &TypeTerm::sequence)) return false;
        OpenTypes open(context_.types, choices_, style_.palette);
        auto call = OpenCall::make(open, operation_, operation_.signature.operands.size());
        if (!call || call->flattens) return false;
        if (needs_position() && !open.unify(call->operands[1], open.known(context_.types.i64()))) return false;
        for (OpenType operand : call->operands) {
            const auto type = open.choose(operand);
            if (!type || !can_be_param(context_.types, holds(*type) ? context_.types.element(*type) : *type))
                return false;
            types_.push_back(*type);
        }
        for (OpenCall::Block& block : call->blocks) {
            Signature& made = blocks_.emplace_back();
            for (auto [list, to] : {std::pair(block.params, &made.params), {block.results, &made.results}})
                for (OpenType part : open.items(list)) {
                    const auto chosen = open.choose(part);
                    if (!chosen) return false;
                    to->push_back(*chosen);
                }
        }
        return law_.kind == Kind::Total || holds(types_[0]);
    }

    bool needs_position() const { return law_.kind == Kind::ElementWrite || law_.kind == Kind::ElementRead; }

    // The parameters, which both sides have: contents of memory, other operands, and what there is besides.
    bool inputs() {
        for (TypeId type : types_) {
            std::vector<NodeId>& given = inputs_.emplace_back();
            const std::size_t count = holds(type) && !is_cell(type) ? elements : 1;
            for (std::size_t k = 0; k < count; ++k)
                given.push_back(terms_.param(holds(type) ? context_.types.element(type) : type));
        }
        if (law_.kind == Kind::Overwrites || law_.kind == Kind::ElementRead)
            for (std::size_t k = 0; k < inputs_[0].size(); ++k)
                others_.push_back(terms_.param(context_.types.element(types_[0])));
        if (law_.kind == Kind::Apart) others_.push_back(terms_.param(context_.types.element(types_[0])));
        for (const Signature& block : blocks_) {
            const Builder::Open open = builder_.open(block.params);
            const std::vector<SymbolId> names = terms_.names(block.params);
            std::vector<NodeId> made;
            for (TypeId result : block.results)
                if (const auto node = terms_.body(result, open.params)) made.push_back(*node);
            terms_.locals.clear();
            if (made.size() != block.results.size()) {
                builder_.abandon(open);
                return false;
            }
            made_.push_back(builder_.close(open, names, made));
        }
        return true;
    }

    std::optional<NodeId> named(Builder& builder, std::string_view name, std::span<const NodeId> operands) {
        const auto symbol = context_.symbols.find(name);
        const auto op = symbol ? context_.operations.find(*symbol, operands.size(), {}) : std::nullopt;
        return op ? builder.apply(*op, Attributes::none(), operands) : std::nullopt;
    }

    // A cell, or an array of a few elements.
    std::optional<NodeId> memory(Builder& builder, TypeId type, std::span<const NodeId> contents) {
        if (is_cell(type)) return named(builder, "ref", contents);
        const auto list = values(builder, type, contents);
        return list ? named(builder, "thaw", {&*list, 1}) : std::nullopt;
    }

    std::optional<NodeId> values(Builder& builder, TypeId type, std::span<const NodeId> contents) {
        if (is_cell(type)) return contents[0];
        return builder.apply(Operations::core(Core::List), Attributes::none(), contents, {},
                             context_.types.array(Dim::constant(elements), context_.types.element(type)));
    }

    // A position of such an array, whatever the number is.
    std::optional<NodeId> position(Builder& builder, NodeId number) {
        const NodeId masked[] = {number, builder.i64(elements)};
        const auto low = named(builder, "and", masked);
        const NodeId both[] = {low.value_or(NodeId{}), builder.i64(elements - 1)};
        return low ? named(builder, "min", both) : std::nullopt;
    }

    std::optional<NodeId> content(Builder& builder, NodeId memory) {
        return named(builder, is_cell(builder.graph().type(memory)) ? "get" : "freeze", {&memory, 1});
    }

    bool side(Function& function, bool first) {
        Builder builder(function.graph);
        builder.start(function.graph.param(number::function, number::entry_index, context_.types.token()));
        std::vector<NodeId> contents = inputs_.empty() ? std::vector<NodeId>{} : inputs_[0];
        std::optional<NodeId> place = needs_position() ? position(builder, inputs_[1][0]) : std::nullopt;
        if (needs_position() && !place) return false;
        if (!first && law_.kind == Kind::Overwrites) contents = others_;
        if (!first && law_.kind == Kind::ElementRead && !exchange(builder, *place, contents)) return false;
        std::vector<NodeId> operands;
        for (std::size_t i = 0; i < types_.size(); ++i) {
            std::optional<NodeId> operand = inputs_[i][0];
            if (holds(types_[i])) operand = memory(builder, types_[i], i == 0 ? contents : inputs_[i]);
            if (i == 1 && place) operand = place;
            if (!operand) return false;
            operands.push_back(*operand);
        }
        const auto result = builder.apply(op_, Attributes::none(), operands, made_);
        if (!result) return false;
        const auto shown = show(builder, operands, *result, contents, first);
        if (!shown) return false;
        function.results.push_back(*shown), function.result_types.push_back(function.graph.type(*shown));
        if (builder.token_used()) {
            function.entry = function.graph.param(number::function, number::entry_index, context_.types.token());
            function.exit = builder.token();
        }
        return can_be_param(context_.types, function.result_types[0]);
    }

    // Other elements, but for the one at this position.
    bool exchange(Builder& builder, NodeId place, std::vector<NodeId>& contents) {
        for (std::size_t k = 0; k < contents.size(); ++k) {
            const NodeId compared[] = {place, builder.i64(static_cast<std::int64_t>(k))};
            const auto same = named(builder, "eq", compared);
            const NodeId parts[] = {same.value_or(NodeId{}), contents[k], others_[k]};
            const auto chosen = same ? named(builder, "select", parts) : std::nullopt;
            if (!chosen) return false;
            contents[k] = *chosen;
        }
        return true;
    }

    // The value that has to be the same on both sides.
    std::optional<NodeId> show(Builder& builder, std::span<const NodeId> operands, NodeId result,
                               std::span<const NodeId> contents, bool first) {
        switch (law_.kind) {
        case Kind::Overwrites: return content(builder, operands[0]);
        case Kind::ElementRead: return result;
        case Kind::ElementWrite: {
            const NodeId beside[] = {operands[1], builder.i64(1)};
            const auto next = named(builder, "add", beside);
            const NodeId turned[] = {next.value_or(NodeId{}), builder.i64(elements)};
            const auto other = next ? named(builder, "rem", turned) : std::nullopt;
            const auto whole = first ? content(builder, operands[0]) : values(builder, types_[0], contents);
            const NodeId read[] = {whole.value_or(NodeId{}), other.value_or(NodeId{})};
            return whole && other ? named(builder, "at", read) : std::nullopt;
        }
        case Kind::Apart: {
            const auto kept = content(builder, operands[0]);
            if (!kept || builder.graph().kind(result) != builder.graph().kind(operands[0])) return std::nullopt;
            if (!first) return kept;
            const NodeId written[] = {result, others_[0]};
            const NodeId stored[] = {result, builder.i64(0), others_[0]};
            const bool done = is_cell(types_[0]) ? named(builder, "set", written).has_value()
                                                 : named(builder, "store", stored).has_value();
            return done ? content(builder, operands[0]) : std::nullopt;
        }
        default: {
            const TypeId given = builder.graph().type(result);
            if (context_.types.kind(given) != TypeKind::Unit && can_be_param(context_.types, given)) return result;
            const auto held = std::ranges::find_if(types_, [&](TypeId type) { return holds(type); });
            if (held == types_.end()) return builder.i64(0);
            return content(builder, operands[static_cast<std::size_t>(held - types_.begin())]);
        }
        }
    }

    struct Signature {
        std::vector<TypeId> params, results;
    };

    Context& context_;
    const OpId op_;
    const Operation& operation_;
    const TraitLaw& law_;
    Choices& choices_;
    const TermStyle& style_;
    Module& module_;
    Function& before_;
    Builder builder_;
    TermGenerator terms_;
    std::vector<TypeId> types_; // of the operands
    std::vector<Signature> blocks_;
    std::vector<BlockId> made_;
    std::vector<std::vector<NodeId>> inputs_; // of the operands: contents, or the operand itself
    std::vector<NodeId> others_;
};

} // namespace

bool add_effect_law(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                    const TermStyle& style, Module& module) {
    return EffectLawPrograms(context, vocabulary, op, law, choices, style, module).run();
}

} // namespace irrewrite
