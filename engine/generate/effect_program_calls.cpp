// Functions that a program with effects calls: they change memory that they are given, mostly in blocks. What is known of that
// memory is forgotten at a call, and at what the function's body is when it takes the place of the call.
#include "engine/generate/effect_program.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr unsigned most_called = 2; // functions of a program
} // namespace

// A function that is there already where it takes what is given, else a new one.
bool EffectProgram::call() {
    if (in_callee_ || cells_.empty() || writing_.empty()) return false;
    Nodes given{cells_[choices_.below(static_cast<std::uint32_t>(cells_.size()))]};
    if (choices_.rarely(30)) given.push_back(cells_[choices_.below(static_cast<std::uint32_t>(cells_.size()))]);
    if (!values_.empty() && choices_.likely(50))
        given.push_back(values_[choices_.below(static_cast<std::uint32_t>(values_.size()))]);
    std::vector<TypeId> types;
    for (NodeId node : given) types.push_back(function_.graph.type(node));
    const Function* function = callee(types);
    if (!function) return false;
    for (std::size_t i = given.size(); i < function->params.size(); ++i) // what its terms asked for
        if (auto node = value(function->params[i].type)) given.push_back(*node);
    if (given.size() != function->params.size()) return false;
    AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = function->name.index};
    auto made = builder_.apply(Operations::core(Core::Call), context_.attributes.add({&name, 1}), given, {},
                               context_.types.results(function->result_types));
    return made && show(*made);
}

const Function* EffectProgram::callee(std::span<const TypeId> given) {
    std::vector<TypeId> types; // lengths that have names have them in the program alone
    for (TypeId type : given)
        types.push_back(
            context_.types.map_dims(type, [](Dim dim) { return dim.kind == DimKind::Named ? Dim{} : dim; }));
    for (const Function& known : called_.functions) {
        auto takes = [&](const Parameter& param, TypeId type) { return param.type == type; };
        if (std::ranges::equal(std::span(known.params).first(std::min(known.params.size(), types.size())), types,
                               takes) &&
            choices_.likely(50))
            return &known;
    }
    if (called_.functions.size() == most_called) return nullptr;
    Function made(context_);
    EffectProgram inside(context_, library_, base_, rule_id_, vocabulary_, choices_, style_, made, called_);
    if (!inside.build_callee(types)) return nullptr;
    Function& function = called_.add(context_, fresh_name());
    made.name = function.name, made.local = true, made.pure = false;
    context_.impure_functions[made.name] = true;
    function = std::move(made);
    return &function;
}

bool EffectProgram::build_callee(std::span<const TypeId> types) {
    in_callee_ = true;
    builder_.start(entry());
    for (TypeId type : types) {
        const NodeId param = terms_.param(type);
        (is_memory(type) ? cells_ : values_).push_back(param);
    }
    const Nodes given = cells_;
    for (std::uint32_t i = 1 + choices_.below(2); i > 0; --i)
        if (!choices_.likely(70) || !nested()) effect();
    if (!given.empty() && choices_.rarely(30))
        if (auto held = read(given[0])) function_.results.push_back(*held);
    return finish() && function_.exit;
}

SymbolId EffectProgram::fresh_name() const {
    for (unsigned i = 0;; ++i) {
        const SymbolId name = context_.symbols.add("touch" + (i ? std::to_string(i) : ""));
        if (!library_.find(name) && !called_.find(name)) return name;
    }
}

} // namespace irrewrite
