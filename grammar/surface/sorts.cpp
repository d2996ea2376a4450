#include "grammar/surface/sorts.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

using Op = Peg::Op;

std::string with_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

} // namespace

std::string_view noun(Sort sort) {
    switch (sort) {
    case Sort::None: return "nothing";
    case Sort::Text: return "a text";
    case Sort::Value: return "a value";
    case Sort::Statement: return "a statement";
    case Sort::Declaration: return "a declaration";
    case Sort::Parameter: return "a parameter";
    case Sort::Field: return "a field";
    case Sort::Part: return "a part of a struct";
    case Sort::Type: return "a type";
    }
    return "";
}

namespace {

Sort sort_of_term(const SyntaxTree& tree, SyntaxId id) {
    switch (tree[id].kind) {
    case Kind::Func:
    case Kind::StructDecl: return Sort::Declaration;
    case Kind::Param: return Sort::Parameter;
    case Kind::Field: return Sort::Field;
    case Kind::FieldInit: return Sort::Part;
    case Kind::TypeTemplate: return Sort::Type;
    case Kind::Bind:
    case Kind::Block:
    case Kind::OperatorBlock:
    case Kind::Results: return Sort::Statement;
    default: return Sort::Value;
    }
}

// The number of things that a label stands for, at least and at most (two is any number), and their sort.
struct Parts {
    std::size_t least = 0, most = 0;
    Sort sort = Sort::None;
    bool mixed = false;

    void join(Sort other) {
        if (other == Sort::None || other == sort) return;
        const auto statement = [](Sort s) { return s == Sort::Statement || s == Sort::Value; };
        if (sort == Sort::None)
            sort = other;
        else if (statement(sort) && statement(other))
            sort = Sort::Statement;
        else
            mixed = true;
    }
};

class SortFinder {
  public:
    SortFinder(Language& language, Diagnostics& diagnostics) : language_(language), diagnostics_(diagnostics) {}

    void run() {
        for (Production& production : language_.productions)
            if (production.lexical) production.sort = is_mark(production) ? Sort::None : Sort::Text;
        for (bool counts : {false, true}) // first the sorts, then if there may be several
            for (bool changed = true; changed;) {
                changed = false;
                for (Production& production : language_.productions)
                    if (!production.lexical) changed |= find(production, counts);
            }
        for (Production& production : language_.productions)
            for (Alternative& alternative : production.alternatives) settle(production, alternative);
    }

  private:
    bool is_mark(const Production& production) const {
        const auto at = static_cast<std::uint32_t>(&production - language_.productions.data());
        return at == language_.newline || at == language_.indent || at == language_.dedent;
    }

    // Of all parts with a slot, or (Sequence, at first) of one slot.
    Parts parts(const Peg& peg, const Alternative& alternative, std::uint32_t slot, std::uint32_t current) const {
        Parts found;
        switch (peg.op) {
        case Op::Reference:
            if (current == slot) {
                const Production& called = language_.productions[peg.production];
                found.sort = called.sort;
                found.most = called.sort == Sort::None ? 0 : called.many ? 2 : 1;
                found.least = found.most == 1 ? 1 : 0;
            }
            return found;
        case Op::Label:
            if (!has_part(peg.parts[0])) return peg.slot == slot ? Parts{1, 1, Sort::Text, false} : found;
            return parts(peg.parts[0], alternative, slot, peg.slot);
        case Op::And:
        case Op::Not: return found;
        case Op::Choice:
            found.least = 2;
            for (const Peg& part : peg.parts) {
                const Parts one = parts(part, alternative, slot, current);
                found.least = std::min(found.least, one.least), found.most = std::max(found.most, one.most);
                found.join(one.sort), found.mixed |= one.mixed;
            }
            return found;
        default: break;
        }
        for (const Peg& part : peg.parts) {
            const Parts one = parts(part, alternative, slot, current);
            found.least = std::min<std::size_t>(2, found.least + one.least);
            found.most = std::min<std::size_t>(2, found.most + one.most);
            found.join(one.sort), found.mixed |= one.mixed;
        }
        const bool repeats = peg.op == Op::Star || peg.op == Op::Plus || peg.op == Op::List0 || peg.op == Op::List1;
        if (repeats && found.most > 0) found.most = 2;
        if (peg.op == Op::Optional || peg.op == Op::Star || peg.op == Op::List0) found.least = 0;
        return found;
    }
    static bool has_part(const Peg& peg) {
        if (peg.op == Op::And || peg.op == Op::Not) return false;
        return peg.op == Op::Reference || std::ranges::any_of(peg.parts, has_part);
    }
    std::uint32_t implicit_slot(const Alternative& alternative) const {
        for (std::uint32_t i = 0; i < alternative.labels.size(); ++i)
            if (alternative.labels[i].name.empty()) return i;
        return UINT32_MAX;
    }
    Parts parts_of(const Production& production, const Alternative& alternative, std::uint32_t slot) const {
        Parts found = parts(alternative.body, alternative, slot, implicit_slot(alternative));
        if (alternative.left_recursive && alternative.left_slot == slot) {
            found.least = std::min<std::size_t>(2, found.least + 1),
            found.most = std::min<std::size_t>(2, found.most + 1);
            found.join(production.sort);
        }
        return found;
    }

