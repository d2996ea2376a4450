#include "grammar/format/layout.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace irrewrite::grammar {

namespace {

// A piece whose column a table of lines has in common.
struct Row {
    std::uint32_t line, piece;
    std::uint32_t was = 0;   // its column in the text, moved as its line is
    std::uint32_t least = 0; // the first column where there is room for it
};

class Aligner {
  public:
    explicit Aligner(Layout& layout) : layout_(layout) {}

    void run() {
        for (std::uint32_t l = 0; l < layout_.lines.size(); ++l) keep(l);
        table([](const Piece& piece) { return piece.left; }, 2);
        table([](const Piece& piece) { return piece.role == Role::RuleArrow; }, 2);
        for (const Line& line : layout_.lines) around_arrow(line);
    }

  private:
    std::uint32_t was(const Line& line, const Piece& piece) const { return piece.column - line.was + line.indent; }
    std::uint32_t last(const Line& line) const { return line.first + line.count; }
    std::uint32_t blanks(std::uint32_t i) const {
        const Piece& before = layout_.pieces[i - 1];
        const Piece& piece = layout_.pieces[i];
        return piece.column - std::min(piece.column, before.column + before.width);
    }

    // `a => b`, if one blank stands before the arrow; else two on each side.
    void around_arrow(const Line& line) {
        for (std::uint32_t i = line.first + 1; i + 1 < last(line); ++i) {
            if (layout_.pieces[i].role != Role::RuleArrow) continue;
            const std::uint32_t end = layout_.place(line, i - 1) + layout_.pieces[i - 1].width;
            if (layout_.place(line, i) == end + 1) layout_.cells[i + 1] = {1, 0};
        }
    }

    // -- what is aligned with a neighbouring line stays so

    static bool is_cell(const Piece& piece) { return !piece.left && piece.role != Role::RuleArrow; }

    void keep(std::uint32_t l) {
        const Line& line = layout_.lines[l];
        for (std::uint32_t i = line.first + 1; i < last(line); ++i) {
            const Piece& piece = layout_.pieces[i];
            Cell& cell = layout_.cells[i];
            const std::uint32_t blank = blanks(i);
            if (piece.new_line || !is_cell(piece) || layout_.pieces[i - 1].role == Role::RuleArrow) continue;
            if (may_be_wide(i)) cell.gap = std::clamp(blank, 1u, 2u);
            if (piece.role == Role::Where) cell.gap = std::max(cell.gap, blank); // a column that the writer chooses
            if (blank > cell.gap && has_partner(l, piece)) cell.column = was(line, piece);
        }
    }

    // Before a comment, a trait, the expansion of an operation, and the next statement of a line.
    bool may_be_wide(std::uint32_t i) const {
        const Piece& piece = layout_.pieces[i];
        const Role before = layout_.pieces[i - 1].role;
        const bool expansion = piece.kind == TokenKind::Equal && i + 1 < layout_.pieces.size() &&
                               layout_.pieces[i + 1].role == Role::OpenSpaced;
        const bool next = piece.statement && before != Role::OpenSpaced && before != Role::CloseBar;
        const bool text = piece.kind == TokenKind::String && before == Role::Trait; // of a target
        return piece.role == Role::Comment || piece.role == Role::Trait || piece.wide || expansion || next || text;
    }

    // A piece of the same kind at the same column: of a neighbour, or, of conditions and traits, far away.
    bool has_partner(std::uint32_t l, const Piece& piece) const {
        const std::uint32_t column = was(layout_.lines[l], piece);
        const bool anywhere = piece.role == Role::Where || piece.role == Role::Trait;
        for (const int step : {-1, 1}) {
            int seen = 0;
            for (std::int64_t other = std::int64_t(l) + step; other >= 0 && other < std::int64_t(layout_.lines.size());
                 other += step) {
                const Line& line = layout_.lines[static_cast<std::size_t>(other)];
                if (line.comment) continue;
                if (stands_at(line, column, piece)) return true;
                if (!anywhere && ++seen == 2) break;
                if (anywhere && ++seen == 100) break;
            }
        }
        return false;
    }

    static bool is_mark(const Piece& piece) {
        return piece.role == Role::Comment || piece.role == Role::Trait || piece.role == Role::Where;
    }

