#include "printers/plan/loop_plan.hpp"

namespace irrewrite::printers {
namespace {

std::string number(std::size_t count, std::string_view of) {
    return std::to_string(count) + " " + std::string(of) + (count == 1 ? "" : "s");
}

struct Describe {
    std::string operator()(const PlainLoop& plain) const {
        if (!plain.lanes) return plain.fetches ? "one by one, prefetching" : "one by one";
        return std::string("in vector lanes") + (plain.decides ? ", until it is decided"
                                                 : plain.few   ? ", if there are many"
                                                               : "");
    }
    std::string operator()(const UntilKnown& until) const {
        return "with tests until " + number(until.values.size(), "value") + " on demand are known, then without";
    }
    std::string operator()(const SideBySide& sums) const {
        return std::string("neighbouring sums side by side: ") + (sums.windows ? "windows" : "columns");
    }
    std::string operator()(const InColumns& columns) const {
        return std::string("inner loops of neighbouring indices side by side") +
               (columns.rest ? ", then the rest" : "");
    }
    std::string operator()(const InTiles& tiles) const {
        return std::string("tiles of rows and columns, sums in registers") + (tiles.put_by ? ", put by" : "") +
               (tiles.stored.empty() ? "" : "; before, " + number(tiles.stored.size(), "value") + " of each row") +
               "; then the rest";
    }
    std::string operator()(const LaneBlocks& blocks) const {
        return std::string(blocks.lanes > 8 ? "sixteen" : "eight") + " indices side by side";
    }
    std::string operator()(const BinsInLanes& bins) const {
        return "blocks: bins in vector lanes, then updates" +
               (bins.floats.empty() ? std::string() : "; " + number(bins.floats.size(), "key") + " of floats");
    }
    std::string operator()(const FissionPlan& apart) const {
        if (apart.finds)
            return "blocks: indices at which a condition holds, found in vector lanes, then the rest for these";
        const std::string kept = apart.kept.empty() ? "" : number(apart.kept.size(), "value") + " put by";
        const std::string lanes = apart.lanes.empty() ? "" : number(apart.lanes.size(), "result");
        return "blocks: " + lanes + (lanes.empty() || kept.empty() ? "" : " and ") + kept + " in vector lanes, then " +
               (lanes.empty() ? number(apart.others.size(), "result") : std::to_string(apart.others.size()));
    }
    std::string operator()(const Peeled& peeled) const {
        return "peeled: " + std::to_string(peeled.range.low) + " at the begin, " + std::to_string(peeled.range.high) +
               " at the end; the rest in vector lanes";
    }
    std::string operator()(const InnerRange& inner) const {
        return "one by one; inner loops have no tests but for " + std::to_string(inner.range.low) + " at the begin, " +
               std::to_string(inner.range.high) + " at the end";
    }
    std::string operator()(const TwoRanges&) const { return "two ranges: a condition changes between them"; }
    std::string operator()(const ByQuotient& pieces) const {
        return "in pieces of one quotient, for " +
               number(pieces.quotients.size() + pieces.remainders.size(), "division");
    }
    std::string operator()(const Levels& levels) const {
        return "blocks: arithmetic in vector lanes, calls one by one, " + number(levels.last, "level");
    }
    std::string operator()(const Split&) const { return "blocks: running values one by one, the rest in vector lanes"; }
    std::string operator()(const InStrips&) const { return "in strips side by side"; }
    std::string operator()(const IfPartsAreThere& parts) const {
        return "two loops, chosen by a test of " + number(parts.tests.size(), "part") + " of arrays";
    }
};

} // namespace

std::string described(const LoopPlan& plan) {
    const std::string rows = plan.rows.empty() ? "" : number(plan.rows.size(), "row") + " looked up before; ";
    return rows + std::visit(Describe(), plan.form);
}

std::string described(const ThreadPlan& plan) {
    if (!plan.why_one.empty())
        return "on one thread, " + plan.why_one + (plan.inside ? "; the loops inside of it are on several" : "");
    return plan.in_pieces ? "in parallel, in dynamic chunks, because iterations take unequal time"
                          : "in parallel, in chunks whose results are combined in order";
}

} // namespace irrewrite::printers
