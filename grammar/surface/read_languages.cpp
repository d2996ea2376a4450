#include "grammar/surface/read_languages.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/surface/check_language.hpp"
#include "grammar/surface/sorts.hpp"
#include "grammar/syntax/peg_text.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <set>

namespace irrewrite::grammar {

namespace {

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

class LanguageReader {
  public:
    LanguageReader(const std::shared_ptr<const SyntaxTree>& tree, Language& language, Diagnostics& diagnostics)
        : shared_(tree), tree_(*tree), language_(language), diagnostics_(diagnostics) {}

    void read(SyntaxId id) {
        std::vector<SyntaxId> productions;
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind == Kind::Ident)
                (tree_.name(child) == "indented" ? language_.indented : language_.undeclared) = true;
            if (tree_[child].kind == Kind::Production) productions.push_back(child);
        }
        for (SyntaxId production : productions) declare(production);
        const auto start = std::ranges::find(language_.productions, false, &Production::lexical);
        if (start != language_.productions.end())
            language_.start = static_cast<std::uint32_t>(start - language_.productions.begin());
        else
            diagnostics_.error(tree_.name_span(id), "this language has no production for a whole text",
                               "the first production that is no token is the whole text");
        add_built_in();
        for (std::size_t i = 0; i < productions.size(); ++i) read_production(productions[i], i);
        collect_keywords();
    }

  private:
    void declare(SyntaxId id) {
        for (const Production& other : language_.productions)
            if (other.name == tree_.name(id)) {
                diagnostics_.error(tree_.name_span(id), "a second production " + in_quotes(other.name))
                    .notes.push_back({other.where, "the first is here"});
                break;
            }
        Production& added = language_.productions.emplace_back();
        added.name = added.shown = tree_.name(id);
        added.where = tree_.name_span(id);
        added.tree = shared_;
        added.lexical = (tree_[id].flags & Lexical) != 0 || added.name == "layout";
        if (added.name == "layout") language_.layout = static_cast<std::uint32_t>(language_.productions.size() - 1);
    }

    // `keyword`; in an indented language `newline`, `indent`, `dedent`.
    void add_built_in() {
        const auto add = [&](const char* name, std::uint32_t& which) {
            if (find(name) != Language::none) return;
            which = static_cast<std::uint32_t>(language_.productions.size());
            Production& added = language_.productions.emplace_back();
            added.name = name;
            added.shown = name == std::string_view("newline")  ? "the end of the line"
                          : name == std::string_view("indent") ? "a line further to the right"
                          : name == std::string_view("dedent") ? "the end of the block"
                                                               : "a keyword";
            added.lexical = true;
            added.tree = shared_;
            added.where = language_.where;
        };
        add("keyword", language_.keyword);
        if (!language_.indented) return;
        const std::pair<std::uint32_t Language::*, char> marks[] = {
            {&Language::newline, newline_mark}, {&Language::indent, indent_mark}, {&Language::dedent, dedent_mark}};
        const char* names[] = {"newline", "indent", "dedent"};
        for (std::size_t i = 0; i < 3; ++i) {
            add(names[i], language_.*marks[i].first);
            if (language_.*marks[i].first == Language::none) continue;
            Peg mark;
            mark.op = Peg::Op::Literal, mark.text = std::string(1, marks[i].second);
            Alternative& only = language_.productions.back().alternatives.emplace_back();
            only.body.parts.push_back(std::move(mark));
        }
    }

    std::uint32_t find(std::string_view name) const {
        const auto it = std::ranges::find(language_.productions, name, &Production::name);
        return it == language_.productions.end() ? Language::none
                                                 : static_cast<std::uint32_t>(it - language_.productions.begin());
    }

    // -- alternatives -----------------------------------------------------------------------------
    void read_production(SyntaxId id, std::size_t number) {
        current_ = static_cast<std::uint32_t>(number);
        for (SyntaxId child : tree_.children_of(id))
            if (tree_[child].kind == Kind::String) language_.productions[number].shown = unescape(tree_.name(child));
        for (SyntaxId child : tree_.children_of(id))
            if (tree_[child].kind == Kind::Alternative)
                language_.productions[number].alternatives.push_back(read_alternative(child));
    }

