// A page that shows a run of rewriting: one self-contained HTML file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace irrewrite::printers {

// The run as data, which the driver collects (engine/driver/history.hpp), put into the page: explorer.html with its
// style and its scripts.
std::string print_html(const nlohmann::ordered_json& run);

// The page of -stats=html: what -stats=json tells, with the times of rules, the name of the program and the rule files.
std::string print_statistics(const nlohmann::ordered_json& run);

} // namespace irrewrite::printers
