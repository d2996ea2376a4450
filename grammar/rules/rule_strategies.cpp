#include "grammar/rules/rule_strategies.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/rules/strategy_primitives.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

using StrategyKind = StrategyNode::Kind;

bool StrategyReader::is_primitive(std::string_view name) { return find_primitive_strategy(name); }

std::vector<RuleId> StrategyReader::rules_of(const Loading& loading, RuleSetId set) {
    std::vector<RuleId> rules;
    for (RuleId rule : loading.base[set].rules)
        if (!loading.delayed[rule.index]) rules.push_back(rule);
    return rules;
}

std::vector<RuleId> StrategyReader::rules_of_file(const Loading& loading, std::uint32_t file) {
    std::vector<RuleId> rules;
    for (RuleSetId set : loading.names.sets_of(file)) {
        if (loading.base[set].parameters) continue;
        const auto more = rules_of(loading, set);
        rules.insert(rules.end(), more.begin(), more.end());
    }
    return rules;
}

StrategyId StrategyReader::add(StrategyNode node, SyntaxId id) {
    node.where = file_.tree.span(id);
    return loading_.base.add(std::move(node));
}

StrategyId StrategyReader::fail(SyntaxId id, std::string text, std::string help) {
    const auto& node = file_.tree[id];
    const bool has_name = node.name_end > node.name_begin;
    loading_.diagnostics.error(has_name ? file_.tree.name_span(id) : file_.tree.span(id), std::move(text),
                               std::move(help));
    return add({.kind = StrategyKind::Fail}, id);
}

StrategyId StrategyReader::read(SyntaxId id) {
    if (depth_ == deepest) {
        fail(id, "a strategy nested deeper than " + std::to_string(deepest) + " levels");
        loading_.diagnostics.reach_limit();
        return add({.kind = StrategyKind::Fail}, id);
    }
    ++depth_;
    const StrategyId strategy = read_nested(id);
    --depth_;
    return strategy;
}

StrategyId StrategyReader::read_nested(SyntaxId id) {
    switch (file_.tree[id].kind) {
    case Kind::StrategyName: return named(id, {});
    case Kind::StrategyCall: return named(id, file_.tree.children_of(id));
    case Kind::StrategySeq: return compound(StrategyKind::Sequence, id);
    case Kind::StrategyChoice: return compound(StrategyKind::Choice, id);
    case Kind::StrategyIf: return compound(StrategyKind::If, id);
    case Kind::StrategyRec: return recursion(id);
    case Kind::Error: return add({.kind = StrategyKind::Fail}, id);
    default: return fail(id, "expected a strategy here");
    }
}

StrategyId StrategyReader::compound(StrategyKind kind, SyntaxId id) {
    const auto children = file_.tree.children_of(id);
    StrategyNode node{.kind = kind};
    node.first = read(children[0]);
    node.second = read(children[1]);
    if (children.size() > 2) node.third = read(children[2]);
    return add(std::move(node), id);
}

// The number of a recursion is its own: no two of a run share one.
StrategyId StrategyReader::recursion(SyntaxId id) {
    const StrategyId result = add({.kind = StrategyKind::Recursion}, id);
    recursive_.push_back({loading_.context.symbols.add(file_.tree.name(id)), result.index});
    const StrategyId body = read(file_.tree.children_of(id)[0]);
    recursive_.pop_back();
    StrategyNode& node = loading_.base.strategies[result.index];
    node.first = body;
    node.number = result.index;
    return result;
}

// -- names ----------------------------------------------------------------------------------------

// The innermost meaning: what the enclosing text binds, primitives, what this file declares, what those that it imports do, operations,
// and at last what other files declare. So no file changes the meaning of one that does not import it.
StrategyId StrategyReader::named(SyntaxId id, Arguments arguments) {
    if (auto found = local(id, arguments)) return *found;
    const bool blocks = std::ranges::any_of(
        arguments, [&](SyntaxId argument) { return file_.tree[argument].kind == Kind::StrategyBlock; });
    if (auto found = blocks ? std::nullopt : primitive(id, arguments)) return *found;
    for (const Names names : {Names::Own, Names::Imported})
        if (auto found = blocks ? std::nullopt : declared(id, arguments, names)) return *found;
    if (auto found = congruence(id, arguments)) return *found;
    if (auto found = blocks ? std::nullopt : declared(id, arguments, Names::All)) return *found;
    return unknown(id);
}

