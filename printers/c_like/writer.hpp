// The text of a function that is being written: its lines and how far they are indented, and the names that are taken.
// Knows no graph.
#pragma once

#include "printers/c_like/identifiers.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace irrewrite::printers {

class Writer {
  public:
    explicit Writer(Names names) : names_(std::move(names)) {}

    void line(std::string_view text); // `#pragma` and the like are not indented
    // A line after which a block begins, with names of its own; the line that ends it.
    void open(std::string_view text);
    void close(std::string_view text = "}");
    // Only the indentation of one.
    void indent() { ++indent_; }
    void outdent() { --indent_; }
    std::string margin() const { return std::string(std::size_t{4} * indent_, ' '); }

    // A name that nothing visible has, until its scope closes.
    std::string fresh(std::string_view wanted) { return names_.fresh(wanted); }
    void open_names() { names_.open(); }
    void close_names() { names_.close(); }
    void merge_names() { names_.merge(); } // a scope without braces: its names stay taken

    // The text so far, and what has been written since it had `begin` bytes.
    const std::string& text() const { return text_; }
    std::size_t size() const { return text_.size(); }
    std::string_view since(std::size_t begin) const { return std::string_view(text_).substr(begin); }
    void cut(std::size_t begin) { text_.resize(begin); }
    void insert(std::size_t begin, std::string_view lines) { text_.insert(begin, lines); }
    // The last line that says `text` says `other`.
    void replace_last(std::string_view text, std::string_view other);

    // Lines that come last (as accumulators do in lanes) are put by in `lines`, if there is one, until they are appended; returns the former place.
    std::string* put_by(std::string* lines) { return std::exchange(last_, lines); }
    void append(std::string_view lines) { text_ += lines; }
    bool puts_by() const { return last_ != nullptr; }
    // Puts by what has been written since, if such lines are put by.
    void put_by_since(std::size_t begin);

  private:
    std::string text_;
    unsigned indent_ = 1;
    Names names_;
    std::string* last_ = nullptr;
};

} // namespace irrewrite::printers
