#include "engine/support/source.hpp"

#include "engine/support/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

namespace irrewrite {

namespace {
SourceText without_mark(SourceText text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    return text;
}
} // namespace

SourceId Sources::take(std::string name, SourceText text) {
    sources_.push_back({std::move(name), without_mark(std::move(text))});
    const std::size_t size = sources_.back().text.size() + 1; // the end of the text is a location, too
    const bool fits = size < nowhere - end_;
    begins_.push_back(fits ? end_ : nowhere);
    if (fits)
        end_ += static_cast<std::uint32_t>(size), placed_.push_back({static_cast<std::uint32_t>(sources_.size() - 1)});
    return {static_cast<std::uint32_t>(sources_.size() - 1)};
}

Span Sources::at(std::uint32_t place) const {
    if (place >= end_) return {};
    const auto after = std::ranges::upper_bound(placed_, place, {}, [&](SourceId id) { return begins_[id.index]; });
    const SourceId source = *(after - 1);
    const std::uint32_t offset = place - begins_[source.index];
    return {source, offset, offset};
}

void Sources::forget(Span part) {
    const auto found = forgetful_.find(part.source);
    if (found == forgetful_.end()) return;
    found->second.away = true;
    SourceText& text = sources_[part.source.index].text;
    text.get_allocator().forget(text.data() + part.begin, text.data() + part.end, text.data(), text.capacity() + 1);
}

void Sources::recall(SourceId id) {
    const auto found = forgetful_.find(id);
    if (found == forgetful_.end() || !found->second.away) return;
    found->second.away = false;
    SourceText& text = sources_[id.index].text;
    std::optional<SourceText> read = found->second.again();
    if (read) read = without_mark(std::move(*read));
    found->second.lost = !read || read->size() != text.size();
    if (found->second.lost)
        text.clear();
    else
        std::ranges::copy(*read, text.begin());
}

bool Sources::is_lost(SourceId id) const {
    const auto found = forgetful_.find(id);
    return found != forgetful_.end() && found->second.lost;
}

std::string_view Sources::text(Span span) const {
    return std::string_view((*this)[span.source].text).substr(span.begin, span.end - span.begin);
}

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t count_code_points(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

} // namespace

std::size_t character_length(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(text[at + i])) return 0;
    }
    return length;
}

namespace {

// Of a UTF-8 character.
std::uint32_t code_point(std::string_view character) {
    if (character.size() == 1) return static_cast<unsigned char>(character[0]);
    std::uint32_t code = static_cast<unsigned char>(character[0]) & (0x7Fu >> character.size());
    for (char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
    return code;
}

// True for what a terminal obeys rather than shows: controls, and what reorders, hides or breaks text.
bool is_obeyed(std::uint32_t code) {
    struct Range {
        std::uint32_t first, last;
    };
    static constexpr std::array<Range, 11> ranges = {{{0x00, 0x1F},
                                                      {0x7F, 0x9F},
                                                      {0xAD, 0xAD},
                                                      {0x61C, 0x61C},
                                                      {0x180E, 0x180E},
                                                      {0x200B, 0x200F},
                                                      {0x2028, 0x202E},
                                                      {0x2060, 0x206F},
                                                      {0xD800, 0xDFFF}, // halves of UTF-16
                                                      {0xFEFF, 0xFEFF},
                                                      {0xE0000, 0xE007F}}};
    return std::ranges::any_of(ranges, [&](Range r) { return r.first <= code && code <= r.last; });
}

// Lines and columns of one text, for offsets that mostly ascend: each search starts from the last.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    LineColumn move_to(std::size_t offset) {
        offset = std::min(offset, text_.size());
        if (offset < offset_) *this = Cursor(text_);
        for (std::size_t end = text_.find('\n', offset_); end < offset; end = text_.find('\n', offset_)) {
            ++line_;
            column_ = 1;
            line_begin_ = offset_ = end + 1;
        }
        column_ += count_code_points(text_.substr(offset_, offset - offset_));
        offset_ = offset;
        return {line_, column_};
    }
    std::size_t line_begin() const { return line_begin_; }

  private:
    std::string_view text_;
    std::size_t offset_ = 0, line_ = 1, column_ = 1, line_begin_ = 0;
};

