// Decides what of a function may run on the device: values without memory of their own, reads of arrays, control flow,
// loops that carry such values. The rest runs on the host, and the emitted text says why.
#pragma once

#include "printers/cpp/cpp_model.hpp"
#include "printers/cpp/kernel.hpp"

#include <functional>
#include <map>
#include <set>

namespace irrewrite::printers {

// Values on demand from outside that a loop on the device needs at some indices. Regions by number.
struct Asked {
    std::vector<std::uint32_t> values;                          // indices into Schedule::on_demand
    std::map<std::uint32_t, std::set<std::uint32_t>> needed;    // in a region and the regions inside it
    std::map<std::uint32_t, std::vector<std::uint32_t>> inside; // of a region, those directly inside that need some
    std::unordered_set<NodeId> conditions;                      // what decides which regions are entered
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

// Loops in the shape of a matrix product (printers/cuda/tiles.cpp).
struct Tiles {
    const ScheduledNode* columns;         // the inner loop, which makes a row
    NodeId element;                       // what it makes
    const ScheduledNode* terms = nullptr; // the innermost one, which reduces
    NodeId term{};                        // what it reduces
    std::vector<NodeId> left{}, right{};  // of the term: what depends on the row alone, on the column alone
    std::unordered_set<NodeId> between{}; // and what depends on both
};

class OnDevice {
  public:
    OnDevice(const CppModule& module, const Function& function, const Schedule& schedule)
        : module_(module), function_(function), g_(function.graph), types_(module.context.types), schedule_(schedule) {}

    // Each says what stands against it; empty: nothing does.
    std::string regions(std::span<const std::uint32_t> regions);
    std::string function(bool arrays); // whether it may take some, and go through them

    // Of what a generator collects for each index: rows that inner loops make where they are stored.
    void place_rows(std::uint32_t region, NodeId emission);
    std::function<const ScheduledNode*(std::uint32_t, NodeId)> find_row_loop;
    std::function<bool(const ScheduledNode&, std::size_t)> may_keep; // what an inner loop makes; none: nothing
    std::function<bool(std::uint32_t)> is_there; // a value on demand, before the loop runs; none: no value

    // A scalar, or a tuple or struct of such.
    bool is_plain(TypeId type) const;
    // Rows of such, which may differ in length.
    bool is_plain_rows(TypeId type) const;

  private:
    std::string region(std::uint32_t region);
    std::string on_demand(std::uint32_t value);
    std::string computed(const ScheduledNode& scheduled);
    std::string node(NodeId node);
    std::string plain(NodeId node) const;
    std::string inner_loop(const ScheduledNode& loop);
    std::string call(NodeId node) const;
    std::string parameter(TypeId type) const;
    bool is_text_for_device(const std::string& text) const;

    const CppModule& module_;
    const Function& function_;
    const Graph& g_;
    const Types& types_;
    const Schedule& schedule_;
    bool arrays_ = true;                     // whether arrays may be read
    bool in_step_ = true;                    // of a loop, which takes along what stands around it
    std::span<const std::uint32_t> checked_; // the regions that run on the device
    std::unordered_set<NodeId> cells_;
    std::set<std::pair<NodeId, std::size_t>> placed_; // of inner loops: which results
};

// Values from outside that the loop reads in these regions, each once; and those of them that are arrays.
std::vector<NodeId> values_read(const Schedule& schedule, const Graph& g, const ScheduledNode& loop,
                                std::span<const std::uint32_t> regions);
std::vector<NodeId> arrays_read(const Schedule& schedule, const Graph& g, const ScheduledNode& loop,
                                std::span<const std::uint32_t> regions);

} // namespace irrewrite::printers
