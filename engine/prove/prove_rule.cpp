// Both sides are built as graphs in which literals are parameters as well, and each node becomes a definition of the
// script. Conditions that are about more than values are left out: without them more is proven.
#include "engine/prove/prove_rule.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/generate/instance.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/prove/open_attributes.hpp"
#include "engine/prove/open_rule.hpp"
#include "engine/prove/promises.hpp"
#include "engine/prove/provable.hpp"
#include "engine/prove/prove_cases.hpp"
#include "engine/prove/smt.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

// One combination of types.
class Question {
  public:
    Question(RuleWorld& world, const Rule& rule, const Rule& open, const Vocabulary& vocabulary, TypeKind kind)
        : world_(world), rule_(rule), open_(open), function_(world.context), choices_(Tape{}) {
        style_.plain = true;
        style_.palette = {{kind}, false};
        instance_ =
            std::make_unique<Instance>(world.context, world.functions, open, vocabulary, choices_, style_, function_);
    }

    // The script; none: there is none for these types.
    std::optional<std::string> script() {
        if (!instance_->build(Setting::Alone) || function_.results.size() != 1) return std::nullopt;
        bindings_ = instance_->bindings();
        Graph& graph = function_.graph;
        NodeId left = function_.results[0];
        doubtful_ = doubtful_parameters(function_, rule_, bindings_, left, world_.context.symbols);
        auto right = build(open_.right[0], graph.type(left));
        if (!right || graph.type(*right) != graph.type(left)) return std::nullopt;
        std::string asked;
        for (const Condition& c : rule_.conditions)
            if (auto holds = condition(c)) asked += "(assert " + *holds + ")\n";
        for (const Term& term : rule_.terms)
            if (term.kind == TermKind::Compute)
                if (auto node = build(term.operands[0], {}); node && define(*node))
                    asked += "(assert " + defined(*node) + ")\n";
        std::vector<NodeId> sides{left, *right};
        const Promises promises = add_promises(world_.context, graph, sides);
        if (!expand(sides)) return std::nullopt;
        for (NodeId side : sides)
            if (!define(side)) return std::nullopt;
        std::string same = "(and true";
        for (std::size_t k = 0; k < parts(sides[0]).size(); ++k)
            same += " (= " + value(sides[0], k) + " " + value(sides[1], k) + ")";
        same += ")";
        const auto holds = [&](NodeId node) { return "(and " + defined(node) + " (= " + value(node) + " #b1))"; };
        if (promises.agrees) same = "(or " + same + " " + holds(sides[2]) + ")";
        for (std::size_t i = promises.agrees ? 3 : 2; i < sides.size(); ++i)
            i < promises.required ? asked += "(assert " + holds(sides[i]) + ")\n" : same += " " + holds(sides[i]);
        asked += "(assert " + defined(sides[0]) + ")\n";
        given_ = "(set-logic QF_BV)\n" + definitions_ + asked;
        asked_ = "(assert (not (and " + defined(sides[1]) + " " + same + ")))\n(check-sat)\n(get-value (" +
                 parameters() + "))\n";
        return given_ + asked_;
    }
    // The integers among the parameters.
    std::vector<std::pair<std::string, TypeKind>> integers() const {
        std::vector<std::pair<std::string, TypeKind>> out;
        for (const Parameter& p : function_.params) {
            const std::vector<TypeKind> kinds = *scalars(p.type);
            for (std::size_t k = 0; k < kinds.size(); ++k)
                if (kinds[k] != TypeKind::Bool) out.emplace_back(parameter(p, k), kinds[k]);
        }
        return out;
    }
    // The script in its parts: what holds, and that the sides differ.
    Script parts_of_script() const { return {given_, asked_, integers()}; }
    std::string types() const {
        std::string out;
        for (const Parameter& p : function_.params) out += (out.empty() ? "" : ", ") + type_text(p.type);
        return out.empty() ? type_text(function_.result_types[0]) : out;
    }
    // `((x #x80) (k #x01))` as `x = -128, k = 1`.
    std::string values(const std::string& model) const {
        std::string out;
        for (const Parameter& p : function_.params) {
            if (faults(p, model)) {
                out += (out.empty() ? "" : ", ") + std::string(world_.context.symbols[p.name]) + " faults";
                continue;
            }
            const std::vector<TypeKind> kinds = *scalars(p.type);
            for (std::size_t k = 0; k < kinds.size(); ++k) {
                std::string name = parameter(p, k) + " #";
                std::size_t at = model.find(name);
                if (at == std::string::npos) {
                    name.erase(std::remove(name.begin(), name.end(), '|'), name.end());
                    at = model.find("(" + name);
                    if (at == std::string::npos) continue;
                    ++at;
                }
                at += name.size();
                std::uint64_t bits = std::strtoull(model.c_str() + at + 1, nullptr, model[at] == 'x' ? 16 : 2);
                if (kinds[k] != TypeKind::Bool) bits = wrap(kinds[k], bits);
                const std::string shown = parameter(p, k);
                out +=
                    (out.empty() ? "" : ", ") + shown.substr(1, shown.size() - 2) + " = " + scalar_text(kinds[k], bits);
            }
        }
        return out;
    }

