// Loops that become kernels on a device: what the printer of C++ must know of one while it prints a step of it.
#pragma once

#include "printers/plan/loop_model.hpp"

#include <algorithm>

namespace irrewrite::printers {

struct LaneBlocks; // lane_blocks.hpp
enum class DeviceGrouping : std::uint8_t;
struct Asked;
struct Tiles;

// Histogram bins that the blocks of a kernel may have copies of.
struct Bins {
    std::string own, type;   // what stands for them in a step; a pointer
    std::string view, start; // all of them, and what they start with
    std::size_t generator;
};

// An array of which a kernel's step is given its own element.
struct Column {
    std::string view, element, type;
    std::string name;          // the array's
    std::vector<NodeId> reads; // none: it is written
    std::size_t generator = 0, output = 0;
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

} // namespace irrewrite::printers
