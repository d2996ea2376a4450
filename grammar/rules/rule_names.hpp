// Names of rules and sets, as strategies use them: `add-zero`, `identities.add-zero`, `arith.identities`, `arith`.
// Everything is entered under each way of writing it; sets of one name in two files are two sets: that of the present
// file goes before those of files that it imports, and these go before others.
#pragma once

#include "engine/rules/rule.hpp"
#include "grammar/syntax/syntax.hpp"

#include <span>

namespace irrewrite::grammar {

enum class NameKind : std::uint8_t { Definition, Set, Rule, File };

struct NamedItem {
    NameKind kind;
    std::uint32_t index; // of the definition, set, rule or file
    std::uint32_t file;
    std::uint32_t parameters; // tells definitions of one name apart
};

inline constexpr std::uint32_t strategies_file = 0; // strategies.rules, which all files import

class RuleNames {
  public:
    explicit RuleNames(Symbols& symbols) : symbols_(symbols) {}

    // `imports`: the files that it names; what those import is seen, too.
    std::uint32_t add_file(SymbolId name, std::span<const std::uint32_t> imports = {});
    void add_set(const RuleBase& base, RuleSetId set, std::uint32_t file);
    void add_rule(const RuleBase& base, RuleId rule, std::uint32_t file);
    void add_definition(SymbolId name, std::uint32_t definition, std::uint32_t parameters, std::uint32_t file);

    std::size_t files() const { return files_.size(); }
    SymbolId file_name(std::uint32_t file) const { return files_[file].name; }
    std::span<const RuleSetId> sets_of(std::uint32_t file) const { return files_[file].sets; }

    // All things of that kind with the name; those of `file` alone where it has any. Those of files that it does not
    // import are left out where one that it imports has as many parameters.
    std::vector<NamedItem> find(SymbolId name, NameKind kind, std::uint32_t file) const;
    // Those of the file itself and of the files that it imports.
    std::vector<NamedItem> find_imported(SymbolId name, NameKind kind, std::uint32_t file) const;
    // All names, for suggestions.
    std::vector<std::string_view> all(std::initializer_list<NameKind> kinds) const;

  private:
    struct File {
        SymbolId name;
        std::vector<RuleSetId> sets;
        std::vector<bool> seen; // files
        bool sees(std::uint32_t file) const { return file < seen.size() && seen[file]; }
    };
    void add(std::string_view name, NamedItem item);

    Symbols& symbols_;
    std::vector<File> files_;
    std::unordered_map<SymbolId, std::vector<NamedItem>> items_;
    std::vector<SymbolId> order_; // keys of items_ in the order they were entered
};

// An error where two parameters of a set or a strategy, `what`, have one name.
void refuse_twins(const SyntaxTree& tree, SyntaxId declaration, std::string_view what, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
