#include "tests/random/random_effects.hpp"

#include <utility>

namespace irrewrite {

namespace {

constexpr const char* helper = "func @g(%r: ref i64, %s: ref i64) -> i64 {\n"
                               "  %v = get(%r)\n"
                               "  set(%s, add(%v, 1))\n"
                               "  return mul(%v, 2)\n"
                               "}\n"
                               "func @shout(%x: i64) {\n"
                               "  print(mul(%x, 10))\n"
                               "}\n";

class EffectsWriter {
  public:
    EffectsWriter(const Decisions& choices, bool again) : choices_(choices), again_(again) {}

    std::string program() {
        values_ = {"%p", "%q"};
        for (unsigned i = 0; i < 2; ++i) new_cell();
        new_array();
        block(3 + pick(6), 3);
        for (const std::string& cell : cells_) line("print(get(" + cell + "))");
        std::string results = "get(" + cells_[0] + "), load(" + arrays_[0] + ", 1)";
        return std::string(helper) + "func @f(%p: i64, %q: i64, %b: bool) -> i64, i64 {\n" + text_ + "  return " +
               results + "\n}\n";
    }

  private:
    unsigned pick(unsigned n) { return next_ < choices_.size() ? choices_[next_++] % n : 0; }
    std::string fresh(const char* prefix) { return "%" + std::string(prefix) + std::to_string(++names_); }
    void line(const std::string& text) { text_ += std::string(indent_, ' ') + text + "\n"; }
    const std::string& one_of(const std::vector<std::string>& names) {
        return names[pick(static_cast<unsigned>(names.size()))];
    }

    // -- expressions: nested calls are in program order, so each stands alone in its line -------------
    std::string named(const std::string& text) {
        std::string name = fresh("v");
        line(name + " = " + text);
        return name;
    }
    std::string index() { return pick(3) == 2 ? named("and(" + value() + ", 1)") : std::to_string(pick(3)); }
    std::string value() {
        switch (pick(7)) {
        case 0: return std::to_string(pick(4));
        case 1: return one_of(values_);
        case 2:
        case 3: return named("get(" + one_of(cells_) + ")");
        case 4: {
            std::string at = index();
            return named("load(" + one_of(arrays_) + ", " + at + ")");
        }
        case 5: return pick(2) ? "7" : named("add(" + one_of(values_) + ", 1)");
        default: {
            if (deep_ > 2) return "1";
            ++deep_;
            std::string a = value(), b = value();
            --deep_;
            return named(std::string(pick(2) ? "add" : "sub") + "(" + a + ", " + b + ")");
        }
        }
    }
    std::string condition() {
        if (again_ && !conditions_.empty() && pick(3)) return conditions_.back();
        conditions_.push_back(new_condition());
        return conditions_.back();
    }
    std::string new_condition() {
        switch (pick(6)) {
        case 0: return "%b";
        case 1: return named("not(%b)");
        case 2: return named("eq(get(" + one_of(cells_) + "), " + std::to_string(pick(3)) + ")");
        case 3: return named("ne(" + one_of(values_) + ", " + std::to_string(pick(3)) + ")");
        default: {
            std::string a = value(), b = value();
            return named("lt(" + a + ", " + b + ")");
        }
        }
    }

    // -- statements --------------------------------------------------------------------------------
    void new_cell() {
        std::string init = value_or_literal(), name = fresh("r");
        line(name + " = ref(" + init + ")");
        cells_.push_back(name);
    }
    void new_array() {
        std::string init = value_or_literal(), name = fresh("a");
        line(name + " = array(3, " + init + ")");
        arrays_.push_back(name);
    }
    std::string value_or_literal() { return cells_.empty() || arrays_.empty() ? std::to_string(pick(5)) : value(); }

    void block(unsigned statements, unsigned depth) {
        for (unsigned i = 0; i < statements && next_ < choices_.size(); ++i) statement(depth);
    }
    // What is named inside is not seen outside.
    void nested(unsigned depth, const std::string& shared = {}) {
        const auto cells = cells_.size(), arrays = arrays_.size(), values = values_.size(),
                   conditions = conditions_.size();
        indent_ += 2;
        block(1 + pick(4), depth - 1);
        if (!shared.empty() && !quiet_) line("print(" + shared + ")");
        indent_ -= 2;
        cells_.resize(cells), arrays_.resize(arrays), values_.resize(values), conditions_.resize(conditions);
    }

    void statement(unsigned depth) {
        switch (pick(depth ? 17 : 9)) {
        case 0:
        case 1: {
            std::string x = value();
            return line("set(" + one_of(cells_) + ", " + x + ")");
        }
        case 2: return quiet_ ? new_cell() : line("print(" + value() + ")");
        case 3: {
            std::string at = index(), x = value();
            return line("store(" + one_of(arrays_) + ", " + at + ", " + x + ")");
        }
        case 4: {
            std::string x = value();
            values_.push_back(named("add(" + x + ", 0)"));
            return;
        }
        case 5: return line("set(" + one_of(cells_) + ", get(" + one_of(cells_) + "))");
        case 6: return pick(2) ? new_cell() : new_array();
        case 7: {
            if (quiet_) return either();
            if (pick(2)) return line("@shout(" + value() + ")");
            std::string a = one_of(cells_), b = one_of(cells_);
            values_.push_back(named("@g(" + a + ", " + b + ")"));
            return;
        }
        case 8: return either();
        case 9:
        case 10:
        case 11:
        case 12: return branch(depth);
        case 13: return counted(depth);
        case 14: return region(depth);
        default: return loop(depth);
        }
    }

