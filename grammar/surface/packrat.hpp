// Runs a parsing program over a text (packrat parsing: Ford). Each production is tried once at each place of the text, so
// that parsing takes linear time; what was found out is forgotten where no alternative can go back behind it. The stack
// of the machine is its own, so that nesting costs no C++ stack, and has a limit.
#pragma once

#include "grammar/surface/compile.hpp"

#include <memory>

namespace irrewrite::grammar {

// A part of the text that a label stands for: by the production that was read there, if there is one.
struct Capture {
    std::uint32_t slot, node; // none: the text alone
    std::uint32_t begin, end;
};

struct ParseNode {
    std::uint32_t production, alternative;
    std::uint32_t begin, end;
    std::uint32_t first = 0, count = 0; // captures
};

// Children before their parents; nodes of alternatives that failed are left in between.
struct ParseTree {
    std::vector<ParseNode> nodes;
    std::vector<Capture> captures;
    std::uint32_t root = Language::none;
};

struct ParseFailure {
    enum class Kind : std::uint8_t { None, Syntax, TooDeep } kind = Kind::None;
    std::uint32_t at = 0;
    std::vector<std::string> expected; // Syntax
    std::uint32_t production = 0;      // TooDeep
};

constexpr std::uint32_t deepest_nesting = 10'000; // of a production in itself

// The tree of a whole text, or why there is none.
ParseFailure parse(const Language& language, std::string_view text, ParseTree& tree);

// Finds layout outside of a parse.
class LayoutSkipper {
  public:
    LayoutSkipper(const Language& language, std::string_view text);
    ~LayoutSkipper();
    std::uint32_t skip(std::uint32_t from); // its end

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// True if a token matches the whole text.
bool matches(const Language& language, std::uint32_t production, std::string_view text);

} // namespace irrewrite::grammar
