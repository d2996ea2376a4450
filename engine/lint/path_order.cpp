#include "engine/lint/path_order.hpp"

#include "engine/support/function_ref.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Rest = FunctionRef<bool()>;

bool same(const OrderTerm& a, const OrderTerm& b) {
    if (a.kind == OrderTerm::Kind::Param && b.kind == OrderTerm::Kind::Param) return true;
    if (a.kind != b.kind || a.id != b.id) return false;
    if (a.kind == OrderTerm::Kind::Variable) return true; // of parameters alone
    if (a.arguments.size() != b.arguments.size()) return false;
    return std::ranges::equal(a.arguments, b.arguments, same);
}

class Paths {
  public:
    Paths(std::span<const OrderRule* const> rules, std::size_t symbols, std::size_t budget)
        : rules_(rules), symbols_(symbols), above_(symbols * symbols), budget_(budget) {
        for (std::size_t i = 1; i < symbols; ++i) above_[i * symbols] = true; // literals are below all others
    }
    bool run() { return rule(0); }

  private:
    bool rule(std::size_t i) {
        if (i == rules_.size()) return true;
        return greater(rules_[i]->left, rules_[i]->right, [&] { return rule(i + 1); });
    }

    bool precedes(std::uint32_t a, std::uint32_t b, Rest rest) {
        if (above_[a * symbols_ + b]) return rest();
        if (a == b || a == 0 || above_[b * symbols_ + a]) return false;
        std::vector<bool> saved = above_;
        auto at_least = [&](std::size_t x, std::size_t y) { return x == y || above_[x * symbols_ + y]; };
        for (std::size_t x = 0; x < symbols_; ++x)
            for (std::size_t y = 0; y < symbols_; ++y)
                if (at_least(x, a) && at_least(b, y)) saved[x * symbols_ + y] = true;
        std::swap(saved, above_);
        if (rest()) return true;
        std::swap(saved, above_);
        return false;
    }

    bool greater(const OrderTerm& a, const OrderTerm& b, Rest rest) {
        using K = OrderTerm::Kind;
        if (budget_ == 0) return false;
        --budget_;
        if (a.kind != K::Symbol) return false;
        if (b.kind == K::Param && a.id != 0) return rest(); // a constant below all others
        if (b.kind == K::Symbol) {
            if (a.id == b.id && (!b.arguments.empty() || !a.arguments.empty())) {
                auto inside = [&] { return all(a, b, 0, rest); };
                if (a.commutative ? multiset(a.arguments, b.arguments, inside) : in_order(a, b, 0, inside)) return true;
            } else if (a.id != b.id && precedes(a.id, b.id, [&] { return all(a, b, 0, rest); }))
                return true;
        }
        for (const OrderTerm& argument : a.arguments)
            if (same(argument, b) ? rest() : greater(argument, b, rest)) return true;
        return false;
    }

    // a is greater than every argument of b from number i on.
    bool all(const OrderTerm& a, const OrderTerm& b, std::size_t i, Rest rest) {
        if (i == b.arguments.size()) return rest();
        return greater(a, b.arguments[i], [&] { return all(a, b, i + 1, rest); });
    }

    bool in_order(const OrderTerm& a, const OrderTerm& b, std::size_t i, Rest rest) {
        if (i == a.arguments.size()) return false;
        if (i == b.arguments.size()) return rest();
        if (same(a.arguments[i], b.arguments[i])) return in_order(a, b, i + 1, rest);
        return greater(a.arguments[i], b.arguments[i], rest);
    }

    bool multiset(std::vector<OrderTerm> a, std::vector<OrderTerm> b, Rest rest) {
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t k = 0; k < b.size(); ++k)
                if (same(a[i], b[k])) {
                    a.erase(a.begin() + static_cast<std::ptrdiff_t>(i)),
                        b.erase(b.begin() + static_cast<std::ptrdiff_t>(k));
                    return multiset(std::move(a), std::move(b), rest);
                }
        return !a.empty() && each_below(a, b, 0, rest);
    }
    bool each_below(const std::vector<OrderTerm>& a, const std::vector<OrderTerm>& b, std::size_t i, Rest rest) {
        if (i == b.size()) return rest();
        return std::ranges::any_of(a, [&](const OrderTerm& term) {
            return greater(term, b[i], [&] { return each_below(a, b, i + 1, rest); });
        });
    }

    std::span<const OrderRule* const> rules_;
    std::size_t symbols_;
    std::vector<bool> above_; // a * symbols + b: a is above b
    std::size_t budget_;
};

bool applies_to_params(const OrderTerm& term) {
    if (term.repeated) return false;
    if (term.kind == OrderTerm::Kind::Variable) { // in their order
        for (std::size_t i = 0; i < term.arguments.size(); ++i)
            if (term.arguments[i].kind != OrderTerm::Kind::Param ||
                (i && term.arguments[i].id <= term.arguments[i - 1].id))
                return false;
        return true;
    }
    return std::ranges::all_of(term.arguments, applies_to_params);
}

} // namespace

bool is_first_order(const OrderRule& rule) { return applies_to_params(rule.left) && applies_to_params(rule.right); }

bool path_ordered(std::span<const OrderRule* const> rules, std::size_t symbols, std::size_t budget) {
    return std::ranges::all_of(rules, [](const OrderRule* rule) { return is_first_order(*rule); }) &&
           Paths(rules, symbols, budget).run();
}

} // namespace irrewrite
