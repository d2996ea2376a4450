// Phases over a program.
#include "engine/rewrite/rewriter.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/passes/early_expansions.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/lower_types.hpp"
#include "engine/passes/new_effects.hpp"
#include "engine/passes/rename_functions.hpp"
#include "engine/support/activity.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

namespace irrewrite {

namespace {
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A run over a module: one rewriter for each function, more as functions join.
class Run {
  public:
    Run(Context& context, const RuleBase& base, const Module& library, Module& module, const RewriteOptions& options,
        RewriteLog& log)
        : context_(context), base_(base), library_(library), module_(module), options_(options), log_(log),
          early_(context, base, library, options.models), functions_(context, module, library) {}

    bool all() {
        for (const Function& function : module_.functions) given_.insert(function.name);
        if (!options_.stage) raise_types(context_, base_);
        report("normalize", [&] { settle(); });
        for (const PhaseId id : phases()) {
            const Phase& phase = base_.phases[id.index];
            if (log_.stopped || !log_.error.empty()) break;
            if (!options_.models && phase.own_name && context_.symbols[phase.own_name] == models_phase) break;
            done_.push_back(phase.name);
            report(context_.symbols[phase.name], [&] {
                expand_before(phase.name);
                const LoweredTypes types = lower_types(context_, base_, phase.name, module_);
                retyped_ |= types.any;
                if (!types.lost.empty()) log_.broken = types.lost, log_.stopped = true;
                if (log_.stopped) return;
                look_for_functions(phase);
                give_tokens(phase);
                for (Rewriter& rewriter : rewriters_)
                    if (!run(rewriter, phase)) break;
                run_new(phase);
                const NewNames names = new_names();
                const auto parameters = new_parameters();
                take_tokens();
                give(parameters);
                give(names);
                if (log_.error.empty()) settle();
            });
            if (options_.until && *options_.until == phase.name) break;
        }
        if (!log_.stopped) report_waiting(), report_missing();
        for (Function& function : module_.functions) {
            log_.nodes_created += function.graph.size();
            function.graph.rebuilt = {};
        }
        for (const auto& [name, waiting] : waiting_) waiting.add_to(log_.waiting);
        rewriters_.clear();
        functions_.arrange();
        for (Function& function : module_.functions) function.inlined.clear();
        drop_uncalled(module_);
        std::erase_if(log_.phases, [&](const PhaseReport& phase) {
            return phase.rewrites == 0 && context_.symbols[phase.name] == "normalize";
        });
        return log_.error.empty();
    }

  private:
    std::vector<PhaseId> phases() const {
        if (options_.stage) return options_.stage->phases;
        std::vector<PhaseId> all;
        for (std::uint32_t i = 0; i < base_.phases.size(); ++i) all.push_back(PhaseId{i});
        return all;
    }

    bool run(Rewriter& rewriter, const Phase& phase) {
        if (!rewriter.needs(phase)) {
            ++log_.phases.back().skipped;
            return true;
        }
        const Activity activity([&] { return rewriter.described(phase); }, Activity::Kind::Asks);
        return rewriter.run(phase);
    }

    // Rules may give whole functions effects: calls of those that may get them are in order from the start.
    void give_tokens(const Phase& phase) {
        if (rewriters_.empty() || !rewriters_.front().adds_effects(phase)) return;
        ordered_ = functions_without_effects(module_);
        if (ordered_.empty()) return;
        rewriters_.clear(); // of functions as they were
        order_calls(context_, module_, ordered_);
        begin();
    }
    void take_tokens() {
        if (ordered_.empty()) return;
        rewriters_.clear();
        loosen_calls(context_, module_, std::exchange(ordered_, {}));
        begin();
    }

    NewNames new_names() const {
        NewNames names;
        for (const Rewriter& rewriter : rewriters_)
            if (const SymbolId name = rewriter.new_name()) names.emplace(rewriter.name(), name);
        return names;
    }
    std::map<SymbolId, ChangedParameters> new_parameters() const {
        std::map<SymbolId, ChangedParameters> changes;
        for (const Rewriter& rewriter : rewriters_)
            if (const auto* change = rewriter.changed_parameters()) changes.emplace(rewriter.name(), *change);
        return changes;
    }
    void give(const std::map<SymbolId, ChangedParameters>& parameters) {
        if (parameters.empty()) return;
        rewriters_.clear(); // of functions as they were
        change_parameters(context_, module_, parameters);
        for (const auto& [name, change] : parameters) functions_.forget(name);
        begin();
    }
    void give(const NewNames& names) {
        if (names.empty()) return;
        rewriters_.clear();
        rename_functions(context_, module_, names);
        functions_.renamed(names);
        for (const auto& [from, to] : names)
            if (auto entry = waiting_.extract(from)) entry.key() = to, waiting_.insert(std::move(entry));
        begin();
    }

    // The functions that rules have made run through the same phase, and so do those that are made then.
    void run_new(const Phase& phase) {
        while (functions_.join())
            while (rewriters_.size() < module_.functions.size()) {
                Rewriter& rewriter = rewriter_of(module_.functions[rewriters_.size()]);
                if (log_.stopped || !log_.error.empty()) continue;
                rewriter.is_new = true;
                rewriter.normalize();
                run(rewriter, phase);
                rewriter.is_new = false;
            }
    }