// Definitions, sets, rules, files.
std::optional<StrategyId> StrategyReader::declared(SyntaxId id, Arguments arguments, Names names) {
    const SymbolId name = loading_.context.symbols.add(file_.tree.name(id));
    for (NameKind kind : {NameKind::Definition, NameKind::Set, NameKind::Rule, NameKind::File}) {
        if (names == Names::Own && kind == NameKind::File) continue; // its own name is no thing that it declares
        auto found = names == Names::All ? loading_.names.find(name, kind, file_.number)
                                         : loading_.names.find_imported(name, kind, file_.number);
        if (names == Names::Own) std::erase_if(found, [&](const NamedItem& item) { return item.file != file_.number; });
        if (found.empty()) continue;
        return kind == NameKind::Definition ? definition(id, found, arguments) : item(id, kind, found, arguments);
    }
    return std::nullopt;
}

std::optional<StrategyId> StrategyReader::local(SyntaxId id, Arguments arguments) {
    const SymbolId name = loading_.context.symbols.add(file_.tree.name(id));
    const auto rec =
        std::find_if(recursive_.rbegin(), recursive_.rend(), [&](const Recursive& r) { return r.name == name; });
    const auto parameter = std::ranges::find(parameters, name);
    if (rec == recursive_.rend() && parameter == parameters.end()) return std::nullopt;
    if (!arguments.empty()) return fail(id, quoted(file_.tree.name(id)) + " takes no arguments");
    if (rec != recursive_.rend()) return add({.kind = StrategyKind::RecursionCall, .number = rec->number}, id);
    return add({.kind = StrategyKind::Argument, .number = static_cast<std::uint32_t>(parameter - parameters.begin())},
               id);
}

std::optional<StrategyId> StrategyReader::primitive(SyntaxId id, Arguments arguments) {
    const PrimitiveStrategy* found = find_primitive_strategy(file_.tree.name(id));
    if (!found) return std::nullopt;
    if (found->form == StrategyForm::Message) return message_call(found->kind, id, arguments);
    if (found->kind == StrategyKind::Inline && arguments.size() == 1) return inline_call(id, arguments[0]);
    const bool many = found->form == StrategyForm::Many;
    if (arguments.size() < found->arguments || (!many && arguments.size() > found->arguments))
        return fail(id,
                    quoted(found->name) + (many ? " takes at least " : " takes ") +
                        counted(found->arguments, "argument") + ", not " + std::to_string(arguments.size()),
                    "arguments stand in parentheses: '" + std::string(file_.tree.name(id)) + "(…)'");
    if (found->form == StrategyForm::Counted) return counted_call(found->kind, id, arguments, 0);
    if (many) return many_call(found->kind, id, arguments);
    if (found->form == StrategyForm::Limited) return counted_call(found->kind, id, arguments, 1);
    if (found->form == StrategyForm::Phase) return phase_call(found->kind, id, arguments);
    return primitive_call(found->kind, id, arguments);
}

StrategyId StrategyReader::primitive_call(StrategyKind kind, SyntaxId id, Arguments arguments) {
    StrategyNode node{.kind = kind};
    if (!arguments.empty()) node.first = read(arguments[0]);
    if (kind == StrategyKind::Flow) node.number = file_.tree.name(id) == "cautious-flow";
    return add(std::move(node), id);
}

// A number that is an argument.
std::optional<std::uint32_t> StrategyReader::number(SyntaxId argument) const {
    const bool is_number = file_.tree[argument].kind == Kind::Number;
    const auto value = is_number ? parse_scalar(TypeKind::U32, file_.tree.name(argument)) : std::nullopt;
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

// child(n, s), limit(n, s), saturate(s, n): the number stands at `place`.
StrategyId StrategyReader::counted_call(StrategyKind kind, SyntaxId id, Arguments arguments, std::size_t place) {
    StrategyNode node{.kind = kind};
    node.first = read(arguments[1 - place]);
    const auto count = number(arguments[place]);
    if (!count)
        return fail(arguments[place], std::string("the ") + (place ? "second" : "first") + " argument of " +
                                          quoted(file_.tree.name(id)) + " is a number, at most 4294967295");
    node.number = *count;
    return add(std::move(node), id);
}

// choose(s, t, u): choose(s, choose(t, u))
StrategyId StrategyReader::many_call(StrategyKind kind, SyntaxId id, Arguments arguments) {
    std::vector<StrategyId> parts;
    for (SyntaxId argument : arguments) parts.push_back(read(argument));
    StrategyId last = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 0;) last = add({.kind = kind, .first = parts[i], .second = last}, id);
    return last;
}

// inline(n)
StrategyId StrategyReader::inline_call(SyntaxId id, SyntaxId most) {
    const auto nodes = number(most);
    if (nodes.value_or(0) == 0) return fail(most, "the argument of 'inline' is a number of nodes, at least 1");
    return add({.kind = StrategyKind::Inline, .number = *nodes}, id);
}

