#include "grammar/surface/terms.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/surface/sorts.hpp"
#include "grammar/surface/text_literals.hpp"
#include "grammar/syntax/scanner.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::grammar {

std::string_view hole(const SyntaxTree& tree, SyntaxId id) {
    const SyntaxNode& node = tree[id];
    const bool leaf = node.count == 0 && (node.kind == Kind::Op || node.kind == Kind::TypeName);
    const bool applied = node.kind == Kind::Op && node.end > node.name_end; // `f()`
    if ((leaf && !applied) || node.kind == Kind::OperatorBlock) return tree.name(id);
    return {};
}

bool takes_name(Kind kind) {
    switch (kind) {
    case Kind::Value:
    case Kind::Target:
    case Kind::Call:
    case Kind::Struct:
    case Kind::Project:
    case Kind::FieldInit:
    case Kind::Func:
    case Kind::StructDecl:
    case Kind::Field:
    case Kind::Param:
    case Kind::Op: return true;
    default: return false;
    }
}

bool is_label(const Alternative& alternative, std::string_view name) {
    return !name.empty() && std::ranges::find(alternative.labels, name, &Label::name) != alternative.labels.end();
}

namespace {

class Instantiation {
  public:
    Instantiation(const Language& language, std::string_view text, SourceId source,
                  const std::vector<std::uint32_t>& places, const ParseTree& tree, Symbols& symbols, Terms& terms,
                  Diagnostics& diagnostics)
        : language_(language), text_(text), source_(source), places_(places), tree_(tree), symbols_(symbols),
          terms_(terms), diagnostics_(diagnostics) {}

    // Children before parents, and only those that the whole consists of.
    std::vector<TermId> run() {
        std::vector<bool> live(tree_.nodes.size());
        live[tree_.root] = true;
        for (std::size_t n = tree_.nodes.size(); n-- > 0;)
            if (live[n])
                for (const Capture& c : captures(tree_.nodes[n]))
                    if (c.node != Language::none) live[c.node] = true;
        lists_.resize(tree_.nodes.size());
        for (std::uint32_t n = 0; n < tree_.nodes.size(); ++n)
            if (live[n]) build(n);
        const auto [first, count] = lists_[tree_.root];
        return {made_.begin() + first, made_.begin() + first + count};
    }

  private:
    std::span<const Capture> captures(const ParseNode& node) const {
        return {tree_.captures.data() + node.first, node.count};
    }
    // -- nodes ------------------------------------------------------------------------------------
    void build(std::uint32_t n) {
        const ParseNode& node = tree_.nodes[n];
        const Production& production = language_.productions[node.production];
        lists_[n] = {static_cast<std::uint32_t>(made_.size()), 0};
        if (production.lexical || node.alternative == Language::none) return;
        const Alternative& alternative = production.alternatives[node.alternative];
        std::vector<TermId> out;
        if (alternative.term) {
            node_ = &node, alternative_ = &alternative, rule_ = production.tree.get();
            root(*alternative.term, out);
        } else {
            for (const Capture& c : captures(node)) terms_of(c, out);
        }
        lists_[n].second = static_cast<std::uint32_t>(out.size());
        made_.insert(made_.end(), out.begin(), out.end());
    }
    void terms_of(const Capture& c, std::vector<TermId>& out) const {
        if (c.node == Language::none) return;
        const auto [first, count] = lists_[c.node];
        out.insert(out.end(), made_.begin() + first, made_.begin() + first + count);
    }
    void root(SyntaxId id, std::vector<TermId>& out) {
        const Kind kind = (*rule_)[id].kind;
        if (kind == Kind::Block) return statements(id, out); // they are a list
        if (kind == Kind::OperatorBlock && is_label(*alternative_, rule_->name(id))) return part(rule_->name(id), out);
        if (kind == Kind::TypeTemplate) id = rule_->children_of(id)[0];
        make(id, out);
    }