// A section of a line as it is shown, with the columns of the caret range in it.
struct Shown {
    std::string text;
    std::size_t caret_begin = 0, caret_end = 0;
};

constexpr std::size_t window_before = 60; // bytes of a long line shown before and after the span
constexpr std::size_t window_after = 80;
constexpr std::size_t tab_width = 4;

void show_character(std::string_view text, std::size_t at, std::size_t length, std::size_t& column,
                    std::string& shown) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\t') {
        const std::size_t width = tab_width - column % tab_width;
        shown.append(width, ' ');
        column += width;
        return;
    }
    if (length == 0 || is_obeyed(code_point(text.substr(at, length))))
        shown += '?';
    else
        shown += text.substr(at, length);
    ++column;
}

// The line from `from` to `to`, tabs made blanks and what cannot be shown made question marks.
Shown show(std::string_view text, std::size_t from, std::size_t to, std::size_t begin, std::size_t end) {
    Shown shown;
    std::size_t column = 0;
    for (std::size_t at = from; at < to;) {
        if (at <= begin) shown.caret_begin = column;
        const std::size_t length = character_length(text.substr(0, to), at);
        show_character(text, at, length, column, shown.text);
        at += std::max<std::size_t>(length, 1);
        if (at <= end) shown.caret_end = column;
    }
    if (begin >= to) shown.caret_begin = column;
    shown.caret_end = std::max(shown.caret_end, shown.caret_begin + 1);
    return shown;
}

// Returns the offset of the end of the line that contains `offset`, without its line break.
std::size_t line_end(std::string_view text, std::size_t line_begin, std::size_t offset) {
    const std::size_t end = std::min(text.find('\n', offset), text.size());
    return end > line_begin && text[end - 1] == '\r' ? end - 1 : end;
}

// The source line around [begin, end), cut to a window if it is long.
Shown source_line(std::string_view text, std::size_t line_begin, std::size_t begin, std::size_t end) {
    begin = std::min(begin, text.size());
    std::size_t from = line_begin;
    std::size_t to = line_end(text, line_begin, begin);
    begin = std::min(begin, to);
    const bool cut_before = begin - from > window_before;
    for (from = cut_before ? begin - window_before : from; from < begin && is_continuation(text[from]);) ++from;
    const bool cut_after = to - begin > window_after;
    if (cut_after) to = begin + window_after;
    for (int i = 0; i < 3 && cut_after && is_continuation(text[to]); ++i) --to; // a character has no more of them
    Shown shown = show(text, from, to, begin, std::clamp(end, begin, to));
    if (cut_before) {
        shown.text.insert(0, "...");
        shown.caret_begin += 3;
        shown.caret_end += 3;
    }
    if (cut_after) shown.text += "...";
    return shown;
}

// Writes diagnostics one after the other.
class Printer {
  public:
    Printer(std::ostream& out, const Sources& sources, bool color) : out_(out), sources_(sources), color_(color) {}

    void print(const Diagnostic& diagnostic) {
        const bool error = diagnostic.severity == Severity::Error;
        message(diagnostic.where, error ? "error: " : "warning: ", error ? red : yellow, diagnostic.text, places_);
        for (const Note& note : diagnostic.notes)
            message(note.where.value_or(Span{}), "note: ", cyan, note.text, note_places_);
        if (!diagnostic.help.empty()) message({}, "help: ", green, diagnostic.help, note_places_);
    }

  private:
    using Places = std::map<std::uint32_t, Cursor>;
    static constexpr std::string_view red = "\033[1;31m", yellow = "\033[1;33m", cyan = "\033[1;36m",
                                      green = "\033[1;32m", bold = "\033[1m", plain = "\033[0m";

    std::string_view style(std::string_view code) const { return color_ ? code : std::string_view{}; }

