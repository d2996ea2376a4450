// The rewriting of one function by the rule files of the settings, for the hover of its values: `-explain` while a program is
// written.
#pragma once

#include "engine/server/workspace.hpp"

namespace irrewrite::server {

class Rewrites {
  public:
    Rewrites(const FileIndex& file, grammar::SyntaxId function, const Settings& settings);
    ~Rewrites();

    // Tells of the value with this name that is defined at an offset of the text what became of it, by which rules. Empty: there is nothing to
    // say, as the program has mistakes or no rule files.
    std::string about(std::string_view value, std::uint32_t offset) const;

  private:
    struct Run;
    std::unique_ptr<Run> run_; // none: there is none
};

} // namespace irrewrite::server
