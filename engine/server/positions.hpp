// Places of the protocol: lines from 0, and columns in units of UTF-16.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace irrewrite::server {

using Json = nlohmann::json;

class LineTable {
  public:
    explicit LineTable(std::string_view text);

    // A place behind the end of a line, or of the text, is that end.
    std::uint32_t offset(std::string_view text, std::size_t line, std::size_t column) const;
    Json position(std::string_view text, std::uint32_t offset) const;
    Json range(std::string_view text, std::uint32_t begin, std::uint32_t end) const {
        return {{"start", position(text, begin)}, {"end", position(text, end)}};
    }
    std::string range_text(std::string_view text, std::uint32_t begin, std::uint32_t end) const; // as JSON
    std::size_t line(std::uint32_t offset) const;                                                // from 0
    std::uint32_t begin(std::size_t line) const { return begins_[line]; }
    std::size_t lines() const { return begins_.size(); }

  private:
    std::vector<std::uint32_t> begins_;
};

// Units of UTF-16 in a text of UTF-8.
std::size_t utf16_units(std::string_view text);

// `file:///a%20b.ir` and the path of the file; a name of another scheme stays as it is.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

} // namespace irrewrite::server
