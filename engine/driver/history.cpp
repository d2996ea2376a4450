#include "engine/driver/history.hpp"

#include "engine/analysis/operation_counts.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/match/explain_mismatch.hpp"
#include "engine/match/rule_index.hpp"
#include "printers/html/function_json.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace irrewrite {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_work = 200'000;              // rewrites and nodes of the runs that stop early: about 2 s
constexpr std::size_t most_bytes = std::size_t{48} << 20; // of the functions in all snapshots
constexpr std::size_t most_asked = 20'000;                // rules asked at nodes why they do not apply

std::size_t nodes_of(const Module& module) {
    std::size_t count = 0;
    for (const Function& function : module.functions) count += function.graph.size();
    return count;
}

std::uint64_t rewrites_in(const RewriteLog& log) {
    return static_cast<std::uint64_t>(std::ranges::count_if(log.steps, [](const Step& s) { return bool(s.rule); }));
}

class History {
  public:
    History(const Pipeline& pipeline, const Module& before, const RewriteOptions& how, const RewriteLog& log)
        : pipeline_(pipeline), context_(pipeline.context), base_(pipeline.rules.base), before_(before), how_(how),
          log_(log), of_start_(nodes_of(before)) {}

    Json run(const Module& after);

  private:
    std::string text(const Rule& rule) const;
    std::string text(SymbolId symbol) const { return symbol ? std::string(context_.symbols[symbol]) : std::string(); }
    Json snapshot(const Module& module, std::uint64_t at, const std::string& label);
    void add_snapshot(const RewriteOptions& how, const std::string& label);
    void add_phases();
    void add_between();
    Json ordered_snapshots() const;
    Json source() const;
    Json rules() const;
    Json steps() const;
    Json phases() const;
    Json operations(const Module& after) const;
    Json failures(const Module& after);
    Json cpp(Module after) const;

    const Pipeline& pipeline_;
    Context& context_;
    const RuleBase& base_;
    const Module& before_;
    const RewriteOptions& how_;
    const RewriteLog& log_;
    std::size_t of_start_;
    std::uint64_t total_ = rewrites_in(log_), work_ = 0;
    std::size_t bytes_ = 0;
    Json functions_ = Json::array();
    std::map<std::string, std::size_t> known_;          // functions, by their JSON
    std::map<std::uint64_t, std::vector<Json>> points_; // snapshots, by rewrites before them
};

// The program settled and printed; each different function once.
Json History::snapshot(const Module& module, std::uint64_t at, const std::string& label) {
    Module printed = module;
    pipeline_.settle(printed);
    keep_promises(context_, printed);
    Json json{{"at", at}, {"functions", Json::array()}};
    if (!label.empty()) json["label"] = label;
    for (const Function& function : printed.functions) {
        Json data = printers::function_json(context_, function);
        std::string key = data.dump(-1, ' ', true, Json::error_handler_t::replace);
        const std::size_t size = key.size();
        const auto [it, fresh] = known_.try_emplace(std::move(key), functions_.size());
        if (fresh) functions_.push_back(std::move(data)), bytes_ += size;
        json["functions"].push_back(it->second);
    }
    return json;
}

// The program where a run with these limits stops.
void History::add_snapshot(const RewriteOptions& how, const std::string& label) {
    Module module = before_;
    RewriteLog log;
    pipeline_.run_phases(module, how, log);
    const std::uint64_t at = rewrites_in(log);
    work_ += at + of_start_ + nodes_of(module);
    points_[at].push_back(snapshot(module, at, label));
}

// After each phase that changed something.
void History::add_phases() {
    for (const PhaseReport& phase : log_.phases) {
        if (phase.rewrites == 0 || &phase == &log_.phases.back() || bytes_ >= most_bytes) continue;
        const auto is_this = [&](const Phase& p) { return p.name == phase.name; };
        if (std::ranges::none_of(base_.phases, is_this)) continue; // the normal form before the first phase
        RewriteOptions how = how_;
        how.until = phase.name;
        add_snapshot(how, "after phase " + text(phase.name));
    }
}

// After each rewrite, or evenly spaced, as far as the limits allow.
void History::add_between() {
    const std::uint64_t of_one = total_ / 2 + 2 * of_start_ + 1;
    const std::uint64_t count = std::min(total_, std::max<std::uint64_t>(most_work / of_one, 8));
    for (std::uint64_t i = 1; i <= count && bytes_ < most_bytes; ++i) {
        RewriteOptions how = how_;
        how.max_rewrites = total_ * i / (count + (count < total_));
        if (how.max_rewrites < total_) add_snapshot(how, "");
    }
}

// At one point, first those without a label, then phases in their order.
Json History::ordered_snapshots() const {
    Json list = Json::array();
    for (const auto& [at, snapshots] : points_) {
        std::vector<const Json*> here;
        for (const Json& snapshot : snapshots) here.push_back(&snapshot);
        std::ranges::stable_sort(here, {}, [](const Json* s) { return s->contains("label"); });
        for (const Json* snapshot : here) list.push_back(*snapshot);
    }
    return list;
}

// The program's text. Places are numbers of its bytes, from `begin` on; `lines`: at which bytes of it lines begin.
Json History::source() const {
    for (const Function& function : before_.functions)
        if (const SourceId id = function.where.source) {
            const std::string_view text = context_.sources[id].text;
            Json lines{0};
            for (std::size_t end = 0; (end = text.find('\n', end)) != std::string_view::npos;) lines.push_back(++end);
            return {{"name", context_.sources[id].name},
                    {"text", text},
                    {"begin", context_.sources.begin(id)},
                    {"lines", std::move(lines)}};
        }
    return {{"name", pipeline_.options.input}, {"text", ""}, {"begin", 0}, {"lines", {0}}};
}

