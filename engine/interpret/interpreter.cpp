#include "engine/interpret/interpreter.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace irrewrite {

namespace {

constexpr std::uint32_t constant_bit = 0x80000000u; // the slot is one of Plan::constants
constexpr std::uint64_t copies_a_node = 16;         // of values, by the time that they take

Value literal_value(const Graph& graph, NodeId node) {
    AttrValue attribute = graph.attrs(node)[0];
    if (attribute.kind == AttrValue::Kind::Number) return {attribute.bits, nullptr};
    auto bytes = std::make_shared<std::vector<Value>>();
    for (unsigned char byte : graph.context().symbols[attribute.text()]) bytes->push_back({byte, nullptr});
    return {0, std::move(bytes)};
}

// Bytes are given back with the value, whoever holds it last.
struct Release {
    std::shared_ptr<std::uint64_t> alive;
    std::uint64_t bytes;
    void operator()(std::vector<Value>* parts) const {
        delete parts;
        *alive -= bytes;
    }
};

} // namespace

// -- values --------------------------------------------------------------------------------------

Buffer::~Buffer() { machine_->release(values_.size()); }

bool Buffer::push(Value value) {
    if (!machine_->allocate(1)) return false;
    values_.push_back(std::move(value));
    return true;
}

bool Buffer::append(std::span<const Value> values) {
    if (!machine_->allocate(values.size(), values.size() / copies_a_node)) return false;
    values_.insert(values_.end(), values.begin(), values.end());
    return true;
}

bool Buffer::fill(std::uint64_t count, const Value& value) {
    if (!machine_->allocate(count, count / copies_a_node)) return false;
    values_.insert(values_.end(), count, value);
    return true;
}

Value Buffer::finish() {
    machine_->outcome.work.elements += values_.size();
    Value result = machine_->make(std::move(values_));
    values_.clear();
    return result;
}

bool Interpreter::allocate(std::uint64_t values, std::uint64_t fuel) {
    if (values > (limits_.memory - std::min(*alive_, limits_.memory)) / sizeof(Value))
        return stop(Outcome::Kind::OutOfMemory);
    if (!spend(fuel)) return false;
    *alive_ += values * sizeof(Value);
    return true;
}

Value Interpreter::make(std::vector<Value> parts) {
    std::uint64_t bytes = parts.size() * sizeof(Value);
    auto owned = std::make_unique<std::vector<Value>>(std::move(parts));
    return {0, std::shared_ptr<std::vector<Value>>(owned.release(), Release{alive_, bytes})};
}

// -- why a run stops -----------------------------------------------------------------------------

bool Interpreter::stop(Outcome::Kind kind) {
    outcome.kind = kind;
    return false;
}

bool Interpreter::fault(NodeId node, std::string what) {
    std::uint32_t place = node ? graph().origin(node).place : UINT32_MAX;
    outcome.fault = {std::move(what), place, frame_->plan.function.name};
    return stop(Outcome::Kind::Faulted);
}

bool Interpreter::no_meaning(NodeId node, std::string_view operation) {
    fault(node, std::string(operation));
    return stop(Outcome::Kind::NoMeaning);
}

bool Interpreter::exhausted(Outcome::Kind kind) {
    if (frame_) outcome.fault.function = frame_->plan.function.name;
    return stop(kind);
}

bool Interpreter::spend(std::uint64_t fuel) {
    if (limits_.fuel < fuel) return exhausted(Outcome::Kind::OutOfFuel);
    limits_.fuel -= fuel;
    return true;
}

bool Interpreter::enter() {
    if (depth_ >= limits_.depth) return exhausted(Outcome::Kind::OutOfDepth);
    ++depth_;
    return true;
}

// -- functions and blocks ------------------------------------------------------------------------

Interpreter::Interpreter(const Context& context, const Module& module, const Limits& limits, Motion motion)
    : context_(context), module_(module), limits_(limits), alive_(std::make_shared<std::uint64_t>(0)), motion_(motion) {
}

