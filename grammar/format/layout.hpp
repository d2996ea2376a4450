// The lines of a formatted text: which pieces stand in each, how far each line is indented and which column each piece
// has. Lines stay the user's, as in gofmt (Pike et al.): blanks and indentation are made, columns aligned.
#pragma once

#include "grammar/format/pieces.hpp"

namespace irrewrite::grammar {

constexpr std::uint32_t indentation = 2;

struct Line {
    std::uint32_t first = 0, count = 0; // pieces
    std::uint32_t indent = 0, was = 0;  // of the first piece: now, and in the text
    bool blank = false;                 // an empty line stands before it
    bool continues = false;             // a statement of the line before
    bool comment = false;               // and nothing else
};

struct Cell {
    std::uint32_t gap = 0;    // the least number of blanks before the piece
    std::uint32_t column = 0; // to which it is moved if there is room; 0: none
};

struct Layout {
    std::vector<Piece> pieces;
    std::vector<Line> lines;
    std::vector<Cell> cells; // by piece

    // The column at which piece `i` of the line stands.
    std::uint32_t place(const Line& line, std::uint32_t i) const;
};

// Blanks between neighbours of one line.
std::uint32_t gap(const Piece& before, const Piece& piece);
// Cuts into lines, and indents them.
Layout lay_out(std::vector<Piece> pieces);
// Columns of rules and tests, of traits and of comments at the end of a line; what else was aligned stays so.
void align(Layout& layout);
// Lines that stand under a piece of a line above.
void anchor(Layout& layout);

} // namespace irrewrite::grammar
