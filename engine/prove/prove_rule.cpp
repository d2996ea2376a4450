// Both sides are built as graphs in which literals are parameters as well, and each node becomes a definition of the
// script. Conditions that are about more than values are left out: without them more is proven.
#include "engine/prove/prove_rule.hpp"

#include "engine/generate/instance.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/prove/smt.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

// True if the rule is about scalars alone.
bool is_scalar(const Rule& rule) {
    using T = TermKind;
    auto plain = [](const Term& t) {
        return !t.sequence && t.blocks.empty() && t.kind != T::Apply && t.kind != T::Strategy && t.kind != T::Call &&
               t.kind != T::Project && t.kind != T::Struct && t.kind != T::Field && t.kind != T::Count;
    };
    auto builds = [](const Condition& c) {
        return c.kind == Condition::Kind::Build || c.kind == Condition::Kind::Strategy;
    };
    return rule.left.size() == 1 && rule.right.size() == 1 && rule.parameters == 0 &&
           std::ranges::all_of(rule.terms, plain) && std::ranges::none_of(rule.conditions, builds);
}

// `#k` is any value, and `#(e)` is e.
Rule with_open_literals(const Rule& rule) {
    Rule open = rule;
    for (Variable& v : open.variables)
        if (v.kind == VariableKind::Literal) v.kind = VariableKind::Node;
    for (std::size_t i = open.terms.size(); i-- > 0;)
        while (open.terms[i].kind == TermKind::Compute)
            open.terms[i] = Term(open.terms[open.terms[i].operands[0].index]);
    return open;
}

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
        auto right = build(open_.right[0], graph.type(left));
        if (!right || graph.type(*right) != graph.type(left)) return std::nullopt;
        std::string asked;
        for (const Condition& c : rule_.conditions)
            if (auto holds = condition(c)) asked += "(assert " + *holds + ")\n";
        for (const Term& term : rule_.terms)
            if (term.kind == TermKind::Compute)
                if (auto node = build(term.operands[0], {}); node && define(*node))
                    asked += "(assert " + defined(*node) + ")\n";
        if (!define(left) || !define(*right)) return std::nullopt;
        asked += "(assert " + defined(left) + ")\n(assert (not (and " + defined(*right) + " (= " + value(left) + " " +
                 value(*right) + "))))\n";
        return "(set-logic QF_BV)\n" + definitions_ + asked + "(check-sat)\n" + "(get-value (" + parameters() + "))\n";
    }
    std::string types() const {
        std::string out;
        for (const Parameter& p : function_.params) out += (out.empty() ? "" : ", ") + type_text(p.type);
        return out.empty() ? type_text(function_.result_types[0]) : out;
    }
    // `((x #x80) (k #x01))` as `x = -128, k = 1`.
    std::string values(const std::string& model) const {
        std::string out;
        for (const Parameter& p : function_.params) {
            std::string name = "|" + std::string(world_.context.symbols[p.name]) + "| #";
            std::size_t at = model.find(name);
            if (at == std::string::npos) {
                name.erase(std::remove(name.begin(), name.end(), '|'), name.end());
                at = model.find("(" + name);
                if (at == std::string::npos) continue;
                ++at;
            }
            at += name.size();
            std::uint64_t bits = std::strtoull(model.c_str() + at + 1, nullptr, model[at] == 'x' ? 16 : 2);
            TypeKind kind = world_.context.types.kind(p.type);
            if (kind != TypeKind::Bool) bits = wrap(kind, bits);
            out += (out.empty() ? "" : ", ") + std::string(world_.context.symbols[p.name]) + " = " +
                   scalar_text(kind, bits);
        }
        return out;
    }

  private:
    std::string type_text(TypeId type) const { return world_.context.types.text(type, world_.context.symbols); }
    std::string parameters() const {
        std::string out;
        for (const Parameter& p : function_.params)
            out += (out.empty() ? "|" : " |") + std::string(world_.context.symbols[p.name]) + "|";
        return out.empty() ? "true" : out;
    }
    std::optional<NodeId> build(TermId term, TypeId type) {
        Builder builder(function_.graph);
        Instantiation instantiation(builder, open_, bindings_, around_);
        auto nodes = instantiation.build(term, type);
        return nodes && nodes->size() == 1 ? std::optional((*nodes)[0]) : std::nullopt;
    }
    static std::string value(NodeId node) { return "n" + std::to_string(node.index); }
    static std::string defined(NodeId node) { return "d" + std::to_string(node.index); }

    // Writes what the node is computed from, and it.
    bool define(NodeId root) {
        const Graph& graph = function_.graph;
        for (NodeId node : reachable(graph, {&root, 1}))
            if (!done_.contains(node) && !define_one(node)) return false;
        return done_.contains(root) || define_one(root);
    }
    bool define_one(NodeId node) {
        const Graph& graph = function_.graph;
        TypeKind kind = graph.kind(node);
        if (!has_bits(kind)) return false;
        SmtValue meaning;
        if (graph.is_param(node)) {
            meaning.value = "|" + std::string(world_.context.symbols[graph.name(node)]) + "|";
            definitions_ += "(declare-const " + meaning.value + " " + smt_sort(kind) + ")\n";
        } else if (graph.is_number(node)) {
            meaning = smt_literal(kind, graph.bits(node));
        } else {
            std::vector<SmtValue> operands;
            for (NodeId operand : graph.operands(node)) operands.push_back({value(operand), defined(operand)});
            if (graph.operation(node).primitive < 0 || operands.empty()) return false;
            TypeKind type = graph.kind(graph.operand(node, operands.size() > 1 ? 1 : 0));
            auto made = smt_primitive(world_.context.symbols[graph.operation(node).name], type, kind, operands);
            if (!made) return false;
            meaning = *made;
        }
        definitions_ += "(define-fun " + value(node) + " () " + smt_sort(kind) + " " + meaning.value + ")\n";
        definitions_ += "(define-fun " + defined(node) + " () Bool " + meaning.defined + ")\n";
        return done_.insert(node).second;
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
    std::set<NodeId> done_;
    std::string definitions_;
};

} // namespace

RuleProof prove_rule(RuleWorld& world, RuleId id, unsigned seconds) {
    const Rule& rule = world.base[id];
    const Source& source = world.context.sources[rule.where.source];
    LineColumn where = line_column(source, rule.where.begin);
    std::string name(world.context.symbols[rule.full_name]);
    std::string place = source.name + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
    RuleProof proof;
    auto conclude = [&](RuleProof::Kind kind, const std::string& what, const std::string& how) {
        proof.kind = kind, proof.text = place + what + ": " + name + ": " + how + "\n";
        return proof;
    };
    if (!is_scalar(rule)) return conclude(RuleProof::Kind::Outside, "not asked", "it is about more than scalars");
    Rule open = with_open_literals(rule);
    Vocabulary vocabulary(world.context);
    std::set<std::string> asked;
    std::string proven, unknown;
    for (std::uint32_t k = 0; k <= static_cast<std::uint32_t>(TypeKind::U64); ++k) {
        Question question(world, rule, open, vocabulary, static_cast<TypeKind>(k));
        auto script = question.script();
        if (!script || !asked.insert(question.types()).second) continue;
        std::string said = ask_solver(*script, seconds).value_or("");
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
