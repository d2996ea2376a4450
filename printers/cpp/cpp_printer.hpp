// The C++ printer of one function; shared by the files of printers/cpp and printers/cuda alone.
//
// Walks the schedule: each scheduled node becomes a line, or text inside its only user where that reads better; `env_`
// maps nodes to their texts. Parameters of blocks of one height are one node, so their texts are set where a block is
// entered.
#pragma once

#include "engine/schedule/schedule.hpp"
#include "printers/c_like/writer.hpp"
#include "printers/cpp/cpp_model.hpp"
#include "printers/plan/ranges.hpp"
#include "printers/plan/slices.hpp"
#include "printers/plan/twin_nodes.hpp"
#include "printers/plan/use_analysis.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace irrewrite::printers {
class OnDevice;

class CppFunction {
  public:
    CppFunction(CppModule& module, const Function& function);
    void print();
    void print_for_device(); // what kernels call, where that stands apart

  private:
    friend class LanePlanner;
    friend class LaneWriter;
    using Region = std::uint32_t;
    // Ends the bindings made while it lives: blocks of one height share their parameters, and the nodes made from them.
    class Scope {
      public:
        explicit Scope(CppFunction& function)
            : function_(function), begin_(function.undo_.size()), extents_(function.ranges_.set_extents()) {}
        Scope(const Scope&) = delete;
        ~Scope() {
            function_.undo(begin_);
            function_.ranges_.undo_extents(extents_);
        }

      private:
        CppFunction& function_;
        std::size_t begin_, extents_;
    };
    using BinKey = std::tuple<Region, std::string, std::string>; // region, key and number of bins
    struct Undo {
        NodeId node;
        std::optional<Binding> value;                // what stood for it, or
        std::optional<std::vector<Binding>> results; // for its results
        bool several;
        std::unordered_map<NodeId, std::string>* pointers = nullptr; // or that it is read through one of these
        std::optional<std::uint32_t> settled = {};                   // or that what is on demand is there
        std::optional<BinKey> bin = {};                              // or that a histogram bin has a variable
    };
    void undo(std::size_t begin);

    // -- cpp_function.cpp: a function and its nodes
    void error(NodeId node, std::string text);
    std::string line_number(NodeId node) const;
    std::string origins(std::span<const std::uint32_t> regions) const;
    std::string entry_extent(const Dimension& dimension);
    std::string check_extent(std::size_t depth, const std::string& x, const std::string& length) const;
    void check_dimensions(std::string& out);
    void print_nodes(Region region);
    void print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_return();

    // -- lazy_values.cpp, before_loops.cpp: what is computed when it is first needed
    const ScheduledNode& lazy_node(std::uint32_t lazy) const;
    bool waits(Region region) const;
    void settle(std::uint32_t lazy);
    void print_demands(std::span<const std::uint32_t> demands);
    bool is_known_in(NodeId value, Region region) const;
    std::optional<std::vector<EntryTest>> entry_tests(Region region, Region home) const;
    std::string entry_condition(std::vector<std::vector<EntryTest>> ways);
    bool may_stand_before(NodeId node);
    bool is_dense_row(NodeId node) const;
    void print_under(const std::string& condition, const std::vector<std::uint32_t>& list, Region region);
    bool find_ways(std::uint32_t lazy, Region home, std::vector<NodeId>& owners,
                   std::vector<std::vector<EntryTest>>& ways) const;
    void join_loops(Region region);
    std::vector<std::uint32_t> print_before(const ScheduledNode& loop, Region region);
    void forget(std::span<const std::uint32_t> settled);
    bool is_still_needed(std::uint32_t lazy) const;
    void print_joined(const std::string& condition, const std::vector<std::uint32_t>& list, Region region);
    std::vector<std::uint32_t> wanted_in(const ScheduledNode& loop) const;
    bool print_until_known(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                           std::string_view end);
    void store_results(NodeId node, std::span<const std::string> names);
    bool is_for_threads(std::uint32_t lazy) const;
    void print_on_demand(const ScheduledNode& scheduled, Region region);

