// Semantic tokens: the names of a text, and its comments, numbers, texts and words.
#include "engine/server/features.hpp"
#include "grammar/syntax/scanner.hpp"

#include <algorithm>
#include <array>

namespace irrewrite::server {

namespace {

constexpr std::array<const char*, 13> token_types{"comment",  "keyword",   "string",  "number", "function",
                                                  "variable", "parameter", "type",    "struct", "class",
                                                  "macro",    "property",  "operator"};
enum Type : unsigned {
    Comment,
    Keyword,
    String,
    Number,
    Function,
    Variable,
    Parameter,
    TypeName,
    Struct,
    Class,
    Macro,
    Property,
    Operator,
    None
};

Type type_of(Name kind) {
    switch (kind) {
    case Name::Function:
    case Name::Operation: return Function;
    case Name::Value: return Variable;
    case Name::Meta:
    case Name::Parameter: return Parameter;
    case Name::Struct: return Struct;
    case Name::Field: return Property;
    case Name::Infix:
    case Name::Prefix: return Operator;
    case Name::Type:
    case Name::TypeUse: return TypeName;
    case Name::Class:
    case Name::Set:
    case Name::Target: return Class;
    case Name::Rule:
    case Name::Test: return Property;
    case Name::Phase:
    case Name::Strategy:
    case Name::Named: return Macro;
    }
    return None;
}

// Of a token that is no name.
Type type_of(grammar::TokenKind kind) {
    using grammar::TokenKind;
    return kind == TokenKind::Ident    ? Keyword
           : kind == TokenKind::String ? String
           : kind == TokenKind::Number ? Number
                                       : None;
}

// The numbers of the reply, as text: each token is told from the one before.
class Tokens {
  public:
    explicit Tokens(const FileIndex& file) : file_(file) {}

    std::string run() {
        Diagnostics ignored;
        grammar::Scanner scanner(file_.sources, file_.source, ignored);
        auto name = file_.occurrences.begin();
        std::uint32_t at = 0;
        for (;;) {
            grammar::Token token = scanner.next(at);
            comments(at, token.begin);
            if (token.kind == grammar::TokenKind::End) return std::move(data_);
            while (name != file_.occurrences.end() && name->begin < token.begin) ++name;
            const bool is_name = name != file_.occurrences.end() && name->begin == token.begin;
            if (is_name) token.end = std::max(token.end, name->end);
            const Type type = is_name ? type_of(file_.entities[name->entity].kind) : type_of(token.kind);
            if (type != None) put(token.begin, token.end, type, is_name && name->definition);
            at = token.end;
        }
    }

  private:
    void comments(std::uint32_t from, std::uint32_t to) {
        const std::string_view text = file_.text();
        while (from < to) {
            const std::size_t slash = text.substr(0, to).find("//", from);
            if (slash >= to) return;
            from = static_cast<std::uint32_t>(std::min<std::size_t>(text.find('\n', slash), to));
            put(static_cast<std::uint32_t>(slash), from, Comment, false);
        }
    }

    void put(std::uint32_t begin, std::uint32_t end, Type type, bool declares) {
        const std::string_view text = file_.text();
        std::size_t line = line_;
        while (line + 1 < file_.lines->lines() && file_.lines->begin(line + 1) <= begin) ++line;
        const std::uint32_t from = file_.lines->begin(line);
        const std::size_t column = utf16_units(text.substr(from, begin - from));
        for (const std::size_t number :
             {line - line_, line == line_ ? column - column_ : column, utf16_units(text.substr(begin, end - begin)),
              std::size_t{type}, std::size_t{declares}}) {
            if (!data_.empty()) data_ += ',';
            data_ += std::to_string(number);
        }
        line_ = line, column_ = column;
    }

    const FileIndex& file_;
    std::string data_;
    std::size_t line_ = 0, column_ = 0; // of the token before
};

} // namespace

Json semantic_legend() { return {{"tokenTypes", token_types}, {"tokenModifiers", {"declaration"}}}; }

std::string semantic_tokens(const View& view) { return "{\"data\":[" + Tokens(view.index()).run() + "]}"; }

} // namespace irrewrite::server
