// Names of values in printed IR: the user's if there is one, with a number appended if two values that are visible
// together would share it, and `%0`, `%1`, … for values without a name.
#pragma once

#include "engine/ir/module.hpp"

#include <string>
#include <string_view>
#include <tsl/robin_map.h>
#include <utility>

namespace irrewrite::printers {

// A name that IrNames gave: a symbol of the context, a number, or a text of its own.
struct IrName {
    std::uint32_t code = 0; // the kind in the two highest bits; 0: none
    explicit operator bool() const { return code != 0; }
};

class IrNames {
  public:
    IrNames(const Context& context, const Function& function);

    // A name not taken yet: `wanted` if possible. Without one, or with one that the text could not
    // have, a number. None of those made up hides a name that stands in the function.
    IrName take(SymbolId wanted);
    // The same for what is written once more, after it got a made-up name: that one again, if possible. Reading takes
    // the first name that it sees.
    IrName take_again(IrName before, SymbolId wanted);
    void release(IrName name); // its number can be had again
    bool is_usable(SymbolId name) const;
    void append(std::string& out, IrName name) const;

  private:
    enum Kind : std::uint32_t { Symbol = 1, Number = 2, Made = 3 };
    static constexpr unsigned kind_shift = 30;

    class SymbolSet { // names of one function are often symbols that follow each other
      public:
        bool contains(std::uint32_t symbol) const {
            const auto found = words_.find(symbol / 64);
            return found != words_.end() && (found->second.now & bit(symbol));
        }
        bool has_contained(std::uint32_t symbol) const {
            const auto found = words_.find(symbol / 64);
            return found != words_.end() && (found->second.ever & bit(symbol));
        }
        bool insert(std::uint32_t symbol) { // whether it is new
            Word& word = words_[symbol / 64];
            word.ever |= bit(symbol);
            return !(std::exchange(word.now, word.now | bit(symbol)) & bit(symbol));
        }
        void erase(std::uint32_t symbol) { words_[symbol / 64].now &= ~bit(symbol); }

      private:
        struct Word {
            std::uint64_t now = 0, ever = 0;
        };
        static std::uint64_t bit(std::uint32_t symbol) { return std::uint64_t{1} << symbol % 64; }
        tsl::robin_map<std::uint32_t, Word> words_;
    };
    struct MadeName {
        std::string text;
        SymbolId base;
        std::uint32_t number = 0;
        bool taken = false;
    };
    static Kind kind(IrName name) { return static_cast<Kind>(name.code >> kind_shift); }
    static std::uint32_t index(IrName name) { return name.code & ((1u << kind_shift) - 1); }
    static IrName name(Kind kind, std::uint32_t index) { return {kind << kind_shift | index}; }
    template <class F> void for_each_binder(F&& f) const;
    void know_all();
    bool is_known(std::string_view text);
    bool is_known(SymbolId name);
    IrName numbered();
    IrName numbered(SymbolId base, bool unused = false);

    const Context& context_;
    const Function& function_;
    SymbolSet taken_;                                   // of the user's names
    tsl::robin_map<std::uint32_t, std::uint32_t> next_; // by symbol of such a name: the number to try behind it
    SymbolSet known_;                                   // symbols of all names, when one was asked for
    bool all_known_ = false, numerals_ = false;         // numerals_: some name is a number
    std::vector<MadeName> made_;
    tsl::robin_map<std::string, std::uint32_t> made_index_;
    std::uint32_t next_number_ = 0;
};

} // namespace irrewrite::printers
