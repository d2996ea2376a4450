#include "grammar/format/pieces.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace irrewrite::grammar {

namespace {

// The tree's knowledge of the token that begins at an offset.
struct Mark {
    Role role = Role::None;
    bool item = false, statement = false, rule_name = false, declaration = false, of_rules = false, wide = false;
    std::uint32_t end = 0; // of a name of several tokens
    std::uint32_t anchor = 0;
};

using Marks = std::unordered_map<std::uint32_t, Mark>;

class Marker {
  public:
    explicit Marker(const SyntaxTree& tree) : tree_(tree) {
        for (SyntaxId id = 0; id < tree.nodes.size(); ++id) mark(id);
        std::ranges::sort(sequences);
        std::ranges::sort(arrows);
    }

    Marks marks;
    std::vector<std::uint32_t> sequences;                    // where the left part of each `s ; t` ends
    std::vector<std::uint32_t> arrows;                       // where the left side before each `=>` of a rule ends
    std::unordered_set<std::uint32_t> facts;                 // those of facts
    std::unordered_map<std::uint32_t, Role> braces;          // of the next `{` at or behind an offset
    std::unordered_map<std::uint32_t, std::uint32_t> angles; // `<` of `<s> t`: where the strategy ends

  private:
    const SyntaxNode& child(SyntaxId id, std::size_t i) const { return tree_[tree_.children_of(id)[i]]; }

    void mark(SyntaxId id) {
        const SyntaxNode& node = tree_[id];
        if (node.name_end > node.name_begin) {
            Mark& name = marks[node.name_begin];
            name.end = std::max(name.end, node.name_end);
        }
        if (node.kind == Kind::Number) marks[node.begin].end = node.end;
        switch (node.kind) {
        case Kind::File: items(id, true); break;
        case Kind::RuleSet:
            if (tree_.text[node.begin] == '{') marks[node.begin].item = true; // of an analysis
            callee(node), brace_of(node, Role::OpenSpaced), items(id, true);
            break;
        case Kind::SyntaxDecl: marks[node.begin].end = node.end; break; // stays as it is: its productions have columns
        case Kind::Analysis: callee(node); break;
        case Kind::TargetDecl: brace_of(node, Role::OpenSpaced), items(id, false); break;
        case Kind::StructDecl: brace_of(node, Role::OpenSpaced), items(id, false); break;
        case Kind::Block:
            if (tree_.text[node.begin] != '{') break; // the operation behind `else`
            marks[node.begin].role = Role::OpenSpaced;
            items(id, true);
            break;
        case Kind::Results:
            if (!(node.flags & Return)) items(id, false);
            break;
        case Kind::OperatorBlock: // `{ ?x }` is a value to who writes blanks
            marks[node.begin].role = node.name_begin == node.begin + 1 ? Role::OpenTight : Role::OpenSpaced;
            break;
        case Kind::Update:
        case Kind::StrategyBlock: marks[node.begin].role = Role::OpenTight; break;
        case Kind::BlockType: brace_of(node, Role::OpenTight); break;
        case Kind::Struct: marks[node.name_begin].role = Role::StructName; break;
        case Kind::Prefix:
            if (tree_.name(id) != "not") marks[node.name_begin].role = Role::Unary;
            break;
        case Kind::StrategyTerm: angles[node.begin] = child(id, 0).end; break;
        case Kind::StrategySeq: sequences.push_back(child(id, 0).end); break;
        case Kind::TypeArray: marks[child(id, 1).begin].role = Role::ElementType; break;
        case Kind::Trait: marks[node.begin].role = Role::Trait; break;
        case Kind::Func:
        case Kind::OpDecl:
        case Kind::Op:
        case Kind::Call:
        case Kind::Apply:
        case Kind::TypeApply:
        case Kind::StrategyCall:
        case Kind::Strategy:
        case Kind::StrategyRec: callee(node); break;
        case Kind::NamedCall:
            if (child(id, 0).kind == Kind::Compute)
                marks[child(id, 0).end - 1].role = Role::Callee; // its `)`
            else
                marks[node.begin].role = Role::Callee;
            break;
        case Kind::WholeFunction:
            if (!tree_.name(id).empty())
                callee(node);
            else if (child(id, 0).kind == Kind::Compute)
                marks[child(id, 0).end - 1].role = Role::Callee;
            else
                marks[child(id, 0).begin].role = Role::Callee;
            break;
        case Kind::Rule: rule(id); break;
        case Kind::Test:
            marks[node.name_begin].rule_name = true;
            if (node.count > 1 && child(id, 1).kind != Kind::AtPhase) arrows.push_back(child(id, 0).end);
            break;
        case Kind::FactAfter:
        case Kind::FactIn:
            arrows.push_back(child(id, 1).end);
            facts.insert(child(id, 1).end);
            marks[child(id, 1).begin].wide = true;
            break;
        case Kind::Terms: anchors(tree_.children_of(id)); break;
        default: break;
        }
    }

