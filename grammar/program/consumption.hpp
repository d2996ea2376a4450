// Use after consumption. An array is consumed when it is passed to a `*` parameter, or when a pure operation that
// `copies` a `*` parameter works on it in place. Afterwards it must not be used, nor an array that shares its memory.
//
// The check walks the text of one function from top to bottom: branches are walked separately, and both count after
// them; a loop may consume only arrays of its own. (Henriksen, Oancea, "A T2 graph-reduction approach to fusion",
// section on safe in-place updates.)
// A limitation: the result of an `if` counts as another array than those it is chosen from.
#pragma once

#include "grammar/program/resolve.hpp"

namespace irrewrite::grammar {

class Consumption {
  public:
    // `is_array`: of a Param or Target.
    Consumption(const Context& context, const SyntaxTree& tree, const Module& module, const Function& function,
                const ExpressionFacts& facts, const Names& names, std::function<bool(SyntaxId)> is_array,
                Diagnostics& diagnostics);

    // `root` a Func, or a Block that stands alone; `params`: of the function. False when something was reported.
    bool run(SyntaxId root, std::span<const SyntaxId> params);

    // True if there is anything to check.
    static bool concerns(const Module& module);

  private:
    static constexpr SyntaxId nothing = UINT32_MAX;
    struct Array { // by its definition
        bool consumable = false;
        SyntaxId consumed = nothing; // what consumed it
        SyntaxId used = nothing;     // where it was used last
    };
    struct Scope {
        SyntaxId block;
        std::size_t mark;                                   // in trail_
        std::vector<std::pair<SyntaxId, SyntaxId>> carried; // parameter, the array it is at first
    };

    void open(SyntaxId block, SyntaxId owner);
    void close(SyntaxId block, SyntaxId owner);
    void visit(SyntaxId id);
    void use(SyntaxId value);
    void apply(SyntaxId id);
    void call(SyntaxId id);
    void bind(SyntaxId id);
    void consume(SyntaxId array, SyntaxId where);
    SyntaxId array_of(SyntaxId expression) const; // whose memory it is; nothing: its own
    SyntaxId root(SyntaxId definition) const;
    std::vector<SyntaxId> operands(SyntaxId application) const;
    const Operation* operation(SyntaxId id) const;
    void error(SyntaxId where, std::string text, SyntaxId place, std::string note);

    const Context& context_;
    const SyntaxTree& tree_;
    const Module& module_;
    const Function& function_;
    const ExpressionFacts& facts_;
    const Names& names_;
    std::function<bool(SyntaxId)> is_array_;
    Diagnostics& diagnostics_;
    std::unordered_map<SyntaxId, Array> arrays_;
    std::unordered_map<SyntaxId, SyntaxId> roots_;            // of names for the memory of another
    std::unordered_map<SyntaxId, std::vector<bool>> updated_; // results that are consumable again
    std::unordered_map<SyntaxId, std::vector<std::pair<SyntaxId, SyntaxId>>> behind_; // consumed in blocks of an Op
    std::vector<SyntaxId> trail_;                                                     // consumed, in order
    std::vector<Scope> scopes_;
    bool ok_ = true;
};

} // namespace irrewrite::grammar