  private:
    std::string type_text(TypeId type) const { return world_.context.types.text(type, world_.context.symbols); }
    std::string parameters() const {
        std::string out;
        for (const Parameter& p : function_.params) {
            for (std::size_t k = 0; k < scalars(p.type)->size(); ++k) out += (out.empty() ? "" : " ") + parameter(p, k);
            if (doubtful_.contains(p.name) && declared_.contains(has_value(p))) out += " " + has_value(p);
        }
        return out.empty() ? "true" : out;
    }
    // The name of a parameter; of a part of one that is a tuple or a struct.
    std::string parameter(const Parameter& p, std::size_t k) const {
        const std::string name(world_.context.symbols[p.name]);
        return scalars(p.type)->size() == 1 ? "|" + name + "|" : "|" + name + "." + std::to_string(k) + "|";
    }
    // Of a parameter that may fault.
    std::string has_value(const Parameter& p) const {
        return "|" + std::string(world_.context.symbols[p.name]) + " has a value|";
    }
    bool faults(const Parameter& p, const std::string& model) const {
        return doubtful_.contains(p.name) && model.find(has_value(p) + " false") != std::string::npos;
    }
    std::optional<std::vector<TypeKind>> scalars(TypeId type) const { return scalar_parts(world_.context.types, type); }
    std::vector<TypeKind> parts(NodeId node) const {
        return scalars(function_.graph.type(node)).value_or(std::vector<TypeKind>{});
    }

