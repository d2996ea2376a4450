// `scope { … }` of templates: a block of names alone. As a statement, its statements stand in the block around it. As a value
// (`let` in an expression), they stand before the statement that uses the value, and so does what is evaluated before it in
// that statement and has effects (A-normal form: Flanagan et al., The Essence of Compiling with Continuations).
#pragma once

#include "engine/ir/graph.hpp"
#include "grammar/surface/scopes.hpp"
#include "grammar/surface/term_edits.hpp"

namespace irrewrite::grammar {

// A term on the way from a function to the part that is being settled.
struct Visit {
    TermId id;
    std::uint32_t next = 0; // child
    std::uint32_t carry = Scopes::nothing;
    std::uint32_t lifted = 0;     // children before that one have no effects any more
    std::vector<TermId> before{}; // Block: statements to stand before the one that is visited
};

class ScopeTerms {
  public:
    ScopeTerms(const Context& context, Terms& terms, Scopes& scopes, std::vector<Visit>& path, SourceId source,
               Diagnostics& diagnostics)
        : context_(context), terms_(terms), scopes_(scopes), path_(path), source_(source), diagnostics_(diagnostics) {}

    bool is_scope(TermId id) const;
    void enter(TermId id);
    void leave(TermId id); // its parent is the last of the path
    void next_child();     // of the last of the path, or its end

  private:
    void leave_value(TermId id);
    void lift_before(std::size_t block);
    void lift(TermId parent, std::size_t child, std::vector<TermId>& before);
    bool has_effects(TermId id) const;
    bool is_wanted(std::size_t block, TermId id);

    const Context& context_;
    Terms& terms_;
    Scopes& scopes_;
    std::vector<Visit>& path_;
    SourceId source_;
    Diagnostics& diagnostics_;
    std::size_t clean_ = 0; // nothing is to be lifted of these on the path
};

} // namespace irrewrite::grammar