    void callee(const SyntaxNode& node) { marks[node.name_begin].role = Role::Callee; }
    // The next `{` behind the beginning of the node.
    void brace_of(const SyntaxNode& node, Role role) { braces[node.begin] = role; }

    void items(SyntaxId id, bool statements) {
        for (SyntaxId child : tree_.children_of(id)) {
            const Kind kind = tree_[child].kind;
            if (kind == Kind::Param || kind == Kind::Meta || kind == Kind::MetaLiteral || kind == Kind::AtPhase ||
                kind == Kind::Costs || kind == Kind::Prints || kind == Kind::String || kind == Kind::Ident)
                continue;
            if (tree_[id].kind == Kind::RuleSet && kind == Kind::Trait) { // `ordered`, in its header
                marks[tree_[child].begin].role = Role::None;
                continue;
            }
            Mark& mark = marks[tree_[child].begin];
            mark.item = true;
            mark.statement |= statements;
            mark.declaration |= tree_[id].kind == Kind::File;
            mark.of_rules |=
                kind == Kind::RuleSet || kind == Kind::Test || kind == Kind::FactAfter || kind == Kind::FactIn;
        }
    }
    void rule(SyntaxId id) {
        marks[tree_[id].name_begin].rule_name = true;
        arrows.push_back(child(id, 0).end);
        std::vector<SyntaxId> conditions;
        for (SyntaxId part : tree_.children_of(id)) {
            const Kind kind = tree_[part].kind;
            if (kind != Kind::Pattern && kind != Kind::Terms && kind != Kind::AtPhase) conditions.push_back(part);
        }
        anchors(conditions);
    }

    // The second and later stand under the first, where they begin a line.
    void anchors(std::span<const SyntaxId> list) {
        for (std::size_t i = 1; i < list.size(); ++i) marks[tree_[list[i]].begin].anchor = tree_[list[0]].begin + 1;
    }

    const SyntaxTree& tree_;
};

std::uint32_t code_points(std::string_view text) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class Cutter {
  public:
    Cutter(const Sources& sources, const SyntaxTree& tree)
        : text_(tree.text), scanner_(sources, tree.source, ignored_), marker_(tree) {}

    std::vector<Piece> run() {
        std::uint32_t at = 0;
        for (;;) {
            Token token = scanner_.next(at);
            comments(at, token.begin);
            if (token.kind == TokenKind::End) break;
            add(token);
            at = pieces_.back().end;
        }
        return std::move(pieces_);
    }

  private:
    // The comments between two tokens.
    void comments(std::uint32_t from, std::uint32_t to) {
        while (from < to) {
            const std::size_t slash = text_.substr(0, to).find("//", from);
            if (slash >= to) return;
            auto end = static_cast<std::uint32_t>(std::min<std::size_t>(text_.find('\n', slash), to));
            Piece piece{.begin = static_cast<std::uint32_t>(slash), .end = end};
            while (piece.end > piece.begin && static_cast<unsigned char>(text_[piece.end - 1]) <= ' ') --piece.end;
            piece.role = Role::Comment;
            place(piece);
            from = end;
        }
    }

    void place(Piece& piece) {
        for (std::uint32_t i = last_end_; i < piece.begin; ++i) {
            if (text_[i] == '\n') {
                piece.blank |= piece.new_line;
                piece.new_line = true;
                column_ = 0;
            } else if (text_[i] == '\t') {
                column_ += 8 - column_ % 8;
            } else if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) {
                ++column_;
            }
        }
        piece.adjacent = last_end_ == piece.begin;
        if (pieces_.empty()) piece.new_line = true, piece.blank = false;
        piece.column = column_;
        piece.width = code_points(text_.substr(piece.begin, piece.end - piece.begin));
        column_ += piece.width;
        last_end_ = piece.end;
        pieces_.push_back(piece);
    }

    void add(Token token) {
        Piece piece{.begin = token.begin, .end = token.end, .kind = token.kind};
        for (const std::uint32_t offset : {token.begin, token.begin + 1}) { // with a sigil, perhaps
            const auto mark = marker_.marks.find(offset);
            if (mark == marker_.marks.end() || offset >= token.end) continue;
            piece.end = std::max(piece.end, mark->second.end);
            if (mark->second.role != Role::None) piece.role = mark->second.role;
            if (offset != token.begin) continue;
            piece.item = mark->second.item, piece.statement = mark->second.statement;
            piece.anchor = mark->second.anchor, piece.wide = mark->second.wide;
            if (mark->second.declaration) declaration_ = token.begin, is_rule_ = mark->second.of_rules;
        }
        piece.declaration = declaration_, piece.rule = is_rule_;
        if (piece.end != token.end) piece.kind = text_[piece.begin] == '-' ? TokenKind::Number : TokenKind::Ident;
        if (const auto brace = marker_.braces.find(token.begin); brace != marker_.braces.end()) due_ = brace->second;
        special(piece);
        place(piece);
        Piece& placed = pieces_.back();
        placed.left = due_left_ == 2 && !placed.new_line;
        due_left_ = names_rule(token.begin) ? 1 : due_left_ == 1 ? 2 : 0;
        begin_at_parentheses();
    }

