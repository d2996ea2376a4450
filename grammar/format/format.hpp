// The canonical layout of IR and rule files (`-format`).
//
// Lines are the user's, but for statements of one block, of which either each begins a line or none does. Made are the
// indentation, the blanks inside a line, at most one empty line between two, and the columns of rules: those that stand
// aligned stay, others are moved. Comments are kept. The result parses to the same syntax tree.
#pragma once

#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

enum class FileLanguage : std::uint8_t { Ir, Rules };

// The language of a text that no file name tells.
FileLanguage language_of(const Sources& sources, SourceId source);

// The layout of the text, of which `tree` is the tree, and which was parsed without an error.
std::string laid_out(const Sources& sources, const SyntaxTree& tree);

// True if they differ in nothing but places.
bool same_tree(const SyntaxTree& one, const SyntaxTree& other);

struct Formatted {
    std::string text;
    bool sound = true; // else the tool has a bug: the text would mean something else
};

// Nothing: the text is wrong, which is said in `diagnostics`.
std::optional<Formatted> format(Sources& sources, SourceId source, FileLanguage language, const IsLabel& is_label,
                                Diagnostics& diagnostics);

} // namespace irrewrite::grammar
