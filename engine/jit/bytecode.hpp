// Rules as code for an interpreter.
//
// Instructions are sequences of 32-bit words: the first one holds the opcode and up to three small operands (a, b, c from
// the second byte on), the others what the list below says. Small operands are registers, of which each call has a window
// of its own on the stack: operands of a function are in its first registers. The word below a window is the position to
// return to; there stands how far the window of the caller is away, and which of its registers takes the result.
//
// A cell that is taken apart is freed if it has no other owner, or kept to be used again: its register then holds the cell
// or, where it is shared, 0. (Reinking, Xie, de Moura, Leijen, "Perceus: Garbage Free Reference Counting with Reuse", PLDI
// 2021.)
#pragma once

#include "engine/jit/heap.hpp"

#include <array>
#include <span>

namespace irrewrite::term {

// `List`: registers in further words, four in a word.
#define IRREWRITE_OPCODES(X)                                                                                           \
    X(Halt)         /* the result is in register 0 */                                                                  \
    X(Jump)         /* target */                                                                                       \
    X(Load)         /* a = part c of b */                                                                              \
    X(IsSymbol)     /* of a: symbol, else */                                                                           \
    X(PartIsSymbol) /* the same once a = part c of b */                                                                \
    X(IsBits)       /* the literal a: low word, high word, else */                                                     \
    X(Switch)       /* on the symbol of a: the least one, their number, else, targets */                               \
    X(PartSwitch)   /* the same once a = part c of b */                                                                \
    X(Equal)        /* a, b: else */                                                                                   \
    X(Differ)       /* a, b: else */                                                                                   \
    X(Give)         /* a to computations: number of the variable */                                                    \
    X(Test)         /* computation, else; a: it has to be false */                                                     \
    X(Compute)      /* into a: computation, else */                                                                    \
    X(Fire)         /* a rule applies: its number */                                                                   \
    X(Release)      /* a */                                                                                            \
    X(Retain)       /* a, b times */                                                                                   \
    X(Take1)        /* the cell a apart, into b: it is freed */                                                        \
    X(Take2)        /* into b, c */                                                                                    \
    X(TakeN)        /* into b registers: List */                                                                       \
    X(Keep1)        /* likewise, but the cell is kept */                                                               \
    X(Keep2)                                                                                                           \
    X(KeepN)                                                                                                           \
    X(Constant) /* into a: reference */                                                                                \
    X(Make1)    /* a new cell in a from b: symbol */                                                                   \
    X(Make2)    /* from b, c */                                                                                        \
    X(MakeN)    /* from b registers: symbol, List */                                                                   \
    X(Fill1)    /* likewise, in the cell that was kept in a, if any */                                                 \
    X(Fill2)                                                                                                           \
    X(FillN)                                                                                                           \
    X(Call1)       /* of b, the window being a words away: target, then how to return */                               \
    X(Call2)       /* of b, c */                                                                                       \
    X(CallN)       /* of b registers: target, List, how to return */                                                   \
    X(Tail1)       /* the function goes on as another: of a: target */                                                 \
    X(Tail2)       /* of a, b */                                                                                       \
    X(TailN)       /* of b registers: target, List */                                                                  \
    X(Return)      /* a */                                                                                             \
    X(ReturnMade1) /* Make and Return */                                                                               \
    X(ReturnMade2)                                                                                                     \
    X(ReturnMadeN)                                                                                                     \
    X(ReturnFilled1) /* Fill and Return */                                                                             \
    X(ReturnFilled2)                                                                                                   \
    X(ReturnFilledN)

enum class Opcode : std::uint8_t {
#define IRREWRITE_OPCODE(name) name,
    IRREWRITE_OPCODES(IRREWRITE_OPCODE)
#undef IRREWRITE_OPCODE
};

class Bytecode {
  public:
    static constexpr std::size_t max_words = 4 << 20;
    static constexpr unsigned max_registers = 250;
    // How to return: to a window so many words below, into a register.
    static constexpr std::uint32_t return_info(unsigned distance, unsigned result) { return result << 16 | distance; }

    struct Label {
        std::int64_t at = -1;
        std::vector<std::size_t> uses; // words that wait for it
    };
    std::vector<std::uint32_t> words{return_info(0, 0), 0}; // where the first call returns to: Halt

    void emit(Opcode opcode, unsigned a = 0, unsigned b = 0, unsigned c = 0) {
        words.push_back(static_cast<std::uint32_t>(opcode) | a << 8 | b << 16 | c << 24);
    }
    void word(std::uint32_t w) { words.push_back(w); }
    void target(Label& label);
    void bind(Label& label);
    void list(std::span<const unsigned> registers);
};

} // namespace irrewrite::term
