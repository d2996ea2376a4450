#include "grammar/surface/check_language.hpp"

#include "grammar/surface/packrat.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

using Op = Peg::Op;

std::string quote(std::string_view name) { return "'" + std::string(name) + "'"; }

const Peg& without_label(const Peg& peg) { return peg.op == Op::Label ? without_label(peg.parts[0]) : peg; }

bool same(const Peg& a, const Peg& b) {
    if (a.op == Op::Label || b.op == Op::Label) return same(without_label(a), without_label(b));
    return a.op == b.op && a.text == b.text && a.caseless == b.caseless && a.production == b.production &&
           a.op != Op::Set && std::ranges::equal(a.parts, b.parts, same);
}

class LanguageCheck {
  public:
    LanguageCheck(Language& language, Diagnostics& diagnostics) : language_(language), diagnostics_(diagnostics) {}

    void run() {
        find_empty();
        for (std::uint32_t p = 0; p < language_.productions.size(); ++p) {
            left_recursion(p);
            for (const Alternative& alternative : language_.productions[p].alternatives) {
                repetitions(alternative.body);
                if (alternative.left_recursive && may_be_empty(alternative.body))
                    diagnostics_.error(alternative.where, "this may be empty behind " +
                                                              quote(language_.productions[p].name) +
                                                              ", so it would repeat without an end");
            }
        }
        if (language_.layout != Language::none && empty_[language_.layout])
            diagnostics_.error(language_.productions[language_.layout].where,
                               "'layout' may be empty, so it would repeat without an end",
                               "it is one blank or comment; any number of them may stand between two tokens");
        if (diagnostics_.has_errors()) return; // the rest looks at texts
        unused();
        for (const Production& production : language_.productions) unreachable(production);
    }