void Interpreter::restart(const Limits& limits) {
    outcome = {};
    limits_ = limits;
    depth_ = 0;
    frame_ = nullptr;
}

Plan& Interpreter::plan_of(const Function& function) {
    std::unique_ptr<Plan>& plan = plans_[&function];
    if (!plan) plan = std::make_unique<Plan>(function, motion_);
    return *plan;
}

bool Interpreter::call(const Function& function, std::vector<Value> arguments, std::vector<Value>& results) {
    if (!enter()) return false;
    ++outcome.work.calls;
    Plan& plan = plan_of(function);
    std::size_t regions = plan.schedule.blocks.size();
    Frame frame{plan, std::vector<Value>(plan.size), std::vector<std::uint64_t>(regions),
                std::vector<std::uint64_t>(regions), std::vector<std::uint64_t>(plan.schedule.on_demand.size())};
    Frame* caller = std::exchange(frame_, &frame);
    bool good = start(function, arguments) && run_nodes(0);
    if (good) take_results(0, function.results, results);
    frame_ = caller;
    leave();
    return good;
}

namespace {
// The first array that is found by descending so many, in any rows; none: the outer ones are empty.
const Value* found_within(const Value& array, std::uint32_t depth) {
    if (depth == 0) return &array;
    for (const Value& row : *array.parts)
        if (const Value* found = found_within(row, depth - 1)) return found;
    return nullptr;
}
} // namespace

bool Interpreter::start(const Function& function, std::span<Value> arguments) {
    for (const Dimension& dimension : function.dims) {
        const Value* value = nullptr;
        for (auto [param, depth] : dimension_places(function, dimension.name)) {
            value = found_within(arguments[param], depth);
            if (value) break;
        }
        write(dimension.node, {value ? value->parts->size() : 0, nullptr});
    }
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const Parameter& parameter = function.params[i];
        if (!has_lengths(parameter.type, arguments[i]))
            return fault({}, "unequal lengths: the argument for %" + std::string(context_.symbols[parameter.name]) +
                                 " does not fit " + types().text(parameter.type, context_.symbols));
        write(parameter.node, std::move(arguments[i]));
    }
    return true;
}

bool Interpreter::enter_block(std::uint32_t region, std::span<Value> arguments) {
    if (!enter() || !spend()) return false;
    ++outcome.work.iterations;
    std::span<const NodeId> params = graph().params(frame_->plan.schedule.blocks[region].id);
    for (std::size_t i = 0; i < params.size(); ++i) write(params[i], std::move(arguments[i]));
    return run_nodes(region);
}

bool Interpreter::run_block(std::uint32_t region, std::span<Value> arguments, std::vector<Value>& results) {
    if (!enter_block(region, arguments)) return false;
    take_results(region, graph().results(frame_->plan.schedule.blocks[region].id), results);
    leave();
    return true;
}

void Interpreter::take_results(std::uint32_t region, std::span<const NodeId> nodes, std::vector<Value>& results) {
    std::uint64_t takes = frame_->plan.takes[region].results;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        results.push_back(i < 64 && (takes >> i & 1) ? take(nodes[i]) : read(nodes[i]));
}

bool Interpreter::run_nodes(std::uint32_t region) {
    frame_->entered[region] = ++entries_;
    const ScheduledBlock& block = frame_->plan.schedule.blocks[region];
    const std::vector<std::uint64_t>& takes = frame_->plan.takes[region].steps;
    for (std::uint32_t demanded : block.demands)
        if (!is_computed(demanded) && !run_demanded(demanded)) return false;
    for (std::size_t i = 0; i < block.nodes.size(); ++i)
        if (!block.nodes[i].is_on_demand() && !compute(block.nodes[i], takes[i])) return false;
    return true;
}

// True if the on-demand node is computed already for this entry of its region.
bool Interpreter::is_computed(std::uint32_t demanded) const {
    return frame_->computed_for[demanded] == frame_->entered[frame_->plan.schedule.on_demand[demanded].region];
}