    // -- cpp_values.cpp: bindings of nodes to texts
    Binding binding(NodeId node);
    Text text(NodeId node) { return binding(node).text; }
    std::string name_of(NodeId node, std::string_view otherwise = "t");
    std::string result_name(NodeId node, std::size_t k, std::string_view otherwise);
    std::string value_type(TypeId type) const { return module_.types.value(type); }
    // A value of C++ type `type`, to be stored; moves from variables used here for the last time.
    std::string stored(NodeId node, TypeId type, Region region, std::uint32_t position = UINT32_MAX);
    std::string stored(const Binding& value, TypeId type, bool movable, NodeId node);
    // The same, but it is no copy yet.
    Stored to_store(const Binding& value, TypeId type, bool movable, NodeId node);
    void note_stored(const Binding& value, TypeId type, const Stored& stored, NodeId node);
    bool may_be_gone(NodeId array, Region region);
    bool reads_what_may_go(NodeId node, Region region);
    void note_copy(NodeId node, bool made);
    void define(NodeId node, Binding value);
    void define(NodeId node, std::vector<Binding> results);
    // A line `const T name = text;` unless the text is to stand in the node's only user.
    void define_value(NodeId node, Text text, Region region);
    bool is_inlined(NodeId node, const Text& text, Region region) const;
    Binding as_variable(const Binding& value, std::string_view name);
    static bool is_atomic(const Text& text);

    // -- cpp_scalars.cpp: operations with texts
    bool print_difference(NodeId node, Region region);
    void print_plain(NodeId node, Region region, std::uint32_t position);
    void print_cast(NodeId node, Region region);
    void print_core(NodeId node, Region region, std::uint32_t position);
    bool is_table(NodeId node) const;
    void print_table(NodeId node);
    void print_call(NodeId node, SymbolId callee, Region region, std::uint32_t position);
    std::string argument(NodeId node, TypeId parameter);

    // -- cpp_arrays.cpp
    bool is_row_of_known_width(NodeId at, const Binding& matrix);
    bool may_be_on_device(const Binding& array) const;
    void print_at(NodeId node, Region region);
    bool print_slice(const ScheduledNode& loop);
    void print_update(NodeId node, Region region, std::uint32_t position);
    void print_ensure(NodeId node, Region region, std::uint32_t position);
    IndexText index_text(NodeId index, NodeId array, TypeId type, std::size_t k, const std::string& n, NodeId node);
    bool is_within(NodeId index, NodeId array, TypeId type, std::size_t level) const;
    std::string length_text(NodeId array);
    std::string extent_text(const Binding& array, TypeId type, std::size_t k);
    std::string dimension_text(SymbolId name);
    bool known_nonnegative(NodeId length) const;
    std::string checked_length(NodeId length, NodeId node);

