#include "engine/server/rewrites.hpp"

#include "engine/check/evaluate_constant.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"

#include <algorithm>

namespace irrewrite::server {

namespace {

// An answer comes within 50 ms.
constexpr std::size_t most_nodes = 1000;
constexpr std::uint64_t most_rewrites = 2000;
constexpr std::size_t most_shown = 20;

// The text with blanks in place of functions that are neither this one nor called by it: all places stay, and it is read soon.
std::string without_others(const FileIndex& file, grammar::SyntaxId function) {
    std::map<std::string_view, grammar::SyntaxId> functions;
    for (const grammar::SyntaxId id : file.tree.children_of(file.tree.root))
        if (file.tree[id].kind == grammar::Kind::Func) functions.emplace(file.tree.name(id), id);
    std::set<std::string_view> kept{file.tree.name(function)};
    std::vector<grammar::SyntaxId> todo{function};
    while (!todo.empty()) {
        const grammar::SyntaxNode& node = file.tree[todo.back()];
        todo.pop_back();
        auto use = std::ranges::lower_bound(file.occurrences, node.begin, {}, &Occurrence::begin);
        for (; use != file.occurrences.end() && use->begin < node.end; ++use) {
            const Entity& entity = file.entities[use->entity];
            const auto called = functions.find(entity.name);
            if (entity.kind == Name::Function && called != functions.end() && kept.insert(entity.name).second)
                todo.push_back(called->second);
        }
    }
    std::string text(file.text());
    for (const auto& [name, id] : functions) {
        if (kept.contains(name)) continue;
        for (std::uint32_t i = file.tree[id].begin; i < file.tree[id].end; ++i)
            if (text[i] != '\n') text[i] = ' ';
    }
    return text;
}

} // namespace

// With a context of its own: phases may lower types, and the types of the text stay what they are.
struct Rewrites::Run {
    Context context;
    grammar::RuleProgram rules;
    Module module;
    RewriteLog log;
    SourceId source;
    SymbolId function;
    std::set<SymbolId> named; // values of the function, before rewriting
    bool too_large = false;

    bool read(const FileIndex& file, grammar::SyntaxId id, const Settings& settings) {
        Diagnostics seen; // and published
        const auto core = find_rule_file("core.rules", {}, {});
        const std::vector<std::filesystem::path> folders(settings.includes.begin(), settings.includes.end());
        evaluate_constants(context, rules.base, rules.functions);
        if (!core || !grammar::load_core(context, *core, seen) ||
            !grammar::load_rules(context, settings.rules, folders, rules, seen))
            return false;
        source = context.sources.add(file.path, without_others(file, id));
        if (!grammar::read_module(context, source, module, seen)) return false;
        function = context.symbols.add(file.tree.name(id));
        const Function* read = module.find(function);
        if (read == nullptr || read->external) return false;
        for (NodeId node : reachable(read->graph, roots(*read)))
            if (const SymbolId name = read->graph.name(node)) named.insert(name);
        return true;
    }

    void rewrite() {
        std::size_t nodes = 0;
        for (const Function& each : module.functions) nodes += each.graph.size();
        too_large = nodes > most_nodes;
        RewriteOptions how;
        how.trace = true, how.fuel = most_rewrites;
        if (!too_large) irrewrite::rewrite(context, rules.base, rules.functions, module, how, log);
    }
};

Rewrites::~Rewrites() = default;

Rewrites::Rewrites(const FileIndex& file, grammar::SyntaxId function, const Settings& settings) {
    if (settings.rules.empty()) return;
    run_ = std::make_unique<Run>();
    if (run_->read(file, function, settings))
        run_->rewrite();
    else
        run_.reset();
}

std::string Rewrites::about(std::string_view value, std::uint32_t offset) const {
    if (!run_) return {};
    const Run& run = *run_;
    if (run.too_large) return "too long to be rewritten here: `irrewrite -explain`\n";
    const auto name = run.context.symbols.find(value);
    const Function* function = run.module.find(run.function);
    if (!name || function == nullptr) return {};
    const Graph& graph = function->graph;
    NodeId left; // of the value, in the result
    for (NodeId node : reachable(graph, roots(*function)))
        if (graph.name(node) == *name) left = node;
    std::vector<const Step*> steps;
    if (left) steps = chain_behind(run.log.steps, *function, left);
    if (steps.empty())
        for (const Step& step : run.log.steps)
            if (step.rule && step.function == run.function &&
                (step.name == *name || (step.place.source == run.source && step.place.begin == offset)))
                steps.push_back(&step);
    const bool gone = !left && run.named.contains(*name);
    if (steps.empty()) return gone ? "not in the result any more\n" : "";
    std::string lines;
    const std::size_t first = steps.size() - std::min(steps.size(), most_shown);
    if (first > 0) lines += "… " + std::to_string(first) + " before\n";
    for (const Step* step : std::span(steps).subspan(first))
        lines += std::string(run.context.symbols[step->phase]) + ": " +
                 std::string(run.context.symbols[run.rules.base[step->rule].full_name]) + ": " + step->before_text +
                 "  =>  " + step->after_text + "\n";
    return (left   ? "after rewriting:\n```irrewrite\n" + term_text(graph, left) + "\n```\n"
            : gone ? std::string("not in the result any more; ")
                   : "") +
           "rewritten by:\n```irrewrite\n" + lines + "```\n" +
           (run.log.error.empty() ? "" : "(" + run.log.error + ")\n");
}

} // namespace irrewrite::server
