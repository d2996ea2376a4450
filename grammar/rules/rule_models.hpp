// Models: the meaning that operations and types without one have while rules are checked, `model re.alt = { |%a, %b| … }`
// and `model type Re as []bool`. They are expansions, and types, of a last phase that no program goes through.
#pragma once

#include "grammar/rules/rule_loading.hpp"

#include <functional>

namespace irrewrite::grammar {

// Adds the phase, if the file has models.
void declare_models(Loading& loading, const RuleFile& file);
void read_model_type(Loading& loading, const RuleFile& file, SyntaxId id);
// `owner`: makes the rule that the model is.
void read_model(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner);

} // namespace irrewrite::grammar
