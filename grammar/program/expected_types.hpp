// Expected types of operands and blocks, from the expected type of an application: a hint for numerals and empty
// arrays. Nothing is checked here.
#pragma once

#include "engine/ir/operations.hpp"

namespace irrewrite::grammar {

class Expected {
  public:
    // `due`: the type of the application's value, perhaps Results; none: nothing is known.
    Expected(Types& types, const Signature& signature, TypeId due);

    TypeId build(const TypeTerm& term, std::size_t position = 0); // none when not determined
    // Result k of block i.
    TypeId block_result(std::size_t i, std::size_t k);

  private:
    void match(const TypeTerm& term, TypeId type, std::size_t position);
    void match_list(std::span<const TypeTerm> terms, std::span<const TypeId> types);

    Types& types_;
    const Signature& signature_;
    std::vector<std::vector<TypeId>> bound_; // by type variable, then position in its sequence
};

} // namespace irrewrite::grammar