// delay(p, s)
StrategyId StrategyReader::phase_call(StrategyKind kind, SyntaxId id, Arguments arguments) {
    if (file_.tree[arguments[0]].kind != Kind::StrategyName)
        return fail(arguments[0], "the first argument of " + quoted(file_.tree.name(id)) + " is a phase");
    StrategyNode node{.kind = kind};
    const SymbolId name = loading_.context.symbols.add(file_.tree.name(arguments[0]));
    node.text =
        loading_.use_phase({Loading::PhaseUse::What::Delay, name, file_.tree.name_span(arguments[0])}, file_.number);
    node.first = read(arguments[1]);
    return add(std::move(node), id);
}

// log, log("text"), log(s), log("text", s), log(s, "text")
StrategyId StrategyReader::message_call(StrategyKind kind, SyntaxId id, Arguments arguments) {
    StrategyNode node{.kind = kind};
    for (SyntaxId argument : arguments) {
        if (file_.tree[argument].kind == Kind::String && !node.text)
            node.text = loading_.context.symbols.add(unescape(file_.tree.name(argument)));
        else if (!node.first)
            node.first = read(argument);
        else
            return fail(id, quoted(file_.tree.name(id)) + " takes a text and a strategy");
    }
    if (!node.first) node.first = add({.kind = StrategyKind::Id}, id);
    return add(std::move(node), id);
}

// Definitions of one name differ in the number of their parameters.
StrategyId StrategyReader::definition(SyntaxId id, std::span<const NamedItem> found, Arguments arguments) {
    const auto fits = std::ranges::find(found, arguments.size(), &NamedItem::parameters);
    if (fits == found.end())
        return fail(id, quoted(file_.tree.name(id)) + " takes " + counted(found[0].parameters, "argument") + ", not " +
                            std::to_string(arguments.size()));
    StrategyNode node{.kind = StrategyKind::Call, .definition = fits->index};
    node.owner = owner_;
    const std::vector<bool> terms = loading_.base.definitions[fits->index].is_term;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!terms[i])
            node.args.push_back(read(arguments[i]));
        else if (is_term(arguments[i]))
            node.terms.push_back(term_(arguments[i]));
        else
            return fail(arguments[i],
                        "argument " + std::to_string(i + 1) + " of " + quoted(file_.tree.name(id)) + " is a term",
                        "write a metavariable or a literal");
    }
    return add(std::move(node), id);
}

bool StrategyReader::is_term(SyntaxId id) const {
    const Kind kind = file_.tree[id].kind;
    return kind == Kind::Number || kind == Kind::String || kind == Kind::Meta || kind == Kind::Value ||
           kind == Kind::MetaLiteral || kind == Kind::Bool;
}

// -- rules, sets and files
// --------------------------------------------------------------------------

StrategyId StrategyReader::item(SyntaxId id, NameKind kind, std::span<const NamedItem> found, Arguments arguments) {
    if (found.size() > 1) return ambiguous(id, found);
    const std::uint32_t index = found[0].index;
    switch (kind) {
    case NameKind::Set: {
        const RuleSetId set{index};
        if (rules_of(loading_, set).empty() && !loading_.base[set].rules.empty())
            loading_.late_sets.push_back({set, file_.tree.name_span(id)});
        return rules(id, rules_of(loading_, set), loading_.base[set].parameters, arguments);
    }
    case NameKind::Rule: return rules(id, {RuleId{index}}, loading_.base[RuleId{index}].parameters, arguments);
    default: return rules(id, rules_of_file(loading_, index), 0, arguments);
    }
}

StrategyId StrategyReader::rules(SyntaxId id, std::vector<RuleId> rules, std::size_t parameters, Arguments arguments) {
    if (arguments.size() != parameters)
        return fail(id, quoted(file_.tree.name(id)) + " takes " + counted(parameters, "argument") + ", not " +
                            std::to_string(arguments.size()));
    StrategyNode node{.kind = StrategyKind::Rules, .rules = std::move(rules)};
    node.owner = owner_;
    for (SyntaxId argument : arguments) {
        if (!is_term(argument))
            return fail(argument, quoted(file_.tree.name(id)) + " takes terms", "write a metavariable or a literal");
        node.terms.push_back(term_(argument));
    }
    return add(std::move(node), id);
}