bool Interpreter::run_demanded(std::uint32_t demanded) {
    const Schedule& schedule = frame_->plan.schedule;
    const auto is_open = [&](std::uint32_t i) { return !is_computed(i); };
    std::vector<std::uint32_t> stack{demanded};
    while (!stack.empty()) {
        const std::uint32_t index = stack.back();
        const OnDemand& lazy = schedule.on_demand[index];
        const std::size_t size = stack.size();
        if (is_open(index)) std::ranges::copy_if(lazy.demands, std::back_inserter(stack), is_open);
        if (stack.size() > size) continue;
        stack.pop_back();
        if (!is_open(index)) continue;
        if (!compute(schedule.blocks[lazy.region].nodes[lazy.position], 0)) return false;
        frame_->computed_for[index] = frame_->entered[lazy.region];
    }
    return true;
}

const Value& Interpreter::read(NodeId node) const {
    Plan& plan = frame_->plan;
    const Graph& g = plan.function.graph;
    if (g.is_project(node)) return (*read(g.operand(node, 0)).parts)[g.position(node)];
    std::uint32_t& slot = plan.slots[node.index];
    if (slot == Plan::no_slot) { // a literal: all else was scheduled before it is read
        slot = constant_bit | static_cast<std::uint32_t>(plan.constants.size());
        plan.constants.push_back(literal_value(g, node));
    }
    return slot & constant_bit ? plan.constants[slot & ~constant_bit] : frame_->slots[slot];
}

std::uint32_t Interpreter::nested_region(std::uint32_t region, BlockId block) const {
    return frame_->plan.nested.at(Plan::key(region, block.index));
}

std::uint32_t Interpreter::guarded_region(std::uint32_t region, NodeId condition) const {
    return frame_->plan.guarded.at(Plan::key(region, condition.index));
}

bool Interpreter::enter_guarded(std::uint32_t region, std::uint32_t inner) {
    if (std::exchange(frame_->entered_for[inner], frame_->entered[region]) == frame_->entered[region]) return true;
    return run_nodes(inner);
}

// -- nodes ---------------------------------------------------------------------------------------

namespace {

// Evaluates an operation of a rule file by its expansion, a function of the module.
bool expansion(Site& site) {
    const Operation& operation = site.graph().operation(site.node());
    const Function* function = operation.expansion ? site.machine.module().find(operation.expansion) : nullptr;
    std::string_view name = site.machine.context().symbols[operation.name];
    if (!function) return site.machine.no_meaning(site.node(), name);
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < site.count(); ++i) arguments.push_back(site[i]);
    return site.machine.call(*function, std::move(arguments), site.results);
}

bool (*find_meaning(const Operation& operation, std::string_view name))(Site&) {
    if (operation.core != Core::None) return core_meaning(operation.core);
    if (!operation.built_in) return expansion;
    for (std::span<const Meaning> table : {array_meanings(), order_meanings(), text_meanings(), collective_meanings(),
                                           loop_meanings(), state_meanings()}) {
        auto found = std::ranges::find(table, name, &Meaning::name);
        if (found != table.end()) return found->evaluate;
    }
    return operation.primitive >= 0 ? nullptr : expansion;
}

} // namespace

bool has_meaning(const Context& context, const Operation& operation) {
    std::string_view name = context.symbols[operation.name];
    return find_meaning(operation, name) != expansion ||
           (operation.built_in && (is_emission(name) || is_generator(name)));
}

bool Interpreter::compute(const ScheduledNode& step, std::uint64_t takes) {
    if (!spend()) return false;
    ++outcome.work.operations;
    OpId op = graph().op(step.node);
    auto found = meanings_.find(op.index);
    if (found == meanings_.end()) {
        const Operation& operation = context_.operations[op];
        auto meaning = find_meaning(operation, context_.symbols[operation.name]);
        found = meanings_.insert({op.index, meaning}).first;
    }
    if (!found->second) return compute_primitive(step.node, context_.operations[op]);
    return compute_other(Site(*this, step, takes), found->second);
}

