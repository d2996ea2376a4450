// Texts to syntax trees, by the productions of both languages with their actions and messages.
#include "grammar/syntax/build_items.hpp"
#include "grammar/syntax/expected.hpp"

namespace irrewrite::grammar {

void build<expression_list>::check_return(TreeBuilder& builder, const char* from, const char* end) {
    if (past<keyword<"return">>(from, end) != from)
        builder.say(past_blanks(from, end), message::nested_return, message::nested_return_help);
}

void build<expression_list>::check_end(TreeBuilder& builder, std::size_t first, const char* from, const char* end,
                                       const Place& place) {
    const char* const at = past_blanks(from, end);
    if (at == end || (*at != '=' && *at != ':')) return;
    const char next = at + 1 == end ? ' ' : at[1];
    if (*at == ':' && !(place.pattern && next == '=')) builder.raise(from, message::statement, place, false);
    if (next == '>' || (*at == '=' && next == '=')) return;
    message::Text help;
    for (std::size_t i = first; i < builder.pending.size() && help.empty(); ++i) {
        const Kind kind = builder.tree.nodes[builder.pending[i]].kind;
        if (kind == Kind::Project) help = message::bind_part_help;
        if (kind != Kind::Value) break;
    }
    builder.say(at, message::bind_target, help);
}

namespace {

enum class Language : std::uint8_t { Ir, Rules };

// A text that is parsed, and its tree.
class Parsing {
  public:
    Parsing(const Sources& sources, SourceId source, Language language, const IsLabel& is_label,
            Diagnostics& diagnostics, const ReadBody& read_body = {})
        : faults_(sources, source, language == Language::Rules, diagnostics), place_{.is_label = &is_label,
                                                                                     .nesting = &nesting_,
                                                                                     .rule_file =
                                                                                         language == Language::Rules},
          builder_(tree_, pending_, faults_) {
        tree_.source = source;
        tree_.text = sources[source].text;
        // About one node for four bytes: address space that is touched only when it is needed.
        tree_.nodes.reserve(tree_.text.size() / 3 + 16);
        tree_.children.reserve(tree_.text.size() / 3 + 16);
        if (read_body) builder_.read_body = &read_body;
    }

    template <class Production> SyntaxTree file() {
        Input input(tree_.text.data(), end(), "");
        peg::parse<peg::must<Production>, build, raise_expected>(input, place_, builder_);
        builder_.node(Kind::File, tree_.text, tree_.text.substr(0, 0), 0);
        return done();
    }

    SyntaxTree one_expression() {
        Input input(tree_.text.data(), end(), "");
        try {
            peg::parse<peg::must<expression>, build, raise_expected>(input, place_, builder_);
            const Token behind = faults_.scanner.next(builder_.offset(input.current()));
            if (behind.kind != TokenKind::End) faults_.report_expected(behind, message::whole_expression);
        } catch (const Fault& fault) {
            const Token wrong = faults_.report(fault);
            pending_.clear();
            builder_.leaf(Kind::Error, tree_.text.substr(wrong.begin, 0));
        }
        return done();
    }

  private:
    const char* end() const { return tree_.text.data() + tree_.text.size(); }
    SyntaxTree done() {
        tree_.root = pending_.back();
        return std::move(tree_);
    }

    Faults faults_;
    Nesting nesting_;
    Place place_;
    SyntaxTree tree_;
    std::vector<SyntaxId> pending_;
    TreeBuilder builder_;
};

// Offsets are 32 bits wide, and so are the tree's.
bool fits(const Sources& sources, SourceId source, Diagnostics& diagnostics) {
    const bool fits = sources[source].text.size() < UINT32_MAX / 2;
    if (!fits) diagnostics.error({source, 0, 0}, std::string(message::too_long));
    return fits;
}

SyntaxTree no_tree(Kind kind, SourceId source) {
    SyntaxTree tree;
    tree.source = source;
    tree.nodes.push_back({.kind = kind});
    return tree;
}

} // namespace

SyntaxTree parse_ir(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics,
                    const ReadBody& read_body) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::File, source);
    return Parsing(sources, source, Language::Ir, is_label, diagnostics, read_body).file<ir_file>();
}

SyntaxTree parse_rules(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::File, source);
    return Parsing(sources, source, Language::Rules, is_label, diagnostics).file<rule_file>();
}

SyntaxTree parse_expression(const Sources& sources, SourceId source, Diagnostics& diagnostics) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::Error, source);
    const IsLabel no_label;
    return Parsing(sources, source, Language::Ir, no_label, diagnostics).one_expression();
}

} // namespace irrewrite::grammar
