#include "engine/generate/literals.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/match/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace irrewrite {

namespace {

// Finds conditions that ask about literals alone.
class Mentions {
  public:
    explicit Mentions(const Rule& rule) : rule_(rule) {}
    bool literals_alone(const Condition& c) const {
        using K = Condition::Kind;
        if (c.kind == K::Build || c.kind == K::Match || c.kind == K::Strategy || c.kind == K::Ask) return false;
        if (c.kind == K::Not || c.kind == K::Or)
            return std::ranges::all_of(c.parts, [&](const Condition& part) { return literals_alone(part); });
        if (c.kind == K::Compare) return term(c.a) && term(c.b);
        return std::ranges::all_of(c.terms, [&](TermId id) { return term(id); });
    }

  private:
    bool term(TermId id) const {
        const Term& t = rule_[id];
        using K = TermKind;
        bool fine = t.kind == K::Number || t.kind == K::Node || t.kind == K::Compute ||
                    (t.kind == K::Variable && rule_[t.variable].kind == VariableKind::Literal &&
                     !rule_[t.variable].sequence && !rule_[t.variable].compound);
        return fine && t.blocks.empty() && std::ranges::all_of(t.operands, [&](TermId o) { return term(o); });
    }
    const Rule& rule_;
};

constexpr std::size_t most_tuples = 3000, most_values = 100; // of one metavariable
constexpr std::size_t near = 64;                             // around a number that is mentioned

enum class Fitness : std::uint8_t { Unfit, Faults, Fit };

// Tells what a tuple is good for.
class Judge {
  public:
    Judge(Context& context, const Rule& rule, const std::vector<TypeId>& types)
        : rule_(rule), graph_(context), builder_(graph_), matcher_(graph_, rule),
          conditions_(builder_, rule, matcher_, around_) {
        for (std::uint32_t i = 0; i < types.size(); ++i) {
            scalars_ = scalars_ && types[i];
            if (types[i]) bind(VariableId{i}, types[i], from_integer(types[i], 1));
        }
    }
    void bind(VariableId v, TypeId type, std::uint64_t bits) {
        matcher_.bindings[v.index] = bound_to(graph_.literal(type, bits));
    }
    Fitness operator()() {
        if (!conditions_.hold(0, [] { return true; })) return Fitness::Unfit;
        return scalars_ && faults() ? Fitness::Faults : Fitness::Fit;
    }

  private:
    std::uint64_t from_integer(TypeId type, std::uint64_t n) const {
        const Types& types = graph_.context().types;
        return types.is_float(type) ? from_double(types.kind(type), static_cast<double>(n)) : n;
    }
    // The left side, where everything else is 1, is no value.
    bool faults() {
        Instantiation left(builder_, rule_, matcher_.bindings, around_);
        auto built = left.build(rule_.left);
        return !built || std::ranges::any_of(*built, [&](NodeId node) { return graph_.has(node, DeepFault); });
    }

