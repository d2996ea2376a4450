#include "printers/html/print_html.hpp"

#include <stdexcept>

namespace irrewrite::printers {

namespace {
// The files themselves: the Makefile turns them into string literals.
constexpr const char* page =
#include "embedded/printers/html/explorer.html.inc"
    ;
constexpr const char* style =
#include "embedded/printers/html/explorer.css.inc"
    ;
constexpr const char* statistics_page =
#include "embedded/printers/html/statistics.html.inc"
    ;
constexpr const char* bars =
#include "embedded/printers/html/bars.js.inc"
    ;
constexpr const char* statistics =
#include "embedded/printers/html/statistics.js.inc"
    ;
constexpr const char* scripts[] = {
#include "embedded/printers/html/run.js.inc"
    ,
#include "embedded/printers/html/program.js.inc"
    ,
#include "embedded/printers/html/graph.js.inc"
    ,
#include "embedded/printers/html/details.js.inc"
    ,
#include "embedded/printers/html/explorer.js.inc"
};

void replace(std::string& text, const std::string& marker, const std::string& by) {
    const std::size_t at = text.find(marker);
    if (at == std::string::npos) throw std::logic_error("the page has no " + marker);
    text.replace(at, marker.size(), by);
}

// JSON that may stand in a script element: nothing in it is a tag or a comment.
std::string in_script(const nlohmann::ordered_json& run) {
    using Json = nlohmann::ordered_json;
    std::string text;
    for (char c : run.dump(-1, ' ', true, Json::error_handler_t::replace))
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    return text;
}

std::string filled(std::string text, const std::string& script, const nlohmann::ordered_json& run) {
    replace(text, "/* explorer.css */", style);
    replace(text, "/* the scripts */", script);
    replace(text, "/* the run */", in_script(run)); // last: no marker in it is one of ours
    return text;
}
} // namespace

std::string print_html(const nlohmann::ordered_json& run) {
    std::string script = bars;
    for (const char* part : scripts) script += part;
    return filled(page, script, run);
}

std::string print_statistics(const nlohmann::ordered_json& run) {
    return filled(statistics_page, std::string(bars) + statistics, run);
}

} // namespace irrewrite::printers
