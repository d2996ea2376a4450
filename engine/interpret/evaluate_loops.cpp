// The meaning of loops: at each index, each generator takes the values of its emission.

#include "engine/interpret/interpreter.hpp"
#include "engine/interpret/reduction.hpp"

#include <algorithm>
#include <iterator>

namespace irrewrite {

namespace {

using Values = std::vector<Value>;

// A generator at work.
struct Generator {
    explicit Generator(Interpreter& machine) : machine(machine) {}
    Generator(Generator&&) = default;

    Interpreter& machine;
    NodeId node;
    const struct GeneratorMeaning* meaning = nullptr;
    Reduction reduction;         // accumulators
    BinReductions bins;          // gen.histogram
    std::vector<Buffer> columns; // collected values; histogram bins
    bool found = false;          // gen.first
    bool reversed = false;       // an odd number of `gen.reversed` around it
    std::vector<NodeId> feeds;   // `feed`s around it, the outermost first
    // gen.bucket: one for each key. gen.running, gen.each: those of their block.
    std::unordered_map<std::string, std::size_t> positions;
    std::vector<Generator> buckets;

    const Graph& graph() const { return machine.graph(); }
    NodeId operand(std::size_t i) const { return graph().operand(node, i); }
    std::size_t starts() const { return graph().operands(node).size() - 1; } // operands before the emission
    NodeId emission() const { return operand(starts()); }
    BlockId block(std::size_t k) const { return graph().blocks(node)[k]; }
    void add_columns(std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) columns.emplace_back(machine);
    }
    bool push_row(std::span<const Value> row) {
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (!columns[k].push(row[k])) return false;
        return true;
    }
    bool run(std::size_t k, std::uint32_t region, Values& arguments, Values& results) {
        return machine.run_block(machine.nested_region(region, block(k)), arguments, results);
    }
};

struct GeneratorMeaning {
    std::string_view name;
    bool (*start)(Generator&);
    // One emission; `region` is where the generator stands.
    bool (*take)(Generator&, std::uint32_t region, std::span<const Value> emitted);
    bool (*finish)(Generator&, Values& results);
    // One index of what the generator stands in. Without it, the generator takes what it emits.
    bool (*at_index)(Generator&, std::uint32_t region) = nullptr;
};

bool start(Interpreter& machine, NodeId node, std::vector<Generator>& generators);
// One index.
bool feed(Generator& generator, std::uint32_t region);
bool finish(Generator& generator, Values& results);

// The values that the generator makes, by its type.
std::size_t result_count(const Generator& g) { return g.machine.types().elements(g.graph().type(g.node)).size(); }

bool start_running(Generator& g) {
    Values from;
    for (std::size_t i = 0; i < g.starts(); ++i) from.push_back(g.machine.read(g.operand(i)));
    const bool combines = g.graph().operation(g.node).signature.blocks[0].combines;
    g.reduction.start(std::move(from), combines ? g.machine.grouping : Grouping::FromTheLeft);
    return true;
}
bool start_columns(Generator& g) { return g.add_columns(result_count(g)), true; }
bool start_scan(Generator& g) { return start_columns(g) && start_running(g); }
bool start_scatter(Generator& g) {
    g.add_columns(1);
    return g.columns[0].append(*g.machine.read(g.operand(0)).parts);
}
bool start_inner(Generator& g, std::size_t block) {
    for (NodeId inner : g.graph().results(g.block(block)))
        if (!start(g.machine, inner, g.buckets)) return false;
    return true;
}
bool start_each(Generator& g) { return start_inner(g, 0); }
bool start_running_inner(Generator& g) { return start_inner(g, 1) && start_running(g); }
bool start_histogram(Generator& g) {
    auto n = static_cast<std::int64_t>(g.machine.read(g.operand(0)).bits);
    if (n < 0) return g.machine.fault(g.node, "negative length: " + std::to_string(n));
    g.add_columns(g.starts() - 1);
    for (std::size_t k = 0; k < g.columns.size(); ++k)
        if (!g.columns[k].fill(static_cast<std::uint64_t>(n), g.machine.read(g.operand(k + 1)))) return false;
    return true;
}

bool take_collect(Generator& g, std::uint32_t, std::span<const Value> emitted) { return g.push_row(emitted); }

bool take_fold(Generator& g, std::uint32_t region, std::span<const Value> emitted) {
    return g.reduction.take(emitted,
                            [&](Values& arguments, Values& results) { return g.run(0, region, arguments, results); });
}

bool take_scan(Generator& g, std::uint32_t region, std::span<const Value> emitted) {
    if (!take_fold(g, region, emitted)) return false;
    if (g.graph().blocks(g.node).size() < 2) return g.push_row(g.reduction.running);
    std::uint32_t inner = g.machine.nested_region(region, g.block(1));
    Values state = g.reduction.running;
    Emitted out(g.machine);
    if (!g.machine.enter_block(inner, state)) return false;
    if (!g.machine.run_emission(g.graph().results(g.block(1))[0], inner, out)) return false;
    g.machine.leave();
    std::size_t width = g.columns.size();
    for (std::size_t i = 0; i < out.count; ++i)
        if (!g.push_row(std::span(out.values.values()).subspan(i * width, width))) return false;
    return true;
}

// The generators of the block see the values as they are now.
bool take_running(Generator& g, std::uint32_t region, std::span<const Value> emitted) {
    if (!take_fold(g, region, emitted)) return false;
    std::uint32_t inner = g.machine.nested_region(region, g.block(1));
    Values state = g.reduction.running;
    if (!g.machine.enter_block(inner, state)) return false;
    for (Generator& each : g.buckets)
        if (!feed(each, inner)) return false;
    g.machine.leave();
    return true;
}

bool take_histogram(Generator& g, std::uint32_t region, std::span<const Value> emitted) {
    std::uint64_t key = emitted[0].bits; // a negative one is huge
    if (g.columns.empty() || key >= g.columns[0].size()) return true;
    Values bin;
    for (Buffer& bins : g.columns) bin.push_back(bins.values()[key]);
    Reduction& reduction = g.bins.of(key, std::move(bin), g.machine.grouping);
    auto run = [&](Values& arguments, Values& results) { return g.run(0, region, arguments, results); };
    if (!reduction.take(emitted.subspan(1), run)) return false;
    for (std::size_t k = 0; k < g.columns.size(); ++k) g.columns[k].values()[key] = std::move(reduction.running[k]);
    return true;
}

bool take_scatter(Generator& g, std::uint32_t, std::span<const Value> emitted) {
    std::uint64_t position = emitted[0].bits; // a negative one is huge
    if (position < g.columns[0].size()) g.columns[0].values()[position] = emitted[1];
    return true;
}

bool take_first(Generator& g, std::uint32_t, std::span<const Value> emitted) {
    if (!std::exchange(g.found, true)) g.reduction.running.assign(emitted.begin(), emitted.end());
    return true;
}

bool finish_running(Generator& g, Values& results) {
    std::ranges::move(g.reduction.running, std::back_inserter(results));
    return true;
}
bool finish_inner(Generator& g, Values& results) {
    return std::ranges::all_of(g.buckets, [&](Generator& each) { return finish(each, results); });
}
bool finish_columns(Generator& g, Values& results) {
    for (Buffer& column : g.columns) results.push_back(column.finish());
    return true;
}
bool finish_first(Generator& g, Values& results) {
    return g.found ? finish_running(g, results) : g.machine.fault(g.node, "nothing was emitted");
}

// A count below 0 is no length: there is no index.
bool each_index(Generator& g, std::uint32_t region) {
    const auto n = static_cast<std::int64_t>(g.machine.read(g.operand(0)).bits);
    const std::uint32_t inner = g.machine.nested_region(region, g.block(0));
    for (std::int64_t j = 0; j < n; ++j) {
        Value index{static_cast<std::uint64_t>(j), nullptr};
        if (!g.machine.enter_block(inner, {&index, 1})) return false;
        for (Generator& each : g.buckets)
            if (!feed(each, inner)) return false;
        g.machine.leave();
    }
    return true;
}

bool start_bucket(Generator&) { return true; }

// Each value goes to its key's generator as it comes: it is what %e emits.
bool take_bucket(Generator& g, std::uint32_t region, std::span<const Value> row) {
    TypeId key_type = g.machine.types().element(g.graph().type(g.emission()));
    std::size_t bucket =
        g.positions.try_emplace(key_text(g.machine.types(), key_type, row[0]), g.positions.size()).first->second;
    Emitted value(g.machine);
    if (!value.append(row.subspan(1), 1)) return false;
    Value argument = value.values.finish();
    argument.bits = 1;
    std::uint32_t inner = g.machine.nested_region(region, g.block(0));
    if (!g.machine.enter_block(inner, {&argument, 1})) return false;
    if (bucket == g.buckets.size() && !start(g.machine, g.graph().results(g.block(0))[0], g.buckets)) return false;
    if (!feed(g.buckets[bucket], inner)) return false;
    g.machine.leave();
    return true;
}

bool finish_buckets(Generator& g, Values& results) {
    g.add_columns(result_count(g));
    for (Generator& bucket : g.buckets) {
        Values row;
        if (!finish(bucket, row) || !g.push_row(row)) return false;
    }
    return finish_columns(g, results);
}

constexpr GeneratorMeaning generators[] = {
    {"gen.collect", start_columns, take_collect, finish_columns},
    {"gen.reduce", start_running, take_fold, finish_running},
    {"gen.fold", start_running, take_fold, finish_running},
    {"gen.scan", start_scan, take_scan, finish_columns},
    {"gen.running", start_running_inner, take_running, finish_inner},
    {"gen.each", start_each, nullptr, finish_inner, each_index},
    {"gen.histogram", start_histogram, take_histogram, finish_columns},
    {"gen.scatter", start_scatter, take_scatter, finish_columns},
    {"gen.first", start_bucket, take_first, finish_first},
    {"gen.bucket", start_bucket, take_bucket, finish_buckets},
};

constexpr std::string_view feed_name = "feed", reversed_name = "gen.reversed";

// The arrays that the generator makes, from their last element to their first if `gen.reversed` is around it.
bool finish(Generator& g, Values& results) {
    const std::size_t first = results.size();
    if (!g.meaning->finish(g, results)) return false;
    if (!g.reversed) return true;
    for (std::size_t k = first; k < results.size(); ++k) {
        Buffer column(g.machine);
        if (!results[k].parts) continue; // empty
        if (!column.append(*results[k].parts)) return false;
        std::ranges::reverse(column.values());
        results[k] = column.finish();
    }
    return true;
}

bool start(Interpreter& machine, NodeId node, std::vector<Generator>& list) {
    auto name = [&] { return machine.context().symbols[machine.graph().operation(node).name]; };
    std::vector<NodeId> feeds;
    bool reversed = false;
    for (;; node = machine.graph().results(machine.graph().blocks(node)[0])[0]) {
        for (; name() == reversed_name; node = machine.graph().operand(node, 0)) reversed = !reversed;
        if (name() != feed_name) break;
        feeds.push_back(node);
    }
    auto found = std::ranges::find(generators, name(), &GeneratorMeaning::name);
    if (found == std::end(generators)) return machine.no_meaning(node, name());
    Generator& generator = list.emplace_back(machine);
    generator.node = node;
    generator.meaning = found;
    generator.feeds = std::move(feeds);
    generator.reversed = reversed;
    return found->start(generator);
}

// Runs the `feeds` from number k on, nested: the generator takes the values that the last emits.
bool feed_through(Generator& g, std::size_t k, std::uint32_t region);

bool feed(Generator& g, std::uint32_t region) { return feed_through(g, 0, region); }

bool feed_through(Generator& g, std::size_t k, std::uint32_t region) {
    Emitted emitted(g.machine);
    if (k < g.feeds.size()) {
        NodeId source = g.graph().operand(g.feeds[k], 0);
        std::uint32_t inner = g.machine.nested_region(region, g.graph().blocks(g.feeds[k])[0]);
        std::size_t width = g.machine.types().elements(g.graph().type(source)).size();
        if (!g.machine.run_emission(source, region, emitted)) return false;
        for (std::size_t i = 0; i < emitted.count; ++i) {
            if (!g.machine.enter_block(inner, std::span(emitted.values.values()).subspan(i * width, width)))
                return false;
            if (!feed_through(g, k + 1, inner)) return false;
            g.machine.leave();
        }
        return true;
    }
    if (g.meaning->at_index) return g.meaning->at_index(g, region);
    if (!g.machine.run_emission(g.emission(), region, emitted)) return false;
    std::size_t width = g.machine.types().elements(g.graph().type(g.emission())).size();
    for (std::size_t i = 0; i < emitted.count; ++i)
        if (!g.meaning->take(g, region, std::span(emitted.values.values()).subspan(i * width, width))) return false;
    return true;
}

bool loop(Site& site) {
    std::int64_t n = site.integer(0);
    if (!site.is_length(n)) return false;
    std::vector<Generator> list;
    for (NodeId generator : site.graph().results(site.graph().blocks(site.node())[0]))
        if (!start(site.machine, generator, list)) return false;
    for (std::int64_t i = 0; i < n; ++i) {
        Value index{static_cast<std::uint64_t>(i), nullptr};
        if (!site.machine.enter_block(site.step.blocks[0], {&index, 1})) return false;
        for (Generator& generator : list)
            if (!feed(generator, site.step.blocks[0])) return false;
        site.machine.leave();
    }
    for (Generator& generator : list)
        if (!finish(generator, site.results)) return false;
    return true;
}

constexpr Meaning loop_table[] = {{"loop", loop}};

} // namespace

std::span<const Meaning> loop_meanings() { return loop_table; }

bool is_generator(std::string_view name) {
    return name == feed_name || name == reversed_name ||
           std::ranges::find(generators, name, &GeneratorMeaning::name) != std::end(generators);
}

} // namespace irrewrite
