// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace irrewrite {

// The length in bytes of the character that begins at `at`, or 0 if the text is not UTF-8 there.
std::size_t character_length(std::string_view text, std::size_t at);

} // namespace irrewrite