    Alternative read_alternative(SyntaxId id) {
        Alternative read;
        read.where = tree_.span(id);
        alternative_ = &read;
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind == Kind::PegPrec)
                precedence(child, read);
            else if (tree_[child].kind == Kind::Template)
                read.term = tree_.children_of(child)[0];
            else
                read.body.parts.push_back(item(child));
        }
        const Production& own = language_.productions[current_];
        if (own.lexical && read.term)
            diagnostics_.error(tree_.span(*read.term), "a token stands for its text and has no right side");
        take_left_recursion(read);
        if (!read.term && !own.lexical) implicit(read.where);
        return read;
    }

    void precedence(SyntaxId id, Alternative& to) {
        const auto bits = parse_scalar(TypeKind::I64, tree_.name(id));
        if (!bits || *bits >= Alternative::tightest)
            diagnostics_.error(tree_.span(id), "a precedence is a number from 0 to 999: 'prec(6)'");
        else
            to.precedence = static_cast<int>(*bits);
        using enum Alternative::Associates;
        to.associates = tree_.label(id) == "right" ? Right : tree_.label(id) == "none" ? None : Left;
        if (language_.productions[current_].lexical) diagnostics_.error(tree_.span(id), "a token has no precedence");
    }

    // expr = l:expr "+" …: its first item is the value before.
    void take_left_recursion(Alternative& read) {
        if (read.body.parts.empty() || language_.productions[current_].lexical) return;
        Peg* first = &read.body.parts[0];
        const bool labelled = first->op == Peg::Op::Label;
        if (labelled) first = &first->parts[0];
        if (first->op != Peg::Op::Reference || first->production != current_) return;
        if (read.body.parts.size() == 1) return; // reported as left recursion
        read.left_recursive = true;
        read.left_slot = labelled ? read.body.parts[0].slot : implicit(first->where);
        read.body.parts.erase(read.body.parts.begin());
    }

    // The slot of parts without a label.
    std::uint32_t implicit(Span where) { return slot("", where); }
    std::uint32_t slot(std::string_view name, Span where) {
        auto& labels = alternative_->labels;
        const auto it = std::ranges::find(labels, name, &Label::name);
        if (it != labels.end()) return static_cast<std::uint32_t>(it - labels.begin());
        Label& added = labels.emplace_back();
        added.name = name, added.where = where;
        return static_cast<std::uint32_t>(labels.size() - 1);
    }

    // -- items ------------------------------------------------------------------------------------
    Peg item(SyntaxId id) {
        Peg peg;
        peg.where = tree_.span(id);
        const auto children = tree_.children_of(id);
        switch (tree_[id].kind) {
        case Kind::PegLiteral: literal(id, peg); break;
        case Kind::PegClass:
            peg.op = Peg::Op::Set, peg.set = static_cast<std::uint32_t>(language_.sets.size());
            language_.sets.push_back(set(id));
            break;
        case Kind::PegAny: peg.op = Peg::Op::Any; break;
        case Kind::PegRef: reference(id, peg); break;
        case Kind::PegLabel:
            if (language_.productions[current_].lexical)
                diagnostics_.error(tree_.name_span(id), "a token stands for its text, and its parts have no labels");
            peg.op = Peg::Op::Label, peg.slot = slot(tree_.name(id), tree_.name_span(id));
            peg.parts.push_back(item(children[0]));
            break;
        case Kind::PegAnd:
        case Kind::PegNot:
            peg.op = tree_[id].kind == Kind::PegAnd ? Peg::Op::And : Peg::Op::Not;
            peg.parts.push_back(item(children[0]));
            break;
        case Kind::PegRepeat:
            peg.op = repetition(tree_.name(id));
            for (SyntaxId child : children) peg.parts.push_back(item(child));
            break;
        case Kind::PegGroup:
            peg.op = Peg::Op::Choice;
            for (SyntaxId alternative : children) {
                Peg& sequence = peg.parts.emplace_back();
                sequence.where = tree_.span(alternative);
                for (SyntaxId child : tree_.children_of(alternative)) sequence.parts.push_back(item(child));
            }
            break;
        default: break;
        }
        return peg;
    }

    static Peg::Op repetition(std::string_view sign) {
        if (sign == "?") return Peg::Op::Optional;
        if (sign == "*") return Peg::Op::Star;
        if (sign == "+") return Peg::Op::Plus;
        return sign == "**" ? Peg::Op::List0 : Peg::Op::List1;
    }

    void literal(SyntaxId id, Peg& peg) {
        const std::string_view quoted = tree_.name(id);
        peg.op = Peg::Op::Literal;
        peg.text = peg_text(quoted.substr(1, quoted.size() - 2)).value_or("");
        peg.caseless = (tree_[id].flags & Caseless) != 0;
        if (peg.text.empty()) diagnostics_.error(tree_.span(id), "this literal is empty");
        peg.is_word = !language_.productions[current_].lexical && !peg.text.empty() &&
                      is_word_character(peg.text.back()) && is_word_character(peg.text[0]);
    }

    // Once, where it is used first.
    void unknown(SyntaxId id) {
        if (!unknown_.insert(tree_.name(id)).second) return;
        std::vector<std::string_view> known;
        for (const Production& p : language_.productions) known.push_back(p.name);
        diagnostics_.unknown(tree_.span(id), "production", tree_.name(id), suggestion(tree_.name(id), known));
    }

    void reference(SyntaxId id, Peg& peg) {
        peg.op = Peg::Op::Reference;
        peg.production = find(tree_.name(id));
        if (peg.production == Language::none) {
            unknown(id);
            peg.op = Peg::Op::Any;
            return;
        }
        const Production& called = language_.productions[peg.production];
        if (language_.productions[current_].lexical && !called.lexical)
            diagnostics_.error(tree_.span(id), "a token is made of characters and tokens, and " +
                                                   in_quotes(called.name) + " is a production with layout in it");
    }

    CharSet set(SyntaxId id) {
        std::string_view body = tree_.name(id);
        body = body.substr(1, body.size() - 2);
        const bool negated = body.starts_with('^');
        if (negated) body.remove_prefix(1);
        std::vector<std::pair<char32_t, bool>> members; // and if it is a `-` that joins two others
        for (std::size_t at = 0; at < body.size();) {
            const bool escaped = body[at] == '\\';
            const bool joins = !escaped && body[at] == '-' && !members.empty() && at + 1 < body.size();
            if (!escaped) {
                members.emplace_back(code_point(body, at), joins);
                continue;
            }
            const std::size_t length = at + 1 < body.size() && body[at + 1] == 'x' ? 4 : 2;
            const std::string text = peg_text(body.substr(at, length)).value_or("?");
            members.emplace_back(static_cast<unsigned char>(text[0]), false);
            at += length;
        }
        CharSet made;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const bool range = i + 2 < members.size() && members[i + 1].second;
            const char32_t first = members[i].first, last = range ? members[i + 2].first : first;
            if (first > last) diagnostics_.error(tree_.span(id), "a range of characters ends before it begins");
            made.add(first, std::max(first, last));
            i += range ? 2 : 0;
        }
        if (members.empty() && !negated)
            diagnostics_.error(tree_.span(id), "a class without characters matches nothing");
        made.finish(negated);
        return made;
    }

    // -- keywords ---------------------------------------------------------------------------------
    void collect_keywords() {
        for (const Production& production : language_.productions)
            for (const Alternative& alternative : production.alternatives) collect_keywords(alternative.body);
        for (auto* list : {&language_.keywords, &language_.caseless_keywords}) {
            std::ranges::sort(*list);
            list->erase(std::unique(list->begin(), list->end()), list->end());
        }
    }
    void collect_keywords(const Peg& peg) {
        if (peg.is_word) {
            std::string text = peg.text;
            if (peg.caseless) std::ranges::transform(text, text.begin(), lower);
            (peg.caseless ? language_.caseless_keywords : language_.keywords).push_back(std::move(text));
        }
        for (const Peg& part : peg.parts) collect_keywords(part);
    }

    const std::shared_ptr<const SyntaxTree>& shared_;
    const SyntaxTree& tree_;
    Language& language_;
    Diagnostics& diagnostics_;
    std::uint32_t current_ = 0;
    Alternative* alternative_ = nullptr;
    std::set<std::string_view> unknown_; // productions that were reported
};

} // namespace

void read_languages(const Context& context, const SyntaxTree& tree, Languages& languages, Diagnostics& diagnostics,
                    std::uint32_t last_fault) {
    std::shared_ptr<const SyntaxTree> shared;
    for (SyntaxId child : tree.children_of(tree.root)) {
        if (tree[child].kind != Kind::SyntaxDecl) continue;
        if (!shared) shared = std::make_shared<const SyntaxTree>(tree);
        for (const Language& other : languages.list)
            if (other.name == tree.name(child))
                diagnostics.error(tree.name_span(child), "a second language " + in_quotes(other.name))
                    .notes.push_back({other.where, "the first is here"});
        const std::size_t errors = diagnostics.errors();
        Language& language = languages.list.emplace_back();
        language.name = tree.name(child);
        language.where = tree.name_span(child);
        if (last_fault > language.where.begin) continue; // what stands behind it may have been read as something else
        LanguageReader(shared, language, diagnostics).read(child);
        if (diagnostics.errors() == errors) check_language(language, diagnostics);
        if (diagnostics.errors() == errors) find_sorts(context, language, diagnostics);
    }
}

} // namespace irrewrite::grammar
