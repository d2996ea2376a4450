// Reductions of values, one value after the other.
//
// The operator of a reduction is associative and has a neutral element, so the result does not depend on the grouping.
// With Grouping::InParts values are reduced in chunks, each from the neutral element on, as a program that runs in
// parallel does; an operator that breaks the promise yields another result.
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
    // `fold` continues a chunk, `combine` joins it to those before it.
    bool take(std::span<const Value> more, Run fold, Run combine);
    bool take(std::span<const Value> more, Run fold) { return take(more, fold, fold); }

    Values running; // what all values so far come to

  private:
    static bool join(Values& left, std::span<const Value> right, Run run);

    Grouping grouping_ = Grouping::FromTheLeft;
    Values neutral_, before_, part_; // in chunks: the value of those before the present one, and of this one
    std::size_t room_ = 0;           // for so many more values in it
};

// A reduction for each histogram bin.
class BinReductions {
  public:
    // `bin`: its current values. The reference is valid until the next call.
    Reduction& of(std::uint64_t key, Reduction::Values bin, Grouping grouping);

  private:
    std::unordered_map<std::uint64_t, Reduction> in_parts_; // from the left the bin itself is all there is
    Reduction from_the_left_;
};

} // namespace irrewrite
