#include "engine/driver/option_use.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace irrewrite {

namespace {

// The work of a command, by the option that asks for it. `Verifies` and `Traces` are done beside a run, the others exclude each
// other.
enum : std::uint32_t {
    Formats = 1 << 0,
    Serves = 1 << 1,
    Prompts = 1 << 2,
    Checks = 1 << 3,
    Proves = 1 << 4,
    Lints = 1 << 5,
    Explains = 1 << 6,
    Denies = 1 << 7,
    Compares = 1 << 8,
    Calls = 1 << 9,
    Prints = 1 << 10, // no other is asked for
    Verifies = 1 << 11,
    Traces = 1 << 12,
};
constexpr std::uint32_t RunsProgram = Explains | Denies | Compares | Calls | Prints; // of a program
constexpr std::uint32_t AsksRules = Checks | Proves | Lints;
constexpr std::uint32_t Together = Verifies | Traces;

struct UsedBy {
    std::string_view option;
    std::uint32_t work;
};
constexpr std::array works{
    UsedBy{"format", Formats}, UsedBy{"lsp", Serves}, UsedBy{"i", Prompts},        UsedBy{"check", Checks},
    UsedBy{"prove", Proves},   UsedBy{"lint", Lints}, UsedBy{"explain", Explains}, UsedBy{"why-not", Denies},
    UsedBy{"diff", Compares},  UsedBy{"run", Calls},  UsedBy{"verify", Verifies},  UsedBy{"verify-each", Verifies},
    UsedBy{"trace", Traces},
};

// An option and the work that it has an effect on; those that are not listed have one on all.
constexpr std::array uses{
    UsedBy{"file", Formats | Prompts | RunsProgram},
    UsedBy{"syntax", AsksRules | RunsProgram},
    UsedBy{"emit", Explains | Compares | Prints},
    UsedBy{"o", Formats | AsksRules | RunsProgram},
    UsedBy{"driver", Prints},
    UsedBy{"header", Prints},
    UsedBy{"namespace", Prints},
    UsedBy{"color", ~std::uint32_t{Serves}},
    UsedBy{"quiet", ~std::uint32_t{Serves}},
    UsedBy{"trace", RunsProgram},
    UsedBy{"trace-only", Traces},
    UsedBy{"stats", AsksRules | RunsProgram},
    UsedBy{"verify", RunsProgram},
    UsedBy{"verify-each", RunsProgram},
    UsedBy{"models", Checks | Proves | Verifies},
    UsedBy{"strict", Checks},
    UsedBy{"instances", Checks | Prompts | Verifies},
    UsedBy{"seed", Checks | Prompts | Verifies},
    UsedBy{"until", Checks | RunsProgram},
    UsedBy{"max-rewrites", RunsProgram},
    UsedBy{"fuel", Prompts | RunsProgram},
    UsedBy{"no-jit", Prompts | RunsProgram},
    UsedBy{"j", Checks | Proves | RunsProgram},
};

std::string dashed(std::string_view option) { return "'-" + std::string(option) + "'"; }

// `'-check', '-verify' or '-verify-each'`.
std::string names_of(std::uint32_t with) {
    std::vector<std::string> names;
    for (const UsedBy& each : works)
        if (each.work & with) names.push_back(dashed(each.option));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
    return text;
}

} // namespace

OptionUse use_of_options(std::span<const std::string> given) {
    OptionUse found;
    std::uint32_t asked = 0;
    std::string_view first; // of those that exclude each other
    for (const UsedBy& each : works) {
        if (std::ranges::find(given, each.option) == given.end()) continue;
        const bool is_layout_check = (asked & Formats) && each.work == Checks; // `-format -check`
        if (is_layout_check) continue;
        if (!first.empty() && !(each.work & Together))
            found.error = dashed(first) + " and " + dashed(each.option) + " exclude each other";
        if (found.error) return found;
        if (!(each.work & Together)) first = each.option;
        asked |= each.work;
    }
    if (!(asked & ~Together)) asked |= Prints;
    for (const std::string& option : given) {
        const auto use = std::ranges::find(uses, option, &UsedBy::option);
        if (use == uses.end() || (use->work & asked)) continue;
        const std::string name = option == "file" ? "a file" : dashed(option);
        const bool adds = first.empty() || (use->work & Together);
        found.warnings.push_back(
            name + (adds ? " has no effect without " + names_of(use->work) : " has no effect with " + dashed(first)));
    }
    return found;
}

} // namespace irrewrite
