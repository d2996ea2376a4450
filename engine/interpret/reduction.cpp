#include "engine/interpret/reduction.hpp"

namespace irrewrite {

// The first chunk is shorter than the others: three values are grouped otherwise than from the left.
void Reduction::start(Values from, Grouping grouping) {
    running = std::move(from), grouping_ = grouping;
    if (grouping != Grouping::FromTheLeft)
        neutral_ = before_ = part_ = running, room_ = static_cast<std::size_t>(grouping) >> 4;
}

bool Reduction::join(Values& left, std::span<const Value> right, Run run) {
    Values joined;
    left.insert(left.end(), right.begin(), right.end());
    if (!run(left, joined)) return false;
    left = std::move(joined);
    return true;
}

bool Reduction::take(std::span<const Value> more, Run fold, Run combine) {
    if (grouping_ == Grouping::FromTheLeft) return join(running, more, fold);
    running = before_;
    if (!join(part_, more, fold) || !join(running, part_, combine)) return false;
    if (--room_ > 0) return true;
    // The next chunk is empty yet.
    part_ = neutral_, room_ = static_cast<std::size_t>(grouping_) & 15;
    if (!join(running, part_, combine)) return false;
    before_ = running;
    return true;
}

Reduction& BinReductions::of(std::uint64_t key, Reduction::Values bin, Grouping grouping) {
    const bool apart = grouping != Grouping::FromTheLeft;
    auto [found, first] = apart ? in_parts_.try_emplace(key) : std::pair(in_parts_.end(), true);
    Reduction& reduction = apart ? found->second : from_the_left_;
    if (first) reduction.start(std::move(bin), grouping);
    return reduction;
}

} // namespace irrewrite
