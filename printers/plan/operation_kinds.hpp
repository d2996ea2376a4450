// The operations that printers of C++ and CUDA treat each in its own way; all others have a text.
#pragma once

#include "engine/ir/graph.hpp"

#include <vector>

namespace irrewrite::printers {

enum class OpKind : std::uint8_t { // what a printer does about an operation
    Plain,                         // has a text of its own, or an expansion
    Cast,
    Same,
    Ensure,
    Select,
    Len,
    At,
    Update,
    Copy,
    Loop,
    If,
    Region,
    While,
    For,
    Ref,
    Get,
    Set,
    MutArray,
    Load,
    Store,
    Freeze,
    Thaw,
    Print,
    Collect,
    Reduce,
    Fold,
    Scan,
    Running,
    Histogram,
    Scatter,
    Bucket,
    First,
    Reversed,
    Feed,
    Emit,
    When,
    Each,
    Both,
    Bind,
    None,
};

// Of all operations, by OpId.
using OperationKinds = std::vector<OpKind>;
OperationKinds operation_kinds(const Context& context);

// None for parameters, literals and what is no operation of a rule file.
OpKind kind_of(const OperationKinds& kinds, const Graph& graph, NodeId node);

} // namespace irrewrite::printers