    void either() { // a cell that is one of two
        std::string c = condition(), name = fresh("r");
        line(name + " = if(" + c + ") { " + one_of(cells_) + " } else { " + one_of(cells_) + " }");
        cells_.push_back(name);
    }
    // One that results in what each side computes last.
    void valued() {
        const std::string c = condition(), name = fresh("v"), other = fresh("w");
        line(name + ", " + other + " = if(" + c + ") {");
        side();
        line("} else {");
        side();
        line("}");
        values_.insert(values_.end(), {name, other});
    }
    void side() {
        const auto cells = cells_.size(), arrays = arrays_.size(), values = values_.size(),
                   conditions = conditions_.size();
        indent_ += 2;
        block(1 + pick(2), 0);
        const std::string first = value(), second = value();
        line(first + ", " + second);
        indent_ -= 2;
        cells_.resize(cells), arrays_.resize(arrays), values_.resize(values), conditions_.resize(conditions);
    }
    void branch(unsigned depth) {
        if (again_ && pick(5) == 0) return valued();
        const std::string c = condition();
        std::string shared; // by both sides, and known better in each
        if (again_ && pick(3) == 0) {
            const std::string a = value(), b = value();
            shared = named("select(" + c + ", " + a + ", " + b + ")");
            values_.push_back(shared);
        }
        line("if(" + c + ") {");
        nested(depth, shared);
        if (pick(3)) {
            line("} else {");
            nested(depth, shared);
        }
        line("}");
    }
    void region(unsigned depth) { // memory of its own alone
        const std::string result = fresh("v");
        line(result + " = region {");
        const auto cells = std::exchange(cells_, {}), arrays = std::exchange(arrays_, {});
        const auto values = values_.size(), conditions = conditions_.size();
        const bool quiet = std::exchange(quiet_, true);
        indent_ += 2;
        new_cell(), new_array();
        block(1 + pick(4), depth - 1);
        line(value());
        indent_ -= 2;
        quiet_ = quiet;
        cells_ = cells, arrays_ = arrays;
        values_.resize(values), conditions_.resize(conditions);
        line("}");
        values_.push_back(result);
    }
    void loop(unsigned depth) {
        std::string counter = fresh("k");
        line(counter + " = ref(0)");
        line("while {");
        indent_ += 2;
        std::string below = named("lt(get(" + counter + "), " + std::to_string(1 + pick(3)) + ")");
        const auto conditions = conditions_.size();
        if (pick(3) == 0) {
            std::string other = condition();
            line("and(" + below + ", " + other + ")");
        } else
            line(below);
        conditions_.resize(conditions);
        indent_ -= 2;
        line("} do {");
        nested(depth);
        line("  set(" + counter + ", add(get(" + counter + "), 1))");
        line("}");
        if (pick(2)) values_.push_back(named("get(" + counter + ")"));
    }
    void tested(unsigned depth) { // carries its count and a value that may never change
        const std::string init = value(), count = fresh("v"), result = fresh("v"), below = fresh("c");
        const std::string k = fresh("k"), acc = fresh("x"), most = std::to_string(pick(4));
        const auto inside = [&](auto&& write) {
            const auto cells = cells_.size(), arrays = arrays_.size(), values = values_.size(),
                       conditions = conditions_.size();
            indent_ += 2;
            values_.insert(values_.end(), {k, acc});
            write();
            indent_ -= 2;
            cells_.resize(cells), arrays_.resize(arrays), values_.resize(values), conditions_.resize(conditions);
        };
        const std::string params = " |" + k + ", " + acc + "|";
        line(count + ", " + result + " = while(0, " + init + ") {" + params);
        inside([&] {
            line(below + " = lt(" + k + ", " + most + ")");
            const std::string other = pick(2) ? condition() : "";
            line(other.empty() ? below : "and(" + below + ", " + other + ")");
        });
        line("} do {" + params);
        inside([&] {
            block(1 + pick(3), depth - 1);
            const std::string next = pick(3) ? acc : value();
            line("add(" + k + ", 1), " + next);
        });
        line("}");
        values_.insert(values_.end(), {count, result});
    }
    void counted(unsigned depth) { // carries a value that may never change
        if (pick(3) == 2) return tested(depth);
        std::string init = value(), i = fresh("i"), acc = fresh("x"), result = fresh("v");
        line(result + " = for(" + std::to_string(pick(4)) + ", " + init + ") { |" + i + ", " + acc + "|");
        const auto cells = cells_.size(), arrays = arrays_.size(), values = values_.size(),
                   conditions = conditions_.size();
        indent_ += 2;
        values_.insert(values_.end(), {i, acc});
        block(1 + pick(3), depth - 1);
        line(pick(3) ? acc : value());
        indent_ -= 2;
        cells_.resize(cells), arrays_.resize(arrays), values_.resize(values), conditions_.resize(conditions);
        line("}");
        values_.push_back(result);
    }

    const Decisions& choices_;
    bool again_;
    bool quiet_ = false; // in a region
    std::size_t next_ = 0;
    std::string text_;
    unsigned indent_ = 2, names_ = 0, deep_ = 0;
    std::vector<std::string> cells_, arrays_, values_, conditions_;
};

} // namespace

std::string random_effects(const Decisions& choices, bool again) { return EffectsWriter(choices, again).program(); }

} // namespace irrewrite