bool Interpreter::compute_primitive(NodeId node, const Operation& operation) {
    std::array<std::uint64_t, 3> few;
    std::vector<std::uint64_t> many; // of `same`
    std::span<const NodeId> operands = graph().operands(node);
    std::span<std::uint64_t> bits(few.data(), std::min(operands.size(), few.size()));
    if (operands.size() > few.size()) many.resize(operands.size()), bits = many;
    for (std::size_t i = 0; i < operands.size(); ++i) bits[i] = read(operands[i]).bits;
    TypeKind type = graph().kind(operands[0]);
    auto result = primitives()[operation.primitive].evaluate(type, graph().kind(node), bits);
    if (floats && result) {
        const bool orders = primitive_only_orders(operation.primitive);
        const bool tests = graph().kind(node) == TypeKind::Bool; // a bound that is far from 1 rounds nothing
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (!tests || !graph().is_literal(operands[i])) note(graph().kind(operands[i]), bits[i], orders);
        note(graph().kind(node), *result, orders);
    }
    if (result) return write(node, {*result, nullptr}), true;
    std::string_view name = context_.symbols[operation.name];
    if (name == "div" || name == "rem") return fault(node, "division by zero");
    if (name.ends_with("_checked")) return fault(node, "overflow");
    return fault(node, name == "same" ? "unequal lengths" : "shift by less than 0 or by the width or more");
}

// An infinity that is only compared is exact: the neutral element of `max`, say.
void Interpreter::note(TypeKind kind, std::uint64_t bits, bool is_only_ordered) {
    if (!is_float(kind)) return;
    const double value = to_double(kind, bits);
    if (!is_only_ordered || !std::isinf(value)) floats->add(value);
}

bool Interpreter::compute_other(Site site, bool (*meaning)(Site&)) {
    if (!meaning(site)) return false;
    site.drop_last_uses();
    bool several = graph().kind(site.node()) == TypeKind::Results;
    if (several && !allocate(site.results.size())) return false;
    if (several)
        write(site.node(), make(std::move(site.results)));
    else
        write(site.node(), site.results.empty() ? Value{} : std::move(site.results[0]));
    return true;
}

// -- lengths -------------------------------------------------------------------------------------

namespace {

bool promises_lengths(const Types& types, TypeId type) {
    if (types.kind(type) == TypeKind::Mut)
        return types.dim(type).kind != DimKind::Unknown || promises_lengths(types, types.element(type));
    return any_type_within(types, type, [&](TypeId part) {
        return types.kind(part) == TypeKind::Array && types.dim(part).kind != DimKind::Unknown;
    });
}

} // namespace

std::optional<std::uint64_t> Interpreter::known_length(TypeId array) const {
    Dim dim = types().dim(array);
    if (dim.kind == DimKind::Constant) return static_cast<std::uint64_t>(dim.value);
    if (dim.kind == DimKind::Named)
        for (const Dimension& dimension : frame_->plan.function.dims)
            if (dimension.name.index == dim.value) return read(dimension.node).bits;
    return std::nullopt;
}

bool Interpreter::has_lengths(TypeId type, const Value& value) const {
    if (!promises_lengths(types(), type)) return true;
    TypeKind kind = types().kind(type);
    if (kind == TypeKind::Tuple || kind == TypeKind::Struct) {
        for (std::size_t i = 0; i < value.parts->size(); ++i) {
            TypeId part = kind == TypeKind::Tuple ? types().elements(type)[i] : types().fields(type)[i].type;
            if (!has_lengths(part, (*value.parts)[i])) return false;
        }
        return true;
    }
    if (auto length = known_length(type); length && value.parts->size() != *length) return false;
    TypeId element = types().element(type);
    return !promises_lengths(types(), element) ||
           std::ranges::all_of(*value.parts, [&](const Value& part) { return has_lengths(element, part); });
}

} // namespace irrewrite
