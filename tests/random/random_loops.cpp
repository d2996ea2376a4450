#include "tests/random/random_loops.hpp"

namespace irrewrite {

namespace {

class LoopsWriter {
  public:
    explicit LoopsWriter(const Decisions& choices) : choices_(choices) {}

    std::string program() {
        const std::string body = loop_body("%i", 1 + pick(4));
        std::string results, types;
        for (std::size_t k = 0; k < types_.size(); ++k) {
            results += (k ? ", %r" : "%r") + std::to_string(k);
            types += (k ? ", " : "") + types_[k];
        }
        return "func @f(%xs: [n]i64, %p: i64) -> " + types + " {\n  " + results + " = loop(%n) " + body +
               "\n  return " + results + "\n}\n";
    }

  private:
    // What may be written where one stands: names, what was written already, and emissions of each width.
    struct Scope {
        std::vector<std::string> names, values, emissions[4];
    };

    unsigned pick(unsigned n) { return next_ < choices_.size() ? choices_[next_++] % n : 0; }
    const std::string& one_of(const std::vector<std::string>& list) {
        return list[pick(static_cast<unsigned>(list.size()))];
    }
    std::string fresh(const char* prefix) { return "%" + std::string(prefix) + std::to_string(++names_); }
    bool deep() const { return depth_ > 3; }

    // A block with what `results` writes, and perhaps lines before it.
    template <class Results> std::string block(const std::vector<std::string>& params, Results results) {
        const Scope outer = scope_;
        ++depth_;
        std::string text = "{";
        for (const std::string& param : params) {
            text += (&param == &params[0] ? " |" : ", ") + param;
            scope_.names.push_back(param);
        }
        text += params.empty() ? " " : "| ";
        if (pick(3) == 2) {
            const std::string name = fresh("v");
            text += name + " = " + value() + "; ";
            scope_.names.push_back(name);
        }
        text += results() + " }";
        --depth_;
        scope_ = outer;
        return text;
    }

    std::string loop_body(const std::string& index, unsigned generators) {
        return block({index}, [&] {
            if (depth_ == 1) scope_.values.push_back("at(%xs, " + index + ")");
            std::string text;
            for (unsigned k = 0; k < generators; ++k) text += (k ? ",\n    " : "") + generator();
            return text;
        });
    }

    std::string value() {
        std::string text;
        switch (pick(deep() ? 5 : 7)) {
        case 0: return one_of(scope_.names);
        case 1:
        case 2: return scope_.values.empty() ? "1" : one_of(scope_.values);
        case 3: text = "mul(" + one_of(scope_.names) + ", 2)"; break;
        case 4:
            text = "add(" + one_of(scope_.names) + ", ";
            text += one_of(scope_.names) + ")";
            break;
        case 5:
            text = "if(" + condition() + ") ";
            text += block({}, [&] { return value(); });
            text += " else " + block({}, [&] { return value(); });
            break;
        default: {
            const std::string index = fresh("k");
            text = "loop(2) " + block({index}, [&] { return "gen.reduce(0, " + emission(1) + ") {add}"; });
        }
        }
        scope_.values.push_back(text);
        return text;
    }
    std::string condition() {
        const std::string text = "lt(" + value();
        return text + ", " + std::to_string(pick(4)) + ")";
    }

    std::string emission(unsigned width) {
        std::string text;
        switch (deep() ? pick(2) : pick(7)) {
        case 0:
            for (unsigned k = 0; k < width; ++k) text += (k ? ", " : "emit(") + value();
            text += ")";
            break;
        case 1:
        case 2:
            if (scope_.emissions[width].empty()) return emission(width);
            return one_of(scope_.emissions[width]);
        case 3: {
            const std::string c = condition();
            ++depth_;
            text = "when(" + c + ", " + emission(width) + ")";
            --depth_;
            break;
        }
        case 4: text = "each(2) " + block({fresh("j")}, [&] { return emission(width); }); break;
        case 5: {
            ++depth_;
            const std::string first = emission(width);
            text = "both(" + first + ", " + emission(width) + ")";
            --depth_;
            break;
        }
        default: text = bound("bind", [&] { return emission(width); });
        }
        scope_.emissions[width].push_back(text);
        return text;
    }

    // An emission, and a block that takes what it emits.
    template <class Results> std::string bound(const char* operation, Results results) {
        const unsigned width = 1 + pick(2);
        std::string text = operation + ("(" + emission(width)) + ") ";
        std::vector<std::string> params;
        for (unsigned k = 0; k < width; ++k) params.push_back(fresh("e"));
        return text + block(params, results);
    }

    void arrays(unsigned count) { types_.insert(types_.end(), count, "[]i64"); }

    std::string generator() {
        switch (pick(deep() ? 5 : 11)) {
        case 0:
        case 1: {
            const unsigned width = 1 + pick(2);
            arrays(width);
            return "gen.collect(" + emission(width) + ")";
        }
        case 2: types_.push_back("i64"); return "gen.reduce(0, " + emission(1) + ") {add}";
        case 3: {
            types_.push_back("i64");
            const std::string emitted = emission(1), sum = fresh("a"), next = fresh("b");
            return "gen.fold(%p, " + emitted + ") " + block({sum, next}, [&] { return value(); });
        }
        case 4: arrays(1); return "gen.histogram(3, 0, " + emission(2) + ") {add}";
        case 5: {
            arrays(1);
            const bool reversed = pick(3) == 0;
            const std::string emitted = emission(1);
            const std::string scan =
                "gen.scan(0, " + emitted + ") {add} then " + block({fresh("s")}, [&] { return emission(1); });
            return reversed ? "gen.reversed(" + scan + ")" : scan;
        }
        case 6: {
            return bound("feed", [&] { return generator(); });
        }
        case 10: {
            const std::string count = value(), index = fresh("j");
            return "gen.each(min(" + count + ", 4)) " + block({index}, [&] {
                       const std::string first = generator();
                       return pick(2) ? first : first + ", " + generator();
                   });
        }
        case 7: {
            const std::string text = "gen.running(0, emit(" + value() + ")) {add} then ";
            return text + block({fresh("s")}, [&] {
                       const std::string first = generator();
                       return pick(2) ? first : first + ", " + generator();
                   });
        }
        default: {
            const unsigned width = 2 + pick(2);
            const std::string text = "gen.bucket(" + emission(width) + ") ", group = fresh("g");
            const std::size_t before = types_.size();
            const std::string inner = group_block(group, width - 1);
            for (std::size_t k = before; k < types_.size(); ++k) types_[k] = "[]" + types_[k];
            return text + inner;
        }
        }
    }

    std::string group_block(const std::string& group, unsigned width) {
        const Scope outer = scope_;
        scope_.emissions[width].push_back(group);
        ++depth_;
        const std::string text = "{ |" + group + "| " + generator();
        --depth_;
        scope_ = outer;
        return text + " }";
    }

    const Decisions& choices_;
    std::size_t next_ = 0;
    unsigned names_ = 0, depth_ = 0;
    Scope scope_{{"%p"}, {}, {}};
    std::vector<std::string> types_; // of the results so far
};

} // namespace

std::string random_loops(const Decisions& choices) { return LoopsWriter(choices).program(); }

} // namespace irrewrite
