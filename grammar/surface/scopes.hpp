// Variables of a text, by scope: the value that each has where the walk is, and names for values.
#pragma once

#include "engine/support/symbols.hpp"
#include "grammar/surface/assigned.hpp"

namespace irrewrite::grammar {

struct Variable {
    NameKey key;
    SymbolId value;        // none: it may have none here
    std::uint32_t scope;   // where it is declared
    std::uint32_t carried; // the innermost block that carries it outside
    std::uint32_t hidden;  // the variable of the same name around
    TermId where;
};

class Scopes {
  public:
    explicit Scopes(Symbols& symbols) : symbols_(symbols) {}

    static constexpr std::uint32_t nothing = UINT32_MAX;

    // A name that no other value of the function has: with a number behind it, perhaps, which is not shown.
    SymbolId fresh(SymbolId wanted) {
        std::string name(symbols_[wanted]);
        for (char& c : name)
            if (!is_word_character(c)) c = '_';
        wanted = symbols_.add(name);
        const std::uint32_t number = ++used_[wanted];
        if (number == 1) return wanted;
        return symbols_.add(name + SyntaxTree::version_mark + std::to_string(number));
    }

    // `inner`: of names alone; what it assigns is assigned in the block around it.
    void open_scope(bool inner = false) {
        const auto index = static_cast<std::uint32_t>(scopes_.size());
        scopes_.push_back({.changes = changes_.size(), .block = inner ? block() : index, .inner = inner});
    }
    void close_scope() {
        if (!scopes_.back().inner) undo(scopes_.back().changes);
        for (std::size_t i = scopes_.back().declared.size(); i-- > 0;) {
            const Variable& variable = variables_[scopes_.back().declared[i]];
            if (variable.hidden == nothing)
                visible_.erase(variable.key.bits());
            else
                visible_[variable.key.bits()] = variable.hidden;
        }
        scopes_.pop_back();
    }
    std::uint32_t scope() const { return static_cast<std::uint32_t>(scopes_.size() - 1); }
    std::uint32_t block() const { return scopes_.back().block; } // the scope that carries values
    // The visible variable of that name.
    std::uint32_t find(NameKey key) const {
        const auto it = visible_.find(key.bits());
        return it == visible_.end() ? nothing : it->second;
    }
    std::uint32_t add(NameKey key, TermId where, SymbolId value, std::uint32_t in) {
        const auto variable = static_cast<std::uint32_t>(variables_.size());
        variables_.push_back({key, value, in, scopes_[in].block, find(key), where});
        visible_[key.bits()] = variable;
        scopes_[in].declared.push_back(variable);
        return variable;
    }
    // Until the scope ends.
    void change(std::uint32_t variable, SymbolId value, std::uint32_t carried) {
        Variable& changed = variables_[variable];
        changes_.push_back({variable, changed.value, changed.carried});
        changed.value = value, changed.carried = carried;
    }
    const Variable& operator[](std::uint32_t variable) const { return variables_[variable]; }
    // Takes a name, so that no value has it; false if it is taken.
    bool take(SymbolId name) { return used_.try_emplace(name, 1).second; }
    void begin_function() { used_.clear(); }
    const std::unordered_map<std::uint64_t, std::uint32_t>& visible() const { return visible_; }

  private:
    struct Change {
        std::uint32_t variable;
        SymbolId value;
        std::uint32_t carried;
    };
    struct Scope {
        std::vector<std::uint32_t> declared{};
        std::size_t changes = 0;
        std::uint32_t block = 0;
        bool inner = false;
    };
    void undo(std::size_t to) {
        for (; changes_.size() > to; changes_.pop_back()) {
            variables_[changes_.back().variable].value = changes_.back().value;
            variables_[changes_.back().variable].carried = changes_.back().carried;
        }
    }

    Symbols& symbols_;
    std::unordered_map<SymbolId, std::uint32_t> used_;
    std::unordered_map<std::uint64_t, std::uint32_t> visible_;
    std::vector<Variable> variables_;
    std::vector<Change> changes_;
    std::vector<Scope> scopes_;
};

} // namespace irrewrite::grammar
