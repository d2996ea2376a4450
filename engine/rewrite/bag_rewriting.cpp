#include "engine/rewrite/bag_rewriting.hpp"

#include "engine/match/bag_match.hpp"
#include "engine/match/conditions.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite {

namespace {
constexpr std::size_t deepest = 100; // runs within each other, on the C++ stack
constexpr std::size_t most_operands = 1 << 24;
} // namespace

BagRewriting::BagRewriting(Rewriter& rewriter, const Rewriter::Choice& choice, BagPlans& plans,
                           std::function<NodeId(NodeId)> normal)
    : rewriter_(rewriter), state_(rewriter.state()), choice_(choice), plans_(plans), normal_(std::move(normal)),
      may_run_(choice.asking.empty() && rewriter.indices().normalizing().empty() && state_.waiting.empty()) {}

bool BagRewriting::takes(NodeId application) const {
    const Graph& graph = state_.graph;
    const Operation& operation = graph.operation(application);
    if (!operation.is_flat || !may_run_ || comes_back_ || !choice_.rules.at(graph.op(application))) return false;
    return operation.attributes.empty() && !operation.identity && is_of_one_type(application) &&
           graph.operands(application).size() > 1 && under_way_.size() < deepest && !state_.counted_uses() &&
           !is_settled(application) && std::ranges::find(under_way_, application) == under_way_.end();
}

// All operands have the type of the application, and no other one agrees with it.
bool BagRewriting::is_of_one_type(NodeId application) const {
    const Graph& graph = state_.graph;
    Types& types = graph.context().types;
    const auto& result = graph.operation(application).signature.results[0];
    return result.kind == TypeTerm::Kind::Known ? graph.type(application) == types.lowered(result.type)
                                                : types.is_scalar(graph.type(application));
}

class BagRewriting::Run {
  public:
    Run(BagRewriting& all, NodeId application)
        : all_(all), state_(all.state_), graph_(state_.graph), application_(application), op_(graph_.op(application)),
          type_(graph_.type(application)), plans_(all.plans_.of(op_)), matches_(plans_.size()),
          normal_part_(all.normal_part(application)), bag_(graph_, normal_part_ ? normal_part_ : application),
          now_(application) {
        if (normal_part_) add_others();
    }

    std::optional<Replacement> operator()() {
        while (!whole_ && !state_.stopped() && step() && !comes_back()) {
        }
        if (!fired_) return std::nullopt;
        const NodeId made = whole_ ? whole_ : application();
        if (SymbolId name = graph_.name(application_); name && !graph_.is_literal(made) && !graph_.is_param(made))
            graph_.set_name(made, name);
        return Replacement{made, {}};
    }
    bool is_done() const { return !whole_ && !all_.comes_back_ && !state_.stopped(); }

  private:
    // Beside those of the part that is normal. Both are in order.
    void add_others() {
        const auto all = graph_.operands(application_), normal = graph_.operands(normal_part_);
        std::size_t next = 0;
        for (NodeId operand : all) {
            const bool is_in = next < normal.size() && normal[next] == operand;
            next += is_in;
            if (!is_in) bag_.add(operand);
        }
    }

    // The application of the operands that there are now.
    NodeId application() {
        if (!now_) now_ = graph_.make({.op = op_, .operands = bag_.operands(), .type = type_});
        return now_;
    }

    bool step() {
        for (std::size_t i = 0; i < plans_.size(); ++i)
            if (plans_[i].kind == BagPlan::Kind::Other ? apply(plans_[i].rule) : attempt(i)) return true;
        return false;
    }

    // A rule that has to see the application.
    bool apply(RuleId rule) {
        const auto result = all_.rewriter_.apply(rule, application());
        if (!result) return false;
        fired_ = true, whole_ = result->value;
        return true;
    }

