// Types: actions for their productions (ir_grammar.hpp), which the parser matches at its place.
#include "grammar/syntax/expected.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

template <> struct build<dimension> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        if (text[0] == '?') return builder.leaf(Kind::DimVar, text, 1);
        const bool number = (text[0] >= '0' && text[0] <= '9') || text[0] == '\'';
        builder.leaf(number ? Kind::DimNumber : Kind::DimName, text);
    }
};
template <> struct build<no_dimension> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.leaf(Kind::DimNone, builder.text(in).substr(0, 0));
    }
};
template <> struct build<any_size> : build_leaf<Kind::DimNone> {};
template <> struct build<array_type> : build_parent<Kind::TypeArray> {};
template <> struct build<type_class> : build_leaf<Kind::Ident> {};

// A parenthesis around one type is that type; around a sequence it is a tuple.
template <> struct build<tuple_type> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        const std::size_t parts = builder.children_of(text);
        if (parts != 1 || builder.last().kind == Kind::TypeSeq) builder.node(Kind::TypeTuple, text, parts);
    }
};

template <> struct build<mutable_type> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        builder.node(text[0] == 'r' ? Kind::TypeRef : Kind::TypeMut, text, 1);
    }
};

template <> struct build<sequence_of_type> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.node(Kind::TypeSeq, builder.text_from(1, in.end()), 1);
    }
};

// `List of f64` and `gen(f64)` end alike: an element type is the last part of its own.
template <> struct build<element_type> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.element_end = in.end();
    }
};
template <> struct build<named_type> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        const std::string_view name(text.data(),
                                    static_cast<std::size_t>(past<dotted_name>(text.data(), in.end()) - text.data()));
        if (name == text) return builder.leaf(Kind::TypeName, text);
        const bool of_element = builder.element_end == in.end();
        builder.node(Kind::TypeApply, text, name, builder.children_of(text), of_element ? OfElement : 0);
    }
};

template <> struct build<type_variable> {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        const std::string_view text = builder.text(in);
        const std::string_view name =
            text.substr(1, static_cast<std::size_t>(past<meta_name>(text.data(), in.end()) - text.data()) - 1);
        builder.node(Kind::TypeVar, text, name, builder.children_of(text));
    }
};

const Parser::List Parser::type_list{&Parser::sequence_type, TokenKind::RightParen, message::types};

// Matches a production at the current token, and goes on behind it.
template <class Production> void Parser::produce() {
    const char* const text = tree_.text.data();
    Input input(text + token_.begin, text + tree_.text.size(), "");
    const Place place{.is_label = is_label_, .rule_file = language_ == Language::Rules, .pattern = patterns_};
    TreeBuilder builder(tree_, pending_);
    try {
        if (!peg::parse<Production, build, raise_expected>(input, place, builder))
            return fail_expected(expected<Production>);
    } catch (const Fault& fault) {
        return fail_at(static_cast<std::uint32_t>(fault.at - text), fault.expected);
    }
    previous_end_ = static_cast<std::uint32_t>(input.current() - text);
    token_ = scanner_.next(previous_end_);
}

// A production failed at a token that comes later.
void Parser::fail_at(std::uint32_t offset, Text what) {
    const std::size_t faults = diagnostics_->all().size();
    std::vector<std::uint32_t> openers;
    while (token_.begin < offset && token_.end <= offset && !at(TokenKind::End)) {
        if (at(TokenKind::LeftParen) || at(TokenKind::LeftBracket)) openers.push_back(token_.begin);
        if ((at(TokenKind::RightParen) || at(TokenKind::RightBracket)) && !openers.empty()) openers.pop_back();
        advance();
    }
    failed_ = true;
    if (diagnostics_->all().size() > faults) return; // a malformed token
    if (!patterns_ && (at(TokenKind::Meta) || at(TokenKind::Ellipsis))) return fail(message::pattern_in_ir);
    if (what == message::deep_type) {
        diagnostics_->limit({tree_.source, token_.begin, token_.end}, std::string(what));
        return;
    }
    fail_expected(what);
    if ((what == message::types || what == message::sizes) && !openers.empty()) note_opener(openers.back());
}

void Parser::type() { produce<grammar::type>(); }

void Parser::types() {
    produce<grammar::types>();
    if (!failed_ && at(TokenKind::Ellipsis)) pattern_only();
}

void Parser::sequence_type() {
    produce<grammar::sequence_type>();
    if (!failed_ && at(TokenKind::Ellipsis)) pattern_only();
}

} // namespace irrewrite::grammar