    void message(Span where, std::string_view label, std::string_view color, std::string_view text, Places& places) {
        if (!where.source) {
            out_ << style(color) << label << style(plain) << style(bold) << printable(text) << style(plain) << '\n';
            return;
        }
        const Source& source = sources_[where.source];
        Cursor& cursor = places.try_emplace(where.source.index, source.text).first->second;
        const LineColumn at = cursor.move_to(where.begin);
        out_ << style(bold) << printable(source.name) << ':' << at.line << ':' << at.column << ": " << style(plain)
             << style(color) << label << style(plain) << style(bold) << printable(text) << style(plain) << '\n';
        const Shown line = source_line(source.text, cursor.line_begin(), where.begin, where.end);
        out_ << "  " << line.text << "\n  " << std::string(line.caret_begin, ' ') << style(color)
             << std::string(line.caret_end - line.caret_begin, '^') << style(plain) << '\n';
    }

    std::ostream& out_;
    const Sources& sources_;
    bool color_;
    Places places_, note_places_;
};

auto place(const Diagnostic& diagnostic) {
    return std::tuple(diagnostic.where.source.index, diagnostic.where.begin, diagnostic.where.end);
}

bool same(const Diagnostic& a, const Diagnostic& b) {
    return place(a) == place(b) && a.severity == b.severity && a.text == b.text;
}

} // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 1000, first = 600, last = 300;
    if (text.size() > longest) {
        std::size_t from = text.size() - last, to = first;
        for (int i = 0; i < 3 && is_continuation(text[to]); ++i) --to;
        for (int i = 0; i < 3 && is_continuation(text[from]); ++i) ++from;
        return printable(text.substr(0, to)) + fmt::format(" … {} bytes … ", from - to) + printable(text.substr(from));
    }
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
        const std::uint32_t code = code_point(character);
        if (length > 0 && !is_obeyed(code))
            shown += character;
        else
            shown += length <= 1 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
        at += character.size();
    }
    return shown;
}

LineColumn line_column(const Source& source, std::uint32_t offset) { return Cursor(source.text).move_to(offset); }

Diagnostic& Diagnostics::error(Span where, std::string text, std::string help) {
    ++errors_;
    if (errors_ > most) { // the caller may write to it all the same
        thread_local Diagnostic dropped;
        return dropped = {Severity::Error, where, std::move(text), {}, std::move(help)};
    }
    return list_.emplace_back(Diagnostic{Severity::Error, where, std::move(text), {}, std::move(help)});
}

Diagnostic& Diagnostics::limit(Span where, std::string text, std::string help) {
    reached_limit_ = true;
    return error(where, std::move(text), std::move(help));
}

Diagnostic& Diagnostics::warning(Span where, std::string text, std::string help) {
    return list_.emplace_back(Diagnostic{Severity::Warning, where, std::move(text), {}, std::move(help)});
}

bool Diagnostics::is_spoiled(std::string_view name) const {
    if (spoiled_.empty()) return false;
    if (spoiled_.contains(name)) return true;
    for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
        if (spoiled_.contains(name.substr(0, dot)) || spoiled_.contains(name.substr(dot + 1))) return true;
    return false;
}

void Diagnostics::unknown(Span where, std::string_view what, std::string_view name, std::string help,
                          std::string_view sigil) {
    if (is_spoiled(name)) return;
    error(where, fmt::format("unknown {} '{}{}'", what, sigil, name), std::move(help));
}

void Diagnostics::append(Diagnostics&& others) {
    for (Diagnostic& other : others.list_)
        if (list_.size() < most) list_.push_back(std::move(other));
    spoiled_.merge(others.spoiled_);
    errors_ += others.errors_;
    reached_limit_ |= others.reached_limit_;
}

void Diagnostics::print(std::ostream& out, const Sources& sources, bool color) const {
    std::vector<const Diagnostic*> sorted;
    for (const Diagnostic& diagnostic : list_) sorted.push_back(&diagnostic);
    const auto before = [](const Diagnostic* a, const Diagnostic* b) {
        return std::tuple(place(*a), a->severity, std::string_view(a->text)) <
               std::tuple(place(*b), b->severity, std::string_view(b->text));
    };
    std::stable_sort(sorted.begin(), sorted.end(), before);
    Printer printer(out, sources, color);
    const Diagnostic* previous = nullptr;
    for (const Diagnostic* diagnostic : sorted) {
        if (!previous || !same(*previous, *diagnostic)) printer.print(*diagnostic);
        previous = diagnostic;
    }
    if (errors_ > most) out << errors_ - most << " more errors are not shown\n";
}

} // namespace irrewrite
