// The productions of both languages: none loops, and they accept the texts that the parser accepts, and no others. Asked
// of every file of the tree and of mutations of them, by tokens: dropped, doubled, swapped, replaced, inserted, and with
// other blanks before them.
#include "grammar/syntax/malformed.hpp"
#include "grammar/syntax/rule_grammar.hpp"
#include "grammar/syntax/scanner.hpp"

#include <catch2/catch.hpp>
#include <tao/pegtl/contrib/analyze.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tao::pegtl {

namespace places = irrewrite::grammar;

template <class Name, bool places::Place::*Member> struct analyze_traits<Name, places::in<Member>>
    : analyze_opt_traits<> {};
template <class Name, auto Member, bool Value, class... Rules>
struct analyze_traits<Name, places::within<Member, Value, Rules...>> : analyze_seq_traits<Rules...> {};
template <class Name, auto Member, std::size_t Limit, class... Rules>
struct analyze_traits<Name, places::nested<Member, Limit, Rules...>> : analyze_seq_traits<Rules...> {};
template <class Name, places::Spelling Text, bool (*Next)(const char*, const char*)>
struct analyze_traits<Name, places::spelled_token<Text, Next>> : analyze_any_traits<> {};
template <class Name, class Rule>
requires requires { typename Rule::meaning; }
struct analyze_traits<Name, Rule> : analyze_traits<Name, typename Rule::meaning::rule_t> {};
template <class Name, class First, class... Rules> struct analyze_traits<Name, places::operation_named<First, Rules...>>
    : analyze_seq_traits<First, Rules...> {};
template <class Name, class Word> struct analyze_traits<Name, places::same_operation<Word>> : analyze_any_traits<> {};
template <class Name, class Word> struct analyze_traits<Name, places::declared_label<Word>> : analyze_any_traits<> {};

} // namespace tao::pegtl

