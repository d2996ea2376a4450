// Source texts, places in them, and diagnostics about them.
//
// Every text the tool reads (IR, rules, a -run call) is one Source; a Span is a byte range of it.
// Lines and columns are computed only when a diagnostic is shown. Diagnostics are collected, not
// thrown: one run reports several, in the order of their places.
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

// A text of which parts may go back to the system.
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

    // Places of all texts are numbers of one row, as long as 32 bits suffice: from the place where a text begins on, a place for
    // each byte. (Clang's SourceManager counts its SourceLocations so.)
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    std::uint32_t begin(SourceId id) const {
        return id ? begins_[id.index] : nowhere;
    } // nowhere: its places have no numbers
    std::uint32_t place(SourceId id, std::uint32_t offset) const {
        return begin(id) == nowhere ? nowhere : begin(id) + offset;
    }
    Span at(std::uint32_t place) const; // an empty span; of nowhere, without a source

    // A large text need not be in memory while nobody looks at it. Where `again` reads it once more, parts may be forgotten,
    // and are zeros from then on; before one of them is looked at the text is recalled, at the same addresses.
    using Again = std::function<std::optional<SourceText>()>;
    void may_forget(SourceId id, Again again) { forgetful_[id] = {std::move(again)}; }
    bool may_forget(SourceId id) const { return forgetful_.contains(id); }
    void forget(Span part); // the inner pages
    void recall(SourceId id);
    // What was forgotten is something else by now: the text is empty.
    bool is_lost(SourceId id) const;

  private:
    struct Forgetful {
        Again again;
        bool away = false, lost = false; // parts are; and will stay so
    };
    std::deque<Source> sources_;
    std::vector<std::uint32_t> begins_; // by source
    std::vector<SourceId> placed_;      // those that have places
    std::uint32_t end_ = 0;             // of the last of them
    std::map<SourceId, Forgetful> forgetful_;
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
    Span where;              // an empty SourceId: a message without a place
    std::string text;        // what is wrong, starting in lower case, without a full stop
    std::vector<Note> notes; // "note:" lines
    std::string help;        // a "help:" line: what would have been right
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
    void append(Diagnostics&& others);
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
