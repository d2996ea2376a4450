// Source texts, locations in them, and diagnostics about them.
//
// Every text the tool reads (IR, rules, a -run call) is one Source; a Span is a byte range of it. Lines and columns are
// computed only when a diagnostic is shown. Diagnostics are collected, not thrown: one run reports several, in the
// order of their locations.
#pragma once

#include "engine/support/huge_pages.hpp"
#include "engine/support/id.hpp"

#include <deque>
#include <functional>
#include <iosfwd>
#include <map>
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

// A text whose pages may be returned to the system.
using SourceText = std::basic_string<char, std::char_traits<char>, HugePages<char>>;

struct Source {
    std::string name; // as shown in messages: the path the user gave, or "<stdin>"
    SourceText text;
};

// All texts of one run. References stay valid; a SourceId is never reused.
class Sources {
  public:
    // Without the byte order mark that some editors begin files with.
    SourceId add(std::string name, std::string_view text) { return take(std::move(name), SourceText(text)); }
    SourceId take(std::string name, SourceText text);
    const Source& operator[](SourceId id) const { return sources_[id.index]; }
    std::string_view text(Span span) const;

    // Locations of all texts share one 32-bit number space: a text begins at begin(id), and each byte has a number. A
    // text that no longer fits has no numbers. (As SourceLocations of Clang's SourceManager.)
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    std::uint32_t begin(SourceId id) const {
        return id ? begins_[id.index] : nowhere;
    } // nowhere: its locations have no numbers
    std::uint32_t place(SourceId id, std::uint32_t offset) const {
        return begin(id) == nowhere ? nowhere : begin(id) + offset;
    }
    Span at(std::uint32_t place) const; // an empty span; of nowhere, without a source

    // A large text need not stay in memory while nobody reads it. With `again`, which reads it once more, ranges of it
    // may be forgotten and are zeros from then on; the text must be recalled, to the same addresses, before it is read.
    using Again = std::function<std::optional<SourceText>()>;
    void may_forget(SourceId id, Again again) { forgetful_[id] = {std::move(again)}; }
    bool may_forget(SourceId id) const { return forgetful_.contains(id); }
    void forget(Span part); // the inner pages
    void recall(SourceId id);
    // True if a recall found no text of the same size; the text is then empty.
    bool is_lost(SourceId id) const;

  private:
    struct Forgetful {
        Again again;
        bool away = false, lost = false; // away: a range is forgotten; lost: it cannot be recalled
    };
    std::deque<Source> sources_;
    std::vector<std::uint32_t> begins_; // by source
    std::vector<SourceId> placed_;      // those whose locations have numbers
    std::uint32_t end_ = 0;             // of the last of them
    std::map<SourceId, Forgetful> forgetful_;
};

// As it may be shown: control characters, what is not UTF-8, and what reorders or hides text (bidirectional controls, zero
// width) as escapes, \x1b, \u202e; a long text without its middle.
std::string printable(std::string_view text);

struct LineColumn {
    std::size_t line;   // from 1
    std::size_t column; // from 1, in code points
};
LineColumn line_column(const Source& source, std::uint32_t offset);

enum class Severity : std::uint8_t { Error, Warning };

struct Note {
    std::optional<Span> where; // nothing: a line of its own without a location
    std::string text;
};

struct Diagnostic {
    Severity severity = Severity::Error;
    Span where;              // an empty SourceId: a message without a location
    std::string text;        // what is wrong, starting in lower case, without a full stop
    std::vector<Note> notes; // "note:" lines
    std::string help;        // a "help:" line: what would have been right
};

// The diagnostics of a run, in the order they were found. At most `most` errors are kept.
class Diagnostics {
  public:
    Diagnostic& error(Span where, std::string text, std::string help = {});
    // An error that says that a limit is reached: the run ends as one that is out of fuel.
    Diagnostic& limit(Span where, std::string text, std::string help = {});
    void reach_limit() { reached_limit_ = true; }
    bool reached_limit() const { return reached_limit_; }
    Diagnostic& warning(Span where, std::string text, std::string help = {});

    // The declaration of `name` could not be read, which was reported: what uses the name is no
    // fault of its own.
    void spoil(std::string_view name) { spoiled_.emplace(name); }
    bool is_spoiled(std::string_view name) const; // or a prefix or suffix of it at a dot
    // An error, "unknown WHAT 'SIGIL NAME'"; nothing where the name is spoiled.
    void unknown(Span where, std::string_view what, std::string_view name, std::string help = {},
                 std::string_view sigil = {});
    void append(Diagnostics&& others);
    bool has_errors() const { return errors_ > 0; }
    std::size_t errors() const { return errors_; }
    const std::deque<Diagnostic>& all() const { return list_; }

    // `file:line:col: error: what`, the source line with a caret range, `note:` and `help:` lines. Sorted by source and
    // location; duplicates of one location and text are shown once.
    void print(std::ostream& out, const Sources& sources, bool color) const;

    static constexpr std::size_t most = 1000;

  private:
    std::deque<Diagnostic> list_;
    std::set<std::string, std::less<>> spoiled_;
    std::size_t errors_ = 0;
    bool reached_limit_ = false;
};

} // namespace irrewrite
