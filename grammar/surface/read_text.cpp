#include "grammar/surface/read_text.hpp"

#include "engine/passes/relax_effects.hpp"
#include "engine/support/utf8.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/surface/indentation.hpp"
#include "grammar/surface/names.hpp"
#include "grammar/surface/term_edits.hpp"
#include "grammar/surface/terms.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

// -- what is wrong with a text --------------------------------------------------------------------

struct Input {
    std::string_view text; // of the source, or with the marks of lines
    SourceId source;
    std::vector<std::uint32_t> places{}; // of the marks

    std::uint32_t place(std::uint32_t at) const {
        return at - static_cast<std::uint32_t>(std::ranges::lower_bound(places, at) - places.begin());
    }
};

// The token, or what else stands there.
std::string found(const Input& input, const Language& language, std::uint32_t at, std::uint32_t& end) {
    constexpr std::size_t longest = 20;
    const std::string_view rest = input.text.substr(at);
    end = at;
    if (rest.empty()) return "the end of the text";
    if (language.indented && rest[0] == newline_mark) return "the end of the line";
    if (language.indented && rest[0] == indent_mark) return "a line further to the right";
    if (language.indented && rest[0] == dedent_mark) return "the end of the block";
    std::size_t size = 0;
    if (is_word_character(rest[0])) {
        while (size < rest.size() && is_word_character(rest[size])) ++size;
    } else {
        code_point(rest, size);
    }
    end = at + static_cast<std::uint32_t>(size);
    return "'" + std::string(rest.substr(0, std::min(size, longest))) + (size > longest ? "…'" : "'");
}

void report(const Input& input, const Language& language, const ParseFailure& failure, Diagnostics& diagnostics) {
    const std::uint32_t at = input.place(failure.at);
    if (failure.kind == ParseFailure::Kind::TooDeep) {
        diagnostics.limit({input.source, at, at}, language.productions[failure.production].shown + " nests more than " +
                                                      std::to_string(deepest_nesting) + " levels deep");
        return;
    }
    constexpr std::size_t most = 6;
    std::string expected;
    const std::size_t n = failure.expected.size(), shown = std::min(n, most);
    for (std::size_t i = 0; i < shown; ++i)
        expected += (i == 0 ? "" : i + 1 == shown && shown == n ? " or " : ", ") + failure.expected[i];
    if (shown < n) expected += " or something else";
    std::uint32_t end = 0;
    const std::string what = found(input, language, failure.at, end);
    const std::string text = expected.empty() ? "unexpected " + what : "expected " + expected + ", found " + what;
    diagnostics.error({input.source, at, input.place(end)}, text);
}

bool is_utf8(std::string_view text, SourceId source, Diagnostics& diagnostics) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0) {
            const auto begin = static_cast<std::uint32_t>(at);
            diagnostics.error({source, begin, begin + 1}, "this byte is not UTF-8");
            return false;
        }
        at += length;
    }
    return true;
}

// -- the syntax tree ------------------------------------------------------------------------------

class Linearizer {
  public:
    Linearizer(const Terms& terms, const Symbols& symbols, SourceId source) : terms_(terms), symbols_(symbols) {
        tree.source = source;
        tree.own_text = 0;
    }
    SyntaxTree tree;
    std::string text; // the names

    // Children before parents. False: it is too large, as parts of a type stand in it again and again.
    bool run(std::span<const TermId> declarations) {
        std::vector<SyntaxId> roots;
        for (TermId id : declarations) {
            path_.push_back({id, 0, done_.size()});
            while (!path_.empty()) {
                if (tree.nodes.size() > most) return false;
                step();
            }
            roots.push_back(done_.back());
            done_.clear();
        }
        SyntaxNode& file = tree.nodes.emplace_back();
        file.kind = Kind::File;
        add_children(file, roots);
        tree.root = static_cast<SyntaxId>(tree.nodes.size() - 1);
        tree.text = text;
        return true;
    }

