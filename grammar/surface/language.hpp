// Input languages that rule files declare, as data: productions of parsing expressions (Ford, Parsing Expression Grammars)
// with a template of IR text for each alternative.
#pragma once

#include "grammar/syntax/syntax.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace irrewrite::grammar {

// Code points, in ascending ranges that do not meet.
struct CharSet {
    std::vector<std::pair<char32_t, char32_t>> ranges;
    std::array<std::uint64_t, 2> ascii{};

    bool contains(char32_t c) const;
    void add(char32_t first, char32_t last);
    void finish(bool negated);
};

struct Peg {
    enum class Op : std::uint8_t {
        Sequence,
        Choice,
        Literal,   // text
        Set,       // set
        Any,       // a character
        Reference, // production
        Optional,
        Star,
        Plus,
        List0, // parts: item, separator
        List1,
        And,
        Not,
        Label, // slot
    };
    Op op = Op::Sequence;
    bool caseless = false; // Literal
    bool is_word = false;  // Literal of a syntactic production: no letter, digit or `_` may follow
    std::uint32_t slot = 0, production = 0, set = 0;
    std::string text;
    std::vector<Peg> parts;
    Span where;
};

// The sort of what a part stands for in a template.
enum class Sort : std::uint8_t { None, Text, Value, Statement, Declaration, Parameter, Field, Part, Type };

struct Label {
    std::string name; // empty: of the only part of an alternative without a template
    Span where;
    Sort sort = Sort::None;
    bool always = false, once = false; // it stands for something in every text; for no more than one thing
    bool one() const { return always && once; }
};

struct Alternative {
    static constexpr int tightest = 1000;

    Peg body; // a Sequence; of one that begins with its own production, what is behind that
    std::vector<Label> labels;
    int precedence = tightest; // that, if none is declared
    enum class Associates : std::uint8_t { Left, Right, None } associates = Associates::Left;
    bool left_recursive = false;
    std::uint32_t left_slot = 0;
    std::optional<SyntaxId> term; // the child of the Template
    Span where;
};

struct Production {
    std::string name;
    std::string shown; // in messages
    bool lexical = false;
    Sort sort = Sort::None;
    bool many = false; // it stands for any number of such things
    std::vector<Alternative> alternatives;
    Span where;
    std::shared_ptr<const SyntaxTree> tree; // of the templates

    bool is_recursive() const; // begins with itself in some alternative
};

struct Language {
    static constexpr std::uint32_t none = UINT32_MAX;

    std::string name;
    bool indented = false;   // `newline`, `indent` and `dedent` are tokens
    bool undeclared = false; // an assignment of an unknown name defines it
    std::vector<Production> productions;
    std::uint32_t start = 0; // the first one that is no token: the whole text
    std::uint32_t layout = none, keyword = none, newline = none, indent = none, dedent = none; // productions
    std::vector<CharSet> sets;
    std::vector<std::string> keywords;          // sorted
    std::vector<std::string> caseless_keywords; // sorted, in lower case
    Span where;
};

// In the order of their declarations.
struct Languages {
    std::deque<Language> list;
};

// The marks of lines in an `indented` text (indentation.hpp).
constexpr char indent_mark = '\x01', dedent_mark = '\x02', newline_mark = '\x03';

inline bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
// Of well-formed UTF-8; moves `at` behind it.
char32_t code_point(std::string_view text, std::size_t& at);

} // namespace irrewrite::grammar
