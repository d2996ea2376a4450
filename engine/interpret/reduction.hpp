// Values being reduced, one after the other.
//
// An operator that a reduction combines with is associative, with a neutral element: what its values come to does not
// depend on how they are grouped. So they may be taken in parts, each from the neutral element on, as a program that
// runs them in parallel does, and whoever breaks the promise gets another result.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/support/function_ref.hpp"

#include <span>
#include <unordered_map>
#include <vector>

namespace irrewrite {

class Reduction {
  public:
    using Values = std::vector<Value>;
    // A block: it may change its arguments, and appends its results. False: the run is stopped.
    using Run = FunctionRef<bool(Values& arguments, Values& results)>;

    void start(Values from, Grouping grouping);
    // `fold` continues a part, `combine` joins it to those before it.
    bool take(std::span<const Value> more, Run fold, Run combine);
    bool take(std::span<const Value> more, Run fold) { return take(more, fold, fold); }

    Values running; // what all values so far come to

  private:
    static bool join(Values& left, std::span<const Value> right, Run run);

    Grouping grouping_ = Grouping::FromTheLeft;
    Values neutral_, before_, part_; // in parts: what those before the present one come to, and this one
    std::size_t room_ = 0;           // for so many more values in it
};

// One for each bin.
class BinReductions {
  public:
    // `bin`: what is there. Until the next call.
    Reduction& of(std::uint64_t key, Reduction::Values bin, Grouping grouping);

  private:
    std::unordered_map<std::uint64_t, Reduction> in_parts_; // from the left the bin says it all
    Reduction from_the_left_;
};

} // namespace irrewrite
