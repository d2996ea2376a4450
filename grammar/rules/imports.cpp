#include "grammar/rules/imports.hpp"

#include "engine/support/read_all.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/syntax/suggest.hpp"
#include "grammar/syntax/syntax.hpp"

#include <algorithm>
#include <new>

namespace irrewrite::grammar {

namespace {

// One name for a file, however it is reached.
std::string key_of(const std::filesystem::path& path) {
    std::error_code error;
    const auto canonical = std::filesystem::canonical(path, error);
    if (error == std::errc::not_enough_memory) throw std::bad_alloc(); // else a file would have two keys
    return (error ? path : canonical).string();
}

} // namespace

void Imports::skip(const std::filesystem::path& path) { states_[key_of(path)] = State::Done; }

bool Imports::add(const std::string& name) { return follow(open({name, {}})); }

bool Imports::add_text(const std::string& name, std::string text) {
    note("text " + name, false);
    visit(name, "text " + name, std::move(text));
    return follow(true);
}

bool Imports::follow(bool ok) {
    while (!path_.empty()) {
        Visit& visit = path_.back();
        if (visit.next < visit.imports.size()) {
            const ImportLine import = visit.imports[visit.next++];
            ok = open(import) && ok;
            continue;
        }
        states_[visit.file.key] = State::Done;
        order_.push_back(std::move(visit.file));
        path_.pop_back();
    }
    return ok;
}

void Imports::note(const std::string& key, bool for_sets) { named_[importer()].push_back({key, for_sets}); }

std::set<std::string> Imports::reached(bool running) const {
    std::set<std::string> seen;
    std::vector<std::string> stack{run_};
    while (!stack.empty()) {
        const auto named = named_.find(stack.back());
        stack.pop_back();
        if (named == named_.end()) continue;
        for (const Named& file : named->second)
            if (!(running && file.for_sets) && seen.insert(file.key).second) stack.push_back(file.key);
    }
    return seen;
}

const std::vector<RuleText>& Imports::order() {
    const auto taken = reached(false), running = reached(true);
    std::unordered_map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        RuleText& text = order_[i];
        text.taken = taken.contains(text.key);
        text.runs = running.contains(text.key);
        text.imports.clear();
        for (const Named& file : named_[text.key])
            if (const auto at = positions.find(file.key); at != positions.end()) text.imports.push_back(at->second);
        positions.emplace(text.key, i);
    }
    return order_;
}

bool Imports::open(const ImportLine& import) {
    const auto from = path_.empty() ? std::filesystem::path{} : path_.back().file.path;
    const auto path = find_rule_file(import.path, include_dirs_, from);
    if (path) return start(*path, import);
    report_missing(import.path, import.span);
    return false;
}

bool Imports::start(const std::filesystem::path& path, const ImportLine& import) {
    const std::string key = key_of(path);
    const Span where = import.span;
    note(key, import.for_sets);
    const auto known = states_.find(key);
    if (known != states_.end()) {
        if (known->second == State::Done) return true;
        report_cycle(key, path, where);
        return false;
    }
    constexpr std::size_t most_are_shorter = 1 << 14;
    ReadFailure why{};
    auto text = read_all_of<std::string>(path, most_are_shorter, why);
    if (why == ReadFailure::TooLarge) {
        diagnostics_.limit(where, larger_than_allowed(path.string()), input_limit_help);
        return false;
    }
    if (!text) {
        diagnostics_.error(where, "cannot read the rule file '" + path.string() + "': " + why_unreadable(path));
        return false;
    }
    visit(path, key, std::move(*text));
    return true;
}

void Imports::visit(const std::filesystem::path& path, std::string key, std::string text) {
    states_[key] = State::Open;
    const SourceId source = sources_.add(path.string(), std::move(text));
    Visit visit{{source, path, std::move(key)}, scan_imports(sources_, source), 0};
    path_.push_back(std::move(visit));
}

// a.rules imports b.rules imports a.rules
void Imports::report_cycle(const std::string& key, const std::filesystem::path& path, Span where) {
    std::string chain;
    const auto first = std::ranges::find_if(path_, [&](const Visit& visit) { return visit.file.key == key; });
    for (auto visit = first; visit != path_.end(); ++visit) chain += visit->file.path.filename().string() + " imports ";
    diagnostics_.error(where, "these files import each other: " + chain + path.filename().string());
}

void Imports::report_missing(const std::string& name, Span where) {
    std::vector<std::string> places;
    if (!path_.empty()) {
        const auto beside = path_.back().file.path.parent_path();
        places.push_back(beside.empty() ? "." : beside.string());
    } else {
        places.push_back(".");
    }
    for (const auto& dir : include_dirs_) places.push_back(dir.string());
    if (auto installed = installed_rules()) places.push_back(installed->string());
    std::vector<std::string> files;
    for (const std::string& place : places) {
        std::error_code unreadable;
        for (std::filesystem::directory_iterator entry(place, unreadable), end; entry != end;
             entry.increment(unreadable))
            if (entry->path().extension() == ".rules") files.push_back(entry->path().filename().string());
    }
    std::ranges::sort(files);
    auto& diagnostic = diagnostics_.error(where, "cannot find the rule file '" + name + "'",
                                          suggestion(name, {files.begin(), files.end()}));
    for (const std::string& place : places) diagnostic.notes.push_back({std::nullopt, "looked in '" + place + "'"});
}

} // namespace irrewrite::grammar