    const Rule& rule_;
    Graph graph_;
    Builder builder_;
    Matcher matcher_;
    Surroundings around_;
    Conditions conditions_;
    bool scalars_ = true; // the left side can be built from scalars
};

// Tuples as mixed-radix numbers: each digit is the index of a metavariable's value.
class Grid {
  public:
    Grid(const Context& context, std::span<const VariableId> variables, const std::vector<TypeId>& types,
         std::vector<std::vector<std::uint64_t>> values, std::size_t most)
        : variables_(variables), types_(types), values_(std::move(values)), most_(most) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i].resize(std::min(values_[i].size(), most_of_each()));
            total_ *= values_[i].size();
            sort(context, i);
        }
    }
    std::vector<Fitness> judged(Judge& judge) const {
        std::vector<Fitness> out;
        for (std::size_t t = 0; t < total_; ++t) {
            LiteralSearch::Tuple values = tuple(t);
            for (std::size_t i = 0; i < values.size(); ++i)
                judge.bind(variables_[i], types_[variables_[i].index], values[i]);
            out.push_back(judge());
        }
        return out;
    }
    LiteralSearch::Found found(const std::vector<Fitness>& fitness) const {
        bool any = std::ranges::find(fitness, Fitness::Fit) != fitness.end();
        std::vector<std::size_t> good;
        for (std::size_t t = 0; t < total_; ++t)
            if (fitness[t] == (any ? Fitness::Fit : Fitness::Faults)) good.push_back(t);
        std::ranges::stable_sort(good, {}, [&](std::size_t t) { return rank(t); });
        LiteralSearch::Found out;
        for (std::size_t t : good) {
            out.tuples.push_back(tuple(t));
            if (is_tight(fitness, t)) out.tight.push_back(tuple(t));
        }
        return out;
    }

  private:
    std::size_t most_of_each() const {
        std::size_t each = 1;
        while (each < most_ && std::pow(static_cast<double>(each + 1), values_.size()) <= most_tuples) ++each;
        return each;
    }
    void sort(const Context& context, std::size_t i) {
        TypeKind kind = context.types.kind(types_[variables_[i].index]);
        bool is_float = kind >= TypeKind::F32, is_signed = kind >= TypeKind::I8 && kind <= TypeKind::I64;
        auto& order = order_.emplace_back(values_[i].size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            std::uint64_t x = values_[i][a], y = values_[i][b];
            if (is_float) { // a NaN last
                double u = to_double(kind, x), v = to_double(kind, y);
                return std::isnan(v) ? !std::isnan(u) : u < v;
            }
            return is_signed ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
        });
    }
    LiteralSearch::Tuple tuple(std::size_t t) const {
        LiteralSearch::Tuple out;
        for (std::size_t i = 0; i < order_.size(); t /= order_[i].size(), ++i)
            out.push_back(values_[i][order_[i][t % order_[i].size()]]);
        return out;
    }
    // Sum of the ranks of its values; 0 is the simplest tuple.
    std::size_t rank(std::size_t t) const {
        std::size_t sum = 0;
        for (const auto& order : order_) sum += order[t % order.size()], t /= order.size();
        return sum;
    }
    bool is_tight(const std::vector<Fitness>& fitness, std::size_t t) const {
        std::size_t step = 1, rest = t;
        for (const auto& order : order_) {
            std::size_t at = rest % order.size();
            if (at > 0 && fitness[t - step] == Fitness::Unfit) return true;
            if (at + 1 < order.size() && fitness[t + step] == Fitness::Unfit) return true;
            rest /= order.size(), step *= order.size();
        }
        return false;
    }

    std::span<const VariableId> variables_;
    const std::vector<TypeId>& types_;
    std::vector<std::vector<std::uint64_t>> values_; // by variable, the simplest first
    std::vector<std::vector<std::size_t>> order_;    // indices into it, ascending by value
    std::size_t most_;
    std::size_t total_ = 1;
};

} // namespace

LiteralSearch::LiteralSearch(Context& context, const Rule& rule, std::vector<AttrValue> mentioned)
    : mentioned_(std::move(mentioned)), context_(context), rule_(rule) {
    std::erase_if(rule_.conditions, [&](const Condition& c) { return !Mentions(rule).literals_alone(c); });
    for (TermId root : rule.left) find_variables(root);
}

void LiteralSearch::add(VariableId v, TypeId type) {
    if (rule_[v].kind != VariableKind::Literal || rule_[v].sequence || rule_[v].compound ||
        std::ranges::find(variables_, v) != variables_.end())
        return;
    variables_.push_back(v);
    attributes_.push_back(type);
}

// Of attributes, those that conditions ask about.
void LiteralSearch::find_variables(TermId id) {
    const Term& t = rule_[id];
    if (t.kind == TermKind::Variable) add(t.variable, {});
    for (std::size_t i = 0; i < t.attrs.size() && !rule_.conditions.empty(); ++i) {
        if (t.ops.empty()) break; // the name of a function
        const auto& declared = context_.operations[t.ops[0]].attributes;
        if (t.attrs[i].kind != AttrTerm::Kind::Literal || i >= declared.size()) continue;
        if (declared[i].kind == AttrKind::Int) add(t.attrs[i].variable, context_.types.i64());
        if (declared[i].kind == AttrKind::Float) add(t.attrs[i].variable, context_.types.f64());
        if (declared[i].kind == AttrKind::Bool) add(t.attrs[i].variable, context_.types.boolean());
    }
    for (TermId operand : t.operands) find_variables(operand);
    for (const BlockTerm& block : t.blocks)
        for (TermId result : block.results) find_variables(result);
}

