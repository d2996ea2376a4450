// Reads the types of an operation's declaration: terms with variables. Inner to grammar/rules/declare.cpp.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

class SignatureReader {
  public:
    SignatureReader(Context& context, const SyntaxTree& tree, std::span<const AttrDecl> attributes,
                    std::size_t operands, Diagnostics& diagnostics)
        : context_(context), tree_(tree), attributes_(attributes), operands_(operands), diagnostics_(diagnostics) {}

    std::vector<TypeTerm> read_list(std::span<const SyntaxId> types);
    TypeTerm read(SyntaxId type, int depth = 0);
    // Moves the variables met into the signature.
    void finish(Signature& signature) &&;

  private:
    TypeTerm known(SyntaxId type, TypeTerm term);
    void variable(SyntaxId type, TypeTerm& term);
    void array(SyntaxId type, TypeTerm& term, int depth);
    void opaque(SyntaxId type, TypeTerm& term, int depth);
    void dimension(SyntaxId dim, TypeTerm& term);
    void named_dimension(SyntaxId dim, TypeTerm& term);
    bool attribute(SyntaxId type, TypeTerm& term) const;
    void check_ranks(const Signature& signature);
    void check_built(const TypeTerm& term);
    void check_told(const TypeTerm& term, std::vector<bool>& told, bool report);

    Context& context_;
    const SyntaxTree& tree_;
    std::span<const AttrDecl> attributes_;
    std::size_t operands_;
    Diagnostics& diagnostics_;
    std::vector<TypeClass> classes_;
    std::vector<SymbolId> names_;
    std::vector<SymbolId> dims_;
    struct Place { // of a dimension variable
        SyntaxId first;
        bool is_sequence;
    };
    std::vector<Place> dim_places_;
    std::vector<SyntaxId> any_places_; // of `_...`
};

} // namespace irrewrite::grammar
