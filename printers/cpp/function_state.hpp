// The state that all parts of the printer of one function share: what is known of it, the text so far, and the texts of nodes.
#pragma once

#include "printers/c_like/function/function_text.hpp"
#include "printers/cpp/cpp_model.hpp"
#include "printers/plan/values/appended_calls.hpp"
#include "printers/plan/values/byte_tables.hpp"

#include <map>
#include <tuple>

namespace irrewrite::printers {

// Values of a block of indices that a loop puts by, or reads where it has put them by before.
struct PutBy {
    NodeId loop{};
    bool reads = false;
    std::string block{}; // the first index; empty: 0
    std::vector<std::pair<NodeId, std::string>> buffers{};
};

// A row of an array that is there already.
struct RowPlace {
    std::string text;
    bool pointer; // to the first element; else a view
};

// In a piece of a loop: its index without the base.
struct Remainder {
    NodeId node, divisor;
    std::string base;
};

// An inner loop of which tiles have been made, for rows of the loop around it.
struct Tiled {
    NodeId row{}; // the index of the loop around it
    // Its columns before `columns` are stored, for rows before `rows`.
    std::string rows{}, columns{};
    // Or its sums are put by, for rows from `first_row` on.
    std::string first_row{};
    std::vector<std::pair<NodeId, std::string>> sums{};
};

struct FunctionState : FunctionText {
    FunctionState(CppModule& module, const Function& function);

    RowAnalysis rows;
    CppModule& module;
    using BinKey = std::tuple<std::uint32_t, std::string, std::string>; // region, key and number of bins
    std::map<BinKey, std::string> spare_bins;                           // of this iteration
    std::unordered_map<NodeId, RowPlace> row_places;                    // of loops' results: rows they are made in
    std::unordered_map<NodeId, std::string> spares; // of loops' results: arrays that they may overwrite
    std::unordered_map<NodeId, NodeId> appended;    // calls, by the `each` that appends their results
    // Of a function that writes its result behind what its caller has: the array, and what is made there.
    std::string into;
    ReturnedMemory behind;
    std::unordered_map<NodeId, std::string> table_names;
    std::unordered_set<NodeId> small;           // memory that is a variable
    std::unordered_set<NodeId> shared_by_twins; // nodes that twins read, too: each gets a variable
    std::unordered_set<NodeId> aliases;         // values of memory that are not copied
    std::unordered_set<std::string> used_params;
    PutBy put_by;
    std::vector<Remainder> remainders;
    std::unordered_map<NodeId, Tiled> tiled; // by inner loop
    NodeId found{};                          // the condition that holds at each index of the loop that is being printed
    unsigned plan_depth = 0;                 // of the loop that is being printed, for `-emit plan`
    const ByteTables bytes;

    struct Ragged { // rows that a parameter is, on the device
        std::string name, element;
        bool used = false;
    };
    std::map<std::string, Ragged> ragged; // by parameter
    std::string parts;                    // structs that kernels need
    unsigned rounds = 0;                  // enclosing loops of the host that do not wait for kernels that may fault
    bool noted = false;                   // whether there is such a kernel in them
};

} // namespace irrewrite::printers