    bool attempt(std::size_t i) {
        const BagPlan& plan = plans_[i];
        const Rule& rule = state_.base[plan.rule];
        if (!matches_[i])
            matches_[i] = std::make_unique<BagMatch>(graph_, bag_, rule, plan, static_cast<bool>(normal_part_));
        BagMatch& match = *matches_[i];
        RuleProfile* const profile = state_.options.profile ? &state_.log.profile[plan.rule.index] : nullptr;
        if (profile) ++profile->tried;
        Watch watch(state_.log.watch, state_.options.timed ? profile : nullptr);
        if (match.is_hopeless()) return false;
        const Origin saved = std::exchange(graph_.current_origin, state_.origin(application_, plan.rule));
        const bool found = find(match, rule, plan, profile);
        graph_.current_origin = saved;
        return found && replace(match, rule, i);
    }

    bool find(BagMatch& match, const Rule& rule, const BagPlan& plan, RuleProfile* profile) {
        Builder builder(graph_);
        Conditions conditions(builder, rule, match.matcher(), state_.surroundings);
        bool matched = false;
        auto build = [&] {
            Instantiation terms(builder, rule, match.matcher().bindings, state_.surroundings);
            terms.in_order = true;
            return this->build(terms, rule, plan, match.taken());
        };
        auto hold = [&](BagMatch::Rest rest) {
            matched = true;
            return conditions.hold(0, rest);
        };
        const bool found = match.find(hold, build);
        if (profile) profile->matched += matched;
        return found;
    }

    // Builds what takes the place of the operands that were taken, or of all. False: the rule does not apply.
    bool build(Instantiation& terms, const Rule& rule, const BagPlan& plan, const std::vector<NodeId>& taken) {
        const bool is_whole = plan.kind == BagPlan::Kind::Whole;
        const std::vector<TypeId> types(is_whole ? 1 : plan.made.size(), type_);
        auto nodes = terms.build(is_whole ? std::span<const TermId>(rule.right) : plan.made, types);
        if (!terms.invalid().empty()) state_.broken(rule, terms.invalid());
        if (!nodes || (is_whole && nodes->size() != 1)) return false;
        for (NodeId node : *nodes)
            if (!state_.may_stand(rule, graph_.type(node), type_)) return false;
        made_ = std::move(*nodes);
        return is_whole ? made_[0] != application() : changes(taken) && is_enough(taken);
    }

    bool changes(const std::vector<NodeId>& taken) const {
        if (graph_.operation(application_).has(Trait::Idempotent)) {
            Bag after = bag_;
            change(after, taken, 1);
            return after.fingerprint() != bag_.fingerprint();
        }
        if (made_.size() != taken.size()) return true;
        return !std::ranges::is_permutation(made_, taken);
    }

    bool is_enough(const std::vector<NodeId>& taken) const {
        return bag_.size() > taken.size() || !made_.empty() || graph_.context().operations.accepts(op_, 0);
    }

    void change(Bag& bag, std::span<const NodeId> taken, std::uint32_t times) const {
        for (NodeId operand : taken) bag.remove(operand, times);
        for (NodeId operand : made_) bag.add(operand, times);
    }

    bool replace(BagMatch& match, const Rule& rule, std::size_t i) {
        const std::vector<NodeId> taken = match.taken();
        match.forget();
        const RuleId id = plans_[i].rule;
        if (!state_.spend(id)) return false;
        fired_ = true;
        if (state_.keeps_steps()) tell(rule, id, i, taken);
        if (plans_[i].kind == BagPlan::Kind::Whole) {
            whole_ = made_[0];
            return true;
        }
        const std::uint32_t most = repetitions(taken);
        normalize();
        std::uint32_t times = 1;
        if (most > 1 && !state_.keeps_steps() && is_first_again(i))
            while (times < most && state_.spend(id)) ++times;
        change(bag_, taken, times);
        now_ = {};
        if (bag_.size() > most_operands)
            state_.give_up("an application has more than " + std::to_string(most_operands) + " operands");
        return true;
    }

