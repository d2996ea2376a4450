// The inside of the evaluator: an interpreter of schedules, and its interface to the meanings of operations. Private to
// engine/interpret.
//
// Every function that can stop the run (a fault, a limit) returns false when it did, and so do its callers; `outcome`
// then has the reason. The value of a node is in the frame's slot of that node: blocks that are active at the same time
// have different parameters, so no slot has two meanings.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/schedule/schedule.hpp"
#include "engine/support/hash.hpp"

#include <bit>
#include <deque>
#include <tsl/robin_map.h>

namespace irrewrite {

class Interpreter;
class Site;

// A function prepared to run.
struct Plan {
    Plan(const Function& function, Motion motion);

    static constexpr std::uint32_t no_slot = UINT32_MAX;
    static std::uint64_t key(std::uint32_t region, std::uint32_t index) { return std::uint64_t{region} << 32 | index; }
    // Bit i: operand i of a node, or result i of the region, is the last use of a value that the
    // region computes, and may take it.
    struct Takes {
        std::vector<std::uint64_t> steps;
        std::uint64_t results = 0;
    };

    const Function& function;
    Schedule schedule;
    std::vector<std::uint32_t> slots; // by node
    std::uint32_t size = 0;           // of a frame
    std::vector<Takes> takes;         // by region
    std::deque<Value> constants;      // values of literals, made when they are first read
    // By region, and condition or block: the region inside it.
    tsl::robin_map<std::uint64_t, std::uint32_t, PairHash> guarded, nested;
};

struct Frame {
    Plan& plan;
    std::vector<Value> slots;
    // When each region was entered last, and for which entry of the region around it.
    std::vector<std::uint64_t> entered, entered_for;
    // By what is computed on demand: for which entry of its region it was.
    std::vector<std::uint64_t> computed_for;
};

// Values being put together, within the limit of memory.
class Buffer {
  public:
    explicit Buffer(Interpreter& machine) : machine_(&machine) {}
    Buffer(Buffer&&) noexcept = default;
    Buffer(const Buffer&) = delete;
    ~Buffer();

    bool push(Value value);
    bool append(std::span<const Value> values);
    bool fill(std::uint64_t count, const Value& value);
    std::vector<Value>& values() { return values_; }
    std::size_t size() const { return values_.size(); }
    Value finish(); // as an array, tuple, cell; the buffer is empty again

  private:
    Interpreter* machine_;
    std::vector<Value> values_;
};

// The values of an emission: `count` times as many as it has types.
struct Emitted {
    explicit Emitted(Interpreter& machine) : values(machine) {}
    bool append(std::span<const Value> more, std::size_t times) {
        count += times;
        return values.append(more);
    }
    Buffer values;
    std::size_t count = 0;
};

class Interpreter {
  public:
    Interpreter(const Context& context, const Module& module, const Limits& limits, Motion motion);

    // Ready for another call, whatever became of the last one.
    void restart(const Limits& limits);
    bool call(const Function& function, std::vector<Value> arguments, std::vector<Value>& results);

    // -- for the meanings of operations
    // -------------------------------------------------------------
    const Context& context() const { return context_; }
    const Types& types() const { return context_.types; }
    const Module& module() const { return module_; }
    const Graph& graph() const { return frame_->plan.function.graph; }
    const Value& read(NodeId node) const;
    Value take(NodeId node) { return std::move(frame_->slots[frame_->plan.slots[node.index]]); }
    // Runs a block: its parameters become the arguments, its results are appended.
    bool run_block(std::uint32_t region, std::span<Value> arguments, std::vector<Value>& results);
    // The same without the results, which are structure and stay to be run; `leave` when that is
    // done.
    bool enter_block(std::uint32_t region, std::span<Value> arguments);
    // The values that are needed only under a condition, once for each entry of the region around
    // it.
    bool enter_guarded(std::uint32_t region, std::uint32_t inner);
    bool enter(); // one level deeper
    void leave() { --depth_; }
    // Appends what the emission emits. The values that it uses in `region` are computed.
    bool run_emission(NodeId emission, std::uint32_t region, Emitted& out);
    std::uint32_t nested_region(std::uint32_t region, BlockId block) const;
    std::uint32_t guarded_region(std::uint32_t region, NodeId condition) const;
    // The length of an array, if its type determines it.
    std::optional<std::uint64_t> known_length(TypeId array) const;
    // True if all lengths are as the type promises, with the values of `%n` in this function.
    bool has_lengths(TypeId type, const Value& value) const;

    bool allocate(std::uint64_t values, std::uint64_t fuel = 0);
    void release(std::uint64_t values) { *alive_ -= values * sizeof(Value); }
    Value make(std::vector<Value> parts); // accounted for by `allocate` before
    bool exhausted(Outcome::Kind kind);
    bool spend(std::uint64_t fuel = 1);
    bool fault(NodeId node, std::string what);
    bool no_meaning(NodeId node, std::string_view operation);

