#include "tests/random/random_program.hpp"

#include "tests/random/random_nests.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

namespace irrewrite {

namespace {

// An element type, and how many arrays stand around it.
struct Kind {
    unsigned element = 0, rank = 0;
    bool operator==(const Kind&) const = default;
};
enum Element : unsigned { I64, F64, Bool, I32, U8, F32, I16, U64, I8, U16, U32, Pair };
constexpr std::array<const char*, 12> element_names = {"i64", "f64", "bool", "i32", "u8",  "f32",
                                                       "i16", "u64", "i8",   "u16", "u32", "(i64, f64)"};

bool is_float(unsigned element) { return element == F64 || element == F32; }
bool is_int(unsigned element) { return element != Bool && element != Pair && !is_float(element); }
std::string type_text(Kind kind) {
    std::string text;
    for (unsigned i = 0; i < kind.rank; ++i) text += "[]";
    return text + element_names[kind.element];
}

struct Named {
    std::string name;
    Kind kind;
    int length = 0;       // arrays with one number are equally long
    bool regular = false; // so are the rows of this one
    bool used = false;
};

struct Operator {
    std::string text, neutral;
};

class ProgramWriter {
  public:
    ProgramWriter(const Decisions& choices, const Shape& shape, std::string prefix)
        : choices_(choices), shape_(shape), prefix_(std::move(prefix)) {
        params_ = {
            {"%a", {I64, 1}, 1, false, false},  {"%x", {F64, 1}, 1, false, false}, {"%s", {I64, 0}, 0, false, false},
            {"%b", {I64, 1}, 2, false, false},  {"%g", {I64, 2}, 2, true, false},  {"%q", {Bool, 0}, 0, false, false},
            {"%h", {F64, 2}, 1, false, false},  {"%t", {I32, 1}, 1, false, false}, {"%u", {U8, 1}, 2, false, false},
            {"%p", {Pair, 1}, 1, false, false}, {"%v", {F64, 0}, 0, false, false}, {"%d", {Bool, 1}, 1, false, false}};
        scope_ = params_;
    }

    // The lines of the body and its results.
    std::string body(std::vector<std::string>& results, std::vector<Kind>& kinds) {
        effects_ = shape_.effects;
        if (effects_) line("%r = ref(" + value({I64, 0}).name + ")");
        unsigned count = 1 + pick(shape_.statements);
        for (unsigned i = 0; i < count && !exhausted(); ++i) statement();
        for (std::size_t i = scope_.size(); i-- > params_.size() && results.size() < 5;) {
            if (scope_[i].used && !results.empty()) continue;
            results.push_back(scope_[i].name);
            kinds.push_back(scope_[i].kind);
        }
        if (results.empty()) results.push_back(value({I64, 1}).name), kinds.push_back({I64, 1});
        for (std::size_t i = 0; i < params_.size(); ++i) params_[i].used = scope_[i].used;
        return lines_;
    }

    std::string parameters() const {
        const std::vector<std::string> types = {"[n]i64",   "[n]f64", "i64",   "[m]i64",        "[m][k]i64", "bool",
                                                "[n][]f64", "[n]i32", "[m]u8", "[n](i64, f64)", "f64",       "[n]bool"};
        std::string text;
        for (std::size_t i = 0; i < params_.size(); ++i) {
            if (!params_[i].used) continue;
            text += (text.empty() ? "" : ", ") + params_[i].name + ": " + types[i];
        }
        return text;
    }

  private:
    // -- choices ---------------------------------------------------------------------------------
    unsigned pick(unsigned n) { return next_ < choices_.size() ? choices_[next_++] % n : 0; }
    bool exhausted() const { return next_ >= choices_.size(); }
    bool seldom() { return pick(32) == 31; }
    std::string one_of(std::initializer_list<const char*> texts) {
        return texts.begin()[pick(static_cast<unsigned>(texts.size()))];
    }

    // -- lines -----------------------------------------------------------------------------------
    std::string fresh() { return "%" + prefix_ + std::to_string(++names_); }
    void line(const std::string& text) { lines_ += std::string(indent_, ' ') + text + "\n"; }
    Named define(const std::string& text, Kind kind, int length = 0, bool regular = false) {
        Named made{fresh(), kind, length ? length : --lengths_, regular, false};
        line(made.name + " = " + text);
        scope_.push_back(made);
        return made;
    }
    Named define_head(Kind kind) { return {fresh(), kind, --lengths_, false, false}; }
    std::vector<Named> define(const std::string& text, std::vector<Kind> kinds, int length = 0) {
        std::vector<Named> made;
        std::string names;
        int shared = length ? length : --lengths_;
        for (Kind kind : kinds) {
            made.push_back({fresh(), kind, shared, false, false});
            names += (names.empty() ? "" : ", ") + made.back().name;
        }
        line(names + " = " + text);
        scope_.insert(scope_.end(), made.begin(), made.end());
        return made;
    }

