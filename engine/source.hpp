// Source texts, places in them, and diagnostics about them.
//
// Every text the tool reads (IR, rules, a -run call) is one Source; a Span is a byte range of it.
// Lines and columns are computed only when a diagnostic is shown. Diagnostics are collected, not
// thrown: one run reports several, in the order of their places.
#pragma once

#include "engine/id.hpp"

#include <deque>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

struct Span {
    SourceId source;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct Source {
    std::string name; // as shown in messages: the path the user gave, or "<stdin>"
    std::string text;
};

// A text without the byte order mark that some editors begin files with.
std::string without_mark(std::string text);

// All texts of one run. References stay valid; a SourceId is never reused.
class Sources {
  public:
    SourceId add(std::string name, std::string text); // without_mark
    const Source& operator[](SourceId id) const { return sources_[id.index]; }
    // While it is nobody's concern what stands in a large text, it may be away; `set_text` brings it back.
    void set_text(SourceId id, std::string text) { sources_[id.index].text = std::move(text); }
    std::string_view text(Span span) const;

  private:
    std::deque<Source> sources_;
};

struct LineColumn {
    std::size_t line;   // from 1
    std::size_t column; // from 1, in code points
};
LineColumn line_column(const Source& source, std::uint32_t offset);

enum class Severity : std::uint8_t { Error, Warning };

struct Note {
    std::optional<Span> where; // nothing: a line of its own without a place
    std::string text;
};

struct Diagnostic {
    Severity severity = Severity::Error;
    Span where;                // an empty SourceId: a message without a place
    std::string text;          // what is wrong, starting in lower case, without a full stop
    std::vector<Note> notes;   // "note:" lines
    std::string help;          // a "help:" line: what would have been right
};

// The diagnostics of a run, in the order they were found. At most `limit` errors are kept.
class Diagnostics {
  public:
    Diagnostic& error(Span where, std::string text, std::string help = {});
    Diagnostic& warning(Span where, std::string text, std::string help = {});

    // The declaration of `name` could not be read, which was reported: what uses the name is no
    // fault of its own.
    void spoil(std::string_view name) { spoiled_.emplace(name); }
    bool is_spoiled(std::string_view name) const; // or a part of it before or behind a dot
    // An error, "unknown WHAT 'SIGIL NAME'"; nothing where the name is spoiled.
    void unknown(Span where, std::string_view what, std::string_view name, std::string help = {},
                 std::string_view sigil = {});
    bool has_errors() const { return errors_ > 0; }
    std::size_t errors() const { return errors_; }
    const std::deque<Diagnostic>& all() const { return list_; }

    // `file:line:col: error: what`, the source line with a caret range, `note:` and `help:` lines.
    // Sorted by source and place; duplicates of one place and text are shown once.
    void print(std::ostream& out, const Sources& sources, bool color) const;

    static constexpr std::size_t limit = 1000;

  private:
    std::deque<Diagnostic> list_;
    std::set<std::string, std::less<>> spoiled_;
    std::size_t errors_ = 0;
};

} // namespace irrewrite