// As the rule file has it: from its name to the end of the line in which its last term ends.
std::string History::text(const Rule& rule) const {
    std::uint32_t end = rule.where.end;
    const auto reach = [&](Span span) {
        if (span.source == rule.where.source) end = std::max(end, span.end);
    };
    for (const Term& term : rule.terms) reach(term.where);
    for (const Condition& condition : rule.conditions) reach(condition.where);
    const std::string_view file = context_.sources[rule.where.source].text;
    const std::size_t line_end = std::min(file.find('\n', end), file.size());
    return std::string(file.substr(rule.where.begin, line_end - rule.where.begin));
}

Json History::rules() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < base_.rules.size(); ++i) {
        const Rule& rule = base_.rules[i];
        Json json{{"name", text(rule.full_name)}, {"fired", i < log_.fired.size() ? log_.fired[i] : 0}};
        if (i < log_.profile.size() && log_.profile[i].tried)
            json["tried"] = log_.profile[i].tried, json["matched"] = log_.profile[i].matched;
        if (rule.where.source) {
            const Source& file = context_.sources[rule.where.source];
            json["text"] = text(rule), json["line"] = line_column(file, rule.where.begin).line;
            json["file"] = std::filesystem::path(file.name).filename(); // the same wherever the tool is installed
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json History::steps() const {
    Json list = Json::array();
    for (const Step& step : log_.steps) {
        Json json{{"function", text(step.function)}, {"phase", text(step.phase)}, {"before", step.before_text}};
        if (step.rule) {
            json["rule"] = step.rule.index, json["after"] = step.after_text;
            json["from"] = step.before.index, json["to"] = step.after.index;
        }
        if (step.origin.rule) json["made_by"] = step.origin.rule.index;
        if (step.name) json["name"] = text(step.name);
        if (step.place.source) json["place"] = step.origin.place;
        list.push_back(std::move(json));
    }
    return list;
}

Json History::phases() const {
    Json list = Json::array();
    for (const PhaseReport& phase : log_.phases)
        list.push_back({{"name", text(phase.name)}, {"rewrites", phase.rewrites}, {"nodes", phase.nodes}});
    return list;
}

Json History::operations(const Module& after) const {
    Json json = Json::object();
    for (const auto& [name, count] : count_operations(context_, before_)) json[name] = {count, 0};
    for (const auto& [name, count] : count_operations(context_, after)) {
        if (!json.contains(name)) json[name] = {0, 0};
        json[name][1] = count;
    }
    return json;
}

// By function and node of the result: the rules that could stand there, and why each does not apply.
Json History::failures(const Module& after) {
    std::map<OpId, std::vector<RuleId>> by_operation;
    for (std::uint32_t i = 0; i < base_.rules.size(); ++i) {
        const Rule& rule = base_.rules[i];
        if (!rule.set || rule.parameters > 0 || rule.left.size() != 1) continue;
        for (OpId op : root_operations(rule, rule.left[0])) by_operation[op].push_back({i});
    }
    Json json = Json::object();
    std::size_t asked = 0;
    Module module = after;
    pipeline_.settle(module);
    keep_promises(context_, module);
    for (Function& function : module.functions) {
        if (function.external) continue;
        RewriteLog log;
        Rewriter rewriter(context_, base_, function, {}, log);
        Json& here = json[text(function.name)] = Json::object();
        for (NodeId node : reachable(function.graph, roots(function))) {
            const auto rules = by_operation.find(function.graph.op(node));
            if (rules == by_operation.end() || (asked += rules->second.size()) > most_asked) continue;
            Json& list = here[std::to_string(node.index)] = Json::array();
            for (RuleId rule : rules->second)
                list.push_back({rule.index, why_not(base_, function, rule, node, rewriter.surroundings())});
        }
    }
    return json;
}

// The program as C++, or why it has none: the page shows it either way.
Json History::cpp(Module after) const {
    Diagnostics seen;
    const Pipeline pipeline{pipeline_.options, context_, seen, pipeline_.rules};
    pipeline.settle(after);
    const printers::Printer& printer = *printers::find_printer("cpp");
    if (pipeline.lower(after, printer.lowering)) {
        printers::PrintOptions how;
        how.cpp.name_space = pipeline_.options.name_space, how.cpp.source_name = pipeline_.options.input;
        const printers::Printed printed = printer.print(context_, after, how);
        if (printed.errors.empty()) return {{"text", printed.pieces[0]}};
        for (const Diagnostic& error : printed.errors) seen.error(error.where, error.text);
    }
    return {{"text", ""}, {"error", seen.all().empty() ? "" : seen.all().front().text}};
}

Json History::run(const Module& after) {
    points_[0].push_back(snapshot(before_, 0, "before"));
    Json last = snapshot(after, total_, "after");
    add_phases();
    add_between();
    Module structs;
    structs.structs = after.structs;
    Json json{{"source", source()}, {"structs", printers::print_ir(context_, structs)}};
    json["snapshots"] = ordered_snapshots();
    json["snapshots"].push_back(std::move(last));
    json["functions"] = std::move(functions_);
    json["rules"] = rules(), json["phases"] = phases(), json["steps"] = steps();
    json["operations"] = operations(after), json["failures"] = failures(after), json["cpp"] = cpp(after);
    return json;
}

} // namespace

Json history(const Pipeline& pipeline, const Module& before, const Module& after, const RewriteOptions& how,
             const RewriteLog& log) {
    return History(pipeline, before, how, log).run(after);
}

} // namespace irrewrite