    // The oldest first, as everywhere.
    void normalize() {
        std::ranges::sort(made_);
        const std::vector<NodeId> made = std::move(made_);
        std::vector<NodeId> normal;
        for (NodeId node : made) normal.push_back(all_.normal_(node));
        made_ = std::move(normal);
    }

    // So often can these operands be taken.
    std::uint32_t repetitions(const std::vector<NodeId>& taken) {
        std::uint32_t most = UINT32_MAX;
        for (NodeId operand : taken)
            most = std::min(most,
                            bag_.find(operand)->count / static_cast<std::uint32_t>(std::ranges::count(taken, operand)));
        return most;
    }

    // With `made_` added, the rules before it match no more than they did, and this one first where it did.
    bool is_first_again(std::size_t rule) const {
        const auto may_take = [&](NodeId operand) {
            for (std::size_t i = 0; i <= rule; ++i)
                if (plans_[i].kind == BagPlan::Kind::Other || plans_[i].may_take(graph_.op(operand))) return true;
            return false;
        };
        return std::ranges::none_of(made_, [&](NodeId operand) {
            const auto parts = bag_.parts_of(operand);
            return may_take(operand) || std::ranges::any_of(parts, may_take);
        });
    }

    // Shows the step as one from application to application.
    void tell(const Rule& rule, RuleId id, std::size_t i, const std::vector<NodeId>& taken) {
        const NodeId before = application();
        NodeId after = made_[0];
        if (plans_[i].kind == BagPlan::Kind::Others) {
            Bag changed = bag_;
            change(changed, taken, 1);
            after = graph_.make({.op = op_, .operands = changed.operands(), .type = type_});
        }
        state_.record(rule, id, {&before, 1}, after);
    }

    // (Brent, "An improved Monte Carlo factorization algorithm", 1980, as in StrategyMachine::comes_back.)
    bool comes_back() {
        if (whole_) return false;
        if (bag_.fingerprint() == fingerprint_) return all_.comes_back_ = true;
        if (std::has_single_bit(++steps_)) fingerprint_ = bag_.fingerprint();
        return false;
    }

    BagRewriting& all_;
    RewriteState& state_;
    Graph& graph_;
    NodeId application_;
    OpId op_;
    TypeId type_;
    const std::vector<BagPlan>& plans_;
    std::vector<std::unique_ptr<BagMatch>> matches_; // by plan
    NodeId normal_part_;
    Bag bag_;
    std::vector<NodeId> made_; // what the rule that was found puts in
    NodeId now_, whole_;       // whole_: what took the place of all
    bool fired_ = false;
    std::uint64_t fingerprint_ = 0, steps_ = 0;
};

void BagRewriting::rebuilt(NodeId from, NodeId to) {
    const Graph& graph = state_.graph;
    if (!may_run_ || !graph.operation(to).is_flat || graph.op(from) != graph.op(to)) return;
    NodeId largest;
    const std::vector<NodeId> operands(graph.operands(from).begin(), graph.operands(from).end());
    for (NodeId operand : operands) {
        const NodeId part = normal_(operand);
        const bool is_part = graph.op(part) == graph.op(to) && is_settled(part);
        if (is_part && (!largest || graph.operands(part).size() > graph.operands(largest).size())) largest = part;
    }
    if (largest) normal_part_[to] = largest;
}

// None: not known.
NodeId BagRewriting::normal_part(NodeId application) const {
    const auto known = normal_part_.find(application);
    if (known == normal_part_.end()) return {};
    const auto all = state_.graph.operands(application), part = state_.graph.operands(known->second);
    std::size_t found = 0;
    for (std::size_t i = 0; i < all.size() && found < part.size(); ++i) found += all[i] == part[found];
    return found == part.size() ? known->second : NodeId{}; // else it stands there as one operand
}

std::optional<Replacement> BagRewriting::run(NodeId application) {
    under_way_.push_back(application);
    Run run(*this, application);
    const auto result = run();
    under_way_.pop_back();
    if (run.is_done()) rewriter_.settle(choice_, result ? result->value : application);
    return result;
}

} // namespace irrewrite
