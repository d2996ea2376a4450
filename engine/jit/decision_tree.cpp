#include "engine/jit/decision_tree.hpp"

#include <algorithm>

namespace irrewrite::term {

std::uint32_t computations_before(const Definition& definition, const Rule& rule) {
    std::size_t count = 0;
    for (const Rule* r = definition.rules.data(); r != &rule; ++r) count += r->computations.size();
    return static_cast<std::uint32_t>(count);
}

DecisionTree::DecisionTree(const Program& program, const Definition& definition) : definition_(definition) {
    for (std::uint32_t i = 0; i < program.arity(definition.symbol); ++i) places_.push_back({-1, i});
}

int DecisionTree::child(int parent, std::uint32_t index) {
    auto [it, fresh] = children_.try_emplace({parent, index}, static_cast<int>(places_.size()));
    if (fresh) places_.push_back({parent, index});
    return it->second;
}

int DecisionTree::computed() {
    places_.push_back({-1, 0});
    return static_cast<int>(places_.size() - 1);
}

void DecisionTree::add_test(Row& row, int place, const Shape& shape) {
    bool tested = shape.kind == Shape::Kind::Cell || shape.kind == Shape::Kind::Literal ||
                  (shape.kind == Shape::Kind::Variable && shape.symbol);
    if (tested) row.tests.push_back({place, &shape});
}

DecisionTree::Row DecisionTree::row(const Rule& rule) {
    Row row{&rule, {}};
    auto note = [&](auto& self, const Shape& shape, int place) -> void {
        if (shape.kind == Shape::Kind::Variable) variables_[{&rule, shape.variable}] = place;
        for (std::uint32_t i = 0; i < shape.parts.size(); ++i) self(self, shape.parts[i], child(place, i));
    };
    for (std::uint32_t i = 0; i < rule.operands.size(); ++i) {
        note(note, rule.operands[i], static_cast<int>(i));
        add_test(row, static_cast<int>(i), rule.operands[i]);
    }
    return row;
}

bool DecisionTree::build() {
    Rows rows;
    for (const Rule& rule : definition_.rules) rows.push_back(row(rule));
    root_ = match(std::move(rows));
    return visited_ <= max_nodes;
}

DecisionTree::NodeId DecisionTree::match(Rows rows) {
    if (++visited_ > max_nodes || rows.empty()) return stuck;
    NodeId made = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
    if (rows[0].tests.empty()) {
        const Rule& rule = *rows[0].rule;
        nodes_[made].rule = &rule;
        if (!may_fail(rule)) return made;
        NodeId otherwise = match(Rows(rows.begin() + 1, rows.end()));
        nodes_[made].otherwise = otherwise;
    } else {
        nodes_[made].place = rows[0].tests[0].place;
        alternatives(made, rows);
    }
    return made;
}

namespace {
// True if two tests compare with the same value.
bool same_key(const Shape& a, const Shape& b) {
    return a.kind == b.kind && a.symbol == b.symbol && (a.kind != Shape::Kind::Literal || a.value == b.value);
}
} // namespace

// Tests a place for the alternatives of the rows, in their order; then the rows that do not test it.
void DecisionTree::alternatives(NodeId node, const Rows& rows) {
    const int place = nodes_[node].place;
    std::vector<const Shape*> keys;
    Rows rest;
    for (const Row& row : rows) {
        auto test = std::ranges::find(row.tests, place, &Requirement::place);
        if (test == row.tests.end())
            rest.push_back(row);
        else if (std::ranges::none_of(keys, [&](const Shape* key) { return same_key(*key, *test->shape); }))
            keys.push_back(test->shape);
    }
    for (const Shape* key : keys) {
        NodeId made = match(specialize(rows, place, *key));
        nodes_[node].cases.push_back({key, made});
    }
    if (rest.empty()) return;
    NodeId otherwise = match(std::move(rest));
    nodes_[node].otherwise = otherwise;
}

DecisionTree::Rows DecisionTree::specialize(const Rows& rows, int place, const Shape& key) {
    Rows out;
    for (const Row& row : rows) {
        auto test = std::ranges::find(row.tests, place, &Requirement::place);
        if (test == row.tests.end()) {
            out.push_back(row);
            continue;
        }
        // A row may test for any literal where another tests for one of them; such a test stays for later.
        bool same = same_key(*test->shape, key);
        bool open = test->shape->symbol == key.symbol && !same && key.kind != Shape::Kind::Cell;
        if (!same && !open) continue;
        if (open && key.kind == Shape::Kind::Literal && test->shape->kind == Shape::Kind::Literal) continue;
        Row made{row.rule, {}};
        for (const Requirement& t : row.tests) {
            if (&t != &*test)
                made.tests.push_back(t);
            else if (open && test->shape->kind == Shape::Kind::Literal)
                made.tests.push_back(t);
            else
                for (std::uint32_t i = 0; i < t.shape->parts.size(); ++i)
                    add_test(made, child(place, i), t.shape->parts[i]);
        }
        out.push_back(std::move(made));
    }
    return out;
}

} // namespace irrewrite::term
