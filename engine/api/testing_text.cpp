// Literals and reports of engine/api/testing.hpp.
#include "engine/api/testing_inside.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/syntax/syntax.hpp"

#include <bit>
#include <ostream>

namespace irrewrite::testing {

std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(std::int64_t value) { return std::to_string(value); }
std::string literal(std::uint64_t value) { return std::to_string(value); }
std::string literal(float value) { return scalar_text(TypeKind::F32, std::bit_cast<std::uint32_t>(value)); }
std::string literal(double value) { return scalar_text(TypeKind::F64, std::bit_cast<std::uint64_t>(value)); }
std::string literal(std::string_view bytes) { return escape(bytes); }

static std::uint64_t scalar(TypeKind kind, std::string_view what, std::string_view literal) {
    if (auto bits = parse_scalar(kind, literal)) return *bits;
    throw Error("expected " + std::string(what) + ", found '" + std::string(literal) + "'");
}

bool to_bool(std::string_view literal) {
    if (literal == "true" || literal == "false") return literal == "true";
    throw Error("expected 'true' or 'false', found '" + std::string(literal) + "'");
}
std::int64_t to_signed(std::string_view literal) {
    return static_cast<std::int64_t>(scalar(TypeKind::I64, "an i64", literal));
}
std::uint64_t to_unsigned(std::string_view literal) { return scalar(TypeKind::U64, "a u64", literal); }
float to_float(std::string_view literal) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(scalar(TypeKind::F32, "an f32", literal)));
}
double to_double(std::string_view literal) { return std::bit_cast<double>(scalar(TypeKind::F64, "an f64", literal)); }

std::vector<std::string> parts(std::string_view literal) {
    using grammar::Kind;
    Sources sources;
    const SourceId source = sources.add("literal", std::string(literal));
    std::vector<std::string> out;
    or_error(sources, [&](Diagnostics& diagnostics) {
        const grammar::SyntaxTree tree = grammar::parse_expression(sources, source, diagnostics);
        if (diagnostics.has_errors()) return;
        const Kind kind = tree[tree.root].kind;
        if (kind == Kind::String)
            for (unsigned char byte : unescape(tree.name(tree.root))) out.push_back(std::to_string(byte));
        else if (kind == Kind::Array || kind == Kind::Tuple || kind == Kind::Struct)
            for (grammar::SyntaxId child : tree.children_of(tree.root))
                out.emplace_back(sources.text(tree.span(kind == Kind::Struct ? tree.children_of(child)[0] : child)));
        else
            diagnostics.error(tree.span(tree.root), "expected an array, a string, a tuple or a struct");
    });
    return out;
}

// -- reports ----------------------------------------------------------------------------------------

static std::string_view name_of(Verdict::Kind kind) {
    switch (kind) {
    case Verdict::Kind::Passed: return "passed";
    case Verdict::Kind::Wrong: return "wrong";
    case Verdict::Kind::Slower: return "slower";
    case Verdict::Kind::Unchecked: return "unchecked";
    case Verdict::Kind::HardlyMet: return "hardly checked: the rule applied to hardly any instance";
    case Verdict::Kind::MostlyFaults: return "hardly checked: the left side faulted in nearly all instances";
    }
    return "";
}

std::ostream& operator<<(std::ostream& out, const Verdict& v) {
    out << v.file << ':' << v.line << ':' << v.column << ": " << v.name << ": " << name_of(v.kind);
    return v.text.empty() ? out : out << '\n' << v.text;
}
std::ostream& operator<<(std::ostream& out, const Report& report) { return out << report.text; }
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    if (outcome.kind == Outcome::Kind::Exhausted) return out << "no value (it does not end)";
    if (!outcome) return out << "a fault (" << outcome.fault << ")";
    for (std::size_t i = 0; i < outcome.results.size(); ++i) out << (i ? " | " : "") << outcome.results[i];
    return outcome.printed.empty() ? out : out << ", and prints " << escape(outcome.printed);
}
std::ostream& operator<<(std::ostream& out, const Comparison& c) {
    if (c) return out << "the same";
    out << c.call << " gives " << c.before << " before, but " << c.after << " after";
    return c.since.empty() ? out : out << "\nfirst wrong after " << c.since;
}
std::ostream& operator<<(std::ostream& out, const Program& program) { return out << program.text(); }
std::ostream& operator<<(std::ostream& out, const Instance& instance) {
    return out << "before\n" << instance.before << "after\n" << instance.after;
}

} // namespace irrewrite::testing