    // A node in parentheses begins behind them, in the tree.
    void begin_at_parentheses() {
        for (std::size_t i = pieces_.size() - 1; i > 0; --i) {
            Piece &piece = pieces_[i], &before = pieces_[i - 1];
            const bool operand = i > 1 && (pieces_[i - 2].role == Role::Callee || pieces_[i - 2].role == Role::Trait);
            if ((!piece.item && !piece.anchor && !piece.wide) || before.kind != TokenKind::LeftParen || operand) return;
            before.item = std::exchange(piece.item, false);
            before.statement = std::exchange(piece.statement, false);
            before.wide = std::exchange(piece.wide, false);
            before.anchor = std::exchange(piece.anchor, 0);
        }
    }

    bool names_rule(std::uint32_t offset) const {
        const auto mark = marker_.marks.find(offset);
        return mark != marker_.marks.end() && mark->second.rule_name;
    }

    void special(Piece& piece) {
        const TokenKind before = last_kind();
        switch (piece.kind) {
        case TokenKind::LeftBrace: return open_brace(piece);
        case TokenKind::LeftParen:
        case TokenKind::LeftBracket:
        case TokenKind::ComputeOpen: brackets_.push_back(Role::None); return;
        case TokenKind::RightBrace:
        case TokenKind::RightParen:
        case TokenKind::RightBracket: return close_bracket(piece);
        case TokenKind::Bar:
            if (before == TokenKind::LeftBrace && !brackets_.empty() && brackets_.back() == Role::OpenSpaced)
                piece.role = Role::OpenBar, bars_.push_back(brackets_.size());
            else if (!bars_.empty() && bars_.back() == brackets_.size())
                piece.role = Role::CloseBar, bars_.pop_back();
            return;
        case TokenKind::Star:
            if (before == TokenKind::Colon) piece.role = Role::Unary;
            return;
        case TokenKind::Less:
            if (const auto angle = marker_.angles.find(piece.begin); angle != marker_.angles.end())
                piece.role = Role::OpenAngle, angles_.push_back(angle->second);
            return;
        case TokenKind::Greater:
            if (!angles_.empty() && angles_.back() <= piece.begin) piece.role = Role::CloseAngle, angles_.pop_back();
            return;
        case TokenKind::Semicolon:
            if (!take(marker_.sequences, next_sequence_, piece.begin)) piece.role = Role::Separator;
            return;
        case TokenKind::FatArrow:
            if (!take(marker_.arrows, next_arrow_, piece.begin)) return;
            piece.role = marker_.facts.contains(marker_.arrows[next_arrow_ - 1]) ? Role::FactArrow : Role::RuleArrow;
            behind_arrow_ = true;
            return;
        case TokenKind::Ident: return word(piece);
        default: return;
        }
    }

    // Offsets are taken in order: each is that of the token that follows it.
    static bool take(const std::vector<std::uint32_t>& offsets, std::size_t& next, std::uint32_t at) {
        if (next == offsets.size() || offsets[next] > at) return false;
        ++next;
        return true;
    }

    void word(Piece& piece) {
        if (piece.item && brackets_.size() <= 1) behind_arrow_ = false;
        const std::string_view text = text_.substr(piece.begin, piece.end - piece.begin);
        if (behind_arrow_ && piece.role == Role::None && (text == "where" || text == "at")) piece.role = Role::Where;
    }

    void open_brace(Piece& piece) {
        if (piece.role != Role::OpenSpaced && piece.role != Role::OpenTight) {
            piece.role = last_role() == Role::StructName ? Role::OpenTight : due_;
            if (last_role() != Role::StructName) due_ = Role::OpenTight;
        }
        brackets_.push_back(piece.role);
    }

    void close_bracket(Piece& piece) {
        if (brackets_.empty()) return;
        if (piece.kind == TokenKind::RightBrace)
            piece.role = brackets_.back() == Role::OpenSpaced ? Role::CloseSpaced : Role::CloseTight;
        brackets_.pop_back();
    }

    TokenKind last_kind() const { return pieces_.empty() ? TokenKind::End : pieces_.back().kind; }
    Role last_role() const { return pieces_.empty() ? Role::None : pieces_.back().role; }

    std::string_view text_;
    Diagnostics ignored_;
    Scanner scanner_;
    Marker marker_;
    std::vector<Piece> pieces_;
    std::uint32_t last_end_ = 0, column_ = 0;
    Role due_ = Role::OpenTight; // of the next `{` that no node begins with
    std::vector<Role> brackets_;
    std::vector<std::size_t> bars_;
    std::vector<std::uint32_t> angles_;
    std::size_t next_sequence_ = 0, next_arrow_ = 0;
    bool behind_arrow_ = false, is_rule_ = false;
    int due_left_ = 0; // the colon behind a rule's name is due (1), its left side (2)
    std::uint32_t declaration_ = 0;
};

} // namespace

std::vector<Piece> pieces_of(const Sources& sources, const SyntaxTree& tree) { return Cutter(sources, tree).run(); }

} // namespace irrewrite::grammar
