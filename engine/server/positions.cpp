#include "engine/server/positions.hpp"

#include "engine/support/hex_digit.hpp"

#include <algorithm>

namespace irrewrite::server {

namespace {

std::size_t width(char c) { // of a character, by its first byte; in the middle of one nothing
    const auto byte = static_cast<unsigned char>(c);
    return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

} // namespace

std::size_t utf16_units(std::string_view text) {
    std::size_t units = 0;
    for (char c : text) units += width(c);
    return units;
}

LineTable::LineTable(std::string_view text) : begins_{0} {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        begins_.push_back(static_cast<std::uint32_t>(at + 1));
}

std::uint32_t LineTable::offset(std::string_view text, std::size_t line, std::size_t column) const {
    if (line >= begins_.size()) return static_cast<std::uint32_t>(text.size());
    std::uint32_t at = begins_[line];
    std::size_t units = 0;
    while (at < text.size() && text[at] != '\n') {
        const std::size_t next = units + width(text[at]);
        if (width(text[at]) > 0 && next > column) break;
        units = next;
        ++at;
    }
    return at;
}

std::size_t LineTable::line(std::uint32_t offset) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, offset) - begins_.begin()) - 1;
}

Json LineTable::position(std::string_view text, std::uint32_t offset) const {
    offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
    const std::size_t at = line(offset);
    return {{"line", at}, {"character", utf16_units(text.substr(begins_[at], offset - begins_[at]))}};
}

std::string LineTable::range_text(std::string_view text, std::uint32_t begin, std::uint32_t end) const {
    const auto place = [&](std::uint32_t offset) {
        const std::size_t at = line(offset);
        return "{\"line\":" + std::to_string(at) +
               ",\"character\":" + std::to_string(utf16_units(text.substr(begins_[at], offset - begins_[at]))) + "}";
    };
    return "{\"start\":" + place(begin) + ",\"end\":" + place(end) + "}";
}

std::string path_of(std::string_view uri) {
    if (!uri.starts_with("file://")) return std::string(uri);
    uri.remove_prefix(7);
    if (const std::size_t slash = uri.find('/'); slash != std::string_view::npos) uri.remove_prefix(slash); // a host
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        const bool escaped =
            uri[i] == '%' && i + 2 < uri.size() && hex_digit(uri[i + 1]) >= 0 && hex_digit(uri[i + 2]) >= 0;
        path += escaped ? static_cast<char>(hex_digit(uri[i + 1]) * 16 + hex_digit(uri[i + 2])) : uri[i];
        if (escaped) i += 2;
    }
    return path;
}

std::string uri_of(std::string_view path) {
    if (path.empty() || path[0] != '/') return std::string(path);
    std::string uri = "file://";
    for (char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/._-~").find(c) != std::string_view::npos;
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        if (plain)
            uri += c;
        else
            uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return uri;
}

} // namespace irrewrite::server