// Operations by name; `core.not`, with the file that declares it, where a strategy has that name too.
std::span<const OpId> StrategyReader::operations_named(std::string_view name) const {
    const Context& context = loading_.context;
    const Operations& operations = context.operations;
    const auto named = [&](std::string_view text) {
        const auto symbol = context.symbols.find(text);
        return symbol ? operations.find(*symbol) : std::span<const OpId>{};
    };
    if (const auto found = named(name); !found.empty()) return found;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return {};
    const auto found = named(name.substr(dot + 1));
    const bool declared_there = std::ranges::any_of(found, [&](OpId op) {
        const SourceId source = operations[op].where.source;
        if (!source) return false;
        std::string_view file = context.sources[source].name;
        file.remove_prefix(file.rfind('/') + 1);
        return file.substr(0, file.rfind('.')) == name.substr(0, dot);
    });
    return declared_there ? found : std::span<const OpId>{};
}

// Blocks are told apart by their labels, as in the IR; all of them, or none.
bool StrategyReader::takes_blocks(OpId op, Arguments blocks) const {
    const auto& declared = loading_.context.operations[op].signature.blocks;
    if (blocks.empty()) return true;
    return std::ranges::equal(blocks, declared, [&](SyntaxId block, const BlockSignature& signature) {
        const std::string_view label = file_.tree.label(block);
        return label == (signature.label ? loading_.context.symbols[signature.label] : std::string_view{});
    });
}

// `mul(s, t)`, `map(s) {t}`: the overload with so many operands.
std::optional<StrategyId> StrategyReader::congruence(SyntaxId id, Arguments arguments) {
    const Operations& operations = loading_.context.operations;
    const auto overloads = operations_named(file_.tree.name(id));
    if (overloads.empty()) return std::nullopt;
    const auto first_block =
        std::ranges::find(arguments, Kind::StrategyBlock, [&](SyntaxId argument) { return file_.tree[argument].kind; });
    const auto operands = static_cast<std::size_t>(first_block - arguments.begin());
    const Arguments blocks = arguments.subspan(operands);
    const auto fits = std::find_if(overloads.rbegin(), overloads.rend(), [&](OpId op) {
        return operations.accepts(op, operands) && takes_blocks(op, blocks);
    });
    if (fits == overloads.rend()) {
        if (loading_.diagnostics.is_spoiled(file_.tree.name(id))) return std::nullopt; // meant another one
        const bool counts = std::ranges::any_of(overloads, [&](OpId op) { return operations.accepts(op, operands); });
        return fail(id, "the operation " + quoted(file_.tree.name(id)) +
                            (counts ? std::string(" does not have these blocks")
                                    : " does not take " + counted(operands, "operand")));
    }
    StrategyNode node{.kind = StrategyKind::Congruence, .number = static_cast<std::uint32_t>(operands), .op = *fits};
    for (SyntaxId argument : arguments)
        node.args.push_back(
            read(file_.tree[argument].kind == Kind::StrategyBlock ? file_.tree.children_of(argument)[0] : argument));
    return add(std::move(node), id);
}

Span StrategyReader::place(const NamedItem& item) const {
    if (item.kind == NameKind::Set) return loading_.base.sets[item.index].where;
    if (item.kind == NameKind::Rule) return loading_.base.rules[item.index].where;
    return {};
}

StrategyId StrategyReader::ambiguous(SyntaxId id, std::span<const NamedItem> items) {
    const Symbols& symbols = loading_.context.symbols;
    const auto full_name = [&](const NamedItem& item) {
        if (item.kind == NameKind::Set) return std::string(symbols[loading_.base.sets[item.index].full_name]);
        if (item.kind == NameKind::Rule) return std::string(symbols[loading_.base.rules[item.index].full_name]);
        return std::string(symbols[loading_.names.file_name(item.index)]);
    };
    const std::string first = full_name(items[0]), second = full_name(items[1]);
    auto& diagnostic = loading_.diagnostics.error(
        file_.tree.name_span(id), quoted(file_.tree.name(id)) + " may mean '" + first + "' or '" + second + "'");
    for (const NamedItem& item : items)
        if (place(item).source) diagnostic.notes.push_back({place(item), quoted(full_name(item)) + " is here"});
    return add({.kind = StrategyKind::Fail}, id);
}

StrategyId StrategyReader::unknown(SyntaxId id) {
    auto known = loading_.names.all({NameKind::Definition, NameKind::Set, NameKind::Rule, NameKind::File});
    for (const PrimitiveStrategy& primitive : primitive_strategies) known.push_back(primitive.name);
    const std::string_view name = file_.tree.name(id);
    std::string help = suggestion(name, known);
    if (help.empty() && find_rule_file(std::string(name) + ".rules", {}, {}))
        help = "this is the name of a rule file: 'import \"" + std::string(name) + ".rules\"'";
    loading_.diagnostics.unknown(file_.tree.name_span(id), "strategy", name, std::move(help));
    return add({.kind = StrategyKind::Fail}, id);
}

} // namespace irrewrite::grammar