    // -- cpp_control.cpp
    void print_if(const ScheduledNode& scheduled, Region region);
    void print_choice(const ScheduledNode& scheduled, Region region);
    bool print_known(const ScheduledNode& scheduled);
    void print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    bool may_not_end(NodeId loop);
    std::vector<std::string> declare_carried(NodeId node, BlockId step, std::size_t first, Region r, std::uint32_t at);
    void print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    bool is_read_before_write(NodeId value, Region region, std::uint32_t position) const;
    void print_state(NodeId node, Region region, std::uint32_t position);
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types, bool zero = false);
    void bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types);
    void assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                Region region);
    bool mentions_pointer(std::string_view text, std::string_view array);
    bool reads_row_of(NodeId value, std::string_view array);
    std::vector<TypeId> result_types(NodeId node) const;

    // -- cpp_loops.cpp
    void print_loop(const ScheduledNode& scheduled, Region region);
    void size_outputs(std::vector<Generator>& list, const std::string& length);
    void size_counted(std::vector<Generator>& list, const std::string& length) const;
    void start_bins(std::vector<Generator>& list);
    void use_places(const ScheduledNode& loop, std::vector<Generator>& list);
    void declare_spares(Region region, std::span<const NodeId> values, std::span<const TypeId> types);
    void declare_spares(const Generator& fold);
    void drop_spares(std::span<const NodeId> values);
    std::vector<Generator> generators(const ScheduledNode& loop, bool exact_allowed);
    std::size_t results_of(const Generator& generator) const;
    bool is_small_key(TypeId key) const;
    void plan(Generator& generator, std::vector<std::string> names, std::vector<TypeId> types, bool exact_allowed);
    void declare(const Generator& generator, std::size_t depth);
    void declare_cell(const Cell& cell, std::size_t depth);
    void finish(const Generator& generator, std::span<const TypeId> types, NodeId loop, std::vector<Binding>& results);
    void declare_pointers(std::span<const std::uint32_t> regions, Region outside);
    // The reason why the loop runs on one thread; empty if it may run in parallel.
    std::string against_parallel(const ScheduledNode& loop, std::span<const Generator> generators) const;
    std::string against_joining(const Generator& generator) const;
    std::string bin_text(const Generator& generator, std::size_t k, TypeId element);
    std::string bins_text(const Generator& generator, std::size_t k, TypeId type, const std::string& n);
    std::uint64_t cost(Region region) const;
    bool is_uneven(Region region, std::uint32_t index) const;
    bool runs_in_pieces(const ScheduledNode& loop, std::span<const Generator> generators) const;
    bool finds_first(NodeId loop) const;
    bool has_loop(Region region) const;
    std::string enough(std::span<const Generator> generators, Region body) const;
    void print_body(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                    std::string_view end, std::string_view stride = {});
    void print_few_or_lanes(std::string_view end, const std::string& loop, const std::string& pragma);
    void print_parallel(const ScheduledNode& loop, std::vector<Generator>& list, std::span<const std::uint32_t> inner);
    void use_pointers(std::vector<Generator>& parts);
    static bool has_as_many_bins(const Generator& a, const Generator& b);
    bool has_every_bin(const Generator& generator) const;
    bool may_spare_a_bin(Region region, const Generator& generator) const;
    void print_totals(const ScheduledNode& loop, std::span<const Generator> generators, const std::string& total,
                      const std::string& join, std::span<const std::uint32_t> regions);
    bool emits_at_most_once(NodeId emission) const;
    void rename_parts(Generator& part, std::map<std::string, std::string>& names);
    void take_part(const Generator& whole, const Generator& part);
    void join(Region region, Generator& whole, Generator& part);

    // -- group_by.cpp
    void share_keys(std::vector<Generator>& list);
    void pack(Generator& leader, std::span<Generator* const> followers);
    bool adds_literal(const Generator& inner) const;
    static Generator of_entry(const Generator& inner, const std::string& entry);
    static std::string per_group(const Generator& bucket);
    void step_bucket(Region region, const Binding& key, std::vector<std::pair<Generator*, std::vector<Binding>>>& fed);
    void feed_group(Region region, const Generator& bucket, Generator& fed, const std::vector<Binding>& values);
    void join_groups(Region region, std::vector<Generator>& wholes, std::vector<Generator>& parts, std::size_t leader);

    // -- scans.cpp: running values, and the generators that they feed
    void share_running(std::vector<Generator>& list) const;
    void set_feeds(std::vector<Generator>& list) const;
    void step_running(Region region, Generator& generator, const std::vector<Binding>& values);
    void turn_round(const Generator& generator, std::span<const Cell> cells, std::span<const TypeId> types);
    void step_fed(Region region, const Generator& generator, std::span<const std::pair<Generator*, NodeId>> list);

    // -- printers/cuda/offload.cpp: selection of loops for the device
    bool is_commutative(const Generator& generator) const;
    static bool needs_order(std::span<const Generator> generators);
    bool takes_plain(const Generator& generator, const OnDevice& device) const;
    std::string against_output(const Generator& generator, const OnDevice& device, bool in_order) const;
    std::string against_generator(const Generator& generator, NodeId index, const OnDevice& device, bool ordered) const;
    std::string against_groups(const Generator& bucket, NodeId index, const OnDevice& device) const;
    // The reason why the loop runs on the host; empty if it may run on the device.
    std::string against_device(const ScheduledNode& loop, std::span<const Generator> generators,
                               std::span<const std::uint32_t> regions);
    bool may_keep(std::span<const Generator> generators, const OnDevice& device) const;
    bool fits_atomics(const Generator& generator, const OnDevice& device) const;
    bool fits_sort(const Generator& generator, const OnDevice& device) const;
    DeviceGrouping grouping(const Generator& bucket, const OnDevice& device) const;

    // -- printers/cuda/asked_values.cpp: values that a kernel needs at some indices
    std::optional<Asked> asked_by(const ScheduledNode& loop) const;
    std::vector<std::uint32_t> print_asks(const ScheduledNode& loop, const std::string& n);
    void print_asking(Region region, const Asked& asked);

    // -- printers/cuda/kernels.cpp: loops on the device
    using HostValues = std::vector<std::pair<std::string, std::string>>; // names, and the lines that declare them
    bool asks_host(NodeId node);
    HostValues host_values(const ScheduledNode& loop, std::span<const std::uint32_t> regions);
    void print_host_values(const HostValues& values, std::size_t begin);
    std::string rows_of_row(NodeId array);
    void capture(std::span<const NodeId> arrays);
    static void carry(Kernel& kernel, std::string name, const std::string& type, std::string start);
    void place_on_device(Kernel& kernel, const std::string& part);
    void print_lambda(const std::string& name, const std::vector<std::pair<std::string, std::string>>& params,
                      const std::function<void()>& body);
    void print_step(const ScheduledNode& loop, Kernel& kernel, const std::string& name, const std::string& part);
    void print_combine(const ScheduledNode& loop, Kernel& kernel, const std::string& name, const std::string& part);
    void take_results(const Kernel& kernel, std::span<const Generator> generators, const std::string& whole);
    void print_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                      std::span<const std::uint32_t> regions, const std::string& n);

    struct Launched {
        bool may_fault = false;
        bool gave = false; // the host something
    };
    void print_one_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                          std::span<const std::uint32_t> regions, const std::string& n, Launched& launched);
    void check_faults(const Launched& launched);

    // -- printers/cuda/device_functions.cpp: functions that kernels call
    std::string leave(NodeId node, std::string_view kind) const;
    bool goes_on_after_faults() const;
    bool begin_rounds(const ScheduledNode& loop);
    void end_rounds(bool begun);

    // -- printers/cuda/coalesced_columns.cpp: arrays that are read and written by the loop's own index
    bool is_straight_step(std::span<const Region> regions) const;
    void find_columns(const ScheduledNode& loop, std::span<const Region> regions, Kernel& kernel);
    void name_columns(Kernel& kernel, const std::string& index, std::vector<std::pair<std::string, std::string>>& list);
    static std::string indices(const Kernel& kernel, const std::string& n);

    // -- printers/cuda/atomics.cpp: updates by key
    bool is_sum(NodeId result) const;
    NodeId elementwise(const Generator& generator) const;
    static const Generator& of_bins(const Generator& generator);
    TypeId bin_type(const Generator& generator) const;
    Region bins_region(const ScheduledNode& loop, const Generator& generator) const;
    std::vector<Region> without_row_operators(const ScheduledNode& loop, std::span<const Generator> generators,
                                              std::span<const Region> regions) const;
    void place_bins(Kernel& kernel, std::size_t generator, Cell& cell);
    std::vector<std::string> print_joins(const ScheduledNode& loop, Kernel& kernel);
    void change_bin(Region region, const Generator& generator, const std::string& place, const Binding& value);
    void change_element(Region region, const Generator& generator, const std::string& bin, const Binding& value);
    void step_by_key(Region region, const Generator& generator, std::vector<Binding> values);

    // -- printers/cuda/sorted_reduction.cpp: reductions of values that are sorted by key
    static std::string part_of(const std::string& whole, std::size_t k, std::size_t count);
    std::string side_by_side(std::span<const TypeId> types) const;
    std::vector<TypeId> part_types(const Generator& generator, std::span<const Cell> cells) const;
    std::vector<TypeId> given_types(const Generator& generator) const;
    void give(const Generator& generator, std::span<const Binding> values);
    std::string print_put(const Generator& generator, std::span<const Cell> cells, const std::string& type);
    std::string print_bin_operator(const ScheduledNode& loop, const Generator& made, const std::string& type);
    std::string print_start(std::span<const Cell> cells, const std::string& type);
    void print_sorted_bins(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    void print_sorted_group(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    void print_many_rows(const ScheduledNode& loop, Kernel& kernel);
    void print_group_rows(const ScheduledNode& loop, Kernel& kernel, const std::string& n);

    // -- printers/cuda/folds.cpp: sequential folds
    void print_fold(const ScheduledNode& loop, Kernel& kernel, const std::string& n);

    // -- printers/cuda/group_by.cpp: groups, and the results of each
    NodeId keyed(NodeId emission) const;
    NodeId rows_of(NodeId value, NodeId index) const;
    std::string group_key_type(const Generator& bucket) const;
    bool emits_one_of_group(NodeId emission) const;
    std::unordered_set<NodeId> step_needs(std::span<const Generator> generators) const;
    void print_groups(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& n, bool& faults);
    void print_firsts(const ScheduledNode& loop, const std::string& of, std::span<Generator* const> list, bool& faults);
    void step_groups(Region region, const Binding& key, std::vector<std::pair<Generator*, std::vector<Binding>>>& fed);
    void step_in_group(Region region, const Generator& generator, const Binding& value);

    // -- printers/cuda/teams.cpp: inner loops that several threads share
    bool is_shared(NodeId loop) const;
    std::string find_shared(const ScheduledNode& loop, Kernel& kernel);
    void print_shared(const ScheduledNode& loop, std::vector<Generator>& generators, const std::string& end);

    // -- printers/cuda/scratch_rows.cpp: arrays that a step makes and reads
    std::vector<NodeId> kept_extents(const ScheduledNode& loop, std::size_t result) const;
    std::string place_kept(const ScheduledNode& loop, std::size_t result, TypeId type);
    bool is_kept(NodeId loop, std::size_t result) const;
    std::string print_kept(const Kernel& kernel, const std::string& over, const std::string& amount, std::size_t begin);

    // -- printers/cuda/tiles.cpp: sums over all pairs of a row and a column
    NodeId only_value(const ScheduledNode& loop, OpKind shape) const;
    bool is_known_before(NodeId node, std::uint32_t outer, std::uint32_t inner) const;
    std::optional<Tiles> find_tiles(const ScheduledNode& rows, const Kernel& kernel) const;
    bool find_sides(Tiles& tiles, std::uint32_t i, std::uint32_t j) const;
    std::unordered_set<NodeId> needed(std::span<const NodeId> roots, std::span<const Region> regions, NodeId but) const;
    void print_tile_lambda(const std::string& name, const Tiles& tiles, std::span<const ScheduledNode* const> loops,
                           std::span<const NodeId> roots, std::pair<std::string, std::string> further,
                           const std::function<void(std::span<const std::string>)>& end);
    std::string tile_type(const std::vector<NodeId>& leaves, const std::string& side);
    void print_side(const std::string& name, const std::string& type, const Tiles& tiles,
                    std::span<const ScheduledNode* const> loops, const std::vector<NodeId>& leaves);
    void print_tile_step(const std::string& name, const Tiles& tiles, Generator& sum, const std::string& left_type,
                         const std::string& right_type);
    bool print_tiles(const ScheduledNode& rows, Kernel& kernel, const std::string& n, const std::string& step);

    // -- loop_fission.cpp: loops of which only some results are vectorized
    std::unordered_set<NodeId> needs(std::span<const Generator> generators) const;
    bool may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<FissionPlan> lanes_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    bool counts_in_block(const ScheduledNode& loop, const Generator& generator);
    std::vector<std::pair<std::string, std::string>> declare_block_counters(const ScheduledNode& loop,
                                                                            std::span<Generator> generators);
    void print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin, std::string_view end);
    bool runs_along(const ScheduledNode& inner, NodeId j, bool& pays);
    bool runs_in_columns(const ScheduledNode& loop, std::span<const Generator> generators);
    ColumnStages column_stages(const ScheduledNode& loop, std::span<const Generator> generators);
    template <class F>
    void print_lanes(const ScheduledNode& loop, const ColumnStages& stages, std::size_t stage, F&& f);
    void print_column_loop(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage);
    void print_columns(const ScheduledNode& loop, std::span<Generator> generators, std::string_view begin,
                       std::string_view end);

    // -- vector_calls.cpp: loops of which only the arithmetic is vectorized
    bool is_call(NodeId node) const;
    bool is_read(NodeId node) const;
    bool may_call_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<Levels> call_levels(const ScheduledNode& loop, std::span<const Generator> generators);
    void delay(const ScheduledNode& loop, Levels& levels) const;
    std::unordered_set<NodeId> of_level(const ScheduledNode& loop, std::span<const Generator> generators,
                                        const Levels& levels, unsigned level, bool calls) const;
    void print_calls_apart(const ScheduledNode& loop, const Levels& levels, std::vector<Generator>& generators,
                           std::string_view begin, std::string_view end);

    // -- row_loops.cpp: rows made in place, sums of neighbouring indices side by side
    void place_rows(Region region, std::span<const Generator> generators);
    void place_row(Region region, NodeId value, const Cell& cell, const std::string& index);
    const ScheduledNode* find_row_loop(Region region, NodeId value, bool may_read = false) const;
    std::uint32_t reads_of_elements(Region region, NodeId array) const;
    bool reads_at_index(NodeId array, const ScheduledNode& loop) const;
    bool is_made_over(Region region, NodeId old, NodeId made) const;
    bool is_shifted(NodeId index, NodeId j) const;
    bool reads_along(const ScheduledNode& inner, NodeId j, bool& pays);
    bool reads_windows(const ScheduledNode& loop, const ScheduledNode& sums) const;
    const ScheduledNode* sums_side_by_side(const ScheduledNode& loop, std::span<const Generator> generators);
    void print_side_by_side(const ScheduledNode& loop, const ScheduledNode& sums, const Generator& collect,
                            std::string_view begin, std::string_view end);
    bool may_be_repeated(NodeId node) const;

    // -- counted_collect.cpp: collecting in two passes
    TwoPassCollect plan_counted(const ScheduledNode& loop, std::vector<Generator>& generators,
                                std::span<const std::uint32_t> regions);
    void open_counted(const TwoPassCollect& counted, const std::string& n, const std::string& enough,
                      const std::string& begin, const std::string& end, const std::string& ends,
                      const std::string& in_order);
    void truncate_counted(const TwoPassCollect& counted);
    // f(generator, "[index]"), for the first generator of each count.
    template <class F> static void for_each_place(const TwoPassCollect& counted, F&& f) {
        std::size_t next = 0;
        for (std::size_t k = 0; k < counted.list.size(); ++k)
            if (counted.places[k] == next) f(*counted.list[k], "[" + std::to_string(next++) + "]");
    }
    bool add_counted(NodeId emission, std::vector<NodeId>& roots, std::vector<NodeId>& eaches) const;
    bool is_cheap_to_count(const ScheduledNode& loop, std::span<const NodeId> roots, std::span<const NodeId> eaches);
    std::vector<Generator*> find_counted(const ScheduledNode& loop, std::vector<Generator>& generators);
    void print_counts(const ScheduledNode& loop, const TwoPassCollect& counted, std::span<const std::uint32_t> regions);
    std::string count_signature(NodeId emission) const;
    std::vector<std::size_t> count_places(std::span<Generator* const> list) const;
    bool is_selection(const ScheduledNode& loop, const Generator& generator);
    void print_selected_counts(const ScheduledNode& loop, std::span<const Generator> counts, const std::string& begin,
                               const std::string& end);
    void print_selection(const ScheduledNode& loop, std::span<const Generator> generators, const std::string& begin,
                         const std::string& end, const std::string& limit);
    bool counts_straight(NodeId emission, Region region, std::uint64_t& most) const;
    Text count_text(NodeId emission, Region region);
    bool print_straight_counts(const ScheduledNode& loop, std::span<const Generator> counts, const std::string& begin,
                               const std::string& end);
    template <class F> void print_each_index(const ScheduledNode& loop, const std::string& begin,
                                             const std::string& end, const std::string& further, F&& f);
    bool count_whole(NodeId each, const EmissionsOf& group);

    // -- scan_fission.cpp: loops of which all but the running values is vectorized
    bool runs_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    Split split_running(Region region, std::span<const Generator> generators) const;
    void add_nodes(Region region, std::unordered_set<NodeId>& list) const;
    void print_running(const ScheduledNode& loop, std::span<const Generator> generators,
                       const std::map<std::string, std::string>& buffers, const std::unordered_set<NodeId>& needed,
                       const std::string& index, const std::string& place);
    void print_running_apart(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                             std::string_view end);

    // -- vector_bins.cpp: keys of histograms in vector lanes
    bool finds_bins_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    std::unordered_set<NodeId> float_keys(std::span<const Generator> generators) const;
    std::unordered_set<NodeId> without(Region region, const std::unordered_set<NodeId>& left_out) const;
    void print_bins_in_lanes(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                             std::string_view end);

    bool fetches_ahead(const ScheduledNode& loop, std::span<const Generator> generators) const;
    bool is_small_element(TypeId type) const;
    void print_fetches(const ScheduledNode& loop, const std::string& index);

    // -- peel_edges.cpp: comparisons with an index; rows looked up once
    std::optional<Range> find_edges(const ScheduledNode& loop, std::span<const Generator> generators);
    void print_with_edges(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                          std::string_view begin, std::string_view end);
    void print_rounds(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                      const std::string& begin, const std::string& end);
    void print_round(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                     const std::string& index, bool gathered);
    std::string index_of(const ScheduledNode& loop);
    std::vector<NodeId> hoist_rows(const ScheduledNode& loop);

    // -- cpp_parallel.cpp: reductions by `and` and `or`
    bool is_decision(std::span<const Generator> generators) const;
    void print_until_decided(const std::string& index, const std::string& next, const std::string& step,
                             const Generator& generator, std::string_view begin, std::string_view end);
    bool print_first_values(const ScheduledNode& loop, std::span<const Generator> generators, const std::string& end);

    // -- strip_reductions.cpp
    bool is_straight_reduction(const Generator& generator);
    bool runs_in_stretches(const ScheduledNode& loop, std::span<const Generator> generators);
    void print_stretches(const ScheduledNode& loop, std::span<const Generator> generators, std::string_view begin,
                         std::string_view end);

    // -- vectorize.cpp
    std::string lane_accumulators(std::span<const Generator> generators, bool typed) const;
    bool gathers(std::span<const Generator> generators) const;
    Binding before_sums(const Binding& value);
    void open_extremes(std::span<Generator> generators);
    std::string order_type(const Generator& generator) const;
    void step_extreme(const Generator& generator, const Binding& value);
    void close_extremes(std::span<Generator> generators);
    bool runs_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    std::string simd_pragma(std::span<const Generator> generators) const;
    std::optional<LaneReduction> lane_reduction(const Generator& generator) const;
    std::optional<std::string> lane_sum(const Generator& generator) const;
    bool is_straight(Region region) const;
    bool is_straight(const ScheduledNode& scheduled) const;
    bool is_choice(const ScheduledNode& scheduled) const;
    bool is_straight(NodeId node) const;
    bool reads_within(NodeId at) const;
    std::string parts_read(const ScheduledNode& loop, std::span<const Generator> generators);
    bool print_if_parts_are_there(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                                  std::string_view end, std::string_view stride);
    bool is_record(TypeId type) const;
    Region guarded_by(NodeId condition, Region region) const;
    static Text all_of(std::span<const Text> conditions, bool any = false);
    bool print_both_sides(NodeId node, Region region);
    Text without_branches(NodeId condition);
    std::vector<std::pair<NodeId, Region>> guards(Region region, NodeId condition, EmissionsOf& group);
    bool print_selected(Region region, NodeId condition, EmissionsOf& group);
    bool print_kept(Region region, NodeId condition, EmissionsOf& group);

    // -- cpp_emissions.cpp
    void walk(Region region, std::span<const std::pair<Generator*, NodeId>> list);
    void walk_emits(Region region, EmissionsOf& group);
    void walk_guarded(Region region, NodeId condition, EmissionsOf& group);
    bool is_whole(NodeId extent, NodeId array) const;
    bool append_whole(NodeId each, Region inner, const EmissionsOf& group);
    void walk_each(Region region, EmissionsOf& group);
    void print_nodes_but(Region region, std::span<const TwinNodes> twins);
    void walk_bind(Region region, NodeId bind, EmissionsOf& group);
    std::vector<NodeId> atoms(NodeId emission) const;
    void step(Region region, Generator& generator, std::vector<Binding> values);
    void step_through(Region region, const Generator& generator, std::vector<Binding> values);
    std::string spare_bin(Region region, const std::string& key, const std::string& size);
    void combine(Region region, const Generator& generator, std::span<const Cell> cells, std::string_view slots,
                 const std::vector<Binding>& values);
    void push(const Generator& generator, const Cell& cell, const Binding& value, bool movable);
    std::vector<Cell> running_cells(NodeId node);
    void new_slots(const Generator& generator, const std::string& slots, unsigned extra);

    CppModule& module_;
    const Function& function_;
    const Graph& g_;
    const Types& types_;
    Schedule schedule_;
    std::vector<Lazy> lazy_;                                       // as Schedule::on_demand
    std::unordered_map<std::uint64_t, std::uint32_t> lazy_places_; // by region and node
    const UseAnalysis uses_;
    Ranges ranges_; // where code is being printed
    Writer out_;
    unsigned hot_ = 0;                                 // enclosing `loop`s: no parallel loop stands in one
    bool straight_ = false;                            // nothing in this region of a loop faults or branches
    bool lanes_ = false;                               // the loop that is being printed runs in vector lanes
    LaneBlocks* lane_blocks_ = nullptr;                // of the loop of which a block is being printed
    NodeId remainder_{};                               // the loop of which what fills no block is being printed
    const std::unordered_set<NodeId>* only_ = nullptr; // where there is one: nothing else is printed

    Kernel* on_device_ = nullptr; // the kernel that is being printed
    unsigned rounds_ = 0;         // enclosing loops of the host that do not wait for kernels that may fault
    bool noted_ = false;          // whether there is such a kernel in them
    std::string parts_;           // structs that kernels need
    std::unordered_map<NodeId, Binding> captured_; // what a kernel takes along: arrays, and what the host is asked for
    struct Ragged {                                // rows that a parameter is, on the device
        std::string name, element;
        bool used = false;
    };
    std::map<std::string, Ragged> ragged_; // by parameter

    std::unordered_map<NodeId, Binding> env_;
    std::unordered_map<NodeId, std::vector<Binding>> results_;           // of nodes with several
    std::unordered_map<NodeId, std::vector<Binding>> emitted_;           // what a bucket's parameter stands for
    std::unordered_map<NodeId, std::string> pointers_, device_pointers_; // of arrays in hot loops
    auto& pointers() { return on_device_ != nullptr ? device_pointers_ : pointers_; }
    std::vector<Undo> undo_;
    std::unordered_map<NodeId, std::string> row_places_; // of loops' results: rows they are made in
    std::unordered_map<NodeId, std::string> spares_;     // of loops' results: arrays that they may overwrite
    bool asking_ = false;                                // in iterations that test whether a lazy value is known
    std::string index_condition_;                        // an index need be valid only if this holds
    std::map<BinKey, std::string> spare_bins_;           // of this iteration
    std::set<std::pair<NodeId, NodeId>> assumed_;        // indices that are within arrays here
    std::optional<std::vector<NodeId>> endless_;         // loops that may not end
    std::unordered_set<NodeId> hoisted_;                 // rows that were looked up before their loop
    std::unordered_set<NodeId> shared_by_twins_;         // nodes that twins read, too: each gets a variable
    std::unordered_set<NodeId> aliases_;                 // values of memory that are not copied
    std::unordered_set<std::string> used_params_;
    std::vector<bool> used_dims_;
    std::vector<std::string> param_names_;
};

} // namespace irrewrite::printers