    // Operations as what they mean; types as what they become. False: something has no meaning.
    bool expand(std::vector<NodeId>& sides) {
        const auto is_plain = [&](NodeId node) {
            const Operation& operation = function_.graph.operation(node);
            return operation.core != Core::Call && (operation.core != Core::None || operation.primitive >= 0);
        };
        const auto nodes = reachable(function_.graph, sides);
        if (std::ranges::all_of(nodes, [&](NodeId n) { return function_.graph.is_param(n) || is_plain(n); }) &&
            std::ranges::all_of(function_.params, [&](const Parameter& p) { return scalars(p.type).has_value(); }))
            return true;
        Module module;
        Function& made = module.add(world_.context, world_.context.symbols.add("sides"));
        made = std::move(function_);
        made.name = world_.context.symbols.add("sides");
        made.results = sides, made.result_types.clear();
        for (NodeId side : sides) made.result_types.push_back(made.graph.type(side));
        const auto is_primitive = [](const Operation& operation) { return operation.primitive >= 0; };
        const bool fault = expand_for_evaluation(world_.context, world_.base, module, world_.functions, 0) ||
                           expand_operations(world_.base, module, world_.functions, is_primitive);
        if (!fault)
            for (unsigned round = 0; round < most_calls && inline_calls(module, SIZE_MAX / 2); ++round) {
            }
        Function* found = module.find(world_.context.symbols.add("sides"));
        function_ = std::move(*found);
        done_.clear(), expanded_ = true; // what conditions need is defined
        if (fault || function_.results.size() != sides.size()) return false;
        sides = function_.results;
        return std::ranges::all_of(function_.params, [&](const Parameter& p) { return scalars(p.type).has_value(); });
    }
    std::optional<NodeId> build(TermId term, TypeId type) {
        Builder builder(function_.graph);
        Instantiation instantiation(builder, open_, bindings_, around_);
        auto nodes = instantiation.build(term, type);
        return nodes && nodes->size() == 1 ? std::optional((*nodes)[0]) : std::nullopt;
    }
    // No parameter has such a name: `$` is in none.
    std::string value(NodeId node, std::size_t part = 0) const {
        return (expanded_ ? "m$" : "n$") + std::to_string(node.index) + (part ? "." + std::to_string(part) : "");
    }
    std::string defined(NodeId node) const { return (expanded_ ? "e$" : "d$") + std::to_string(node.index); }

    // Writes what the node is computed from, and it.
    bool define(NodeId root) {
        const Graph& graph = function_.graph;
        for (NodeId node : reachable(graph, {&root, 1}))
            if (!done_.contains(node) && !define_one(node)) return false;
        return done_.contains(root) || define_one(root);
    }
    bool define_one(NodeId node) {
        const Graph& graph = function_.graph;
        const auto kinds = scalars(graph.type(node));
        if (!kinds) return false;
        std::vector<std::string> values;
        std::string defined = "true";
        if (graph.is_param(node)) {
            const auto p = std::ranges::find(function_.params, node, &Parameter::node);
            if (p == function_.params.end()) return false;
            if (doubtful_.contains(p->name)) {
                defined = has_value(*p);
                if (declared_.insert(defined).second) definitions_ += "(declare-const " + defined + " Bool)\n";
            }
            for (std::size_t k = 0; k < kinds->size(); ++k) {
                values.push_back(parameter(*p, k));
                if (declared_.insert(values.back()).second)
                    definitions_ += "(declare-const " + values.back() + " " + smt_sort((*kinds)[k]) + ")\n";
            }
        } else if (graph.is_number(node)) {
            values.push_back(smt_literal((*kinds)[0], graph.bits(node)).value);
        } else if (!meaning(node, values, defined)) {
            return false;
        }
        for (std::size_t k = 0; k < kinds->size(); ++k)
            definitions_ += "(define-fun " + value(node, k) + " () " + smt_sort((*kinds)[k]) + " " + values[k] + ")\n";
        definitions_ += "(define-fun " + this->defined(node) + " () Bool " + defined + ")\n";
        return done_.insert(node).second;
    }

    // Of an operation: the parts of its value, and where it has one.
    bool meaning(NodeId node, std::vector<std::string>& values, std::string& defined) {
        const Graph& graph = function_.graph;
        const auto operands = graph.operands(node);
        const auto everywhere = [&] {
            std::string out = "(and true";
            for (NodeId operand : operands) out += " " + this->defined(operand);
            return out + ")";
        };
        const std::size_t count = scalars(graph.type(node))->size();
        switch (graph.core(node)) {
        case Core::Tuple:
        case Core::Struct:
            for (NodeId operand : operands)
                for (std::size_t k = 0; k < parts(operand).size(); ++k) values.push_back(value(operand, k));
            defined = everywhere();
            return true;
        case Core::Element:
        case Core::Field: {
            std::size_t first = 0;
            for (std::size_t k = 0; k < graph.position(node); ++k) first += part_count(graph.type(operands[0]), k);
            for (std::size_t k = 0; k < count; ++k) values.push_back(value(operands[0], first + k));
            defined = everywhere();
            return true;
        }
        case Core::None: break;
        default: return false;
        }
        if (graph.scalar(node) == Scalar::Select || is_choice(node)) return choice(node, count, values, defined);
        if (graph.operation(node).primitive < 0 || operands.empty() || !graph.blocks(node).empty()) return false;
        std::vector<SmtValue> given;
        for (NodeId operand : operands) given.push_back({value(operand), this->defined(operand)});
        const TypeKind type = graph.kind(operands[operands.size() > 1 ? 1 : 0]);
        const auto made =
            smt_primitive(world_.context.symbols[graph.operation(node).name], type, graph.kind(node), given);
        if (made) values.push_back(made->value), defined = made->defined;
        return made.has_value();
    }

