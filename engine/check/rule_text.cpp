// Describes a rule's counterexample: programs before and after it, and arguments.
#include "engine/check/check_rule.hpp"

namespace irrewrite {

std::string indented(const std::string& text) {
    std::string out;
    for (std::size_t start = 0, end; start < text.size(); start = end + 1) {
        end = std::min(text.find('\n', start), text.size());
        if (end > start) out += "  " + text.substr(start, end - start) + "\n";
    }
    return out;
}

std::string RuleChecker::functions_text(const Trial& trial) const {
    std::string out;
    std::vector<const Function*> functions{&trial.before(), &trial.after()};
    for (const Function& called : trial.called().functions) functions.push_back(&called);
    for (const Function* function : functions) out += indented(tools_.print(world_.context, *function));
    return out;
}

std::string RuleChecker::arguments_text(const Trial& trial, std::span<const Value> arguments) const {
    std::string list;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        list += (i ? ", " : "") + value_text(world_.context, trial.before().params[i].type, arguments[i]);
    return list;
}

std::string RuleChecker::describe(const Trial& trial, std::span<const Value> arguments) const {
    std::string out = functions_text(trial);
    const std::string list = arguments_text(trial, arguments);
    out += "  -run '@before(" + list + ")' gives " + trial.before_text() + "\n";
    out += "  -run '@after(" + list + ")' gives " + trial.after_text() + "\n";
    out += "  seed " + std::to_string(options_.seed) + ", after " + std::to_string(verdict_.instances) +
           " instances; operations: " + std::to_string(trial.operations()) + "\n";
    return out;
}

} // namespace irrewrite