namespace irrewrite::grammar {
namespace {

struct File {
    std::string name, text;
    bool rules;
};

std::vector<File> files_of_the_tree() {
    std::vector<File> files;
    for (const char* folder : {"rules", "samples", "tests"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            const std::string kind = entry.path().extension();
            if (kind != ".ir" && kind != ".rules") continue;
            std::ifstream file(entry.path());
            std::stringstream text;
            text << file.rdbuf();
            files.push_back({entry.path(), text.str(), kind == ".rules"});
        }
    std::ranges::sort(files, {}, &File::name);
    return files;
}

// The labels that the rule files declare, and those of the core.
std::set<std::string, std::less<>> labels_of(const std::vector<File>& files) {
    std::set<std::string, std::less<>> labels;
    for (const File& file : files) {
        if (!file.rules) continue;
        Sources sources;
        Diagnostics ignored;
        const SyntaxTree tree = parse_rules(sources, sources.add(file.name, file.text), IsLabel{}, ignored);
        for (SyntaxId id = 0; id < tree.nodes.size(); ++id)
            if (tree[id].kind == Kind::BlockType && !tree.label(id).empty()) labels.emplace(tree.label(id));
    }
    return labels;
}

class Comparison {
  public:
    explicit Comparison(const IsLabel& is_label) : is_label_(&is_label) {}

    // What only one of them accepts, or nothing.
    std::string operator()(const std::string& text, bool rules) const {
        const std::string parser = parser_says(text, rules), grammar = grammar_says(text, rules);
        if (parser.empty() == grammar.empty()) return {};
        return (parser.empty() ? "only the parser accepts; the grammar says: " + grammar
                               : "only the grammar accepts; the parser says: " + parser) +
               "\n" + text + "\n";
    }

  private:
    std::string parser_says(const std::string& text, bool rules) const {
        Sources sources;
        Diagnostics diagnostics;
        const SourceId source = sources.add("t", text);
        rules ? parse_rules(sources, source, *is_label_, diagnostics)
              : parse_ir(sources, source, *is_label_, diagnostics);
        std::ostringstream said;
        diagnostics.print(said, sources, false);
        return said.str();
    }
    std::string grammar_says(const std::string& text, bool rules) const {
        const Place place{.is_label = is_label_, .rule_file = rules};
        peg::memory_input<> input(text, "t");
        try {
            const bool accepted = rules ? peg::parse<rule_file>(input, place) : peg::parse<ir_file>(input, place);
            return accepted ? "" : "no";
        } catch (const peg::parse_error& error) {
            return error.what();
        }
    }
    const IsLabel* is_label_;
};

// A text with one token changed.
class Mutation {
  public:
    Mutation(const File& file, std::mt19937& random) : text_(file.text), random_(&random) {
        Sources sources;
        Diagnostics ignored;
        Scanner scanner(sources, sources.add("t", file.text), ignored);
        for (Token token = scanner.next(0); token.kind != TokenKind::End; token = scanner.next(token.end))
            tokens_.push_back(token);
    }
    bool possible() const { return tokens_.size() > 1; }

    std::string next() {
        const std::size_t at = below(tokens_.size() - 1);
        const Token token = tokens_[at], after = tokens_[at + 1];
        const std::string here = text(token), blank = below(2) ? " " : "";
        switch (below(8)) {
        case 0: return with(token.begin, token.end, "");
        case 1: return with(token.begin, token.end, here + " " + here);
        case 2: return with(token.begin, after.end, text(after) + " " + here);
        case 3: return with(token.begin, token.end, other());
        case 4: return with(token.begin, token.begin, other() + blank);
        case 5: return with(token.end, token.end, blank + other());
        case 6: return with(token.end, after.begin, below(2) ? "\n" : blank);
        default: return with(token.begin, token.end, "(" + here + ")");
        }
    }

  private:
    std::size_t below(std::size_t n) { return (*random_)() % n; }
    std::string text(Token token) const { return text_.substr(token.begin, token.end - token.begin); }
    std::string with(std::size_t begin, std::size_t end, const std::string& changed) const {
        return text_.substr(0, begin) + changed + text_.substr(end);
    }
    // A token of the same file, or one that a grammar is easily wrong about.
    std::string other() {
        static const std::vector<std::string> rare{
            "->",    "=>",      "<+",    "...",     ":=",    "||",     "&&",          "&",        "|",       "~",
            "!",     "%",       ".0",    ".#k",     "#(",    "?x",     "#k",          "_",        "@f",      "%v",
            "inf",   "true.x",  "not",   "or",      "and",   "return", "else",        "else if(", "rec",     "at p",
            "where", "with",    "of",    "func",    "local", "extern", "struct A {}", "type",     "rules r", "phase q",
            "test",  "prec(1)", "token", "=",       ":",     ";",      ",",           "{",        "}",       "(",
            ")",     "[",       "]",     "<",       ">",     "-",      "'a'",         "0.1",      "\"s\"",   "x-y",
            "x.y",   "for",     "sets",  "fact in", "in",    "|%a|",   "{add}"};
        return below(2) ? rare[below(rare.size())] : text(tokens_[below(tokens_.size())]);
    }

    std::string text_;
    std::vector<Token> tokens_;
    std::mt19937* random_;
};

} // namespace

TEST_CASE("no production can loop or recur without progress") {
    CHECK(peg::analyze<ir_file>() == 0);
    CHECK(peg::analyze<rule_file>() == 0);
    CHECK(peg::analyze<peg::sor<malformed_number, malformed_string, malformed_byte>>() == 0);
    CHECK(peg::analyze<peg::sor<binding_ahead, fact_ahead>>() == 0);
}

TEST_CASE("the productions accept what the parser accepts") {
    const std::vector<File> files = files_of_the_tree();
    REQUIRE(files.size() > 1000);
    const auto labels = labels_of(files);
    const IsLabel is_label = [&](std::string_view word) { return labels.contains(word); };
    const Comparison difference(is_label);
    const char* const more = std::getenv("MUTATIONS"); // of each file
    const std::size_t mutations = more ? std::strtoul(more, nullptr, 10) : 10;
    std::mt19937 random(40);
    std::size_t differences = 0;
    for (const File& file : files) {
        CHECK(difference(file.text, file.rules) == "");
        Mutation mutation(file, random);
        for (std::size_t i = 0; mutation.possible() && i < mutations; ++i) {
            const std::string text = mutation.next(), found = difference(text, file.rules);
            if (found.empty()) continue;
            FAIL_CHECK(file.name << ": " << found);
            if (++differences == 20) return;
        }
    }
}

} // namespace irrewrite::grammar
