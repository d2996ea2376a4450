// `-j`: the functions of one text on several processes. Each takes some megabytes of text, and of those a piece at a
// time, whatever `-j`, so that only the graphs of one piece are alive at a time, in memory that is used again.
#include "engine/driver/tool.hpp"

#include "engine/driver/watched_limits.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/split_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <thread>

namespace irrewrite {

namespace {
// Bytes of text. Tests make them small: IRREWRITE_PART_SIZE.
std::size_t part_size() {
    std::size_t size = std::size_t{1} << 20;
    if (const char* wanted = std::getenv("IRREWRITE_PART_SIZE"))
        std::from_chars(wanted, wanted + std::strlen(wanted), size);
    return std::max<std::size_t>(size, 1);
}

// Fuel that a share of the parts took, and the nodes of their programs, of which the limit depends.
struct Spent {
    std::uint64_t rewrites = 0, on_graph = 0;
    std::size_t nodes = 0;

    std::string text() const {
        return std::to_string(rewrites) + ' ' + std::to_string(on_graph) + ' ' + std::to_string(nodes);
    }
    static Spent read(const std::string& text) {
        Spent spent;
        std::istringstream(text) >> spent.rewrites >> spent.on_graph >> spent.nodes;
        return spent;
    }
    void operator+=(const Spent& other) {
        rewrites += other.rewrites, on_graph += other.on_graph, nodes += other.nodes;
    }
};

constexpr std::size_t parts_of_a_process = 16; // at most; it keeps their texts

} // namespace

// Rewrites and prints the pieces of a text of independent functions in parallel. Nothing: the text must be treated as a
// whole, because of the options or because there is something to report.
std::optional<int> Tool::run_parts(const RewriteOptions& how) {
    bool plain = accepts(&printers::Printer::by_function) && options_.run.empty() && options_.stats.empty() &&
                 !how.trace && options_.why_not.empty() && options_.diff.empty() && !options_.verify &&
                 !options_.verify_each && how.max_rewrites == UINT64_MAX && !options_.input.ends_with(".json") &&
                 options_.syntax.empty();
    if (!plain) return std::nullopt;
    if (!read_text()) return report(Wrong);
    const std::size_t jobs = options_.jobs
                                 ? options_.jobs
                                 : processes_that_pay(text_->size(), std::thread::hardware_concurrency(), part_size());
    const auto parts = independent_parts(*text_, std::max<std::size_t>(jobs, text_->size() / part_size()));
    if (parts.size() < 2) return std::nullopt;
    const std::span<const std::string_view> all = parts;
    const std::size_t least = (all.size() + parts_of_a_process - 1) / parts_of_a_process;
    const std::size_t shares = std::min(std::max<std::size_t>(jobs, least), all.size());
    const auto begin = [&](std::size_t share) { return all.size() * share / shares; };
    const auto work = [&](std::size_t i) {
        return rewrite_parts(all.subspan(begin(i), begin(i + 1) - begin(i)), i == 0, how);
    };
    const Activity activity([&] { return "rewriting parts of '" + options_.input + "'"; }, Activity::Kind::Asks);
    auto printed = in_processes(shares, jobs, work);
    if (!printed) return std::nullopt;
    Spent spent;
    for (std::string& share : *printed) {
        const std::size_t end = share.rfind('\n') + 1;
        spent += Spent::read(share.substr(end));
        share.resize(end);
    }
    if (spent.rewrites > how.fuel || spent.on_graph > graph_fuel(spent.nodes)) return std::nullopt;
    return write(*printed) ? report(Done) : report(Wrong);
}

// Returns the printed pieces, and in the last line what they spent; nothing if there is more to report.
std::optional<std::string> Tool::rewrite_parts(std::span<const std::string_view> parts, bool first,
                                               const RewriteOptions& how) {
    watch_limits_again();
    std::string text;
    std::size_t nodes = 0;
    for (std::string_view part : parts) {
        if (!std::exchange(first, false)) text += '\n'; // an empty line between functions
        if (!rewrite_part(part, how, text, nodes)) return std::nullopt;
    }
    return text + Spent{log_.spent, log_.spent - log_.term_rewrites + log_.passes, nodes}.text();
}

// `nodes`: of the program so far.
bool Tool::rewrite_part(std::string_view part, RewriteOptions how, std::string& text, std::size_t& nodes) {
    Module module;
    if (!pipeline_.read_program(context_.sources.add("part", part), module)) return false;
    const std::size_t functions = module.functions.size();
    nodes += node_count(module);
    how.graph_fuel = graph_fuel(nodes);
    const bool finished = pipeline_.run_phases(module, how, log_);
    const bool silent =
        log_.broken.empty() && log_.warnings.empty() && log_.steps.empty() && diagnostics_.all().empty();
    const auto is_renamed = [](const Function& function) { return bool(function.was); };
    if (!finished || !silent || module.functions.size() != functions ||
        std::ranges::any_of(module.functions, is_renamed))
        return false;
    pipeline_.settle(module);
    const std::optional<printers::Printed> printed = pipeline_.print(module);
    for (const std::string& piece : printed->pieces) text += piece;
    return true;
}

} // namespace irrewrite
