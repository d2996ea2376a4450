// Texts between quotes, and the bytes that they stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace irrewrite::grammar {

// Without quotes around it; a quote that is doubled is one.
std::string undoubled(std::string_view text);
// Without quotes around it, and with its escapes replaced; nothing where one is unknown.
std::optional<std::string> unescaped(std::string_view text);

} // namespace irrewrite::grammar