    // -- operands --------------------------------------------------------------------------------
    std::string literal(unsigned element) {
        if (element == Bool) return one_of({"true", "false"});
        if (element == Pair) return "(" + literal(I64) + ", " + literal(F64) + ")";
        std::string type = element_names[element];
        if (is_float(element)) return one_of({"0.0", "1.0", "-0.0", "2.5", "inf", "-1.5"}) + type;
        bool is_unsigned = type[0] == 'u';
        return (is_unsigned ? one_of({"0", "1", "2", "3", "7", "100"}) : one_of({"0", "1", "2", "3", "-1", "100"})) +
               type;
    }
    Named use(std::size_t i) {
        scope_[i].used = true;
        return scope_[i];
    }
    template <class F> std::optional<Named> find(F&& fits) {
        std::vector<std::size_t> found;
        for (std::size_t i = scope_.size(); i-- > 0;)
            if (fits(scope_[i])) found.push_back(i);
        if (found.empty()) return std::nullopt;
        return use(found[pick(static_cast<unsigned>(std::min<std::size_t>(found.size(), 6)))]);
    }
    Named value(Kind kind) {
        if (kind.rank || pick(4) != 3)
            if (auto found = find([&](const Named& v) { return v.kind == kind; })) return *found;
        if (kind.rank) return array(kind);
        return {literal(kind.element), kind, 0, false, true};
    }
    Named scalar(unsigned element) { return value({element, 0}); }
    Named array(Kind kind) { // a new one
        Kind element{kind.element, kind.rank - 1};
        if (pick(2) == 0) {
            std::string first = value(element).name;
            return used(define("replicate(" + small() + ", " + first + ")", kind));
        }
        std::string text = "[";
        for (unsigned i = 0, n = 1 + pick(3); i < n; ++i) text += (i ? ", " : "") + value(element).name;
        return used(define(text + "]", kind));
    }
    Named used(const Named& v) {
        for (Named& other : scope_) other.used = other.used || other.name == v.name;
        return v;
    }
    Named any_array() {
        if (auto found = find([](const Named& v) { return v.kind.rank > 0; })) return *found;
        return array({I64, 1});
    }
    Named array_of(unsigned element) { return value({element, 1}); }
    std::optional<Named> as_long_as(const Named& xs) {
        return find([&](const Named& v) { return v.kind.rank > 0 && v.length == xs.length; });
    }
    std::vector<Named> arrays(unsigned most) { // of one length
        std::vector<Named> out{any_array()};
        for (unsigned i = pick(most); i > 0; --i)
            if (auto other = as_long_as(out[0])) out.push_back(*other);
        if (seldom()) out.push_back(any_array());
        return out;
    }
    std::string small() { // a length
        switch (pick(6)) {
        case 0: return "2";
        case 1: return std::to_string(pick(5));
        case 2: return "and(" + scalar(I64).name + ", 3)";
        case 3: return "len(" + any_array().name + ")";
        case 4: return "min(max(" + scalar(I64).name + ", 0), 4)";
        default: return seldom() ? scalar(I64).name : "3";
        }
    }
    static std::string list(const std::vector<Named>& values) {
        std::string text;
        for (const Named& v : values) text += (text.empty() ? "" : ", ") + v.name;
        return text;
    }
    static Kind element(const Named& xs) { return {xs.kind.element, xs.kind.rank - 1}; }

    // -- blocks ----------------------------------------------------------------------------------
    std::string block(const std::vector<Kind>& params, const std::vector<Kind>& results, bool effects = false) {
        return open_block(
            params,
            [&](const std::vector<Named>&) {
                std::vector<Named> out;
                for (Kind kind : results) out.push_back(result(kind));
                return list(out);
            },
            effects);
    }
    Named result(Kind kind) {
        for (std::size_t i = scope_.size(); i-- > 0;) // what was made last, to keep it alive
            if (scope_[i].kind == kind && !scope_[i].used && pick(4) != 3) return use(i);
        return value(kind);
    }
    template <class F> std::string open_block(const std::vector<Kind>& params, F&& finish, bool effects) {
        std::string lines = std::move(lines_), head = "{";
        std::size_t depth = scope_.size();
        bool saved = effects_;
        effects_ = effects_ && effects;
        lines_.clear();
        indent_ += 2;
        std::vector<Named> names;
        for (Kind kind : params) {
            names.push_back({fresh(), kind, --lengths_, false, false});
            head += (head == "{" ? " |" : ", ") + names.back().name;
        }
        if (!params.empty()) head += "|";
        scope_.insert(scope_.end(), names.begin(), names.end());
        if (indent_ / 2 <= shape_.depth)
            for (unsigned i = pick(3); i > 0 && !exhausted(); --i) statement();
        std::string last = finish(names);
        std::string inside = lines_;
        indent_ -= 2;
        effects_ = saved;
        scope_.erase(scope_.begin() + static_cast<std::ptrdiff_t>(depth), scope_.end());
        lines_ = std::move(lines);
        if (inside.empty()) return head + " " + last + " }";
        if (last[0] == '-' || last[0] == '(') last = "; " + last; // not an operator behind the line above
        return head + "\n" + inside + std::string(indent_ + 2, ' ') + last + "\n" + std::string(indent_, ' ') + "}";
    }
    static std::vector<Kind> elements(const std::vector<Named>& values) {
        std::vector<Kind> out;
        for (const Named& v : values) out.push_back(element(v));
        return out;
    }
    Kind some_kind() {
        switch (pick(8)) {
        case 0:
        case 1: return {I64, 0};
        case 2:
        case 3: return {F64, 0};
        case 4: return {Bool, 0};
        case 5: return {I64, 1};
        case 6: return {pick(Pair), 0};
        default: return {Pair, 0};
        }
    }

