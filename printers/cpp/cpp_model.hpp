// The data of the C++ printer: the kind of each operation, the module's texts, the binding of a node to text, the
// variables in which a loop's generators make their results.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/schedule/schedule.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/c_like/text_template.hpp"
#include "printers/cpp/cpp.hpp"
#include "printers/cpp/cpp_types.hpp"
#include "printers/plan/operation_kinds.hpp"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace irrewrite::printers {

// The form in which kernels may call a function.
enum class OnDeviceAs : std::uint8_t {
    None,   // it is the host's alone
    Shared, // one text for both sides: it works on scalars
    Apart,  // a text of its own, which reads arrays where the device has them
};

// Data that all functions of a module share.
struct CppModule {
    const Context& context;
    const Module& module;
    const CppOptions& options;
    CppTypes types;
    std::vector<TypeId> structs; // each behind those that stand in it
    OperationKinds shapes;
    std::vector<TextTemplate> templates; // by OpId, two each: the text, that for integers
    SourceId source; // of the program: that of its functions, and not of those that come from rule files
    std::vector<std::uint32_t> lines; // where they end
    std::string out;
    std::vector<Diagnostic> errors;
    std::vector<LoopNote> notes;
    std::map<std::pair<SymbolId, NodeId>, bool> copies; // by function and node: one is made
    std::map<std::pair<SymbolId, NodeId>, bool> stored; // likewise of arrays that are handed on
    Names names; // that stand beside the helpers: structs, functions, what threads of loops carry
    Names helper_names = Names::within(names);
    std::unordered_map<SymbolId, std::string> function_names, device_names; // for kernels, what stands apart
    mutable std::unordered_map<SymbolId, OnDeviceAs> device_functions;      // likewise, what is known
    mutable std::unordered_map<SymbolId, bool> giving_up;
    std::vector<SymbolId> called_on_device; // of what stands apart, each once

    CppModule(const Context& context, const Module& module, const CppOptions& options);
    CppModule(const CppModule&) = delete; // names refer to others
    CppModule& operator=(const CppModule&) = delete;
    // The line in the file of the program; none in another one.
    std::optional<std::ptrdiff_t> line_of(Span where) const;
    // The operation's text, for its operands' type.
    // `exact`: integers as floats are written, nothing wraps.
    const TextTemplate& form(const Graph& g, NodeId node, bool exact = false) const;
    // An array that the operation's text makes anew.
    bool makes_array(const Graph& g, NodeId node) const {
        return g.core(node) == Core::None && types.is_array(g.type(node)) && g.operation(node).aliases == 0;
    }
    const std::string& function_name(SymbolId name) const { return function_names.at(name); }
    // Names that a function's own may not hide.
    Names names_within(const Function& function) const;
    CopyCounts copy_counts() const;
    void add_struct(TypeId type);
    OnDeviceAs on_device(const Function& function) const;
    bool may_give_up(const Function& function) const; // on the device, after a fault
    // `array<double> f(std::span<const double> xs)`; parameters that are not `used` have no name.
    std::string signature(const Function& function, const std::vector<std::string>& names) const;
    std::string device_signature(const Function& function, const std::vector<std::string>& names) const;
    // True if the function takes the array over: `array<double> a`, which a caller may move into it.
    bool takes_over(const Function& function, const Parameter& parameter) const;
    // For callers that keep theirs: the same function of `std::span<const double> a`; none when it takes nothing over.
    std::string copying_overload(const Function& function, const std::vector<std::string>& names) const;
};

// The C++ text that stands for a node.
struct Binding {
    Text text;
    TypeId type; // what the text's C++ type was made from
    Form form = Form::Value;
    bool owned = false;                    // a variable of this function that may be moved from
    NodeId extent{};                       // of a loop's index: it is within [0, extent), as Ranges know
    bool in_place = false;                 // made where it is to be stored
    std::optional<std::uint64_t> number{}; // of a literal: its bits
};

inline constexpr std::string_view lane_block =
    "256"; // of indices that are gone through twice: what is put by stays in the first cache

inline constexpr unsigned few_values = 16; // too few for sums in vector lanes

// A variable that a loop's results are made in, or a group's entry of one.
struct Cell {
    std::string name;
    TypeId type;
    std::string init;        // text of a value of that type
    std::string type_text{}; // where there is no IR type
    std::string place{};     // of memory that is there already: a row of another array
    std::string element{};   // on the device: what a step is given for its own element
    bool kept = false;       // `place` is the kernel's own memory, of no result
    bool unread = false;     // nobody reads the result: it is not stored
};

