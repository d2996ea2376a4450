// Rules as code for an interpreter.
//
// Instructions are sequences of 32-bit words: the first one holds the opcode and up to three small operands (a, b, c from
// the second byte on), the others what the list below says. Small operands are registers, of which each call has a window
// of its own on the stack: operands of a function are in its first registers. The word below a window says where to return
// to and how far the window of the caller is away; at that position stands which of its registers takes the result.
//
// A cell that is taken apart is freed if it has no other owner, or kept to be used again: its register then holds the cell
// or, where it is shared, 0. (Reinking, Xie, de Moura, Leijen, "Perceus: Garbage Free Reference Counting with Reuse", PLDI
// 2021.)
#pragma once

#include "engine/jit/heap.hpp"

#include <array>
#include <span>

namespace irrewrite::term {

// Few instructions that do much: which one comes next is seldom guessed right by the processor where there are many.
// `List`: registers in further words, four in a word.
#define IRREWRITE_OPCODES(X)                                                                                           \
    X(Halt)      /* the result is in register 0 */                                                                     \
    X(IsSymbol)  /* of a: symbol, else */                                                                              \
    X(IsSymbol0) /* of register 0; a branch of its own is foretold better */                                           \
    X(IsSymbol1)                                                                                                       \
    X(IsSymbol2)                                                                                                       \
    X(IsSymbol3)                                                                                                       \
    X(IsEither) /* of a: symbol, another symbol, target where it is that one, else */                                  \
    X(IsEither0)                                                                                                       \
    X(IsEither1)                                                                                                       \
    X(IsEither2)                                                                                                       \
    X(IsEither3)                                                                                                       \
    X(PartIsEither)                                                                                                    \
    X(PartIsSymbol) /* the same once a = part c of b */                                                                \
    X(Take1)        /* the cell a apart, into b: it is freed */                                                        \
    X(Take2)        /* into b, c */                                                                                    \
    X(TakeMany)     /* into b registers: List */                                                                       \
    X(Keep1)        /* likewise, but the cell is kept */                                                               \
    X(Keep2)                                                                                                           \
    X(KeepMany)                                                                                                        \
    X(Release)   /* a */                                                                                               \
    X(Retain)    /* a, b times */                                                                                      \
    X(Fire)      /* a rule applies: its number, then actions, whose number is above the opcode */                      \
    X(FireTake1) /* Fire, and then the instruction of that name: number of the rule */                                 \
    X(FireTake2)                                                                                                       \
    X(FireKeep1)                                                                                                       \
    X(FireKeep2)                                                                                                       \
    X(FireReturn)                                                                                                      \
    X(FireReturnConstant) /* number of the rule, reference */                                                          \
    X(Return)             /* a */                                                                                      \
    X(ReturnConstant)     /* reference */                                                                              \
    X(Tail)       /* the function goes on as another of b operands: target, List; of none where all are in place */    \
    X(Constant)   /* into a: reference */                                                                              \
    X(Make)       /* a new cell in a, from b and c if it has so many parts: symbol */                                  \
    X(Fill)       /* likewise, in the cell that was kept in a, if any */                                               \
    X(ReturnMade) /* likewise, and returns it */                                                                       \
    X(ReturnFilled)                                                                                                    \
    X(MakeMany) /* from b registers: symbol, List; the four in the same order */                                       \
    X(FillMany)                                                                                                        \
    X(ReturnMadeMany)                                                                                                  \
    X(ReturnFilledMany)                                                                                                \
    X(Call)    /* of b operands, in the window that is a words away: target, ReturnTo, List, register */               \
    X(Switch)  /* on the symbol of a: the least one, their number, else, targets */                                    \
    X(Jump)    /* target */                                                                                            \
    X(Load)    /* a = part c of b */                                                                                   \
    X(IsBits)  /* the literal a: low word, high word, else */                                                          \
    X(Equal)   /* a, b: else */                                                                                        \
    X(Differ)  /* a, b: else */                                                                                        \
    X(Give)    /* a to computations: number of the variable */                                                         \
    X(Test)    /* computation, else; a: it has to be false */                                                          \
    X(Compute) /* into a: computation, else */

enum class Opcode : std::uint8_t {
#define IRREWRITE_OPCODE(name) name,
    IRREWRITE_OPCODES(IRREWRITE_OPCODE)
#undef IRREWRITE_OPCODE
};

// Of the codes of those that make cells the lowest bit says that one is filled, the next one that it is returned.
static_assert(static_cast<int>(Opcode::Make) % 4 == 0 && static_cast<int>(Opcode::MakeMany) % 4 == 0);

class Bytecode {
  public:
    static constexpr std::size_t max_words = 4 << 20;
    static constexpr unsigned max_registers = 250;
    static std::uint32_t return_to(std::size_t position, unsigned distance) {
        return static_cast<std::uint32_t>(position << 8 | distance);
    }

    struct Label {
        std::int64_t at = -1;
        std::vector<std::size_t> uses; // words that wait for it
    };
    // The first call returns to position 0: to Halt, the result in register 0.
    std::vector<std::uint32_t> words{0, static_cast<std::uint32_t>(Opcode::Halt)};

    void emit(Opcode opcode, unsigned a = 0, unsigned b = 0, unsigned c = 0) {
        words.push_back(static_cast<std::uint32_t>(opcode) | a << 8 | b << 16 | c << 24);
    }
    // The Fire at that position and the instruction behind it as one, where there is one.
    void fuse(std::size_t fire);
    void word(std::uint32_t w) { words.push_back(w); }
    void target(Label& label);
    void bind(Label& label);
    static constexpr std::size_t list_words(std::size_t registers) { return (registers + 3) / 4; }
    void list(std::span<const unsigned> registers);
};

} // namespace irrewrite::term