    Rewriter& rewriter_of(Function& function) {
        Rewriter& rewriter =
            rewriters_.emplace_back(context_, base_, function, options_, log_, indices_, &waiting_[function.name]);
        rewriter.program = &module_;
        rewriter.make_functions(functions_);
        return rewriter;
    }

    template <class F> void report(std::string_view name, F&& f) {
        log_.phases.push_back({context_.symbols.add(name), 0, 0});
        std::size_t slot = log_.phases.size() - 1;
        const double start = cpu_seconds();
        const std::uint64_t nodes = nodes_created();
        f();
        log_.phases[slot].seconds = cpu_seconds() - start;
        log_.phases[slot].nodes = nodes_created() - nodes;
    }

    // So far, with those that functions hold.
    std::uint64_t nodes_created() const {
        std::uint64_t nodes = log_.nodes_created;
        for (const Function& function : module_.functions) nodes += function.graph.size();
        return nodes;
    }

    void report_late(SymbolId phase) {
        std::size_t late = 0;
        for (const auto& [name, entries] : waiting_) late += entries.open_strategies(phase);
        if (late)
            log_.warnings.push_back("phase '" + std::string(context_.symbols[phase]) +
                                    "' had already run when rewrites were delayed to it, at " + std::to_string(late) +
                                    (late == 1 ? " node" : " nodes"));
    }

    // Nodes that rules of phases which never ran are waiting for.
    void report_waiting() {
        for (const Phase& phase : base_.phases) {
            if (std::ranges::find(done_, phase.name) != done_.end()) {
                report_late(phase.name);
                continue;
            }
            const RuleIndex& index = indices_->at(phase.name);
            std::size_t waiting = 0;
            for (const auto& [name, entries] : waiting_) waiting += entries.open_strategies(phase.name);
            for (const Function& function : module_.functions)
                for (NodeId node : reachable(function.graph, roots(function)))
                    waiting += index.at(function.graph.op(node));
            if (waiting)
                log_.warnings.push_back("phase '" + std::string(context_.symbols[phase.name]) +
                                        "' never ran: its rules wait at " + std::to_string(waiting) +
                                        (waiting == 1 ? " node" : " nodes"));
        }
    }

    // Those that rules of the phase rewrite by their names.
    void look_for_functions(const Phase& phase) {
        for (const RuleId rule : indices_->applied(phase))
            if (const SymbolId name = base_[rule].of_function())
                missing_.try_emplace(rule, true).first->second &= !module_.find(name);
    }
    void report_missing() {
        for (const auto& [rule, is_missing] : missing_) {
            if (!is_missing) continue;
            const SymbolId name = base_[rule].of_function();
            log_.warnings.push_back("rule '" + std::string(context_.symbols[base_[rule].full_name]) + "' rewrites '@" +
                                    std::string(context_.symbols[name]) +
                                    (given_.contains(name) ? "', which was inlined before its phase"
                                                           : "', which the program does not have"));
        }
    }

    // Then the program contains all that the phase gives a meaning to.
    void expand_before(SymbolId phase) {
        if (log_.stopped || !early_.any(phase)) return;
        rewriters_.clear(); // of functions as they were
        if (const auto fault = early_.expand(phase, module_)) log_.broken = fault->what, log_.stopped = true;
        begin();
    }

    // Functions that rules have called join; calls of local ones are inlined.
    void settle() {
        join_called(module_, library_);
        const bool calls_local = std::ranges::any_of(module_.functions, &Function::local);
        if (calls_local || retyped_ || rewriters_.size() != module_.functions.size()) begin();
        for (Rewriter& rewriter : rewriters_) rewriter.normalize();
        if (options_.counts_waiting) register_rules();
    }

    // A rewriter for each function, after bodies of local ones have moved to where they are called.
    void begin() {
        rewriters_.clear(); // no normalizing while bodies move
        bool moved = false;
        while (inline_calls(module_)) moved = true;
        if (moved) drop_uncalled(module_);
        for (Function& function : module_.functions) rewriter_of(function);
        retyped_ = false;
    }

    void register_rules() {
        std::vector<RuleId> rules;
        for (std::uint32_t i = 0; i < base_.rules.size(); ++i)
            if (PhaseId at = base_.rules[i].at;
                at && std::ranges::find(done_, base_.phases[at.index].name) == done_.end())
                rules.push_back(RuleId{i});
        if (rules.empty()) return;
        for (Rewriter& rewriter : rewriters_) rewriter.register_rules(rules);
    }

    Context& context_;
    const RuleBase& base_;
    const Module& library_;
    Module& module_;
    const RewriteOptions& options_;
    RewriteLog& log_;
    EarlyExpansions early_;
    NewFunctions functions_;
    std::shared_ptr<RuleIndices> indices_ = std::make_shared<RuleIndices>(context_, base_);
    std::map<SymbolId, PendingRewrites> waiting_; // by function
    std::deque<Rewriter> rewriters_;
    std::vector<SymbolId> done_;     // phases
    std::set<SymbolId> given_;       // the functions of the program as it was read
    std::map<RuleId, bool> missing_; // rules on one function, by its name: no phase has found it
    std::set<SymbolId> ordered_;     // functions without effects that may get some in this phase
    bool retyped_ = false;           // values have other types since the rewriters began
};
} // namespace

bool rewrite(Context& context, const RuleBase& base, const Module& library, Module& module,
             const RewriteOptions& options, RewriteLog& log) {
    return Run(context, base, library, module, options, log).all();
}

} // namespace irrewrite
