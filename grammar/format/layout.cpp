#include "grammar/format/layout.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

// Cuts the pieces into lines. Those that are opened in a line before are closed by it.
class Cutting {
  public:
    explicit Cutting(std::vector<Piece> pieces) { layout_.pieces = std::move(pieces); }

    Layout run() {
        drop_separators();
        blocks_.push_back({});
        for (std::uint32_t i = 0; i < layout_.pieces.size(); ++i) {
            Piece& piece = layout_.pieces[i];
            piece.new_line |= i == 0 || is_due(i);
            if (piece.new_line) begin_line(i);
            ++layout_.lines.back().count;
            layout_.cells.push_back({piece.new_line ? 0 : gap(layout_.pieces[i - 1], piece), 0});
            track(i);
        }
        return std::move(layout_);
    }

  private:
    // A block, a set of rules, or the file; parentheses and the like in it.
    struct Block {
        bool braces = false;                  // with a line for each item
        std::uint32_t base = 0;               // the indentation of what opened it
        std::uint32_t item = 0, item_was = 0; // of the latest item's line: now, and in the text
        bool separate = true;                 // its items begin lines
        bool empty = true;
    };

    // A `;` at the end of a line separates nothing.
    void drop_separators() {
        auto& pieces = layout_.pieces;
        std::vector<Piece> kept;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const bool last =
                i + 1 == pieces.size() || pieces[i + 1].new_line || pieces[i + 1].role == Role::CloseSpaced;
            if (pieces[i].role == Role::Separator && last) {
                if (i + 1 < pieces.size()) {
                    pieces[i + 1].new_line |= pieces[i].new_line;
                    pieces[i + 1].blank |= pieces[i].blank;
                }
                continue;
            }
            kept.push_back(pieces[i]);
        }
        pieces = std::move(kept);
    }

    // A line that the user did not begin: a statement of a block whose first one began a line, or its end.
    bool is_due(std::uint32_t i) const {
        const Piece& piece = layout_.pieces[i];
        const Block& block = blocks_.back();
        if (piece.role == Role::Comment) return false;
        return piece.statement && !block.empty && block.separate;
    }

    void begin_line(std::uint32_t i) {
        const Piece& piece = layout_.pieces[i];
        Line line{.first = i, .was = piece.column, .blank = piece.blank && i > 0};
        const Block& block = blocks_.back();
        line.comment = piece.role == Role::Comment;
        const Piece* next = &piece;
        while (next->role == Role::Comment && next + 1 < layout_.pieces.data() + layout_.pieces.size()) ++next;
        const bool ends = next->role == Role::Comment;
        if (i > 0 && layout_.pieces[i - 1].role == Role::OpenSpaced) line.blank = false;
        if (piece.role == Role::CloseSpaced && block.braces) {
            line.indent = block.base, line.blank = false;
        } else if (ends || next->item || (next->role == Role::CloseSpaced && block.braces)) {
            line.indent = block.braces ? block.base + indentation : 0;
            // The blocks of a rule stand where there is room.
            if (block.braces && piece.rule && blocks_.size() > 2 && moved(piece) > blocks_[1].item + indentation)
                line.indent = moved(piece);
        } else if (statement().empty) {
            line.indent = block.braces ? block.base + 2 * indentation : 0;
        } else {
            line.continues = true;
            const Block& around = statement();
            const std::uint32_t least = around.item + indentation;
            const bool deep = piece.column >= around.item_was + indentation;
            line.indent = deep ? piece.column - around.item_was + around.item : least + indentation;
        }
        layout_.lines.push_back(line);
    }

    // The column of a piece, moved as the rule that it is part of.
    std::uint32_t moved(const Piece& piece) const {
        const Block& set = blocks_[1];
        return piece.column - std::min(piece.column, set.item_was) + set.item;
    }

    // The innermost block, or the file.
    std::size_t block() const {
        std::size_t i = blocks_.size() - 1;
        while (i > 0 && !blocks_[i].braces) --i;
        return i;
    }
    const Block& statement() const { return blocks_[block()]; }

    void track(std::uint32_t i) {
        const Piece& piece = layout_.pieces[i];
        const Line& line = layout_.lines.back();
        if (piece.item) {
            Block& block = blocks_[this->block()];
            if (block.empty) block.separate = piece.new_line;
            block.empty = false;
            if (piece.new_line) block.item = line.indent, block.item_was = line.was;
        }
        switch (piece.role) {
        case Role::OpenSpaced: blocks_.push_back(opened(line)); return;
        case Role::OpenTight: blocks_.push_back({}); return;
        case Role::CloseSpaced:
        case Role::CloseTight: blocks_.pop_back(); return;
        default: break;
        }
        if (piece.kind == TokenKind::LeftParen || piece.kind == TokenKind::LeftBracket ||
            piece.kind == TokenKind::ComputeOpen)
            blocks_.push_back({});
        if (piece.kind == TokenKind::RightParen || piece.kind == TokenKind::RightBracket) blocks_.pop_back();
    }

    // `=>  loop(…) { |%i|`: its items stand under the loop.
    Block opened(const Line& line) const {
        Block block{.braces = true, .base = line.indent, .item = line.indent, .item_was = line.was};
        if (layout_.pieces[line.first].role == Role::RuleArrow)
            block.base += 2 + 2, block.item += 4, block.item_was += 4;
        return block;
    }

    Layout layout_;
    std::vector<Block> blocks_;
};

} // namespace

std::uint32_t Layout::place(const Line& line, std::uint32_t i) const {
    std::uint32_t at = line.indent;
    for (std::uint32_t k = line.first; k <= i; ++k) {
        if (k > line.first) at = std::max(at + pieces[k - 1].width + cells[k].gap, cells[k].column);
    }
    return at;
}

Layout lay_out(std::vector<Piece> pieces) { return Cutting(std::move(pieces)).run(); }

void anchor(Layout& layout) {
    struct Open {
        std::uint32_t was, now;
    };
    std::vector<Open> brackets;                                  // where their first piece stands
    std::vector<std::pair<std::uint32_t, std::uint32_t>> placed; // offset, column: of what others stand under
    bool due = false;
    for (Line& line : layout.lines) {
        const Piece& first = layout.pieces[line.first];
        if (line.continues && first.anchor) {
            for (auto it = placed.rbegin(); it != placed.rend(); ++it)
                if (it->first + 1 == first.anchor) {
                    line.indent = it->second;
                    break;
                }
        } else if (line.continues && !brackets.empty() && brackets.back().was == line.was && brackets.back().was > 0) {
            line.indent = brackets.back().now;
        }
        if (!line.continues) placed.clear();
        std::uint32_t at = line.indent;
        for (std::uint32_t i = line.first; i < line.first + line.count; ++i) {
            const Piece& piece = layout.pieces[i];
            if (i > line.first)
                at = std::max(at + layout.pieces[i - 1].width + layout.cells[i].gap, layout.cells[i].column);
            placed.emplace_back(piece.begin, at);
            if (due) brackets.back() = {piece.column, at};
            due = false;
            switch (piece.kind) {
            case TokenKind::LeftParen:
            case TokenKind::LeftBracket:
            case TokenKind::ComputeOpen:
            case TokenKind::LeftBrace: brackets.push_back({0, 0}), due = true; break;
            case TokenKind::RightParen:
            case TokenKind::RightBracket:
            case TokenKind::RightBrace:
                if (!brackets.empty()) brackets.pop_back();
                break;
            default: break;
            }
        }
        if (due) brackets.back() = {0, 0}, due = false; // the bracket ends its line
    }
}

} // namespace irrewrite::grammar
