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
    if (at == std::string::npos) throw std::logic_error("explorer.html has no " + marker);
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
} // namespace

std::string print_html(const nlohmann::ordered_json& run) {
    std::string text = page, script;
    for (const char* part : scripts) script += part;
    replace(text, "/* explorer.css */", style);
    replace(text, "/* the scripts */", script);
    replace(text, "/* the run */", in_script(run)); // last: no marker in it is one of ours
    return text;
}

} // namespace irrewrite::printers
