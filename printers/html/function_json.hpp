// One function as the explorer shows it: its text, the places of the text that stand for nodes, and these nodes.
#pragma once

#include "engine/ir/module.hpp"

#include <nlohmann/json.hpp>

namespace irrewrite::printers {

// {"text", "marks": [begin, size, kind, node, …], "nodes": [{…}], "results": [node, …]}. A mark is a name where it is
// defined (0) or used (1), or an operation (2); nodes are numbered as they are first mentioned. (printers/html/README.md)
nlohmann::ordered_json function_json(const Context& context, const Function& function);

} // namespace irrewrite::printers
