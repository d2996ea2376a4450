// The rule files of a run, in the order in which they are read: each once, after those that it imports.
#pragma once

#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace irrewrite::grammar {

struct RuleText {
    SourceId source;
    std::filesystem::path path;
    bool runs = true; // its phases do: it is named, or imported by a file that runs, and not `for sets`
};

class Imports {
  public:
    Imports(Sources& sources, const std::vector<std::filesystem::path>& include_dirs, Diagnostics& diagnostics)
        : sources_(sources), include_dirs_(include_dirs), diagnostics_(diagnostics) {}

    // This file counts as read: importing it does nothing.
    void skip(const std::filesystem::path& path);
    // Adds a file as the user named it, and before it what it imports. False when one of them is
    // not there, cannot be read, or imports itself in the end.
    bool add(const std::string& name);

    // The same for a text that is no file; what it imports is looked for as beside `name`.
    bool add_text(const std::string& name, std::string text);

    const std::vector<RuleText>& order();

  private:
    struct Visit { // a file whose imports are being followed
        RuleText file;
        std::string key;
        std::vector<ImportLine> imports;
        std::size_t next = 0;
    };
    enum class State : std::uint8_t { Open, Done };

    bool open(const ImportLine& import);
    bool start(const std::filesystem::path& path, const ImportLine& import);
    void visit(const std::filesystem::path& path, std::string key, std::string text);
    bool follow(bool ok);
    void report_cycle(const std::string& key, const std::filesystem::path& path, Span where);
    void report_missing(const std::string& name, Span where);

    Sources& sources_;
    const std::vector<std::filesystem::path>& include_dirs_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string, State> states_; // by canonical path
    std::unordered_map<std::string, std::vector<std::string>>
        runs_with_; // by canonical path: the imports that are not `for sets`; "": what is named
    std::vector<Visit> path_;
    std::vector<RuleText> order_;
};

} // namespace irrewrite::grammar