const LiteralSearch::Found& LiteralSearch::find(const std::vector<TypeId>& types) {
    auto [it, fresh] = found_.try_emplace(types);
    if (!fresh) return it->second;
    it->second = find(types, false);
    if (it->second.tuples.empty() && conditional()) it->second = find(types, true);
    return it->second;
}

LiteralSearch::Found LiteralSearch::find(const std::vector<TypeId>& types, bool around) {
    std::vector<std::vector<std::uint64_t>> values;
    for (VariableId v : variables_) {
        values.push_back(around ? around_what_is_mentioned(types[v.index]) : std::vector<std::uint64_t>{});
        for (std::uint64_t edge : edges(types[v.index])) values.back().push_back(edge);
    }
    Grid grid(context_, variables_, types, std::move(values), around ? most_tuples : most_values);
    Judge judge(context_, rule_, types);
    return grid.found(grid.judged(judge));
}

// The nearest first.
std::vector<std::uint64_t> LiteralSearch::around_what_is_mentioned(TypeId type) const {
    std::vector<std::uint64_t> out;
    if (context_.types.is_float(type) || context_.types.kind(type) == TypeKind::Bool) return out;
    for (std::uint64_t distance = 0; distance <= near; ++distance)
        for (const AttrValue& value : mentioned_) {
            if (value.type != type) continue;
            for (std::uint64_t bits : {value.bits + distance, value.bits - distance})
                if (std::uint64_t wrapped = wrap(context_.types.kind(type), bits);
                    std::ranges::find(out, wrapped) == out.end())
                    out.push_back(wrapped);
        }
    return out;
}

// The simplest first.
std::vector<std::uint64_t> LiteralSearch::edges(TypeId type) const {
    TypeKind kind = context_.types.kind(type);
    std::vector<std::uint64_t> out;
    auto add = [&](std::uint64_t bits) {
        if (std::ranges::find(out, bits) == out.end()) out.push_back(bits);
    };
    if (kind == TypeKind::Bool) return {0, 1};
    for (const AttrValue& value : mentioned_)
        if (value.type == type) add(value.bits);
    if (context_.types.is_float(type)) {
        for (double x : {0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, -0.5, 0.1, 1.5, -0.0, 1e10, 1e300, 1e-320})
            add(from_double(kind, x));
        for (double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) add(from_double(kind, x));
        return out;
    }
    auto integer = [&](std::uint64_t bits) { add(wrap(kind, bits)); };
    for (int small : {0, 1, 2, -1, 3, -2, 4, 5, 6, 7, 8, -3, -4}) integer(static_cast<std::uint64_t>(small));
    unsigned bits = context_.types.bits(type);
    std::uint64_t top = std::uint64_t{1} << (bits - 1);
    for (std::uint64_t edge :
         {top, top - 1, top + 1, top - 2, top >> 1, ~(top >> 1) + 1, (top >> 1) + 1, ~std::uint64_t{1}})
        integer(edge);
    for (unsigned power = 4; power < bits && power < 7; ++power)
        for (std::uint64_t near : {0u, 1u, 2u}) integer((1ull << power) - 1 + near);
    return out;
}

const LiteralSearch::Tuple* LiteralSearch::selected(const Found& found, std::size_t k, std::size_t most) {
    std::size_t tight = std::min(found.tight.size(), most), others = std::min(found.tuples.size(), most - tight);
    if (k < tight) return &found.tight[k * found.tight.size() / tight];
    if (k - tight < others) return &found.tuples[(k - tight) * found.tuples.size() / others];
    return nullptr;
}

} // namespace irrewrite
