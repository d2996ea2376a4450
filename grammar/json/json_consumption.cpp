#include "grammar/json/json_consumption.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite::grammar {

bool JsonConsumption::run(const Json& function) {
    for (const Json& param : list(function, "params"))
        if (auto id = number(param, "id")) define(*id, param, flag(param, "consumed", false));
    frames_.push_back({.block = &function, .owner = nullptr});
    while (!frames_.empty()) step();
    return ok_;
}

void JsonConsumption::step() {
    Frame& frame = frames_.back();
    const Json& lines = list(*frame.block, "nodes");
    if (frame.next_line == lines.size()) return close();
    const Json& line = lines[frame.next_line];
    const Json& blocks = list(line, "blocks");
    if (frame.next_block == 0)
        for (Id id : numbers(line, "operands").value_or(std::vector<Id>{})) use(id, line);
    if (frame.next_block < blocks.size()) return open(blocks[frame.next_block++], line);
    frame.next_block = 0, ++frame.next_line;
    finish(line);
}

void JsonConsumption::error(const Json& where, std::string text, const Json& place, std::string note) {
    ok_ = false;
    report_(where, std::move(text), place, std::move(note));
}

const Operation* JsonConsumption::operation(const Json& line) const {
    const std::optional<SymbolId> name = context_.symbols.find(text(line, "op"));
    std::vector<SymbolId> labels;
    for (const Json& block : list(line, "blocks")) {
        const std::string_view label = text(block, "label");
        labels.push_back(label.empty() ? SymbolId{} : context_.symbols.find(label).value_or(SymbolId{0}));
    }
    const auto found = name ? context_.operations.find(*name, list(line, "operands").size(), labels) : std::nullopt;
    return found ? &context_.operations[*found] : nullptr;
}

bool JsonConsumption::is_array(const Json& value) {
    const std::optional<TypeId> type = types_[text(value, "type")];
    return type && context_.types.kind(*type) == TypeKind::Array;
}

std::string JsonConsumption::called(Id id) const {
    const auto found = arrays_.find(id);
    const std::string_view name = found == arrays_.end() ? std::string_view() : text(*found->second.made, "name");
    return name.empty() ? "value " + std::to_string(id) : "'%" + std::string(name) + "'";
}

// -- from line to line --------------------------------------------------------------------------------------

void JsonConsumption::define(Id id, const Json& made, bool consumable) {
    arrays_.insert_or_assign(id, Array{.made = &made, .when = ++now_, .consumable = consumable});
    roots_.erase(id);
    lines_[id] = &made;
}

JsonConsumption::Id JsonConsumption::array_of(Id id) const {
    const auto root = roots_.find(id);
    const Id array = root == roots_.end() ? id : root->second;
    return arrays_.contains(array) ? array : nothing;
}

void JsonConsumption::use(Id id, const Json& where) {
    const Id array = array_of(id);
    if (array == nothing) return;
    Array& known = arrays_.at(array);
    known.used = &where, known.used_when = ++now_;
    if (!known.consumed) return;
    error(where, called(id) + " is used after it was consumed", *known.consumed, "consumed here");
    known.consumed = nullptr; // told once
}

void JsonConsumption::consume(Id array, const Json& where) {
    Array& known = arrays_.at(array);
    if (!known.consumed) known.consumed = &where;
    trail_.push_back(array);
}

void JsonConsumption::finish(const Json& line) {
    const std::vector<Id> operands = numbers(line, "operands").value_or(std::vector<Id>{});
    for (auto [array, where] : behind_[&line]) consume(array, *where);
    behind_.erase(&line);
    apply(line, operands);
    call(line, operands);
    if (auto id = number(line, "id")) name(line, *id, operands);
}

void JsonConsumption::apply(const Json& line, const std::vector<Id>& operands) {
    const Operation* operation = this->operation(line);
    if (!operation || !operation->has(Trait::Pure)) return;
    for (std::size_t k = 0; k < operands.size() && k < 64; ++k) {
        if (!(operation->copies >> k & 1)) continue;
        const Id array = array_of(operands[k]);
        if (array == nothing || !arrays_.at(array).consumable) continue;
        consume(array, line);
        updated_[&line] = {true};
    }
}