    // True if more is known than before.
    bool find(Production& production, bool counts) {
        Parts all;
        all.sort = production.sort; // it only becomes known, or a statement, so that the search ends
        bool many = production.many, some = false, none = false;
        for (const Alternative& alternative : production.alternatives) {
            if (alternative.term) {
                all.join(sort_of_term(*production.tree, *alternative.term));
                const Kind kind = (*production.tree)[*alternative.term].kind;
                many |= kind == Kind::Block || kind == Kind::OperatorBlock;
                some = true;
                continue;
            }
            const Parts one = parts_of(production, alternative, implicit_slot(alternative));
            all.join(one.sort);
            many |= one.most > 1 || (one.most == 1 && one.least == 0);
            (one.most == 0 ? none : some) = true;
        }
        many |= some && none;
        many = many && counts;
        const bool changed = all.sort != production.sort || many != production.many;
        production.sort = all.sort, production.many = many;
        return changed;
    }

    void settle(Production& production, Alternative& alternative) {
        if (production.lexical) return;
        for (std::uint32_t slot = 0; slot < alternative.labels.size(); ++slot) {
            Label& label = alternative.labels[slot];
            const Parts found = parts_of(production, alternative, slot);
            label.sort = found.sort;
            label.always = found.least > 0, label.once = found.most < 2;
            if (label.name.empty() && !alternative.term) {
                check_sort(production, alternative, found);
                continue;
            }
            if (found.mixed)
                diagnostics_.error(label.where, with_quotes(label.name) + " stands for things of different sorts");
            if (label.name.empty())
                diagnostics_.error(label.where, "this part has no label, so the right side cannot use it",
                                   "write a label before it, as in 'l:expr'");
            else if (!alternative.term)
                diagnostics_.error(label.where, "a label has a meaning only with a right side '=> …'");
        }
        if (!alternative.term) return;
        check_dropped(alternative.body);
        Parts whole;
        whole.sort = sort_of_term(*production.tree, *alternative.term);
        check_sort(production, alternative, whole);
    }
    void check_sort(const Production& production, const Alternative& alternative, const Parts& found) {
        const Sort sort = found.sort == Sort::None ? production.sort : found.sort;
        const bool fits = sort == production.sort || (sort == Sort::Value && production.sort == Sort::Statement);
        if (!found.mixed && fits) return;
        diagnostics_.error(alternative.where,
                           found.mixed
                               ? std::string("the parts of this alternative stand for things of different sorts")
                               : "this alternative stands for " + std::string(noun(sort)) + ", and others of " +
                                     with_quotes(production.name) + " for " + std::string(noun(production.sort)),
                           sort == Sort::Text || production.sort == Sort::Text
                               ? "a token becomes a literal or a name by its right side, '=> #n' or '=> %n'"
                           : alternative.term ? "all alternatives of a production stand for one sort of things"
                                              : "give it a right side, '=> …'");
    }
    // Without a label, where there is a right side.
    void check_dropped(const Peg& peg) {
        if (peg.op == Op::Label || peg.op == Op::And || peg.op == Op::Not) return;
        if (peg.op == Op::Reference) {
            const Production& called = language_.productions[peg.production];
            if (called.sort != Sort::None && called.sort != Sort::Text)
                diagnostics_.error(peg.where, "this part has no label, so the right side cannot use it",
                                   "write a label before it, as in 'l:" + called.name + "'");
        }
        for (const Peg& part : peg.parts) check_dropped(part);
    }

    Language& language_;
    Diagnostics& diagnostics_;
};

} // namespace

TextFunction text_function(std::string_view name) {
    if (name == "text") return TextFunction::Text;
    if (name == "unescape") return TextFunction::Unescape;
    if (name == "undouble") return TextFunction::Undouble;
    if (name == "number") return TextFunction::Number;
    for (std::string_view scalar : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"})
        if (name == scalar) return TextFunction::Scalar;
    return TextFunction::None;
}

void find_sorts(const Context& context, Language& language, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    SortFinder(language, diagnostics).run();
    if (diagnostics.errors() != errors) return;
    for (const Production& production : language.productions)
        for (const Alternative& alternative : production.alternatives)
            if (alternative.term && !production.lexical) check_term(context, production, alternative, diagnostics);
    const Production& start = language.productions[language.start];
    if (diagnostics.errors() == errors && start.sort != Sort::Declaration)
        diagnostics.error(start.where,
                          "the first production is the whole text, so it stands for functions, and this one for " +
                              std::string(noun(start.sort)),
                          "write the function that the text is the body of: '=> func @main() -> i64 { return e }'");
}

} // namespace irrewrite::grammar
