#include "engine/lint/overlaps.hpp"

namespace irrewrite {

namespace {

// Moves what refers to terms and metavariables of one rule behind those of another.
class Shift {
  public:
    explicit Shift(const Rule& first)
        : terms_(static_cast<std::uint32_t>(first.terms.size())),
          variables_(static_cast<std::uint32_t>(first.variables.size())) {}

    void operator()(TermId& id) const {
        if (id) id.index += terms_;
    }
    void operator()(VariableId& id) const {
        if (id) id.index += variables_;
    }
    void operator()(TypeTerm& type) const {
        if (type.kind == TypeTerm::Kind::Variable) type.variable += variables_;
        if (type.length == TypeTerm::Length::Variable) type.dim += variables_;
        for (TypeTerm& part : type.parts) (*this)(part);
    }
    void operator()(Term& term) const {
        (*this)(term.variable);
        for (AttrTerm& attr : term.attrs) (*this)(attr.variable);
        for (TermId& operand : term.operands) (*this)(operand);
        for (BlockTerm& block : term.blocks) {
            (*this)(block.whole);
            for (VariableId& param : block.params) (*this)(param);
            for (TermId& result : block.results) (*this)(result);
        }
        if (term.annotation) (*this)(*term.annotation);
    }
    void operator()(Condition& condition) const {
        (*this)(condition.a), (*this)(condition.b), (*this)(condition.variable);
        for (TermId& term : condition.terms) (*this)(term);
        for (Condition& part : condition.parts) (*this)(part);
    }

  private:
    std::uint32_t terms_, variables_;
};

} // namespace

Rule combined(const Rule& first, const Rule& second) {
    Rule out = first;
    Shift shift(first);
    auto append = [&](auto& list, const auto& more) {
        for (auto item : more) shift(item), list.push_back(std::move(item));
    };
    append(out.terms, second.terms);
    append(out.left, second.left);
    append(out.conditions, second.conditions);
    out.right.clear();
    out.variables.insert(out.variables.end(), second.variables.begin(), second.variables.end());
    return out;
}

} // namespace irrewrite