struct Generator {
    OpKind shape;
    NodeId node, emission;
    // `feed`s around it, and in a group `gen.running`s: the first one takes what is emitted, the last one feeds it.
    std::vector<NodeId> through{};
    std::vector<std::vector<Cell>> running{}; // the running values of each `gen.running` among them, in order
    std::vector<NodeId> seeds;                // operands that are not emissions
    BlockId block, then;                      // operator or inner generator; what a scan emits
    std::vector<Cell> state;                  // accumulators, histogram bins
    std::vector<Cell> outputs;                // what grows
    std::string slots;                        // `[group]`, behind every name
    std::string index;                        // of the output's element where exactly one is made for each index
    bool reversed = false;                    // the last index makes the first element
    bool turned = false; // likewise where the number of elements is known at the end: all are turned round then
    // Of a minimum or maximum in lanes: the ends of its values' order, and whether another one has the same.
    std::string least{}, greatest{};
    bool same_ends = false;
    std::string extent{};         // of bins or elements that are written through a pointer
    bool within = false;          // every key is in range
    bool reserved = false;        // there is room for a value of each index
    bool spare = false;           // one more bin takes keys that are out of range
    std::vector<Generator> inner; // of a bucket
    std::string entry{},
        fresh_entry{};    // of a bucket: the struct that holds several accumulators of a group; what they start with
    bool packed = false;  // they are fields of one
    bool follows = false; // its keys, or running values, are another one's
    bool made = false;    // its running values stand in its state
    // Fed by a `gen.running`: its position in the loop's list. Of that one, while an iteration is printed: the
    // generators it feeds.
    std::optional<std::size_t> fed_by{};
    std::vector<Generator*> feeds{};
    std::uint32_t home = 0; // the region it stands in
    // On the device: how much was collected; what stands before a result is written; who writes where.
    std::string count{}, before{}, writers{};
    // Of a bucket there: the groups that its keys have, the indices sorted by them. Of what is made of each of them:
    // the group that a value is for.
    std::string groups{}, sorted{}, group{};
    bool numbered = false; // before the loop
};

// True if the value is the first of its group: it is known when the group gets its number, and exists for every group.
inline bool is_first_of_group(const Graph& graph, const Generator& generator) {
    return generator.shape == OpKind::First && generator.through.empty() && graph.is_param(generator.emission);
}

// A reduction that vector lanes may make.
struct LaneReduction {
    Scalar operation;
    std::string name;     // in OpenMP
    bool decides = false; // a reduction of truth values by `and` or `or`
};

// A value's text as it is stored.
struct Stored {
    std::string text;
    std::string moved{}; // the text of the variable that it moves from, if any
    bool operator==(const Stored&) const = default;
};
inline Stored moved_from(const std::string& variable) { return {"std::move(" + variable + ")", variable}; }

// An index as it is printed.
struct IndexText {
    std::string text;
    bool stands_alone = false; // in a sum it needs no parentheses
};

// A loop of which only some results are vectorized.
struct FissionPlan {
    std::vector<Generator> lanes, others;
};

// A loop of which only the arithmetic is vectorized: the level of each node.
struct Levels {
    std::unordered_map<NodeId, unsigned> of{};
    unsigned last = 0;
    std::unordered_set<NodeId> stored{}; // needed by calls, or by a later level
};

// A loop whose iterations run side by side, one stage after the other: an inner loop, or arithmetic.
struct ColumnStages {
    std::vector<std::vector<std::uint32_t>> nodes; // by stage: positions in the loop's list of nodes
    std::map<NodeId, std::size_t> stage;
    std::map<NodeId, std::string> buffers; // of what a later stage reads: an array with an element for each index
    std::string first, last;               // of the indices of a block
};

struct Feed { // a generator and its input
    Generator* generator;
    std::vector<NodeId> atoms; // no `both`, no `none`
    std::size_t next = 0;
};

// Nodes of a block with running values: those that these need, and the others.
struct Split {
    std::unordered_set<NodeId> running{}, rest{};
};

using EmissionsOf = std::vector<std::pair<Generator*, NodeId>>; // by generator

// Values that a loop collects in two passes.
struct TwoPassCollect {
    std::vector<Generator*> list{};    // which generators; their ends are `count`
    std::vector<std::size_t> places{}; // of each, its index in the result of `function`
    std::string function{}, sizes{}, limit{};
    bool bounded = false; // by the number of indices
    bool selects = false; // all of the loop: values that one condition keeps
};

// Histogram bins that the blocks of a kernel may have copies of.
struct Bins {
    std::string own, type;   // what stands for them in a step; a pointer
    std::string view, start; // all of them, and what they start with
    std::size_t generator;
};

