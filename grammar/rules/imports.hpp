// The rule files of a run, in the order in which they are read: each once, after those that it imports.
#pragma once

#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace irrewrite::grammar {

struct RuleText {
    SourceId source;
    std::filesystem::path path;
    std::string key;                    // one for a file, however it is reached
    bool taken = true;                  // it is named, or imported by a file that is taken
    bool runs = true;                   // its phases do: likewise, and not `for sets`
    std::vector<std::size_t> imports{}; // positions in the order
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

    // Files that are named from now on belong to another run.
    void begin(const std::string& run) { run_ = "run " + run; }
    // All files that are read, with what the present run takes of them.
    const std::vector<RuleText>& order();

  private:
    struct Visit { // a file whose imports are being followed
        RuleText file;
        std::vector<ImportLine> imports;
        std::size_t next = 0;
    };
    enum class State : std::uint8_t { Open, Done };

    bool open(const ImportLine& import);
    bool start(const std::filesystem::path& path, const ImportLine& import);
    void visit(const std::filesystem::path& path, std::string key, std::string text);
    bool follow(bool ok);
    void note(const std::string& key, bool for_sets);
    const std::string& importer() const { return path_.empty() ? run_ : path_.back().file.key; }
    std::set<std::string> reached(bool running) const;
    void report_cycle(const std::string& key, const std::filesystem::path& path, Span where);
    void report_missing(const std::string& name, Span where);

    Sources& sources_;
    const std::vector<std::filesystem::path> include_dirs_;
    Diagnostics& diagnostics_;
    struct Named { // by a file, or by a run
        std::string key;
        bool for_sets;
    };
    std::unordered_map<std::string, State> states_; // by canonical path
    std::unordered_map<std::string, std::vector<Named>> named_;
    std::string run_ = "run";
    std::vector<Visit> path_;
    std::vector<RuleText> order_;
};

} // namespace irrewrite::grammar
