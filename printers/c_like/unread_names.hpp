// Values of an emitted function that nothing reads, of which compilers warn.
#pragma once

#include <string>
#include <string_view>

namespace irrewrite::printers {

// The text of functions without the constants that nothing mentions: a pointer to data, or a length, is taken out, and any
// other, whose computation may fault, is marked `[[maybe_unused]]`. So is a variable that is written and never read. One
// declaration is on a line, and the lines of a block are indented further than what is around it. Takes time linear in the
// text.
std::string without_unread(std::string_view text);

} // namespace irrewrite::printers