struct EntryTest { // of a region
    NodeId value;
    enum class Kind : std::uint8_t { Positive, True, False } kind;
    auto operator<=>(const EntryTest&) const = default;
};
struct Lazy {                                   // of what is on demand
    std::vector<std::uint32_t> regions;         // that need it
    std::vector<std::uint32_t> users;           // that are on demand themselves
    std::vector<std::uint32_t> sites;           // also those that need what needs it and is not kept
    std::vector<std::uint32_t> askers;          // likewise, of users that are kept
    std::uint32_t place = 0;                    // of the last node in its region that may need it
    NodeId loop{};                              // the one that needs it, surely if it runs at all
    std::vector<std::vector<EntryTest>> ways{}; // for that, one of which holds
    std::string compute{};                      // a call that does so the first time
    std::string known{};                        // whether it has been made
    bool settled = false;                       // it is there
    bool perhaps = false;                       // where it is asked for; elsewhere it need not be
};

inline constexpr std::uint32_t no_place = UINT32_MAX - 1; // where nothing is used for the last time

// Values on demand from outside that a loop on the device needs at some indices. Regions by number.
struct Asked {
    std::vector<std::uint32_t> values;                          // indices into Schedule::on_demand
    std::map<std::uint32_t, std::set<std::uint32_t>> needed;    // in a region and the regions inside it
    std::map<std::uint32_t, std::vector<std::uint32_t>> inside; // of a region, those directly inside that need some
    std::unordered_set<NodeId> conditions;                      // what decides which regions are entered
};

struct LaneBlocks; // lane_blocks.hpp

// An array of which a kernel's step is given its own element.
struct Column {
    std::string view, element, type;
    std::string name;          // the array's
    std::vector<NodeId> reads; // none: it is written
    std::size_t generator = 0, output = 0;
};

// Implementation of the results of groups on the device.
enum class DeviceGrouping : std::uint8_t {
    Begins, // it is there at each group's first index
    Atomic, // a histogram bin of each group takes values in any order
    Runs,   // an associative operator puts neighbours together once they are sorted by group
    Turns,  // a thread takes all values of a group, one after the other
    Rows,   // they are kept, one value of each of theirs at most
    Many,   // any number of values of each
    Host,   // not there
};

// An array that an inner loop of a kernel's step makes and the step reads: a row of this view, of each team or of each
// thread.
struct ScratchRow {
    NodeId loop;
    std::size_t result;
    std::string view, type; // of an element
    std::vector<std::string> extents;
    bool of_team;
};

// A loop that becomes a kernel.
struct Kernel {
    std::vector<Generator> generators{}; // their variables in a thread and in the device's memory
    bool in_order = false;               // a thread must know what came before its indices
    bool counts_first = false;           // nothing bounds how much is collected
    std::string fields{}, start{};       // of what a thread carries
    std::string type{}, index{};
    bool claiming = false; // only notes who writes where
    std::string asks{};    // only finds out which values an index needs; the flags that say so
    std::vector<std::uint32_t> asked{};
    bool faults = false; // something in it may
    std::vector<Bins> bins{};
    std::vector<Column> columns{};
    bool many = false;          // it yields any number of values
    std::string key{}, value{}; // the result of a step, to be sorted by key; a key alone where groups are numbered
    std::string bin{};          // what a step takes a group's values into, one after the other
    std::string given{};        // the type of a value, or of a histogram bin
    std::string gives{};        // of a function that kernels call: its result's type
    std::string team{};         // threads that share an index, and the inner loops that they share
    std::vector<NodeId> shared{};
    std::vector<ScratchRow> kept{};
    bool shared_faults = false; // one of them may, or threads of a team may go on otherwise after a fault elsewhere

    // An index that needs a value which is not there is left when it finds out. Empty: the index has it by itself.
    std::string question(std::uint32_t value, const std::string& known) const {
        for (std::size_t k = 0; k < asked.size(); ++k)
            if (asked[k] == value)
                return (asked.size() > 1 ? "if (!" + known + ") " : "") + "return ask(" + asks + "[" +
                       std::to_string(k) + "]);";
        return {};
    }
    bool is_given(NodeId node) const { // an element that the step is given
        return std::ranges::any_of(
            columns, [&](const Column& column) { return std::ranges::find(column.reads, node) != column.reads.end(); });
    }
    bool
    gives_value(const Generator& generator) const { // what arrives there; what arrives in an inner loop is that loop's
        if (value.empty() || !key.empty()) return false;
        const Generator& own = generators[0].inner.empty() ? generators[0] : generators[0].inner[0];
        return generator.node == own.node;
    }
};

// Loops in the shape of a matrix product (printers/cuda/tiles.cpp).
struct Tiles {
    const ScheduledNode* columns;         // the inner loop, which makes a row
    NodeId element;                       // what it makes
    const ScheduledNode* terms = nullptr; // the innermost one, which reduces
    NodeId term{};                        // what it reduces
    std::vector<NodeId> left{}, right{};  // of the term: what depends on the row alone, on the column alone
    std::unordered_set<NodeId> between{}; // and what depends on both
};

} // namespace irrewrite::printers
