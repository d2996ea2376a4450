// The names of one text: where each is declared and used. Made from the syntax tree alone, so a text with mistakes has an
// index, too.
#pragma once

#include "engine/server/positions.hpp"
#include "grammar/format/format.hpp"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace irrewrite::server {

enum class Name : std::uint8_t {
    Function, // @f
    Value,    // %x, of one function or rule
    Meta,     // ?x, #k, ?T, ?n, of one rule or declaration
    Struct,
    Field,
    Operation,
    Infix,  // an operator: it stands for an operation
    Prefix, // likewise
    Type,
    Class,
    Set,
    Rule,
    Phase,
    Strategy,
    Parameter, // of a strategy, or `x` of `rec x(s)`
    Test,
    Target,
    Named,   // a use of a set, rule, phase or strategy
    TypeUse, // of a struct, type or class
};

// Those that other files may use.
constexpr bool is_global(Name name) { return name != Name::Value && name != Name::Meta && name != Name::Parameter; }

struct Entity {
    Name kind;
    std::string_view name;   // without its sigil
    std::uint32_t scope = 0; // of a local one: where it begins
};

struct Occurrence {
    std::uint32_t begin, end; // with the sigil
    std::uint32_t entity;
    bool definition = false;
    grammar::SyntaxId node; // that it is the name of
};

// A declaration of the file, or a rule of a set, with its own parts behind it.
struct Declaration {
    grammar::SyntaxId node;
    std::uint32_t occurrence; // of its name
    std::uint32_t depth;
};

struct FileIndex {
    std::string path;
    Sources sources; // of this text alone
    SourceId source;
    grammar::FileLanguage language{};
    grammar::SyntaxTree tree;
    std::vector<Entity> entities;
    std::vector<Occurrence> occurrences; // by offset
    std::vector<Declaration> declarations;
    std::vector<grammar::ImportLine> imports;
    Diagnostics diagnostics; // of the parser
    std::optional<LineTable> lines;

    std::string_view text() const { return tree.text; }
    const Occurrence* at(std::uint32_t offset) const; // that it touches
    // The comment above the line, and the text of the declaration without its blanks.
    std::string comment_above(std::uint32_t offset) const;
};

// `labels`: those of blocks that other files declare.
std::shared_ptr<FileIndex> index_file(std::string path, std::string_view text, grammar::FileLanguage language,
                                      const grammar::IsLabel& is_label);

// The names of operators and their operations: `infix "+"` in this file.
void find_names(FileIndex& index);

} // namespace irrewrite::server