    std::size_t part_count(TypeId whole, std::size_t k) const {
        const Types& types = world_.context.types;
        const TypeId part =
            types.kind(whole) == TypeKind::Tuple ? types.elements(whole)[k] : types.fields(whole)[k].type;
        return scalars(part)->size();
    }

    // `if(c) {a} else {b}` with one result.
    bool is_choice(NodeId node) const {
        const Graph& graph = function_.graph;
        const auto blocks = graph.blocks(node);
        return GraphView(graph).is_conditional(node) && blocks.size() == 2 && graph.operands(node).size() == 1 &&
               std::ranges::all_of(blocks, [&](BlockId b) { return graph[b].results == 1 && !graph[b].entry; });
    }
    bool choice(NodeId node, std::size_t count, std::vector<std::string>& values, std::string& defined) {
        const Graph& graph = function_.graph;
        const bool strict = graph.blocks(node).empty();
        const NodeId asked = graph.operand(node, 0);
        const NodeId a = strict ? graph.operand(node, 1) : graph.results(graph.blocks(node)[0])[0];
        const NodeId b = strict ? graph.operand(node, 2) : graph.results(graph.blocks(node)[1])[0];
        if (!strict && (!define(a) || !define(b))) return false;
        const std::string test = "(= " + value(asked) + " #b1)";
        for (std::size_t k = 0; k < count; ++k)
            values.push_back("(ite " + test + " " + value(a, k) + " " + value(b, k) + ")");
        const std::string branches = strict ? this->defined(a) + " " + this->defined(b)
                                            : "(ite " + test + " " + this->defined(a) + " " + this->defined(b) + ")";
        defined = "(and " + this->defined(asked) + " " + branches + ")";
        return true;
    }

