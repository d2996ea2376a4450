#include "engine/lint/lint.hpp"

#include "engine/lint/idle_phases.hpp"
#include "engine/lint/overlaps.hpp"
#include "engine/lint/rule_activity.hpp"
#include "engine/lint/strategies.hpp"
#include "engine/lint/termination.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

std::string to_text(const Lint& lint, const Finding& finding) {
    std::string out = lint.place(finding.where) + ": " + finding.text + "\n";
    for (const std::string& text : finding.lines)
        for (std::size_t start = 0; start < text.size();) {
            std::size_t end = std::min(text.find('\n', start), text.size());
            out += "  " + text.substr(start, end - start) + "\n";
            start = end + 1;
        }
    return out;
}

std::string counted(std::size_t n, std::string_view what) {
    return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string to_text(const Overlaps& overlaps) {
    std::string out;
    auto add = [&](std::size_t n, const char* what) {
        if (n) out += (out.empty() ? "" : ", ") + std::to_string(n) + what;
    };
    add(overlaps.met, " meet again");
    add(overlaps.apart, " do not");
    add(overlaps.ordered, " are decided by the order of the rules");
    add(overlaps.undecided, " undecided");
    add(overlaps.never, " of which no term was found");
    return out.empty() ? out : "overlaps: " + out + "\n";
}

} // namespace

LintReport lint(const CheckTools& tools, std::span<const std::string> files, bool each) {
    Lint lint(tools, files);
    look_at_idle_phases(lint);
    look_at_strategies(lint);
    std::size_t rules = look_at_turns(lint, false);
    look_at_ends(lint);
    Overlaps overlaps = look_at_overlaps(lint);
    rules += look_at_turns(lint, true);
    std::ranges::stable_sort(lint.findings, {},
                             [](const Finding& f) { return std::pair(f.where.source, f.where.begin); });
    LintReport report;
    report.findings = lint.findings.size();
    for (const Finding& finding : lint.findings) report.text += to_text(lint, finding);
    for (const std::string& remark : lint.remarks) report.text += remark + "\n";
    if (each)
        for (const std::string& line : lint.decided) report.text += line + "\n";
    if (each)
        for (RuleId rule : overlaps.several)
            report.text += lint.place(lint[rule].where) + ": " + lint.name(rule) +
                           " has several roots: its overlaps were not checked\n";
    report.text += counted(rules, "rule") + ": " + counted(report.findings, "finding") + "\n" + to_text(overlaps);
    if (!overlaps.several.empty())
        report.text +=
            "overlaps of " + counted(overlaps.several.size(), "rule") + " with several roots ('&') were not checked\n";
    return report;
}

} // namespace irrewrite
