// Reads strategies of rule files: names are resolved, `try`, `repeat` and the like are calls of the definitions in
// rules/strategies.rules.
#pragma once

#include "grammar/rules/rule_loading.hpp"

#include <functional>

namespace irrewrite::grammar {

class StrategyReader {
  public:
    // Reads an argument that is a term.
    using ReadTerm = std::function<TermId(SyntaxId)>;

    // `owner`: whose terms those are, when it is not the rule that mentions the strategy.
    StrategyReader(Loading& loading, RuleFile file, ReadTerm term, RuleId owner = {})
        : loading_(loading), file_(file), term_(std::move(term)), owner_(owner) {}

    // The parameters of the definition whose body is read.
    std::span<const SymbolId> parameters;

    // Always a strategy: `fail` replaces a wrong one.
    StrategyId read(SyntaxId id);

    // The rules that the strategy of a set or a file applies.
    static std::vector<RuleId> rules_of(const Loading& loading, RuleSetId set);
    static std::vector<RuleId> rules_of_file(const Loading& loading, std::uint32_t file);
    static bool is_primitive(std::string_view name);

  private:
    using Arguments = std::span<const SyntaxId>;
    StrategyId read_nested(SyntaxId id);
    StrategyId add(StrategyNode node, SyntaxId id);
    StrategyId fail(SyntaxId id, std::string text, std::string help = {});
    StrategyId compound(StrategyNode::Kind kind, SyntaxId id);
    StrategyId recursion(SyntaxId id);
    StrategyId named(SyntaxId id, Arguments arguments);
    std::optional<StrategyId> local(SyntaxId id, Arguments arguments);
    std::optional<StrategyId> primitive(SyntaxId id, Arguments arguments);
    StrategyId primitive_call(StrategyNode::Kind kind, SyntaxId id, Arguments arguments);
    StrategyId many_call(StrategyNode::Kind kind, SyntaxId id, Arguments arguments);
    std::optional<std::uint32_t> number(SyntaxId argument) const;
    StrategyId counted_call(StrategyNode::Kind kind, SyntaxId id, Arguments arguments, std::size_t place);
    StrategyId inline_call(SyntaxId id, SyntaxId most);
    StrategyId phase_call(StrategyNode::Kind kind, SyntaxId id, Arguments arguments);
    StrategyId message_call(StrategyNode::Kind kind, SyntaxId id, Arguments arguments);
    enum class Names : std::uint8_t { Own, Imported, All };
    std::optional<StrategyId> declared(SyntaxId id, Arguments arguments, Names names);
    StrategyId definition(SyntaxId id, std::span<const NamedItem> found, Arguments arguments);
    StrategyId item(SyntaxId id, NameKind kind, std::span<const NamedItem> found, Arguments arguments);
    StrategyId rules(SyntaxId id, std::vector<RuleId> rules, std::size_t parameters, Arguments arguments);
    std::optional<StrategyId> congruence(SyntaxId id, Arguments arguments);
    std::span<const OpId> operations_named(std::string_view name) const;
    bool is_term(SyntaxId id) const;
    bool takes_blocks(OpId op, Arguments blocks) const;
    StrategyId ambiguous(SyntaxId id, std::span<const NamedItem> items);
    StrategyId unknown(SyntaxId id);
    Span place(const NamedItem& item) const;

    static constexpr unsigned deepest = 500;

    Loading& loading_;
    RuleFile file_;
    ReadTerm term_;
    RuleId owner_;
    struct Recursive {
        SymbolId name;
        std::uint32_t number;
    };
    std::vector<Recursive> recursive_; // the enclosing `rec`s
    unsigned depth_ = 0;
};

} // namespace irrewrite::grammar
