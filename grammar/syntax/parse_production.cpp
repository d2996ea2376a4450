#include "grammar/syntax/parse_production.hpp"

#include "engine/support/hex_digit.hpp"
#include "grammar/syntax/characters.hpp"
#include "grammar/syntax/messages.hpp"

#include <optional>

namespace irrewrite::grammar {

namespace {

constexpr std::size_t deepest_group = 100; // of parentheses in a production

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return begins_word(c) || (c >= '0' && c <= '9'); }

class ItemParser {
  public:
    ItemParser(SyntaxTree& tree, std::uint32_t from, Diagnostics& diagnostics)
        : tree_(tree), text_(tree.text), at_(from), end_(from), diagnostics_(diagnostics) {}

    std::optional<std::uint32_t> run(std::vector<SyntaxId>& items) {
        sequence(items, false);
        if (failed_) return std::nullopt;
        return end_;
    }

  private:
    // -- characters -------------------------------------------------------------------------------
    char peek(std::uint32_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void blanks() {
        for (;;) {
            const char c = peek();
            if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
                ++at_;
            else if (c == '/' && peek(1) == '/')
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            else
                return;
        }
    }
    std::uint32_t word_end(std::uint32_t from) const {
        if (from >= text_.size() || !begins_word(text_[from])) return from;
        while (from < text_.size() && continues_word(text_[from])) ++from;
        return from;
    }
    std::string_view word() const { return text_.substr(at_, word_end(at_) - at_); }
    // The first character behind the blanks from there on.
    std::uint32_t past_blanks(std::uint32_t from) const {
        ItemParser ahead(*this);
        ahead.at_ = from;
        ahead.blanks();
        return ahead.at_;
    }
    // `name =`, but not `name =>`.
    bool equal_follows(std::uint32_t from) const {
        std::uint32_t at = past_blanks(from);
        if (at < text_.size() && text_[at] == '"') { // how messages call it
            for (++at; at < text_.size() && text_[at] != '"' && text_[at] != '\n'; ++at) at += text_[at] == '\\';
            at = past_blanks(at + 1);
        }
        const auto is = [&](std::uint32_t i, char c) { return i < text_.size() && text_[i] == c; };
        return is(at, '=') && !is(at + 1, '>') && !is(at + 1, '=');
    }
    bool at_next_production() const {
        const std::uint32_t end = word_end(at_);
        if (end == at_) return false;
        if (equal_follows(end)) return true;
        const std::uint32_t second = past_blanks(end);
        const std::uint32_t second_end = word_end(second);
        return word() == "token" && second_end != second && equal_follows(second_end);
    }
    bool at_end(bool group) const {
        const char c = peek();
        if (at_ >= text_.size() || c == '|' || c == '}') return true;
        if (c == '=' && peek(1) == '>') return true;
        if (group) return c == ')';
        return at_next_production() || (word() == "prec" && past_blanks(word_end(at_)) < text_.size() &&
                                        text_[past_blanks(word_end(at_))] == '(');
    }
    void fail(std::string_view expected) {
        if (!failed_) {
            const std::uint32_t end = std::min<std::uint32_t>(at_ + 1, static_cast<std::uint32_t>(text_.size()));
            diagnostics_.error({tree_.source, at_, end}, "expected " + std::string(expected));
        }
        failed_ = true;
    }

    // -- nodes ------------------------------------------------------------------------------------
    SyntaxId node(Kind kind, std::uint32_t begin, std::uint32_t name_begin, std::uint32_t name_end,
                  const std::vector<SyntaxId>& children = {}, std::uint8_t flags = 0) {
        SyntaxNode& added = tree_.nodes.emplace_back();
        added.kind = kind, added.flags = flags;
        added.begin = begin, added.end = end_ = at_;
        added.name_begin = name_begin, added.name_end = name_end;
        added.first = static_cast<std::uint32_t>(tree_.children.size());
        added.count = static_cast<std::uint32_t>(children.size());
        tree_.children.insert(tree_.children.end(), children.begin(), children.end());
        return static_cast<SyntaxId>(tree_.nodes.size() - 1);
    }

    // -- productions ------------------------------------------------------------------------------
    void sequence(std::vector<SyntaxId>& items, bool group) {
        for (blanks(); !failed_ && !at_end(group); blanks()) items.push_back(labelled());
    }

    // `l:expr`
    SyntaxId labelled() {
        const std::uint32_t begin = at_, end = word_end(at_);
        const std::uint32_t colon = past_blanks(end);
        if (end == begin || colon >= text_.size() || text_[colon] != ':') return lookahead();
        at_ = colon + 1;
        blanks();
        const SyntaxId item = lookahead();
        return node(Kind::PegLabel, begin, begin, end, {item});
    }

    // `&item`, `!item`
    SyntaxId lookahead() {
        const std::uint32_t begin = at_;
        if (peek() != '&' && peek() != '!') return repeated();
        const Kind kind = peek() == '&' ? Kind::PegAnd : Kind::PegNot;
        ++at_;
        blanks();
        const SyntaxId item = repeated();
        return node(kind, begin, begin, begin + 1, {item});
    }

    // `item?`, `item*`, `item+`, `item ** separator`, `item ++ separator`
    SyntaxId repeated() {
        const std::uint32_t begin = at_;
        SyntaxId item = primary();
        for (std::size_t signs = 0; !failed_; ++signs) {
            if (signs == deepest_group) fail(message::shallow_group);
            const std::uint32_t sign = past_blanks(at_);
            const char c = sign < text_.size() ? text_[sign] : '\0';
            if (c != '?' && c != '*' && c != '+') break;
            const bool separated = c != '?' && sign + 1 < text_.size() && text_[sign + 1] == c;
            at_ = sign + (separated ? 2 : 1);
            std::vector<SyntaxId> parts{item};
            const std::uint32_t sign_end = at_;
            if (separated) {
                blanks();
                parts.push_back(primary());
            }
            item = node(Kind::PegRepeat, begin, sign, sign_end, parts);
        }
        return item;
    }

    SyntaxId primary() {
        const std::uint32_t begin = at_;
        switch (peek()) {
        case '"': return literal();
        case '[': return character_class();
        case '.': ++at_; return node(Kind::PegAny, begin, begin, at_);
        case '(': return group();
        default: break;
        }
        at_ = word_end(at_);
        if (at_ == begin) fail(message::production_item);
        return node(Kind::PegRef, begin, begin, at_);
    }

    // The end of a quoted text, which begins at `at_`.
    bool skip_quoted(char close) {
        ++at_;
        for (; peek() != close; ++at_) {
            if (at_ >= text_.size() || peek() == '\n') {
                fail(close == '"' ? message::literal_end : message::class_end);
                return false;
            }
            if (peek() == '\\') ++at_;
        }
        ++at_;
        return true;
    }

    SyntaxId literal() {
        const std::uint32_t begin = at_;
        if (!skip_quoted('"')) return node(Kind::PegLiteral, begin, begin, begin);
        check_escapes(begin);
        const std::uint32_t end = at_;
        const bool caseless = peek() == 'i' && !continues_word(peek(1));
        if (caseless) ++at_;
        return node(Kind::PegLiteral, begin, begin, end, {}, caseless ? Caseless : 0);
    }
    SyntaxId character_class() {
        const std::uint32_t begin = at_;
        if (skip_quoted(']')) check_escapes(begin);
        return node(Kind::PegClass, begin, begin, at_);
    }
    void check_escapes(std::uint32_t begin) {
        if (peg_text(text_.substr(begin + 1, at_ - begin - 2))) return;
        diagnostics_.error({tree_.source, begin, at_}, std::string(message::malformed_production_escape),
                           std::string(message::production_escapes));
        failed_ = true;
    }

    SyntaxId group() {
        const std::uint32_t begin = at_++;
        if (++depth_ > deepest_group) fail(message::shallow_group);
        std::vector<SyntaxId> alternatives;
        while (!failed_) {
            blanks();
            const std::uint32_t first = at_;
            std::vector<SyntaxId> items;
            sequence(items, true);
            alternatives.push_back(node(Kind::Alternative, first, first, first, items));
            if (peek() != '|') break;
            ++at_;
        }
        --depth_;
        if (!failed_ && peek() != ')') fail(message::group_end);
        if (!failed_) ++at_;
        return node(Kind::PegGroup, begin, begin, begin, alternatives);
    }

    SyntaxTree& tree_;
    std::string_view text_;
    std::uint32_t at_, end_;
    Diagnostics& diagnostics_;
    std::size_t depth_ = 0;
    bool failed_ = false;
};

} // namespace

std::optional<std::uint32_t> parse_items(SyntaxTree& tree, std::uint32_t from, std::vector<SyntaxId>& items,
                                         Diagnostics& diagnostics) {
    return ItemParser(tree, from, diagnostics).run(items);
}

std::optional<std::string> peg_text(std::string_view literal) {
    std::string text;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        if (++i >= literal.size()) return std::nullopt;
        switch (literal[i]) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case 'x': {
            const int high = i + 2 < literal.size() ? hex_digit(literal[i + 1]) : -1;
            const int low = high < 0 ? -1 : hex_digit(literal[i + 2]);
            if (low < 0 || high > 7) return std::nullopt; // above 0x7f it would be a part of a character
            text += static_cast<char>(high * 16 + low), i += 2;
            break;
        }
        case '"':
        case '\\':
        case ']':
        case '[':
        case '^':
        case '-': text += literal[i]; break;
        default: return std::nullopt;
        }
    }
    return text;
}

} // namespace irrewrite::grammar