    // -- parts ------------------------------------------------------------------------------------
    std::optional<std::size_t> slot(std::string_view name) const {
        const auto& labels = alternative_->labels;
        const auto it = std::ranges::find(labels, name, &Label::name);
        if (name.empty() || it == labels.end()) return std::nullopt;
        return static_cast<std::size_t>(it - labels.begin());
    }
    void part(std::string_view name, std::vector<TermId>& out) const {
        const std::size_t wanted = *slot(name);
        for (const Capture& c : captures(*node_))
            if (c.slot == wanted) terms_of(c, out);
    }
    // Of all captures of a label, from the first to the last.
    std::pair<std::uint32_t, std::uint32_t> range(std::string_view name) const {
        std::uint32_t begin = UINT32_MAX, end = 0;
        for (const Capture& c : captures(*node_)) {
            if (c.slot != *slot(name)) continue;
            const bool whole = c.node != Language::none;
            begin = std::min(begin, whole ? tree_.nodes[c.node].begin : c.begin);
            end = std::max(end, whole ? tree_.nodes[c.node].end : c.end);
        }
        return begin == UINT32_MAX ? std::pair{node_->end, node_->end} : std::pair{begin, std::max(begin, end)};
    }
    std::string text_of(std::pair<std::uint32_t, std::uint32_t> range) const {
        std::string text(text_.substr(range.first, range.second - range.first));
        if (language_.indented) std::erase_if(text, [](char c) { return c >= indent_mark && c <= newline_mark; });
        return text;
    }

    // -- terms ------------------------------------------------------------------------------------
    std::uint32_t place(std::uint32_t at) const { // in the source, without the marks of lines
        if (places_.empty()) return at;
        return at - static_cast<std::uint32_t>(std::ranges::lower_bound(places_, at) - places_.begin());
    }
    Term term(Kind kind, std::pair<std::uint32_t, std::uint32_t> range) const {
        Term made{.kind = kind, .name = {}, .label = {}};
        made.begin = place(range.first), made.end = place(range.second);
        return made;
    }
    Term term(Kind kind) const { return term(kind, {node_->begin, node_->end}); }

