// `test name: term => term`: what the file's phases make of the left side is the right side.
#include "engine/check/check_test.hpp"

#include "engine/generate/instance.hpp"
#include "engine/ir/clone.hpp"
#include "engine/rewrite/rewriter.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// The phases without what they do: types are lowered, nodes normalized.
RuleBase without_phases(const RuleBase& base) {
    RuleBase still = base;
    StrategyNode id;
    id.kind = StrategyNode::Kind::Id;
    StrategyId nothing = still.add(std::move(id));
    for (Phase& phase : still.phases) phase.strategy = nothing;
    for (Rule& rule : still.rules) rule.at = {};
    return still;
}

class TestRun {
  public:
    TestRun(RuleWorld& world, const CheckTools& tools, const RuleTest& test, std::string_view until)
        : world_(world), tools_(tools), test_(test), until_(until), rule_(world.base[test.rule]),
          vocabulary_(world.context) {}

    Verdict run() {
        const Source& source = world_.context.sources[test_.where.source];
        verdict_.name = world_.context.symbols[rule_.full_name];
        verdict_.file = source.name;
        verdict_.where = line_column(source, test_.where.begin);
        verdict_.instances = 1;
        for (TypeKind kind : {TypeKind::I64, TypeKind::F64, TypeKind::Bool})
            if (write(kind)) return compare(), verdict_;
        fail("  its terms have no common types\n");
        return verdict_;
    }

  private:
    void fail(std::string text) {
        verdict_.kind = Verdict::Kind::Wrong;
        verdict_.text = std::move(text);
    }

    // Both sides, open types being that scalar.
    bool write(TypeKind scalar) {
        Context& context = world_.context;
        given_ = Module{}, expected_ = Module{};
        TermStyle style;
        style.plain = style.symbolic = true;
        style.palette = {{scalar}, false};
        Function& given = given_.add(context, rule_.name);
        Choices choices{Tape{}};
        Instance instance(context, world_.functions, rule_, vocabulary_, choices, style, given);
        if (!instance.build(Setting::Alone)) return false;
        Function& expected = expected_.add(context, rule_.name);
        expected = given;
        if (test_.normal_form) return true;
        Builder builder(expected.graph);
        Surroundings around;
        around.dimension = [&](Dim dim) {
            for (const Dimension& d : expected.dims)
                if (dim == Dim::named(d.name)) return d.node;
            return NodeId{};
        };
        Bindings bindings = instance.bindings();
        Instantiation right(builder, rule_, bindings, around);
        auto results = right.build(rule_.right, expected.result_types);
        if (!results || results->size() != expected.results.size()) return false;
        for (std::size_t i = 0; i < results->size(); ++i)
            if (!context.types.agree(expected.graph.type((*results)[i]), expected.result_types[i])) return false;
        expected.results = *results;
        return true;
    }

    void compare() {
        Context& context = world_.context;
        RewriteOptions options;
        options.fuel = 1'000'000;
        if (test_.until)
            options.until = test_.until;
        else if (!until_.empty())
            options.until = context.symbols.find(until_);
        RewriteLog log, still_log;
        RuleBase still = without_phases(world_.base);
        bool fine = rewrite(context, world_.base, world_.functions, given_, options, log) &&
                    rewrite(context, still, world_.functions, expected_, options, still_log);
        if (!fine || !log.broken.empty()) return fail("  " + (log.broken.empty() ? log.error : log.broken) + "\n");
        Function &given = *given_.find(rule_.name), &expected = *expected_.find(rule_.name);
        Clone moved(expected.graph, given.graph, [](TypeId type) { return type; });
        moved.run(expected.results);
        bool same = given.results.size() == expected.results.size();
        for (std::size_t i = 0; same && i < given.results.size(); ++i)
            same = given.results[i] == moved(expected.results[i]);
        if (same) return;
        fail("  the phases give\n" + show(given) + (test_.normal_form ? "  and not, as it stood,\n" : "  and not\n") +
             show(expected));
    }

    std::string show(const Function& function) const {
        std::string out, text = tools_.print(world_.context, function);
        for (std::size_t start = 0; start < text.size();) {
            std::size_t end = std::min(text.find('\n', start), text.size());
            if (end > start) out += "    " + text.substr(start, end - start) + "\n";
            start = end + 1;
        }
        return out;
    }

    RuleWorld& world_;
    const CheckTools& tools_;
    const RuleTest& test_;
    std::string_view until_; // the last phase, or empty
    const Rule& rule_;
    Vocabulary vocabulary_;
    Module given_, expected_;
    Verdict verdict_;
};

} // namespace

Verdict run_test(RuleWorld& world, const CheckTools& tools, const RuleTest& test, std::string_view until) {
    return TestRun(world, tools, test, until).run();
}

} // namespace irrewrite
