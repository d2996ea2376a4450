// A rule that hardly any program meets: the reason, from programs that were made for it.
#pragma once

#include "engine/check/check.hpp"

#include <map>

namespace irrewrite {

// The reasons of programs that a rule did not apply to, and the one that most of them have.
class Unmet {
  public:
    Unmet(Context& context, const RuleBase& base, RuleId rule) : context_(context), base_(base), rule_(rule) {}

    // Looks at the instance in a program, which the rule left as it is.
    void note(Function before);
    // One sentence, or none.
    std::string most() const;

  private:
    std::string reason(Function& before) const;

    Context& context_;
    const RuleBase& base_;
    RuleId rule_;
    std::map<std::string, std::size_t> reasons_;
    std::size_t looked_at_ = 0;
};

} // namespace irrewrite