    void make(SyntaxId id, std::vector<TermId>& out) {
        const SyntaxNode& node = (*rule_)[id];
        const std::string_view part_name = hole(*rule_, id);
        if (is_label(*alternative_, part_name)) return hole_terms(id, part_name, out);
        switch (node.kind) {
        case Kind::MetaLiteral: out.push_back(literal(rule_->name(id))); return;
        case Kind::Compute: out.push_back(computed(rule_->children_of(id)[0])); return;
        case Kind::Seq:
        case Kind::TypeSeq: return sequence(rule_->children_of(id)[0], out);
        case Kind::Func: return function(id, out);
        default: break;
        }
        std::vector<TermId> children;
        const bool outer = std::exchange(in_attribute_, node.kind == Kind::Attr);
        std::size_t names = 0; // of a definition
        if (node.kind == Kind::Block) {
            statements(id, children);
        } else {
            for (SyntaxId child : rule_->children_of(id)) {
                if (node.kind == Kind::Bind) names = children.size();
                make(child, children);
            }
        }
        in_attribute_ = outer;
        for (TermId name : std::span(children).first(names)) terms_[name].kind = Kind::Target;
        out.push_back(terms_.add(named(id, term(node.kind)), children));
    }
    // The name of a node: of the template, or the text of a part.
    Term named(SyntaxId id, Term made) {
        const SyntaxNode& node = (*rule_)[id];
        made.flags = node.flags;
        const std::string_view name = rule_->name(id);
        if (slot(name) && takes_name(node.kind)) {
            const auto where = range(name);
            made.name = symbols_.add(text_of(where));
            made.user = true;
            check_name(node.kind, made.name, where);
            const bool leaf = node.kind == Kind::Value || node.kind == Kind::Target;
            if (leaf) made.begin = place(where.first), made.end = place(where.second);
        } else if (!name.empty()) {
            made.name = symbols_.add(name);
        }
        if (!rule_->label(id).empty()) made.label = symbols_.add(rule_->label(id));
        return made;
    }
    // A value may have any name in the text; other names are those of the IR.
    void check_name(Kind kind, SymbolId name, std::pair<std::uint32_t, std::uint32_t> where) {
        const bool value = kind == Kind::Value || kind == Kind::Target || kind == Kind::Param;
        const std::string_view text = symbols_[name];
        const bool word =
            !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, is_word_character);
        if (value || word || kind == Kind::Project) return;
        const Term at = term(kind, where);
        diagnostics_.error({source_, at.begin, at.end},
                           "'" + std::string(text) +
                               "' is no name of a function, an "
                               "operation, a struct or a field in the IR",
                           "these begin with a letter or '_', and consist of letters, digits and '_'");
    }
    void hole_terms(SyntaxId id, std::string_view name, std::vector<TermId>& out) {
        const Label& label = alternative_->labels[*slot(name)];
        const Kind kind = (*rule_)[id].kind;
        if (kind == Kind::OperatorBlock) {
            std::vector<TermId> children;
            part(name, children);
            if (label.sort == Sort::Value) children = {terms_.add(term(Kind::Results), children)};
            Term block = term(Kind::Block);
            if (!rule_->label(id).empty()) block.label = symbols_.add(rule_->label(id));
            out.push_back(terms_.add(block, children));
        } else if (label.sort == Sort::Text && kind == Kind::TypeName && in_attribute_) {
            out.push_back(string(text_of(range(name)), range(name)));
        } else if (label.sort == Sort::Text) { // a type that the text names
            Term made = term(Kind::TypeName, range(name));
            made.name = symbols_.add(text_of(range(name)));
            out.push_back(terms_.add(made));
        } else {
            part(name, out);
        }
    }
    void sequence(SyntaxId inner, std::vector<TermId>& out) {
        const Kind kind = (*rule_)[inner].kind;
        if (kind != Kind::Value && kind != Kind::MetaLiteral) return part(rule_->name(inner), out);
        const std::size_t wanted = *slot(rule_->name(inner));
        for (const Capture& c : captures(*node_)) {
            if (c.slot != wanted) continue;
            const bool whole = c.node != Language::none;
            const std::pair range{whole ? tree_.nodes[c.node].begin : c.begin, whole ? tree_.nodes[c.node].end : c.end};
            if (kind == Kind::MetaLiteral) {
                out.push_back(number(text_of(range), range));
                continue;
            }
            Term made = term(Kind::Value, range);
            made.name = symbols_.add(text_of(range)), made.user = true;
            out.push_back(terms_.add(made));
        }
    }
    // Parameters first; results only at the end: before it, they are statements.
    void statements(SyntaxId block, std::vector<TermId>& out) {
        for (SyntaxId child : rule_->children_of(block)) {
            const SyntaxNode& node = (*rule_)[child];
            if (node.kind != Kind::Results || (node.flags & Return)) {
                make(child, out);
                continue;
            }
            std::vector<TermId> results;
            for (SyntaxId result : rule_->children_of(child)) {
                const SyntaxId inner = (*rule_)[result].kind == Kind::Seq ? rule_->children_of(result)[0] : result;
                const auto label = slot(hole(*rule_, inner));
                make(result, label && alternative_->labels[*label].sort != Sort::Value ? out : results);
            }
            if (!results.empty()) out.push_back(terms_.add(term(Kind::Results), results));
        }
        const auto demoted = [&](TermId t) { return terms_[t].kind == Kind::Results && !(terms_[t].flags & Return); };
        for (std::size_t i = 0; i + 1 < out.size(); ++i) {
            if (!demoted(out[i])) continue;
            const std::vector<TermId> plain = terms_.copy_of_children(out[i]);
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
            out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), plain.begin(), plain.end());
            i += plain.size() - 1;
        }
        for (std::size_t i = 1; i < out.size(); ++i)
            if (terms_[out[i]].kind == Kind::Param && terms_[out[i - 1]].kind != Kind::Param) {
                std::ranges::stable_sort(out, {}, [&](TermId t) { return terms_[t].kind != Kind::Param; });
                break;
            }
    }
    void function(SyntaxId id, std::vector<TermId>& out) {
        std::vector<TermId> children;
        const auto parts = rule_->children_of(id);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool body = i + 1 == parts.size() && (*rule_)[parts[i]].kind == Kind::Op && i > 0;
            const auto label = body ? slot(rule_->name(parts[i])) : std::nullopt;
            if (!label || alternative_->labels[*label].sort != Sort::Statement) {
                make(parts[i], children);
                continue;
            }
            std::vector<TermId> statements;
            part(rule_->name(parts[i]), statements);
            children.push_back(terms_.add(term(Kind::Block), statements));
        }
        out.push_back(terms_.add(named(id, term(Kind::Func)), children));
    }

    // -- literals ---------------------------------------------------------------------------------
    TermId literal(std::string_view label) { return number(text_of(range(label)), range(label)); }
    TermId number(std::string text, std::pair<std::uint32_t, std::uint32_t> where, std::string_view type = {}) {
        const std::string written = text;
        Term made = term(Kind::Number, where);
        if (text == "true" || text == "false") made.kind = Kind::Bool;
        const std::size_t sign = text.starts_with('-') ? 1 : 0;
        if (text.substr(sign).starts_with('.')) text.insert(sign, "0");
        const std::size_t dot = text.find('.');
        if (dot != std::string::npos && (dot + 1 == text.size() || text[dot + 1] < '0' || text[dot + 1] > '9'))
            text.insert(dot + 1, "0");
        text += type;
        const char* begin = text.data() + sign;
        const bool special = text == "inf" || text == "-inf" || text == "nan";
        if (made.kind == Kind::Number && !special &&
            number_end(begin, text.data() + text.size()) != text.data() + text.size())
            diagnostics_.error({source_, made.begin, made.end}, "'" + written + "' is no number",
                               "numbers of the IR are written 7, 1_000, 0xff, 2.5, 1e-9");
        made.name = symbols_.add(text);
        return terms_.add(made);
    }
    TermId string(const std::string& bytes, std::pair<std::uint32_t, std::uint32_t> where) {
        Term made = term(Kind::String, where);
        made.name = symbols_.add(escape(bytes));
        return terms_.add(made);
    }
    // `text(n)`
    TermId computed(SyntaxId call) {
        const std::string_view label = rule_->name(rule_->children_of(call)[0]);
        const auto where = range(label);
        const std::string text = text_of(where);
        switch (text_function(rule_->name(call))) {
        case TextFunction::Number: return number(text, where);
        case TextFunction::Scalar: return number(text, where, rule_->name(call));
        case TextFunction::Undouble: return string(undoubled(text), where);
        case TextFunction::Unescape: {
            if (const auto bytes = unescaped(text)) return string(*bytes, where);
            const Term at = term(Kind::String, where);
            diagnostics_.error({source_, at.begin, at.end}, "unknown escape in this text",
                               "the escapes are \\n \\t \\r \\\" \\' \\\\ and \\xNN");
            return string("", where);
        }
        default: return string(text, where);
        }
    }
    const Language& language_;
    std::string_view text_;
    SourceId source_;
    const std::vector<std::uint32_t>& places_;
    const ParseTree& tree_;
    Symbols& symbols_;
    Terms& terms_;
    Diagnostics& diagnostics_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> lists_; // by node: first and count in made_
    std::vector<TermId> made_;
    const ParseNode* node_ = nullptr;
    const Alternative* alternative_ = nullptr;
    const SyntaxTree* rule_ = nullptr;
    bool in_attribute_ = false;
};

} // namespace

std::vector<TermId> instantiate(const Language& language, std::string_view text, SourceId source,
                                const std::vector<std::uint32_t>& places, const ParseTree& tree, Symbols& symbols,
                                Terms& terms, Diagnostics& diagnostics) {
    return Instantiation(language, text, source, places, tree, symbols, terms, diagnostics).run();
}

} // namespace irrewrite::grammar