    // An associative operator for scalars, and its neutral element.
    Operator associative(unsigned e) {
        std::string t = element_names[e];
        if (e == Bool) {
            unsigned k = pick(3);
            return k == 0 ? Operator{"{and}", "true"} : k == 1 ? Operator{"{or}", "false"} : Operator{"{xor}", "false"};
        }
        if (is_float(e)) return pick(2) ? Operator{"{min}", "inf" + t} : Operator{"{max}", "-inf" + t};
        switch (pick(7)) {
        case 0: return {"{add}", "0" + t};
        case 1: return {"{mul}", "1" + t};
        case 2: return {"{xor}", "0" + t};
        case 3: return {"{or}", "0" + t};
        case 4: return t[0] == 'u' ? Operator{"{max}", "0" + t} : Operator{"{or}", "0" + t};
        case 5: { // the last that is not zero: not commutative
            std::string a = fresh(), b = fresh();
            return {"{ |" + a + ", " + b + "| select(eq(" + b + ", 0" + t + "), " + a + ", " + b + ") }", "0" + t};
        }
        default: {
            std::string a = fresh(), b = fresh();
            return {"{ |" + a + ", " + b + "| add(" + a + ", " + b + ") }", "0" + t};
        }
        }
    }
    Named combinable() {
        auto fits = [](const Named& v) { return v.kind.rank == 1 && v.kind.element != Pair; };
        if (auto found = find(fits)) return *found;
        return array({I64, 1});
    }

    // -- statements ------------------------------------------------------------------------------
    void statement() {
        if (effects_ && pick(4) == 0) return effect();
        switch (pick(51)) {
        case 0:
        case 1: return arithmetic();
        case 2: return comparison();
        case 3: return unary();
        case 4: return faulty();
        case 5: return conversion();
        case 6:
        case 7: return read_element();
        case 8: return length();
        case 9:
        case 10:
        case 11:
        case 12: return map();
        case 13:
        case 14: return filter();
        case 15:
        case 16:
        case 17: return reduce("reduce");
        case 18: return reduce("scan");
        case 19: return flatmap();
        case 20: return concat();
        case 21:
        case 22: return slice();
        case 23: return copy("reverse");
        case 24: return (void)define("iota(" + small() + ")", Kind{I64, 1});
        case 25: return replicate();
        case 26: return generate();
        case 27: return zip();
        case 28: return split();
        case 29: return gather();
        case 30: return scatter();
        case 31: return histogram();
        case 32: return groupby();
        case 33: return distinct();
        case 34: return transpose();
        case 35: return update();
        case 36: return foldl();
        case 37:
        case 38: return rows();
        case 39: return branch();
        case 40: return carry();
        case 41: return running();
        case 42: return float_bins();
        case 43: return keep();
        case 44:
        case 45:
        case 46:
        case 47:
        case 48:
        case 49: return nest();
        default: return flatten();
        }
    }

