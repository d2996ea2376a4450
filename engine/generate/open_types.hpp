// Types with unknowns, for the terms of a pattern or a random term.
//
// First-order unification over types without lengths, with lists of types of unknown number (`?A...`). Unknowns that
// stay open are chosen at random in the end. (Robinson, "A machine-oriented logic based on the resolution principle";
// here with union-find and without an occurs check: a type that contains itself is refused when it is chosen.)
#pragma once

#include "engine/generate/choices.hpp"
#include "engine/ir/operations.hpp"

namespace irrewrite {

using OpenType = Id<struct OpenTypeTag>;
using OpenList = Id<struct OpenListTag>;

// The distribution of random types: the scalars that open types become, most likely the first.
struct Palette {
    std::vector<TypeKind> scalars{TypeKind::I64, TypeKind::F64};
    bool composite = true; // arrays and tuples as well
};

class OpenTypes {
  public:
    OpenTypes(Types& types, Choices& choices, const Palette& palette)
        : types_(types), choices_(choices), palette_(palette) {}

    OpenType fresh(TypeClass cls = TypeClass::Any);
    OpenType known(TypeId type);
    OpenType make(TypeKind kind, OpenList parts); // Array, Mut, Ref, Tuple, Generator, Emission
    // `opaque`: without what is known of it. Its dimensions stay unknown.
    OpenType opaque(TypeId opaque, OpenType element);
    // Of a type of any rank. `element`: none if it has none.
    OpenType opaque(TypeId opaque, std::size_t rank, OpenType element);
    // The rank of a type that stands for one of any rank, or that this is when it is lowered, as far as it is known.
    std::optional<std::size_t> rank(OpenType type) const;
    // Mostly the same one, so that ranks of different operands fit.
    std::size_t some_rank();
    OpenType array(OpenType element) { return make(TypeKind::Array, list({element})); }
    OpenList open_list();
    OpenList list(std::vector<OpenType> items);

    bool unify(OpenType a, OpenType b);
    bool unify(OpenList a, OpenList b);
    bool limit(OpenType type, TypeClass cls);

    std::optional<TypeKind> kind(OpenType type); // when it is known
    OpenList parts(OpenType type) { return types_of_[find(type).index].parts; }
    // The items of a list; an open one is given a random number of items first.
    std::vector<OpenType> items(OpenList list);
    std::optional<std::size_t> count(OpenList list); // when it is known

    // The type itself, choosing what is open. None: it contains itself, or its classes have nothing in common.
    std::optional<TypeId> choose(OpenType type, unsigned depth = 0);

    // Makes the result of a generator an array often: it shows all emitted values, of which a number shows little.
    void collect(OpenType made);
    // Lists that are open have mostly more than one item: what tells them apart by number can be seen.
    void expect_several() { several_ = true; }

    Types& types() { return types_; }
    Choices& choices() { return choices_; }

  private:
    struct TypeEntry {
        OpenType parent;                // another entry that this one is the same as
        std::optional<TypeKind> kind{}; // known
        TypeId leaf{};                  // of a type without components, or of an opaque type of some element
        OpenList parts{};
        std::vector<TypeClass> classes{}; // of an open one
        TypeId chosen{};
    };
    struct ListEntry {
        OpenList parent;
        bool known = false;
        std::size_t least = 0; // items
        std::vector<OpenType> items{};
    };
    OpenType find(OpenType type) const;
    OpenList find(OpenList list) const;
    bool admits(const TypeEntry& entry, TypeClass cls) const;

    Types& types_;
    Choices& choices_;
    const Palette& palette_;
    std::vector<TypeEntry> types_of_;
    std::vector<ListEntry> lists_;
    std::optional<std::size_t> rank_{};
    bool several_ = false;
};

// One application of an operation: its signature with fresh unknowns.
class OpenCall {
  public:
    // The call of an operation with that number of operands; none if the signature does not accept it. `given`: their
    // types, as far as known, which determine the lengths of sequences in component types.
    // `result`: that of the one result, which determines ranks.
    static std::optional<OpenCall> make(OpenTypes& types, const Operation& operation, std::size_t operands,
                                        std::span<const OpenType> given = {}, OpenType result = {});

    std::vector<OpenType> operands;
    std::vector<std::size_t> term_of_operand; // which operand of the signature each is
    OpenList results;
    std::vector<OpenType> attributes; // one for each, none for those that are not types
    struct Block {
        OpenList params, results;
    };
    std::vector<Block> blocks;
    // The results of this block are generators whose results, one after the other, are those of the call: to be
    // tied together with `flatten` once the generators are there.
    std::optional<std::size_t> flattens{};
    bool flatten(OpenTypes& types, std::span<const OpenType> generators);
    // The same from the results: one generator for each.
    bool spread(OpenTypes& types);

  private:
    struct Env;
    OpenList flat_;
};

} // namespace irrewrite
