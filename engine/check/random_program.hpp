// Random programs over everything that the evaluator knows, operations of rule files included, for tests of whole
// phases.
#pragma once

#include "engine/check/trial.hpp"

namespace irrewrite {

// Results of random types, made of random terms, and the parameters that these need, as a function of the choices.
// False: they make no such function.
bool random_function(Context& context, const Vocabulary& vocabulary, Choices& choices, Function& function);

} // namespace irrewrite