  private:
    // -- what may be empty, and what never fails --------------------------------------------------
    bool may_be_empty(const Peg& peg) const {
        switch (peg.op) {
        case Op::Sequence: return std::ranges::all_of(peg.parts, [&](const Peg& p) { return may_be_empty(p); });
        case Op::Choice: return std::ranges::any_of(peg.parts, [&](const Peg& p) { return may_be_empty(p); });
        case Op::Reference: return empty_[peg.production];
        case Op::Plus:
        case Op::List1:
        case Op::Label: return may_be_empty(peg.parts[0]);
        case Op::Optional:
        case Op::Star:
        case Op::List0:
        case Op::And:
        case Op::Not: return true;
        case Op::Literal:
        case Op::Set:
        case Op::Any: return false;
        }
        return false;
    }
    bool never_fails(const Peg& peg) const {
        switch (peg.op) {
        case Op::Sequence: return std::ranges::all_of(peg.parts, [&](const Peg& p) { return never_fails(p); });
        case Op::Choice: return std::ranges::any_of(peg.parts, [&](const Peg& p) { return never_fails(p); });
        case Op::Reference: return sure_[peg.production];
        case Op::Label: return never_fails(peg.parts[0]);
        case Op::Optional:
        case Op::Star:
        case Op::List0: return true;
        default: return false;
        }
    }
    void find_empty() {
        empty_.assign(language_.productions.size(), false);
        sure_ = is_reported_ = empty_;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t p = 0; p < empty_.size(); ++p)
                for (const Alternative& alternative : language_.productions[p].alternatives) {
                    if (alternative.left_recursive) continue;
                    changed |= set(empty_, p, may_be_empty(alternative.body));
                    changed |= set(sure_, p, never_fails(alternative.body));
                }
        }
    }
    static bool set(std::vector<bool>& flags, std::size_t at, bool value) {
        const bool changed = value && !flags[at];
        if (changed) flags[at] = true;
        return changed;
    }

    // -- left recursion ---------------------------------------------------------------------------
    // Calls `visit` with the productions that may begin where the expression does. Returns true if it may be empty.
    template <class Visit> bool beginnings(const Peg& peg, Visit&& visit) const {
        if (peg.op == Op::Reference) visit(peg);
        if (peg.op == Op::Sequence) {
            for (const Peg& part : peg.parts)
                if (!beginnings(part, visit)) return false;
            return true;
        }
        const bool separated = peg.op == Op::List0 || peg.op == Op::List1;
        for (const Peg& part : peg.parts)
            if (!beginnings(part, visit) && separated) break;
        return may_be_empty(peg);
    }
    void left_recursion(std::uint32_t from) {
        if (is_reported_[from]) return;
        std::vector<std::uint32_t> came_from(language_.productions.size(), Language::none), open{from};
        const Production& production = language_.productions[from];
        std::size_t others = 0;
        for (const Alternative& a : production.alternatives) others += !a.left_recursive;
        if (others == 0 && !production.alternatives.empty()) {
            diagnostics_.error(production.where,
                               "every alternative of " + quote(production.name) + " begins with itself");
            return;
        }
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const Alternative& alternative : language_.productions[open[i]].alternatives) {
                if (alternative.left_recursive) continue;
                std::optional<Span> where;
                beginnings(alternative.body, [&](const Peg& called) {
                    if (called.production == from && !where) where = called.where;
                    if (came_from[called.production] != Language::none) return;
                    came_from[called.production] = open[i];
                    if (called.production != from) open.push_back(called.production);
                });
                if (!where) continue;
                report_left_recursion(from, open[i], came_from, *where);
                return;
            }
    }
    void report_left_recursion(std::uint32_t from, std::uint32_t last, const std::vector<std::uint32_t>& came_from,
                               Span where) {
        std::string path = quote(language_.productions[from].name);
        for (std::uint32_t p = last; p != from; p = came_from[p]) {
            path = quote(language_.productions[p].name) + ", which begins with " + path;
            is_reported_[p] = true;
        }
        diagnostics_.error(where, "left recursion: " + quote(language_.productions[from].name) + " begins with " + path,
                           "only an alternative of a production may begin with that production, as in 'expr = l:expr "
                           "\"+\" r:expr'");
    }

    // -- repetitions ------------------------------------------------------------------------------
    void repetitions(const Peg& peg) {
        const bool repeats = peg.op == Op::Star || peg.op == Op::Plus || peg.op == Op::List0 || peg.op == Op::List1;
        if (repeats && std::ranges::all_of(peg.parts, [&](const Peg& p) { return may_be_empty(p); }))
            diagnostics_.error(peg.where, "this repeats what may be empty, without an end");
        for (const Peg& part : peg.parts) repetitions(part);
    }

    // -- productions that nothing uses, alternatives that nothing reaches -------------------------
    void unused() {
        std::vector<bool> used(language_.productions.size());
        std::vector<std::uint32_t> open{language_.start};
        if (language_.layout != Language::none) open.push_back(language_.layout);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (used[open[i]]) continue;
            used[open[i]] = true;
            for (const Alternative& a : language_.productions[open[i]].alternatives) references(a.body, open);
        }
        for (std::size_t p = 0; p < used.size(); ++p)
            if (!used[p] && language_.productions[p].where.begin != language_.where.begin)
                diagnostics_.error(language_.productions[p].where,
                                   "nothing uses the production " + quote(language_.productions[p].name),
                                   "the first production that is no token is the whole text");
    }
    void references(const Peg& peg, std::vector<std::uint32_t>& open) const {
        if (peg.op == Op::Reference) open.push_back(peg.production);
        for (const Peg& part : peg.parts) references(part, open);
    }

    void unreachable(const Production& production) {
        for (std::size_t i = 0; i < production.alternatives.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Alternative &first = production.alternatives[j], &later = production.alternatives[i];
                if (first.left_recursive != later.left_recursive || !hides(first.body, later.body)) continue;
                report_unreachable(later.where, first.where, takes_keyword(first.body, later.body));
                break;
            }
        for (const Alternative& alternative : production.alternatives) unreachable(alternative.body);
    }
    void unreachable(const Peg& peg) {
        for (const Peg& part : peg.parts) unreachable(part);
        if (peg.op != Op::Choice) return;
        for (std::size_t i = 0; i < peg.parts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (hides(peg.parts[j], peg.parts[i])) {
                    report_unreachable(peg.parts[i].where, peg.parts[j].where, false);
                    break;
                }
    }
    void report_unreachable(Span where, Span first, bool keyword) {
        diagnostics_
            .error(where, "this alternative is never reached: the one before it matches wherever it would",
                   keyword ? "exclude keywords, as in 'token name = !keyword [a-z]+'"
                           : "put the longer one first: alternatives are tried in their order")
            .notes.push_back({first, "this one"});
    }
    // True if `first` matches wherever `later` does.
    bool hides(const Peg& first, const Peg& later) const {
        if (never_fails(first)) return true;
        if (takes_keyword(first, later)) return true;
        const auto &a = first.parts, &b = later.parts;
        if (a.empty() || a.size() > b.size()) return false;
        for (std::size_t i = 0; i + 1 < a.size(); ++i)
            if (!same(a[i], b[i])) return false;
        const Peg &last = without_label(a.back()), &other = without_label(b[a.size() - 1]);
        const bool literals = last.op == Op::Literal && other.op == Op::Literal && !last.is_word && !last.caseless;
        return same(last, other) || (literals && other.text.starts_with(last.text));
    }
    // A token alone, that matches the word that the other one begins with.
    bool takes_keyword(const Peg& first, const Peg& later) const {
        if (first.parts.size() != 1 || later.parts.empty()) return false;
        const Peg &token = without_label(first.parts[0]), &word = without_label(later.parts[0]);
        if (token.op != Op::Reference || word.op != Op::Literal || !word.is_word) return false;
        return language_.productions[token.production].lexical && matches(language_, token.production, word.text);
    }

    Language& language_;
    Diagnostics& diagnostics_;
    std::vector<bool> empty_, sure_; // by production
    std::vector<bool> is_reported_;  // of left recursion
};

} // namespace

void check_language(Language& language, Diagnostics& diagnostics) { LanguageCheck(language, diagnostics).run(); }

} // namespace irrewrite::grammar