void JsonConsumption::call(const Json& line, const std::vector<Id>& operands) {
    const Json& attributes = list(line, "attrs");
    if (text(line, "op") != "call" || attributes.empty()) return;
    const std::string called_name = unescape(text(attributes[0], "text"));
    const Function* callee = module_.find(context_.symbols.find(called_name).value_or(SymbolId{}));
    if (!callee) return;
    for (std::size_t k = 0; k < operands.size() && k < callee->params.size(); ++k) {
        const Id array = callee->params[k].consumed ? array_of(operands[k]) : nothing;
        if (array == nothing) continue;
        for (std::size_t other = 0; other < operands.size(); ++other)
            if (other != k && array_of(operands[other]) == array && is_array(*arrays_.at(array).made))
                return error(line,
                             "what " + called(operands[other]) + " shares memory with is consumed by the same call",
                             *arrays_.at(array).made, "made here, and consumed by '@" + called_name + "'");
        consume(array, line);
    }
}

// A line that names memory of another one, or the result of a line with several.
void JsonConsumption::name(const Json& line, Id id, const std::vector<Id>& operands) {
    const std::string_view op = text(line, "op");
    auto updated = [&](const Json* of, std::size_t k) {
        const auto found = updated_.find(of);
        return found != updated_.end() && k < found->second.size() && found->second[k];
    };
    if (op == "project" && !operands.empty()) {
        const Json& attributes = list(line, "attrs");
        const std::string_view position = attributes.empty() ? std::string_view() : text(attributes[0], "number");
        const std::size_t k = position.empty() ? 0 : std::stoul(std::string(position));
        const Json* whole = lines_[operands[0]];
        define(id, line, updated(whole, k));
        const auto [first, named] = parts_.try_emplace({whole, k}, id, &line).first->second;
        if (first != id && lines_[first] == named) roots_[id] = first;
        return;
    }
    const Operation* operation = this->operation(line);
    Id source = nothing;
    if ((op == "element" || op == "field") && !operands.empty()) source = operands[0];
    if (operation && operation->aliases) {
        const auto k = static_cast<std::size_t>(std::countr_zero(operation->aliases));
        if (k < operands.size()) source = operands[k];
    }
    const Id array = source == nothing || !is_array(line) ? nothing : array_of(source);
    define(id, line, updated(&line, 0));
    if (array != nothing) roots_[id] = array;
}

// -- blocks -----------------------------------------------------------------------------------------------------

void JsonConsumption::open(const Json& block, const Json& owner) {
    Frame frame{.block = &block, .owner = &owner, .when = ++now_, .mark = trail_.size()};
    std::vector<Id> params;
    for (const Json& param : list(block, "params"))
        if (auto id = number(param, "id")) define(*id, param, false), params.push_back(*id);
    const Operation* operation = this->operation(owner);
    if (operation && operation->signature.carrying()) {
        const std::vector<Id> operands = numbers(owner, "operands").value_or(std::vector<Id>{});
        const auto fixed = static_cast<std::size_t>(
            std::ranges::count_if(operation->signature.operands, [](const TypeTerm& term) { return !term.sequence; }));
        for (std::size_t k = fixed; k < operands.size() && params.size() + fixed >= operands.size(); ++k) {
            const Id param = params[params.size() + k - operands.size()], array = array_of(operands[k]);
            arrays_.at(param).consumable = array != nothing && arrays_.at(array).consumable;
            frame.carried.emplace_back(param, array);
        }
    }
    frames_.push_back(std::move(frame));
}

// A branch is over for the others, and counts behind all of them.
void JsonConsumption::close() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (Id id : numbers(*frame.block, "results").value_or(std::vector<Id>{})) use(id, *frame.block);
    if (!frame.owner) return;
    const Operation* operation = this->operation(*frame.owner);
    const bool cold =
        operation && std::ranges::all_of(operation->signature.blocks, [](const BlockSignature& signature) {
            return signature.frequency == Frequency::Cold;
        });
    for (std::size_t i = frame.mark; i < trail_.size(); ++i) {
        const Id id = trail_[i];
        Array& array = arrays_.at(id);
        if (!array.consumed || array.when > frame.when) continue;
        const Json* where = std::exchange(array.consumed, nullptr);
        if (cold)
            behind_[frame.owner].emplace_back(id, where);
        else
            error(*where, "each iteration of this block consumes an array from outside the block", *array.made,
                  "made here");
    }
    trail_.resize(frame.mark);
    std::vector<bool> updated;
    for (auto [param, array] : frame.carried) {
        const Json* where = arrays_.at(param).consumed;
        updated.push_back(where != nullptr);
        if (!where || array == nothing) continue;
        const Array& outside = arrays_.at(array);
        if (outside.used && outside.used_when > frame.when)
            error(*outside.used, "this is used after an earlier iteration consumed it", *where,
                  "consumed here, as a value that iterations carry");
        behind_[frame.owner].emplace_back(array, frame.owner);
    }
    updated_[frame.owner] = std::move(updated);
}

} // namespace irrewrite::grammar
