// Generators and properties for rapidcheck (https://github.com/emil-e/rapidcheck), over engine/api/testing.hpp, beside
// which it is installed.
//
//   Rules rules({"mine.rules"});
//   rc::check("half-half holds", property::rule_holds(rules, "half-half"));
//   rc::check("the phases keep meaning", property::preserves_meaning(rules));
//   rc::check("sum is monotone", [&] { auto xs = *gen::value<std::vector<double>>(rules); … });
//
// A drawn value shrinks by its choices: fewer or smaller ones draw something simpler, and it is always well-typed.
#pragma once

#include "testing.hpp" // beside this one, in the source tree as well

#include <rapidcheck.h>

#include <functional>
#include <utility>

namespace irrewrite::testing {

namespace gen {

using Tape = std::vector<std::uint32_t>;

// Lists of choices that may draw something simpler.
inline rc::Seq<Tape> simpler(const Tape& tape) {
    return rc::seq::concat(rc::shrink::removeChunks(tape), rc::shrink::eachElement(tape, [](std::uint32_t choice) {
                               return rc::shrink::towards<std::uint32_t>(choice, 0);
                           }));
}

// The values of `draw(choices)`, an optional: seeds that draw nothing are skipped.
template <class Draw> auto drawn(Draw draw) {
    using T = typename decltype(draw(std::declval<Choices&>()))::value_type;
    constexpr int attempts = 1000;
    return rc::Gen<T>([draw](const rc::Random& random, int) {
        rc::Random seeds = random;
        for (int i = 0; i < attempts; ++i) {
            Choices choices{.seed = seeds.next()};
            if (!draw(choices)) continue;
            auto tapes = rc::shrinkable::shrinkRecur(Tape(*choices.taken), &simpler);
            auto again = [draw](const Tape& tape) {
                Choices replayed{.taken = tape};
                return draw(replayed);
            };
            auto all = rc::shrinkable::map(std::move(tapes), again);
            auto some =
                rc::shrinkable::filter(std::move(all), [](const std::optional<T>& made) { return made.has_value(); });
            return rc::shrinkable::map(std::move(*some), [](std::optional<T> made) { return *std::move(made); });
        }
        throw rc::GenerationFailure("nothing could be drawn in " + std::to_string(attempts) + " attempts");
    });
}

// A random program @f over all operations that have a meaning, those of the rule files included.
inline rc::Gen<Program> program(const Rules& rules) {
    return drawn([rules](Choices& choices) { return std::optional(rules.program(choices)); });
}
// A program that the rule applies to, before and after.
inline rc::Gen<Instance> instance(const Rules& rules, const std::string& rule) {
    return drawn([rules, rule](Choices& choices) { return rules.instance(rule, choices); });
}
// A call of one of its functions with random arguments.
inline rc::Gen<std::string> call(const Program& program, const std::string& function = "f") {
    return drawn([program, function](Choices& choices) { return std::optional(program.call(function, choices)); });
}
// A literal of a type of the IR, "[]f64".
inline rc::Gen<std::string> literal(const Rules& rules, const std::string& type) {
    return drawn([rules, type](Choices& choices) { return std::optional(rules.literal(type, choices)); });
}
// The same as a value of C++: numbers, booleans, and vectors of them.
template <class T> rc::Gen<T> value(const Rules& rules) {
    return drawn([rules](Choices& choices) {
        return std::optional(testing::value<T>(rules.literal(Typed<T>::name(), choices)));
    });
}

} // namespace gen

// Properties, for rc::check and rc::prop.
namespace property {

inline void expect(const Comparison& comparison) {
    if (!comparison)
        RC_FAIL(comparison.call + " gives " + comparison.before + " before, but " + comparison.after + " after");
}

// Property: wherever the rule applies, the result computes the same.
inline std::function<void()> rule_holds(const Rules& rules, const std::string& rule) {
    return [rules, rule] {
        const Instance instance = *gen::instance(rules, rule);
        expect(refines(instance.before, instance.after, *gen::call(instance.before)));
    };
}
// Property: the phases preserve the meaning of random programs.
inline std::function<void()> preserves_meaning(const Rules& rules) {
    return [rules] {
        const Program program = *gen::program(rules);
        expect(refines(program, program.rewritten(), *gen::call(program)));
    };
}
// Property: the phases preserve the meaning of this function.
inline std::function<void()> preserves_meaning(const Program& program, const std::string& function = "f") {
    return [program, function, after = program.rewritten()] {
        expect(refines(program, after, *gen::call(program, function)));
    };
}

} // namespace property

} // namespace irrewrite::testing
