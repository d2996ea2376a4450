#include "engine/prove/prove_cases.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/prove/prove.hpp"
#include "engine/prove/smt.hpp"

#include <set>

namespace irrewrite {

namespace {

// The numbers that conditions on literals and shifts mostly leave: powers of two, and amounts of shifts.
std::vector<std::uint64_t> likely_values(TypeKind kind, unsigned width) {
    std::set<std::uint64_t> out;
    for (std::uint64_t i = 0; i <= width; ++i) out.insert(wrap(kind, i));
    for (unsigned i = 0; i < width; ++i) {
        out.insert(wrap(kind, std::uint64_t{1} << i));
        if (kind < TypeKind::U8) out.insert(wrap(kind, ~(std::uint64_t{1} << i) + 1));
    }
    return {out.begin(), out.end()};
}

// The question for one value of a parameter, which solvers then fold.
std::string for_value(const Script& script, const std::string& parameter, TypeKind kind, std::uint64_t value) {
    std::string text = script.given + script.asked;
    const std::string sort = smt_sort(kind), declared = "(declare-const " + parameter + " " + sort + ")";
    if (const std::size_t at = text.find(declared); at != std::string::npos)
        text.replace(at, declared.size(),
                     "(define-fun " + parameter + " () " + sort + " " + smt_literal(kind, value).value + ")");
    return text;
}

// Is `unsat` if the left side has a value for these values of a parameter alone.
std::string for_others(const Script& script, const std::string& parameter, TypeKind kind,
                       std::span<const std::uint64_t> values) {
    std::string text = script.given;
    for (std::uint64_t value : values)
        text += "(assert (distinct " + parameter + " " + smt_literal(kind, value).value + "))\n";
    return text + "(check-sat)\n";
}

} // namespace

std::optional<std::string> by_cases(const Types& types, const Script& script, unsigned seconds) {
    for (const auto& [parameter, kind] : script.integers) {
        const std::vector<std::uint64_t> values = likely_values(kind, types.bits(types.scalar(kind)));
        const auto others = ask_solver(for_others(script, parameter, kind, values), seconds);
        if (!others || !others->starts_with("unsat")) continue;
        bool all = true;
        for (std::size_t i = 0; all && i < values.size(); ++i) {
            const std::string said =
                ask_solver(for_value(script, parameter, kind, values[i]), seconds).value_or(std::string());
            if (said.starts_with("sat")) return said;
            all = said.starts_with("unsat");
        }
        if (all) return "unsat";
    }
    return std::nullopt;
}

} // namespace irrewrite