    bool stands_at(const Line& line, std::uint32_t column, const Piece& piece) const {
        const std::span pieces(layout_.pieces.data() + line.first, line.count);
        const auto found = std::ranges::lower_bound(pieces, column, {}, [&](const Piece& p) { return was(line, p); });
        if (found == pieces.end() || found == pieces.begin() || was(line, *found) != column) return false;
        const auto i = static_cast<std::uint32_t>(found - pieces.begin()) + line.first;
        return found->kind == piece.kind && (found->role == piece.role || !is_mark(piece)) && blanks(i) > 0;
    }

    // -- tables of rules

    template <class Is> void table(Is is, std::uint32_t least_gap) {
        std::map<std::uint32_t, std::vector<Row>> tables; // by declaration; of tests, by their first
        std::uint32_t key = 0;
        std::uint32_t last_test = UINT32_MAX;
        for (std::uint32_t l = 0; l < layout_.lines.size(); ++l) {
            const Line& line = layout_.lines[l];
            for (std::uint32_t i = line.first + 1; i < last(line); ++i) {
                const Piece& piece = layout_.pieces[i];
                if (!is(piece)) continue;
                const bool declaration = layout_.pieces[line.first].begin == piece.declaration;
                if (!declaration)
                    key = piece.declaration;
                else if (last_test == UINT32_MAX || last_test + 1 != l || line.blank)
                    key = piece.declaration;
                if (declaration) last_test = l;
                tables[key].push_back({l, i, was(line, piece), 0});
                break;
            }
        }
        std::map<std::uint32_t, int> all; // rows of the file at each column
        for (auto& [declaration, rows] : tables)
            for (const Row& row : rows) ++all[row.was];
        for (auto& [declaration, rows] : tables) align_rows(rows, all, least_gap);
    }

    void align_rows(std::vector<Row>& rows, const std::map<std::uint32_t, int>& all, std::uint32_t least_gap) {
        std::map<std::uint32_t, int> votes;
        for (Row& row : rows) {
            layout_.cells[row.piece].gap = 1;
            row.least = layout_.place(layout_.lines[row.line], row.piece);
            ++votes[row.was];
        }
        const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
        const std::uint32_t column = most->first;
        const auto stands = [&](std::size_t i) {
            return is_aligned(rows, i, column) || (all.at(rows[i].was) > 1 && rows[i].was > rows[i].least);
        };
        std::size_t aligned = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) aligned += stands(i);
        if (rows.size() == 1 || (most->second > 1 && aligned * 2 > rows.size())) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                Cell& cell = layout_.cells[rows[i].piece];
                if (!stands(i) || layout_.pieces[rows[i].piece].role == Role::RuleArrow) cell.gap = least_gap;
                cell.column = stands(i) ? rows[i].was : column;
            }
            if (rows.size() == 1) layout_.cells[rows[0].piece].gap = std::clamp(blanks(rows[0].piece), 1u, least_gap);
            return;
        }
        for (Row& row : rows) layout_.cells[row.piece].gap = least_gap, row.least += least_gap - 1;
        const std::uint32_t least = column_for(rows);
        for (const Row& row : rows) layout_.cells[row.piece].column = least;
    }

    // The row stands at the column, or with a neighbour at another, or has no room before it.
    static bool is_aligned(const std::vector<Row>& rows, std::size_t i, std::uint32_t column) {
        const Row& row = rows[i];
        const bool with_neighbour =
            (i > 0 && rows[i - 1].was == row.was) || (i + 1 < rows.size() && rows[i + 1].was == row.was);
        const bool tight = row.least + 1 >= row.was && row.least >= column;
        return row.was >= row.least && (row.was == column || with_neighbour || tight);
    }

    // The least column for all rows but those that are much longer than most.
    static std::uint32_t column_for(const std::vector<Row>& rows) {
        constexpr std::uint32_t longer = 32;
        std::vector<std::uint32_t> least;
        for (const Row& row : rows) least.push_back(row.least);
        std::ranges::sort(least);
        const std::uint32_t most = least[least.size() / 2] + longer;
        std::uint32_t column = 0;
        for (const std::uint32_t each : least)
            if (each <= most) column = each;
        return column;
    }

    Layout& layout_;
};

} // namespace

void align(Layout& layout) { Aligner(layout).run(); }

} // namespace irrewrite::grammar