    unsigned element_kind() { return pick(3) == 2 ? pick(Pair) : pick(2); }
    void arithmetic() {
        unsigned e = element_kind();
        std::string op = e == Bool     ? one_of({"and", "or", "xor"})
                         : is_float(e) ? one_of({"add", "sub", "mul", "div", "min", "max"})
                                       : one_of({"add", "sub", "mul", "min", "max", "and", "or", "xor"});
        std::string left = scalar(e).name;
        define(op + "(" + left + ", " + scalar(e).name + ")", Kind{e, 0});
    }
    void comparison() {
        unsigned e = element_kind();
        std::string op = e == Bool ? one_of({"eq", "ne"}) : one_of({"lt", "gt", "le", "ge", "eq", "ne"});
        std::string left = scalar(e).name;
        define(op + "(" + left + ", " + scalar(e).name + ")", Kind{Bool, 0});
    }
    void unary() {
        unsigned e = element_kind();
        std::string op = e == Bool     ? "not"
                         : is_float(e) ? one_of({"neg", "abs", "sqrt", "floor"})
                                       : one_of({"neg", "abs", "not"});
        define(op + "(" + scalar(e).name + ")", Kind{e, 0});
    }
    void faulty() {
        unsigned e = pick(2) ? I64 : pick(Pair);
        if (!is_int(e)) e = I64;
        std::string t = element_names[e], left = scalar(e).name;
        bool shifts = pick(2), raw = seldom();
        std::string right = raw       ? scalar(e).name
                            : shifts  ? one_of({"1", "0", "3", "7"}) + t
                            : pick(2) ? one_of({"2", "1", "7"}) + t
                                      : "or(" + scalar(e).name + ", 1" + t + ")";
        define((shifts ? one_of({"shl", "shr"}) : one_of({"div", "rem"})) + "(" + left + ", " + right + ")",
               Kind{e, 0});
    }
    void conversion() {
        if (pick(2)) {
            unsigned e = element_kind(), to = pick(Pair);
            define("cast[" + std::string(element_names[to]) + "](" + scalar(e).name + ")", Kind{to, 0});
        } else {
            Kind kind = some_kind();
            std::string c = scalar(Bool).name, left = value(kind).name;
            define("select(" + c + ", " + left + ", " + value(kind).name + ")", kind);
        }
    }
    void read_element() {
        Named xs = any_array();
        Kind kind = element(xs);
        std::string i = pick(3) ? std::to_string(pick(3)) : scalar(I64).name;
        if (seldom()) return (void)define("at(" + xs.name + ", " + i + ")", kind);
        std::string other = value(kind).name;
        std::string guard = "and(ge(" + i + ", 0), lt(" + i + ", len(" + xs.name + ")))";
        define("if(" + guard + ") { at(" + xs.name + ", " + i + ") } else { " + other + " }", kind);
    }
    void length() { define("len(" + any_array().name + ")", Kind{I64, 0}); }
    void map() {
        std::vector<Named> xs = arrays(3);
        std::vector<Kind> results{some_kind()};
        if (pick(4) == 3) results.push_back(some_kind());
        std::string text = "map(" + list(xs) + ") " + block(elements(xs), results);
        for (Kind& kind : results) ++kind.rank;
        define(text, results, xs[0].length);
    }
    void filter() {
        std::vector<Named> xs = arrays(2);
        std::vector<Kind> kinds;
        for (const Named& v : xs) kinds.push_back(v.kind);
        define("filter(" + list(xs) + ") " + block(elements(xs), {{Bool, 0}}), kinds);
    }
    void reduce(const std::string& op) {
        Named xs = combinable();
        std::optional<Named> ys;
        if (pick(5) == 4)
            ys = find(
                [&](const Named& v) { return v.kind.rank == 1 && v.kind.element != Pair && v.length == xs.length; });
        unsigned rank = op == "scan";
        Operator first = associative(xs.kind.element);
        if (!ys) {
            define(op + "(" + xs.name + ", " + first.neutral + ") " + first.text, Kind{xs.kind.element, rank},
                   rank ? xs.length : 0);
            return;
        }
        auto plain = [](unsigned e) {
            return e == Bool     ? Operator{"or", "false"}
                   : is_float(e) ? Operator{"max", "-inf" + std::string(element_names[e])}
                                 : Operator{"add", "0" + std::string(element_names[e])};
        };
        Operator f = plain(xs.kind.element), g = plain(ys->kind.element);
        std::string a = fresh(), b = fresh(), c = fresh(), d = fresh();
        define(op + "(" + xs.name + ", " + ys->name + ", " + f.neutral + ", " + g.neutral + ") { |" + a + ", " + b +
                   ", " + c + ", " + d + "| " + f.text + "(" + a + ", " + c + "), " + g.text + "(" + b + ", " + d +
                   ") }",
               std::vector<Kind>{{xs.kind.element, rank}, {ys->kind.element, rank}}, rank ? xs.length : 0);
    }
    void flatmap() {
        Named xs = any_array();
        Kind kind{element_kind(), 1};
        define("flatmap(" + xs.name + ") " + block({element(xs)}, {kind}), kind);
    }
    void concat() {
        Named xs = any_array();
        std::string text = xs.name;
        for (unsigned i = 1 + pick(2); i > 0; --i) text += ", " + value(xs.kind).name;
        define("concat(" + text + ")", xs.kind);
    }
    void slice() {
        Named xs = any_array();
        std::string n = "len(" + xs.name + ")";
        std::string text = "slice(" + xs.name + ", ";
        switch (pick(6)) {
        case 0: text += "0, " + n; break;
        case 1: text += "min(1, " + n + "), " + n; break;
        case 2: text += "0, min(2, " + n + ")"; break;
        case 3: text += "0, " + n + ", 2"; break;
        case 4: text += "min(1, " + n + "), " + n + ", " + std::to_string(1 + pick(3)); break;
        default: text += seldom() ? "1, " + scalar(I64).name : "0, div(" + n + ", 2)";
        }
        define(text + ")", xs.kind);
    }
    void copy(const std::string& op) {
        Named xs = any_array();
        define(op + "(" + xs.name + ")", xs.kind, xs.length, xs.regular);
    }
    void replicate() {
        Kind kind = some_kind();
        std::string x = value(kind).name;
        define("replicate(" + small() + ", " + x + ")", Kind{kind.element, kind.rank + 1}, 0, kind.rank > 0);
    }
    void generate() {
        Kind kind = some_kind();
        std::string n = small();
        define("generate(" + n + ") " + block({{I64, 0}}, {kind}), Kind{kind.element, kind.rank + 1});
    }
    void zip() {
        auto pairs = find([](const Named& v) { return v.kind == Kind{Pair, 1}; });
        if (pairs && pick(2)) {
            if (pick(2))
                return (void)define("unzip(" + pairs->name + ")", std::vector<Kind>{{I64, 1}, {F64, 1}}, pairs->length);
            std::string p = fresh();
            bool second = pick(2);
            return (void)define("map(" + pairs->name + ") { |" + p + "| " + p + (second ? ".1" : ".0") + " }",
                                Kind{second ? F64 : I64, 1}, pairs->length);
        }
        Named xs = array_of(I64);
        auto ys = find([&](const Named& v) { return v.kind == Kind{F64, 1} && v.length == xs.length; });
        if (!ys) {
            std::string x = fresh();
            ys = used(define("map(" + xs.name + ") { |" + x + "| cast[f64](" + x + ") }", Kind{F64, 1}, xs.length));
        }
        define("zip(" + xs.name + ", " + ys->name + ")", Kind{Pair, 1}, xs.length);
    }
    void split() {
        Named xs = any_array();
        std::string n = "len(" + xs.name + ")";
        std::string k = pick(2) ? "div(" + n + ", 2)" : "min(" + std::to_string(pick(3)) + ", " + n + ")";
        Named first = define_head(xs.kind), second = define_head(xs.kind);
        line(first.name + ", " + second.name + " = split(" + k + ", " + xs.name + ")");
        scope_.push_back(first), scope_.push_back(second);
    }
    void gather() {
        Named xs = any_array();
        std::string n = "len(" + xs.name + ")", i = fresh();
        int length = 0;
        std::string positions;
        switch (pick(3)) {
        case 0:
            positions = "map(iota(" + n + ")) { |" + i + "| sub(sub(" + n + ", 1), " + i + ") }", length = xs.length;
            break;
        case 1: positions = "iota(div(" + n + ", 2))"; break;
        default: positions = "filter(iota(" + n + ")) { |" + i + "| eq(and(" + i + ", 1), 0) }";
        }
        if (seldom()) positions = array_of(I64).name;
        Named is = used(define(positions, Kind{I64, 1}, length));
        define("gather(" + xs.name + ", " + is.name + ")", xs.kind, is.length);
    }
    void scatter() {
        Named xs = any_array(), is = array_of(I64);
        auto vs = find([&](const Named& v) { return v.kind == xs.kind && v.length == is.length; });
        if (!vs) {
            std::string x = value(element(xs)).name, i = fresh();
            vs = used(define("map(" + is.name + ") { |" + i + "| " + x + " }", xs.kind, is.length));
        }
        define("scatter(" + xs.name + ", " + is.name + ", " + vs->name + ")", xs.kind, xs.length);
    }
    void histogram() {
        Named keys = array_of(I64);
        auto vals =
            find([&](const Named& v) { return v.kind.rank == 1 && v.kind.element != Pair && v.length == keys.length; });
        if (!vals) vals = keys;
        Operator op = associative(vals->kind.element);
        define("histogram(" + small() + ", " + keys.name + ", " + vals->name + ", " + op.neutral + ") " + op.text,
               vals->kind);
    }
    // What is made of running values by arithmetic alone: its sum, its greatest, or all of it.
    void running() {
        const bool real = pick(2) == 0;
        Named xs = array_of(real ? F64 : I64);
        const std::string least = real ? "-inf" : "-9", zero = real ? "0.0" : "0";
        const bool adds = !real && pick(2) == 0; // sums of floats may be grouped otherwise
        Named sums = used(define("scan(" + xs.name + ", " + (adds ? zero : least) + ") " + (adds ? "{add}" : "{max}"),
                                 xs.kind, xs.length));
        const std::string a = fresh(), b = fresh();
        std::string text = a;
        for (unsigned i = 3 + pick(3); i > 0; --i) {
            const std::string& other = pick(2) ? a : b;
            switch (pick(real ? 5 : 4)) {
            case 0: text = "(" + text + " - " + other + ")"; break;
            case 1: text = "(" + text + " * " + other + ")"; break;
            case 2: text = "max(" + text + ", " + other + ")"; break;
            case 3: text = "select(" + text + " < " + other + ", " + a + ", " + b + ")"; break;
            default: text = "(" + text + " / " + other + ")"; break;
            }
        }
        Named made = used(define("map(" + sums.name + ", " + xs.name + ") { |" + a + ", " + b + "| " + text + " }",
                                 xs.kind, xs.length));
        if (pick(2) == 0) define("reduce(" + made.name + ", " + least + ") {max}", Kind{xs.kind.element, 0});
        const std::string v = fresh();
        if (pick(2) == 0)
            define("len(filter(" + made.name + ") { |" + v + "| " + v + " > " + zero + " })", Kind{I64, 0});
    }
    // Keys that are floats made integers.
    void float_bins() {
        Named xs = array_of(F64);
        const std::string x = fresh();
        Named keys =
            used(define("map(" + xs.name + ") { |" + x + "| cast[i64](" + x + (pick(2) ? " * 2.0" : "") + ") }",
                        Kind{I64, 1}, xs.length));
        const std::string bins = small(), values = pick(3) == 0 ? keys.name : "replicate(len(" + xs.name + "), 1)";
        define("histogram(" + bins + ", " + keys.name + ", " + values + ", 0) {add}", Kind{I64, 1});
        if (pick(2) == 0)
            define("histogram(" + bins + ", " + keys.name + ", " + xs.name + ", -inf) {max}", Kind{F64, 1});
    }
    void groupby() {
        Named xs = any_array();
        Kind key{pick(2) ? Bool : I64, 0};
        Named keys =
            used(define("map(" + xs.name + ") " + block({element(xs)}, {key}), Kind{key.element, 1}, xs.length));
        auto made = define("groupby(" + keys.name + ", " + xs.name + ")",
                           std::vector<Kind>{{key.element, 1}, {xs.kind.element, xs.kind.rank + 1}});
        if (pick(3) == 0 || xs.kind.rank > 1) return;
        Named groups = used(made[1]);
        std::string g = fresh();
        if (pick(2) == 0 || xs.kind.element == Pair)
            return (void)define("map(" + groups.name + ") { |" + g + "| len(" + g + ") }", Kind{I64, 1}, groups.length);
        Operator op = associative(xs.kind.element);
        define("map(" + groups.name + ") { |" + g + "| reduce(" + g + ", " + op.neutral + ") " + op.text + " }",
               xs.kind, groups.length);
    }
    void distinct() {
        Named xs = combinable();
        define("distinct(" + xs.name + ")", xs.kind);
    }
    void transpose() {
        auto m = find([](const Named& v) { return v.kind.rank == 2 && (v.regular || v.name == "%g"); });
        if (!m) return copy("copy");
        define("transpose(" + m->name + ")", m->kind, 0, true);
    }
    void update() {
        Named xs = any_array();
        std::string x = value(element(xs)).name, i = std::to_string(pick(3));
        std::string text = "update(" + xs.name + ", " + i + ", " + x + ")";
        if (!seldom()) text = "if(lt(" + i + ", len(" + xs.name + "))) { " + text + " } else { " + xs.name + " }";
        define(text, xs.kind, xs.length);
    }
    void foldl() {
        if (pick(2)) {
            Named xs = combinable();
            if (!is_int(xs.kind.element)) return reduce("reduce");
            std::string t = element_names[xs.kind.element], x = fresh(), a = fresh();
            return (void)define("redomap(" + xs.name + ", 0" + t + ") {add} fold { |" + a + ", " + x + "| add(" + a +
                                    ", mul(" + x + ", " + x + ")) }",
                                Kind{xs.kind.element, 0});
        }
        std::vector<Named> xs = arrays(2);
        auto no_array = [&] { // which would be taken for an input
            Kind kind = some_kind();
            return Kind{kind.element, 0};
        };
        std::vector<Kind> carried{no_array()};
        if (pick(3) == 2) carried.push_back(no_array());
        std::string initial;
        for (Kind kind : carried) initial += ", " + value(kind).name;
        std::vector<Kind> params = carried, rest = elements(xs);
        params.insert(params.end(), rest.begin(), rest.end());
        define("foldl(" + list(xs) + initial + ") " + block(params, carried), carried);
    }
    void rows() { // a nested parallel operation over the rows of a matrix
        auto m = find([](const Named& v) { return v.kind.rank == 2; });
        if (!m) return map();
        Named matrix = *m;
        std::string row = fresh(), x = fresh();
        unsigned e = matrix.kind.element;
        switch (pick(4)) {
        case 0: {
            if (e == Pair) return length();
            Operator op = associative(e);
            define("map(" + matrix.name + ") { |" + row + "| reduce(" + row + ", " + op.neutral + ") " + op.text + " }",
                   Kind{e, 1}, matrix.length);
            return;
        }
        case 1:
            define("map(" + matrix.name + ") { |" + row + "| map(" + row + ") " + block({{e, 0}}, {{e, 0}}) + " }",
                   matrix.kind, matrix.length, matrix.regular);
            return;
        case 2:
            define("map(" + matrix.name + ") { |" + row + "| filter(" + row + ") " + block({{e, 0}}, {{Bool, 0}}) +
                       " }",
                   matrix.kind, matrix.length);
            return;
        default: define("map(" + matrix.name + ") { |" + row + "| len(" + row + ") }", Kind{I64, 1}, matrix.length);
        }
    }
    void nest() { // loops in loops
        auto fits = [](const Named& v) { return v.kind.rank == 2 && v.kind.element != Pair; };
        std::optional<Named> matrix = pick(2) ? find(fits) : std::nullopt;
        const Named xs = matrix ? *matrix : combinable(), ys = matrix ? xs : value({xs.kind.element, 1});
        const unsigned e = xs.kind.element;
        const Operator op = associative(e);
        NestParts parts{xs.name, ys.name, {}, {}, op.neutral, op.text, e == Bool};
        if (matrix) parts.matrix = xs.name, parts.columns = xs.name == "%g" ? "%k" : "len(at(" + xs.name + ", 0))";
        const Nest made = random_nest(
            parts, [&](unsigned n) { return pick(n); }, [&] { return fresh(); });
        define(made.text, Kind{made.counts ? unsigned{I64} : e, made.rank}, made.as_long ? xs.length : 0);
    }
    void branch() {
        std::vector<Kind> kinds{some_kind()};
        if (pick(3) == 2) kinds.push_back(some_kind());
        std::string c = scalar(Bool).name, then = block({}, kinds, true);
        define("if(" + c + ") " + then + " else " + block({}, kinds, true), kinds);
    }
    void carry() {
        Kind kind = some_kind();
        std::string n = small(), init = value(kind).name;
        if (pick(3) == 2) return tested(kind, n, init);
        define("for(" + n + ", " + init + ") " + block({{I64, 0}, kind}, {kind}, true), kind);
    }
    // A loop that carries a value and its own count, and may end before the count is full.
    void tested(Kind kind, const std::string& n, const std::string& init) {
        const Kind count{I64, 0};
        const bool early = pick(2);
        const std::string test = open_block(
            {count, kind},
            [&](const std::vector<Named>& names) {
                const std::string below = "lt(" + names[0].name + ", " + n + ")";
                return early ? "and(" + below + ", " + result({Bool, 0}).name + ")" : below;
            },
            true);
        const std::string step = open_block(
            {count, kind},
            [&](const std::vector<Named>& names) { return "add(" + names[0].name + ", 1), " + result(kind).name; },
            true);
        define("while(0, " + init + ") " + test + " do " + step, {count, kind});
    }
    // An array goes on, and so does what is read from it.
    void keep() {
        const unsigned e = pick(2);
        const Kind array{e, 1}, scalar{e, 0};
        const auto made = [&](const Named& xs, const std::string& with) {
            std::string text = "distinct(" + xs.name + ")";
            if (pick(2))
                text = "scan(" + xs.name + ", " + (e == F64 ? "-inf" : "-9") + ") {max}";
            else if (pick(2))
                text = "map(" + xs.name + ") " + block({scalar}, {scalar});
            const Named ys = used(define(text, array));
            const std::string read = "at(" + ys.name + ", 0)";
            return ys.name + ", " + (pick(2) ? read : "max(" + read + ", " + with + ")");
        };
        const Named xs = value(array);
        switch (pick(3)) {
        case 0: {
            const std::string head = "for(" + small() + ", " + xs.name + ", " + literal(e) + ") ";
            define(head + open_block(
                              {{I64, 0}, array, scalar},
                              [&](const std::vector<Named>& names) { return made(names[1], names[2].name); }, true),
                   {array, scalar});
            return;
        }
        case 1: {
            const std::string head = "if(" + value({Bool, 0}).name + ") ", with = literal(e);
            const std::string then = open_block(
                {}, [&](const std::vector<Named>&) { return made(xs, with); }, true);
            define(head + then + " else " +
                       open_block(
                           {}, [&](const std::vector<Named>&) { return made(xs, with); }, true),
                   {array, scalar});
            return;
        }
        default: {
            const std::string head = "map(iota(" + small() + ")) ", with = literal(e);
            define(head + open_block(
                              {{I64, 0}}, [&](const std::vector<Named>&) { return made(xs, with); }, false),
                   std::vector<Kind>{{e, 2}, {e, 1}});
        }
        }
    }
    void flatten() {
        auto m = find([](const Named& v) { return v.kind.rank >= 2; });
        if (m) return (void)define("flatten(" + m->name + ")", Kind{m->kind.element, m->kind.rank - 1});
        Named xs = any_array();
        define("reshape(" + xs.name + ", len(" + xs.name + "))", xs.kind, xs.length);
    }
    void effect() {
        switch (pick(4)) {
        case 0: return line("set(%r, " + scalar(I64).name + ")");
        case 1: return (void)define("get(%r)", Kind{I64, 0});
        case 2: return line("set(%r, add(get(%r), " + scalar(I64).name + "))");
        default: return line("print(" + value(some_kind()).name + ")");
        }
    }

