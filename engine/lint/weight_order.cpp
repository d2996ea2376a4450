#include "engine/lint/weight_order.hpp"

#include "engine/lint/linear_inequalities.hpp"

#include <algorithm>
#include <cmath>

namespace irrewrite {

namespace {

// A weight with unknown weights of symbols, and unknown ones of metavariables.
struct Weight {
    std::vector<int> symbols;
    struct Atom { // a metavariable, or a function of what it is applied to
        std::uint32_t variable;
        bool sequence;
        std::vector<Weight> arguments;
    };
    std::vector<Atom> atoms;
    bool unknown = false; // stands there nobody knows how many times

    Weight& operator+=(const Weight& other) {
        if (symbols.size() < other.symbols.size()) symbols.resize(other.symbols.size());
        for (std::size_t i = 0; i < other.symbols.size(); ++i) symbols[i] += other.symbols[i];
        atoms.insert(atoms.end(), other.atoms.begin(), other.atoms.end());
        unknown = unknown || other.unknown;
        return *this;
    }
};

class Weighing {
  public:
    // The last weight is the least that a term may have.
    explicit Weighing(std::size_t symbols) : symbols_(symbols + 1) {}

    Weight operator()(const OrderTerm& term) {
        Weight out;
        out.symbols.resize(symbols_);
        switch (term.kind) {
        case OrderTerm::Kind::Param: {
            auto bound = params_.find(term.id);
            return bound == params_.end() ? out : bound->second;
        }
        case OrderTerm::Kind::Variable: {
            Weight::Atom atom{term.id, term.sequence, {}};
            for (const OrderTerm& argument : term.arguments) atom.arguments.push_back((*this)(argument));
            out.atoms.push_back(std::move(atom));
            break;
        }
        case OrderTerm::Kind::Symbol: {
            ++out.symbols[term.id];
            for (std::size_t i = 0; i < term.operands; ++i) out += (*this)(term.arguments[i]);
            for (std::uint32_t param : term.params) params_[param] = out;
            Weight whole = out; // parameters are as heavy as all of this
            for (std::size_t i = term.operands; i < term.arguments.size(); ++i) whole += (*this)(term.arguments[i]);
            out = std::move(whole);
        }
        }
        out.unknown = out.unknown || term.repeated;
        return out;
    }

  private:
    std::size_t symbols_;
    std::map<std::uint32_t, Weight> params_;
};

using Inequality = std::vector<int>; // of the weights of symbols: >= 0

// Collects the inequalities under which `a` is never lighter than `b`; the last one is that of the symbols of the whole
// terms. False if there are none.
bool heavier(const Weight& a, const Weight& b, std::vector<Inequality>& out) {
    if (a.unknown || b.unknown) return false;
    std::vector<bool> taken(a.atoms.size());
    for (const Weight::Atom& atom : b.atoms) {
        bool found = false;
        for (std::size_t i = 0; i < a.atoms.size() && !found; ++i) {
            const Weight::Atom& other = a.atoms[i];
            if (taken[i] || other.variable != atom.variable || other.arguments.size() != atom.arguments.size())
                continue;
            std::vector<Inequality> needed;
            bool fits = true;
            for (std::size_t k = 0; k < atom.arguments.size() && fits; ++k)
                fits = heavier(other.arguments[k], atom.arguments[k], needed);
            if (!fits) continue;
            out.insert(out.end(), needed.begin(), needed.end());
            taken[i] = found = true;
        }
        if (!found) return false;
    }
    Inequality difference = a.symbols;
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= b.symbols[i];
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (!taken[i] && !a.atoms[i].sequence) ++difference.back(); // what is gone weighed something
    out.push_back(std::move(difference));
    return true;
}

// Operations without operands weigh as much as the lightest term.
void bound_below(const OrderTerm& term, std::size_t symbols, std::vector<Inequality>& out) {
    if (term.kind == OrderTerm::Kind::Symbol && term.operands == 0) {
        Inequality least(symbols + 1);
        least[term.id] = 1, least[symbols] = -1;
        out.push_back(std::move(least));
    }
    for (const OrderTerm& argument : term.arguments) bound_below(argument, symbols, out);
}

std::int64_t value(const Inequality& inequality, std::span<const std::int64_t> weights) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < inequality.size(); ++i) sum += inequality[i] * weights[i];
    return sum;
}

} // namespace

bool can_be_weighed(const OrderRule& rule, std::size_t symbols) {
    Weighing weighing(symbols);
    Weight left = weighing(rule.left), right = weighing(rule.right);
    std::vector<Inequality> needed;
    return heavier(left, right, needed);
}

std::vector<bool> lighter(std::span<const OrderRule* const> rules, std::size_t symbols, bool plain) {
    std::vector<Inequality> wholes, parts;
    for (const OrderRule* rule : rules) {
        Weighing weighing(symbols);
        Weight left = weighing(rule->left), right = weighing(rule->right);
        std::vector<Inequality> needed;
        if (!heavier(left, right, needed)) return std::vector<bool>(rules.size());
        wholes.push_back(std::move(needed.back()));
        needed.pop_back();
        parts.insert(parts.end(), needed.begin(), needed.end());
        bound_below(rule->left, symbols, parts), bound_below(rule->right, symbols, parts);
    }
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    std::vector<std::int64_t> weights(symbols + 1, 1);
    if (!plain) {
        auto found = solve(wholes, parts, symbols + 1);
        if (!found) return std::vector<bool>(rules.size());
        weights = *found;
    }
    auto holds = [&](const Inequality& inequality) { return value(inequality, weights) >= 0; };
    std::vector<bool> out(rules.size());
    if (!std::ranges::all_of(wholes, holds) || !std::ranges::all_of(parts, holds)) return out;
    for (std::size_t i = 0; i < rules.size(); ++i) out[i] = value(wholes[i], weights) > 0;
    return out;
}

} // namespace irrewrite
