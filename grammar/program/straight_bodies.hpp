// The parser's hook for the fast path: reads bodies of straight lines while the text is parsed.
#pragma once

#include "grammar/program/straight.hpp"

namespace irrewrite::grammar {

// A ReadBody (grammar/syntax/syntax.hpp) that puts the functions it read into `done`.
class StraightBodies {
  public:
    StraightBodies(Context& context, SourceId source, StraightFunctions& done);

    std::optional<std::uint32_t> operator()(const SyntaxTree& tree, std::span<const SyntaxId> header,
                                            std::uint32_t brace);

  private:
    bool may_change(const Function& function) const;

    Context& context_;
    StraightReader reader_;
    StraightFunctions& done_;
    bool structs_; // the text declares some, perhaps
};

} // namespace irrewrite::grammar