    const Decisions& choices_;
    const Shape& shape_;
    std::string prefix_;
    std::vector<Named> params_, scope_;
    std::string lines_;
    std::size_t next_ = 0, indent_ = 2;
    int names_ = 0, lengths_ = 0;
    bool effects_ = false;
};

std::string joined(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
    return out;
}

std::string function_text(const ProgramWriter& writer, const std::vector<Kind>& kinds, const std::string& body,
                          const std::vector<std::string>& results) {
    std::vector<std::string> types;
    for (Kind kind : kinds) types.push_back(type_text(kind));
    return "func @f(" + writer.parameters() + ") -> " + joined(types) + " {\n" + body + "  return " + joined(results) +
           "\n}\n";
}

} // namespace

std::string random_program(const Decisions& choices, const Shape& shape) {
    ProgramWriter writer(choices, shape, "e");
    std::vector<std::string> results;
    std::vector<Kind> kinds;
    std::string body = writer.body(results, kinds);
    return function_text(writer, kinds, body, results);
}

std::string random_twins(const Decisions& choices, const Shape& shape) {
    ProgramWriter one(choices, shape, "e"), two(choices, shape, "other");
    std::vector<std::string> results, more;
    std::vector<Kind> kinds, same;
    std::string body = one.body(results, kinds) + two.body(more, same);
    results.insert(results.end(), more.begin(), more.end());
    kinds.insert(kinds.end(), same.begin(), same.end());
    return function_text(one, kinds, body, results);
}

// -- arguments
// --------------------------------------------------------------------------------------

namespace {

class Arguments {
  public:
    Arguments(const Context& context, std::uint64_t seed) : context_(context), random_(seed) {}