    // None: it is about more than values.
    std::optional<std::string> condition(const Condition& c) {
        using K = Condition::Kind;
        if (c.kind == K::Compare) return comparison(c);
        if (c.kind == K::Predicate && world_.context.symbols[c.text] == "nonzero") {
            auto node = build(c.terms[0], {});
            if (!node || !define(*node)) return std::nullopt;
            return "(distinct " + value(*node) + " " + smt_literal(function_.graph.kind(*node), 0).value + ")";
        }
        if (c.kind == K::Not) {
            auto inner = condition(c.parts[0]);
            return inner ? std::optional("(not " + *inner + ")") : std::nullopt;
        }
        if (c.kind != K::Or) return std::nullopt;
        std::string out = "(or";
        for (const Condition& part : c.parts) {
            auto inner = condition(part);
            if (!inner) return std::nullopt;
            out += " " + *inner;
        }
        return out + ")";
    }
    std::optional<std::string> comparison(const Condition& c) {
        static constexpr std::pair<std::string_view, std::string_view> names[] = {
            {"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}};
        auto literal = [&](TermId id) {
            const Term& t = rule_[id];
            return t.kind == TermKind::Number || t.kind == TermKind::Compute || t.kind == TermKind::Constant ||
                   (t.kind == TermKind::Variable && rule_[t.variable].kind == VariableKind::Literal);
        };
        // Of nodes that are not literals only equality says something of values: they are one node.
        std::string_view op = world_.context.symbols[c.text];
        if (!(literal(c.a) && literal(c.b)) && op != "==") return std::nullopt;
        if (rule_[c.a].kind == TermKind::Query || rule_[c.b].kind == TermKind::Query) return std::nullopt;
        bool adapts = rule_[c.a].kind == TermKind::Number;
        auto first = build(adapts ? c.b : c.a, {});
        if (!first) return std::nullopt;
        auto second = build(adapts ? c.a : c.b, function_.graph.type(*first));
        if (!second || function_.graph.type(*first) != function_.graph.type(*second)) return std::nullopt;
        NodeId a = adapts ? *second : *first, b = adapts ? *first : *second;
        if (!define(a) || !define(b)) return std::nullopt;
        TypeKind kind = function_.graph.kind(a);
        auto name = std::ranges::find(names, op, &std::pair<std::string_view, std::string_view>::first);
        SmtValue operands[] = {{value(a), defined(a)}, {value(b), defined(b)}};
        auto holds = smt_primitive(name->second, kind, TypeKind::Bool, operands);
        return "(and " + defined(a) + " " + defined(b) + " (= " + holds->value + " #b1))";
    }

    RuleWorld& world_;
    const Rule& rule_;
    const Rule& open_;
    Function function_;
    Choices choices_;
    TermStyle style_;
    std::unique_ptr<Instance> instance_;
    Bindings bindings_;
    Surroundings around_;
    static constexpr unsigned most_calls = 100; // to be put in place
    std::set<NodeId> done_;
    std::set<std::string> declared_; // parameters
    std::set<SymbolId> doubtful_;    // parameters that may fault
    bool expanded_ = false;          // nodes are those behind `expand`
    std::string definitions_;
    std::string given_, asked_; // the script: what holds, and that the sides differ
};

} // namespace

RuleProof prove_rule(RuleWorld& world, RuleId id, unsigned seconds) {
    const Rule rule = OpenAttributes(world).opened(world.base[id]);
    const Source& source = world.context.sources[rule.where.source];
    LineColumn where = line_column(source, rule.where.begin);
    std::string name(world.context.symbols[rule.full_name]);
    std::string place = source.name + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
    RuleProof proof;
    auto conclude = [&](RuleProof::Kind kind, const std::string& what, const std::string& how) {
        proof.kind = kind, proof.text = place + what + ": " + name + ": " + how + "\n";
        return proof;
    };
    if (const char* reason = outside_of_proofs(rule); *reason)
        return conclude(RuleProof::Kind::Outside, "not asked", reason);
    Rule open = with_open_literals(rule);
    Vocabulary vocabulary(world.context);
    std::set<std::string> asked;
    std::string proven, unknown;
    for (std::uint32_t k = 0; k <= static_cast<std::uint32_t>(TypeKind::U64); ++k) {
        Question question(world, rule, open, vocabulary, static_cast<TypeKind>(k));
        auto script = question.script();
        if (!script || !asked.insert(question.types()).second) continue;
        std::string said = ask_solver(*script, seconds).value_or("");
        if (!said.starts_with("sat") && !said.starts_with("unsat"))
            said = by_cases(world.context.types, question.parts_of_script(), seconds).value_or(said);
        if (said.starts_with("sat"))
            return conclude(RuleProof::Kind::Refuted, "refuted", "(" + question.types() + ") " + question.values(said));
        std::string& list = said.starts_with("unsat") ? proven : unknown;
        list += (list.empty() ? "(" : ", (") + question.types() + ")";
    }
    if (!unknown.empty()) return conclude(RuleProof::Kind::NotProven, "not proven", unknown + ": no answer in time");
    if (proven.empty()) return conclude(RuleProof::Kind::Outside, "not asked", "no types of integers and booleans fit");
    return conclude(RuleProof::Kind::Proven, "proven", proven);
}

} // namespace irrewrite