    Outcome outcome;
    FloatRange* floats = nullptr; // of primitives, if somebody wants to know
    Grouping grouping = Grouping::FromTheLeft;

  private:
    friend class Site;
    bool stop(Outcome::Kind kind);
    Plan& plan_of(const Function& function);
    bool start(const Function& function, std::span<Value> arguments);
    void take_results(std::uint32_t region, std::span<const NodeId> nodes, std::vector<Value>& results);
    bool run_nodes(std::uint32_t region);
    bool is_computed(std::uint32_t demanded) const;
    bool run_demanded(std::uint32_t demanded);
    bool compute(const ScheduledNode& step, std::uint64_t takes);
    bool compute_primitive(NodeId node, const Operation& operation);
    void note(TypeKind kind, std::uint64_t bits, bool is_only_ordered);
    bool compute_other(Site site, bool (*meaning)(Site&));
    void write(NodeId node, Value value) { frame_->slots[frame_->plan.slots[node.index]] = std::move(value); }

    const Context& context_;
    const Module& module_;
    Limits limits_;
    std::shared_ptr<std::uint64_t> alive_; // bytes; shared with the values, which may outlive us
    std::uint32_t depth_ = 0;
    std::uint64_t entries_ = 0;
    Frame* frame_ = nullptr;
    Motion motion_;
    std::unordered_map<const Function*, std::unique_ptr<Plan>> plans_;
    tsl::robin_map<std::uint32_t, bool (*)(Site&)> meanings_; // by operation, as they are first needed
};

// One node being computed: what the meaning of its operation sees.
class Site {
  public:
    Site(Interpreter& machine, const ScheduledNode& step, std::uint64_t takes)
        : machine(machine), step(step), takes_(takes) {}

    Interpreter& machine;
    const ScheduledNode& step;
    std::vector<Value> results;

    const Graph& graph() const { return machine.graph(); }
    NodeId node() const { return step.node; }
    std::size_t count() const { return graph().operands(node()).size(); }
    const Value& operator[](std::size_t i) const { return machine.read(graph().operand(node(), i)); }
    // The same for the last look at it: where nothing else needs the value, nobody else holds it
    // then.
    Value take(std::size_t i) const {
        NodeId operand = graph().operand(node(), i);
        return i < 64 && (takes_ >> i & 1) ? machine.take(operand) : machine.read(operand);
    }
    void drop_last_uses() const {
        for (std::uint64_t rest = takes_; rest; rest &= rest - 1)
            take(static_cast<std::size_t>(std::countr_zero(rest)));
    }
    std::int64_t integer(std::size_t i) const { return static_cast<std::int64_t>((*this)[i].bits); }
    std::span<const Value> array(std::size_t i) const { return *(*this)[i].parts; }
    std::size_t length(std::size_t i) const { return (*this)[i].parts->size(); }
    TypeId type(std::size_t i) const { return graph().type(graph().operand(node(), i)); }

    std::size_t block_count() const { return step.blocks.size(); }
    std::size_t block_results(std::size_t k) const { return graph().results(graph().blocks(node())[k]).size(); }
    // Appends the block's results.
    bool run(std::size_t k, std::span<Value> arguments, std::vector<Value>& out) {
        return machine.run_block(step.blocks[k], arguments, out);
    }

    bool give(Value value) { return results.push_back(std::move(value)), true; }
    bool give(Buffer& buffer) { return give(buffer.finish()); }
    bool fault(std::string what) { return machine.fault(node(), std::move(what)); }
    // True if operands [first, last) are arrays of one length; else a fault.
    bool equal_lengths(std::size_t first, std::size_t last);
    bool in_bounds(std::int64_t index, std::size_t length);
    bool is_length(std::int64_t n);

  private:
    std::uint64_t takes_; // by operand
};

// The meaning of an operation that is no primitive scalar: appends the node's results to the
// site's.
struct Meaning {
    std::string_view name;
    bool (*evaluate)(Site&);
};
std::span<const Meaning> array_meanings();
std::span<const Meaning> order_meanings();
std::span<const Meaning> text_meanings();
std::span<const Meaning> collective_meanings();
std::span<const Meaning> loop_meanings();
std::span<const Meaning> state_meanings();
// True if an operation of the name has a meaning as an emission, or as a generator.
bool is_emission(std::string_view name);
bool is_generator(std::string_view name);
// Of the IR's own notation; null for Literal, Param and Project, which are not computed.
bool (*core_meaning(Core core))(Site&);

// The text that `print` writes: a literal, or the text of a byte array.
std::string printed_text(const Context& context, TypeId type, const Value& value);

// Of element, field or part `i` of a value of the type.
TypeId part_type(const Types& types, TypeId type, std::size_t i);

// Keys of `groupby`, `distinct` and `gen.bucket` are equal where these texts are: as `eq` says, but
// NaN equals NaN.
std::string key_text(const Types& types, TypeId type, const Value& value);

} // namespace irrewrite
