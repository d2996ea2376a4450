// Rule files behind engine/api/testing.hpp: loading, checking, and what is drawn at random.
#include "engine/api/testing_inside.hpp"
#include "engine/check/evaluate_constant.hpp"

#include "engine/check/check_rule.hpp"
#include "engine/check/random_program.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/support/read_all.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/ir/print_ir.hpp"

#include <algorithm>

namespace irrewrite::testing {

// -- loading ----------------------------------------------------------------------------------------

void Rules::Inside::load(RuleWorld& into) const {
    or_error(into.context.sources, [&](Diagnostics& diagnostics) {
        auto core = find_rule_file("core.rules", {}, {});
        if (!core) {
            diagnostics.error({}, "cannot find core.rules",
                              "set IRREWRITE_RULES to the folder of the shipped rule files");
            return;
        }
        grammar::RuleProgram program;
        if (!grammar::load_core(into.context, *core, diagnostics) ||
            !grammar::load_rules(into.context, files, include_folders, program, diagnostics, texts))
            return;
        into.base = std::move(program.base);
        into.functions = std::move(program.functions);
        evaluate_constants(into.context, into.base, into.functions);
    });
}

Rules::Rules(const std::vector<std::string>& files, const std::vector<std::string>& include_folders,
             std::vector<Text> texts, const char* header)
    : inside_(std::make_shared<Inside>()) {
    // As installed: include/irrewrite/testing.hpp, share/irrewrite/rules.
    look_in_rules(std::filesystem::path(header).parent_path() / "../../share/irrewrite/rules");
    Inside& in = *inside_;
    in.files = in.named = files;
    in.include_folders.assign(include_folders.begin(), include_folders.end());
    for (Text& text : texts) {
        in.named.push_back(text.name);
        in.texts.push_back({std::move(text.name), std::move(text.text)});
    }
    in.load(in.world);
    in.rules = rules_named(in.world, in.named);
    in.bare = in.world.base;
    in.bare.normalize.clear();
    in.vocabulary = std::make_unique<Vocabulary>(in.world.context);
    in.of_programs = std::make_unique<Vocabulary>(in.world.context, &in.world.base);
}

std::vector<std::string> Rules::names() const {
    std::vector<std::string> out;
    const RuleWorld& world = inside_->world;
    for (RuleId rule : inside_->rules) out.emplace_back(world.context.symbols[world.base[rule].full_name]);
    return out;
}

RuleId Rules::Inside::find(std::string_view rule) const {
    std::vector<RuleId> found;
    for (RuleId id : rules) {
        std::string_view full = world.context.symbols[world.base[id].full_name];
        if (full == rule) return id;
        if (full.ends_with("." + std::string(rule))) found.push_back(id);
    }
    if (found.empty()) throw Error("there is no rule '" + std::string(rule) + "' in the files named");
    if (found.size() > 1)
        throw Error("several rules '" + std::string(rule) + "': give the set's name as well, 'SET.RULE'");
    return found[0];
}

// -- checking ---------------------------------------------------------------------------------------

CheckTools Rules::Inside::tools() const {
    CheckTools tools;
    tools.load = [this] {
        auto world = std::make_unique<RuleWorld>();
        load(*world);
        return world;
    };
    tools.print = [](const Context& context, const Function& function) {
        return printers::print_ir(context, function);
    };
    return tools;
}

static Verdict verdict_of(const irrewrite::Verdict& v) {
    using From = irrewrite::Verdict::Kind;
    Verdict out{.name = v.name,
                .text = v.text,
                .file = v.file,
                .line = v.where.line,
                .column = v.where.column,
                .programs = v.programs,
                .instances = v.instances,
                .faults = v.faults};
    switch (v.kind) {
    case From::Passed: out.kind = Verdict::Kind::Passed; break;
    case From::Wrong: out.kind = Verdict::Kind::Wrong; break;
    case From::Slower: out.kind = Verdict::Kind::Slower; break;
    case From::Unchecked: out.kind = Verdict::Kind::Unchecked; break;
    case From::AsTerms:
        out.kind = Verdict::Kind::Unchecked, out.text = "its operations have no meaning; no other rule contradicts it";
        break;
    case From::AsApplied: out.kind = Verdict::Kind::Passed, out.text = "judged where it is applied"; break;
    case From::RarelyMet: out.kind = Verdict::Kind::HardlyMet; break;
    case From::MostlyFaults: out.kind = Verdict::Kind::MostlyFaults; break;
    }
    return out;
}

Report Rules::check(const CheckOptions& options) const {
    CheckReport found =
        irrewrite::check(inside_->tools(), inside_->named, {options.instances, options.seed, options.jobs, {}, {}});
    Report out;
    for (const irrewrite::Verdict& v : found.rules) out.rules.push_back(verdict_of(v));
    for (const irrewrite::Verdict& v : found.facts) out.facts.push_back(verdict_of(v));
    for (const irrewrite::Verdict& v : found.tests) out.tests.push_back(verdict_of(v));
    out.text = to_text(found, false);
    return out;
}

Verdict Rules::check(std::string_view rule, const CheckOptions& options) const {
    const irrewrite::CheckOptions how{options.instances, options.seed, options.jobs, {}, inside_->find(rule)};
    return verdict_of(irrewrite::check(inside_->tools(), inside_->named, how).rules[0]);
}

Report::operator bool() const {
    auto passed = [](const Verdict& v) { return static_cast<bool>(v); };
    return std::ranges::all_of(rules, passed) && std::ranges::all_of(facts, passed) &&
           std::ranges::all_of(tests, passed);
}

// -- programs ---------------------------------------------------------------------------------------

Program Rules::read(std::string_view text, std::string_view name) const {
    auto program = std::make_shared<Program::Inside>(Program::Inside{inside_, {}});
    program->phase = 0;
    Context& context = inside_->world.context;
    or_error(context.sources, [&](Diagnostics& diagnostics) {
        grammar::read_module(context, std::string(name), std::string(text), program->module, diagnostics);
    });
    return Program(std::move(program));
}

Program Rules::read_file(const std::string& path) const {
    constexpr std::size_t most_are_shorter = 1 << 14;
    ReadFailure why{};
    const auto text = read_all_of<std::string>(path, most_are_shorter, why);
    if (!text) throw Error("cannot read '" + path + "'");
    return read(*text, path);
}

const Subject& Rules::Inside::subject(RuleId rule) {
    auto found = subjects.find(rule);
    if (found == subjects.end()) found = subjects.emplace(rule, subject_of(world.context, bare, rule)).first;
    return found->second;
}

// One of the functions of a trial as a program @f.
static Program program_of(const std::shared_ptr<Rules::Inside>& rules, const Trial& trial, const Function& function,
                          bool inexact) {
    Context& context = rules->world.context;
    auto program = std::make_shared<Program::Inside>(Program::Inside{rules, {}, inexact});
    const SymbolId name = context.symbols.add("f");
    Function& own = program->module.add(context, name);
    own = function;
    own.name = name;
    join_called(program->module, trial.module());
    return Program(std::move(program));
}

static std::optional<Instance> instance_of(const std::shared_ptr<Rules::Inside>& rules, RuleId rule,
                                           irrewrite::Choices& choices) {
    if (rules->bare[rule].parameters > 0) return std::nullopt;
    Trial trial(rules->world, rules->bare, *rules->vocabulary, rules->subject(rule));
    if (trial.make(choices, {}) != Trial::Made::Applied) return std::nullopt;
    const bool inexact = rules->bare[rule].inexact;
    for (const Parameter& param : trial.before().params)
        if (!can_be_drawn(rules->world.context.types, param.type)) return std::nullopt;
    return Instance{program_of(rules, trial, trial.before(), inexact),
                    program_of(rules, trial, trial.after(), inexact)};
}

std::optional<Instance> Rules::instance(std::string_view rule, Choices& choices) const {
    const RuleId id = inside_->find(rule);
    return drawing(choices, [&](irrewrite::Choices& inner) { return instance_of(inside_, id, inner); });
}

Program Rules::program(Choices& choices) const {
    Context& context = inside_->world.context;
    return drawing(choices, [&](irrewrite::Choices& inner) {
        const auto rules = static_cast<std::uint32_t>(inside_->rules.size());
        if (rules && inner.rarely(50))
            if (auto made = instance_of(inside_, inside_->rules[inner.below(rules)], inner)) return made->before;
        for (unsigned attempts = 0; attempts < 1000; ++attempts) {
            auto program = std::make_shared<Program::Inside>(Program::Inside{inside_, {}});
            Function& function = program->module.add(context, context.symbols.add("f"));
            bool drawn = random_function(context, *inside_->of_programs, inner, function);
            for (const Parameter& param : function.params) drawn = drawn && can_be_drawn(context.types, param.type);
            if (drawn) return Program(std::move(program));
        }
        throw Error("no program could be drawn");
    });
}

std::string Rules::literal(std::string_view type, Choices& choices) const {
    const Program carrier = read("func @f(%x: " + std::string(type) + ") -> i64 { return 0 }", type);
    Context& context = inside_->world.context;
    const Function& function = carrier.inside().module.functions.front();
    const TypeId known = function.params.front().type;
    if (function.params.size() != 1 || !can_be_drawn(context.types, known))
        throw Error("no literals of type " + std::string(type));
    return drawing(choices, [&](irrewrite::Choices& inner) {
        return value_text(context, known, draw_arguments(context, function, inner, Temper::Edges)[0]);
    });
}

} // namespace irrewrite::testing