    Value value(TypeId type) {
        const Types& types = context_.types;
        switch (types.kind(type)) {
        case TypeKind::Array: {
            std::uint64_t n = length(types.dim(type));
            Value out{0, std::make_shared<std::vector<Value>>()};
            for (std::uint64_t i = 0; i < n; ++i) out.parts->push_back(value(types.element(type)));
            return out;
        }
        case TypeKind::Tuple: {
            Value out{0, std::make_shared<std::vector<Value>>()};
            for (TypeId part : types.elements(type)) out.parts->push_back(value(part));
            return out;
        }
        default: return {scalar(types.kind(type)), nullptr};
        }
    }

  private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::uint64_t length(Dim dim) {
        if (dim.kind == DimKind::Constant) return static_cast<std::uint64_t>(dim.value);
        if (dim.kind != DimKind::Named) return below(4);
        auto [it, fresh] = lengths_.try_emplace(dim.value, 0);
        if (fresh) it->second = below(6) ? 1 + below(4) : 0;
        return it->second;
    }
    std::uint64_t scalar(TypeKind kind) {
        if (kind == TypeKind::F32 || kind == TypeKind::F64) {
            const double odd[] = {0.0, -0.0, 1e300, -1e-300, HUGE_VAL, -HUGE_VAL};
            return from_double(kind, below(8) ? static_cast<double>(below(17)) / 2 - 4 : odd[below(6)]);
        }
        if (kind == TypeKind::Bool) return below(2);
        return wrap(kind, below(10) ? below(8) - 2 : (1ull << below(64)) - below(2));
    }

    const Context& context_;
    std::mt19937_64 random_;
    std::unordered_map<std::int64_t, std::uint64_t> lengths_;
};

} // namespace

std::vector<Value> random_arguments(const Context& context, const Function& function, std::uint64_t seed) {
    Arguments arguments(context, seed);
    std::vector<Value> out;
    for (const Parameter& param : function.params) out.push_back(arguments.value(param.type));
    return out;
}

} // namespace irrewrite
