#include "engine/lint/termination.hpp"

#include "engine/lint/path_order.hpp"
#include "engine/lint/weight_order.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr std::size_t budget = 200'000; // comparisons of terms
constexpr std::size_t shown = 8;

std::string count(std::size_t n) { return std::to_string(n) + (n == 1 ? " rule" : " rules"); }

// The rules that are still to be ordered, and by what the others were. Rules that no weights suit stand in the way of
// weights for all; where there are some, no more than which ones is found out.
class TerminationProof {
  public:
    TerminationProof(const Lint& lint, std::span<const RuleId> rules) : terms_(lint) {
        for (RuleId id : rules)
            if (auto rule = terms_.read(id))
                all_.push_back(std::move(*rule));
            else
                unread.push_back(id);
    }

    void run() {
        std::vector<const OrderRule*> every, heavy;
        for (const OrderRule& rule : all_) {
            every.push_back(&rule);
            (can_be_weighed(rule, terms_.symbols()) ? left_ : heavy).push_back(&rule);
        }
        if (!left_.empty()) weigh(true);
        while (!left_.empty() && weigh(false)) {
        }
        if (left_.empty() && heavy.empty()) return;
        if (heavy.empty() && path_ordered(left_, terms_.symbols(), budget))
            return by("a path order", left_.size()), left_.clear();
        if (path_ordered(every, terms_.symbols(), budget))
            return orders_.clear(), by("a path order", every.size()), left_.clear();
        left_.insert(left_.end(), heavy.begin(), heavy.end());
    }

    std::vector<RuleId> left() const {
        std::vector<RuleId> out = unread;
        for (const OrderRule* rule : left_) out.push_back(rule->rule);
        return out;
    }
    const std::string& orders() const { return orders_; }

  private:
    void by(const std::string& order, std::size_t rules) {
        orders_ += (orders_.empty() ? "" : ", then ") + order + " (" + count(rules) + ")";
    }

    bool weigh(bool plain) {
        std::vector<bool> down = lighter(left_, terms_.symbols(), plain);
        auto number = static_cast<std::size_t>(std::ranges::count(down, true));
        if (number == 0 || (plain && number < left_.size())) return false;
        std::vector<const OrderRule*> rest;
        for (std::size_t i = 0; i < left_.size(); ++i)
            if (!down[i]) rest.push_back(left_[i]);
        by(plain ? "size" : "weights", number);
        left_ = std::move(rest);
        return true;
    }

    OrderTerms terms_;
    std::deque<OrderRule> all_;
    std::vector<const OrderRule*> left_;
    std::vector<RuleId> unread;
    std::string orders_;
};

// The rules of sets that say themselves why they come to an end are left out.
std::vector<RuleId> undeclared(const Lint& lint, const Group& group, std::vector<RuleSetId>& declared) {
    std::vector<RuleId> out;
    for (const std::vector<RuleId>& rules : {group.again, group.normalizes ? std::vector<RuleId>{} : lint.normalizing})
        for (RuleId rule : rules) {
            if (lint.dead.contains(rule)) continue;
            RuleSetId set = lint[rule].set;
            if (!lint.world->base[set].ends)
                out.push_back(rule);
            else if (std::ranges::find(declared, set) == declared.end())
                declared.push_back(set);
        }
    return out;
}

void look(Lint& lint, const Group& group) {
    std::vector<RuleSetId> declared;
    std::vector<RuleId> rules = undeclared(lint, group, declared);
    TerminationProof descent(lint, rules);
    descent.run();
    std::vector<RuleId> left = descent.left();
    std::string text = group.name + " ends" + (descent.orders().empty() ? "" : " by " + descent.orders()) +
                       (declared.empty() ? "" : "; declared:");
    for (RuleSetId set : declared)
        text += "\n  " + std::string(lint.world->context.symbols[lint.world->base[set].full_name]) + ": " +
                *lint.world->base[set].ends;
    if (left.empty()) {
        lint.remarks.push_back(std::move(text));
        return;
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(left.size(), shown); ++i) lines.push_back("note: " + lint.of(left[i]));
    if (left.size() > shown) lines.push_back("note: and " + std::to_string(left.size() - shown) + " more");
    lines.push_back("help: no instance that runs forever was found; if you know why it ends, say it: 'rules NAME ends "
                    "\"why\" { … }'");
    lint.find(group.normalizes ? lint[left[0]].where : group.where,
              "no proof was found that " + group.name + " ends, for " + count(left.size()), std::move(lines));
}

// Of each set by itself: why applying its rules again and again ends, or that it may not.
void say_of_sets(Lint& lint) {
    for (const RuleSet& set : lint.world->base.sets) {
        if (!lint.is_named(set.where) || set.rules.empty()) continue;
        std::string text = "rules " + std::string(lint.world->context.symbols[set.full_name]);
        std::vector<RuleId> rules;
        for (RuleId rule : set.rules)
            if (!lint.dead.contains(rule)) rules.push_back(rule);
        TerminationProof descent(lint, rules);
        if (!set.ends) descent.run();
        const std::size_t left = set.ends ? 0 : descent.left().size();
        if (set.ends)
            text += " ends, as declared: " + *set.ends;
        else if (left)
            text += " may not end: no order was found for " + count(left);
        else
            text += " ends by " + (descent.orders().empty() ? std::string("nothing to do") : descent.orders());
        const bool alone = std::ranges::any_of(lint.groups, [&](const Group& group) {
            return group.alone && group.where.begin == set.where.begin && group.where.source == set.where.source;
        });
        (alone ? lint.remarks : lint.decided).push_back(std::move(text));
    }
}

} // namespace

void look_at_ends(Lint& lint) {
    say_of_sets(lint);
    for (const Group& group : lint.groups) // cycles are reported already
        if (group.named && !group.again.empty() && !lint.endless.contains(group.name)) look(lint, group);
}

} // namespace irrewrite
