// Groups of rules that are active together, and the data that the checks of `-lint` share.
#pragma once

#include "engine/generate/instance.hpp"
#include "engine/lint/lint.hpp"
#include "engine/rewrite/rewriter.hpp"

#include <map>
#include <set>

namespace irrewrite {

// The rules of one phase; of a strategy that none uses; of a set that none runs; or of all sets that `normalize` names.
struct Group {
    std::string name;
    Phase phase;               // runs them
    std::vector<RuleId> rules; // in the order in which they are tried; those of normalizing sets are not repeated here
    std::vector<RuleId> again; // those of them that something applies again and again
    bool named = false;        // stands in one of the files asked about
    bool normalizes = false;
    bool alone = false; // a set that no phase runs: nothing says how often its rules are applied
    Span where{};
    std::vector<RuleId> compared{}; // those of which something takes the result only where it is cheaper
};

struct Finding {
    Span where;
    std::string text;               // what is found, in one line
    std::vector<std::string> lines; // what shows it
};

// The rules of a run, ready to be applied.
struct Lint {
    Lint(const CheckTools& tools, std::span<const std::string> files);

    bool is_named(Span where) const { return irrewrite::is_named(world->context, where, files); }
    const Rule& operator[](RuleId id) const { return world->base[id]; }
    bool is_ordered(RuleId id) const { return world->base[(*this)[id].set].ordered; }
    std::string name(RuleId id) const { return std::string(world->context.symbols[(*this)[id].full_name]); }
    std::string place(Span where) const; // `file:3:1`
    std::string of(RuleId id) const;     // its name and location
    void find(Span where, std::string text, std::vector<std::string> lines = {});
    std::string show(const Function& function) const;

    // Rewrites the function with the group's rules; the log has an error if that did not terminate.
    RewriteLog run(const Group& group, Function& function, std::uint64_t fuel, bool trace = false);

    // Rules make functions here, and find those of the rule files.
    struct Functions {
        Functions(const Lint& lint, Rewriter& rewriter) : made(lint.world->context, program, lint.world->functions) {
            rewriter.make_functions(made);
        }
        Module program; // without functions
        NewFunctions made;
    };

    const CheckTools& tools;
    std::span<const std::string> files;
    std::unique_ptr<RuleWorld> world;
    RuleBase alone; // the same without normalizing
    Vocabulary vocabulary;
    Vocabulary terms; // with operations of the files: conditions may ask about them
    std::shared_ptr<RuleIndices> indices;
    std::vector<RuleId> normalizing;
    std::vector<Group> groups;
    std::vector<Finding> findings;
    std::vector<std::string> remarks;         // that are no findings
    std::vector<std::string> decided;         // overlaps whose results the order of the rules decides
    std::set<std::string> endless;            // groups whose rules were seen to cycle
    std::set<std::string> spent;              // groups that took all rewrites of an instance
    std::map<std::string, unsigned> followed; // of those, instances that were followed to their end for another cycle
    std::set<RuleId> dead;                    // rules that never fire: nothing else is said about them

  private:
    void find_groups();
    void find_unused_strategies();
};

} // namespace irrewrite