  private:
    static constexpr std::size_t most = std::size_t{1} << 28;
    struct Visit {
        TermId id;
        std::uint32_t next;
        std::size_t done; // where the children begin
    };
    void step() {
        Visit& visit = path_.back();
        const auto children = terms_.children_of(visit.id);
        if (visit.next < children.size()) {
            const TermId child = children[visit.next++];
            path_.push_back({child, 0, done_.size()});
            return;
        }
        const Term& term = terms_[visit.id];
        if (term.kind == spliced) return path_.pop_back();
        SyntaxNode& node = tree.nodes.emplace_back();
        node.kind = term.kind, node.flags = term.flags;
        node.begin = term.begin, node.end = term.end;
        std::tie(node.name_begin, node.name_end) = name(term.name);
        std::tie(node.label_begin, node.label_end) = name(term.label);
        add_children(node, std::span(done_).subspan(visit.done));
        done_.resize(visit.done);
        done_.push_back(static_cast<SyntaxId>(tree.nodes.size() - 1));
        path_.pop_back();
    }
    void add_children(SyntaxNode& node, std::span<const SyntaxId> children) {
        node.first = static_cast<std::uint32_t>(tree.children.size());
        node.count = static_cast<std::uint32_t>(children.size());
        tree.children.insert(tree.children.end(), children.begin(), children.end());
    }
    std::pair<std::uint32_t, std::uint32_t> name(SymbolId symbol) {
        if (!symbol) return {0, 0};
        const auto [it, fresh] = names_.try_emplace(symbol);
        if (fresh) {
            it->second.first = static_cast<std::uint32_t>(text.size());
            text += symbols_[symbol];
            it->second.second = static_cast<std::uint32_t>(text.size());
        }
        return it->second;
    }

    const Terms& terms_;
    const Symbols& symbols_;
    std::unordered_map<SymbolId, std::pair<std::uint32_t, std::uint32_t>> names_;
    std::vector<Visit> path_;
    std::vector<SyntaxId> done_;
};

// Lines of help speak of the notation of the IR.
void append_without_help(Diagnostics& diagnostics, const Diagnostics& found) {
    for (const Diagnostic& one : found.all()) {
        const bool warns = one.severity == Severity::Warning;
        Diagnostic& shown = warns ? diagnostics.warning(one.where, one.text) : diagnostics.error(one.where, one.text);
        shown.notes = one.notes;
    }
    if (found.reached_limit()) diagnostics.reach_limit();
}

} // namespace

bool read_text(Context& context, const Language& language, SourceId source, Module& module, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    Input input{context.sources[source].text, source};
    if (input.text.size() >= UINT32_MAX / 4) {
        diagnostics.limit({source, 0, 0}, "the text is longer than 1 GiB");
        return false;
    }
    if (!is_utf8(input.text, source, diagnostics)) return false;
    std::string marked;
    if (language.indented) {
        std::uint32_t at = 0;
        auto lines = mark_lines(language, input.text, input.places, at);
        if (!lines) {
            diagnostics.error({source, at, at + 1}, "this line stands between two blocks",
                              "it begins a block of its own, or ends as far to the left as another line before");
            return false;
        }
        marked = std::move(*lines), input.text = marked;
    }
    ParseTree parsed;
    const ParseFailure failure = parse(language, input.text, parsed);
    if (failure.kind != ParseFailure::Kind::None) {
        report(input, language, failure, diagnostics);
        return false;
    }
    Terms terms;
    const std::vector<TermId> declarations =
        instantiate(language, input.text, source, input.places, parsed, context.symbols, terms, diagnostics);
    settle_names(context, language, source, declarations, terms, diagnostics);
    if (diagnostics.errors() != errors) return false;
    Linearizer linear(terms, context.symbols, source);
    if (!linear.run(declarations)) {
        diagnostics.limit({source, 0, 0}, "the program that this text stands for is too large");
        return false;
    }
    Diagnostics found;
    const bool complete = elaborate(context, linear.tree, module, found);
    append_without_help(diagnostics, found);
    if (!complete || diagnostics.errors() != errors) return false;
    loosen(module);
    return true;
}

} // namespace irrewrite::grammar
