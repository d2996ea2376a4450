#include "grammar/rules/rule_targets.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/rules/rule_loading.hpp"
#include "grammar/syntax/suggest.hpp"

namespace irrewrite::grammar {

namespace {

constexpr std::string_view built_in[] = {"ir", "json", "dot", "cpp", "cuda"};
// Texts that are of no operation; the names of scalar types and literals as well.
constexpr std::string_view texts[] = {"func", "param", "statement", "return", "separator", "parens",   "empty", "begin",
                                      "list", "tuple", "call",      "length", "text",      "reserved", "true",  "false",
                                      "inf",  "nan",   "bool",      "i8",     "i16",       "i32",      "i64",   "u8",
                                      "u16",  "u32",   "u64",       "f32",    "f64"};

class TargetReader {
  public:
    TargetReader(Context& context, const SyntaxTree& tree, Diagnostics& diagnostics)
        : context_(context), tree_(tree), diagnostics_(diagnostics) {}

    void read(SyntaxId id, Target& target) {
        TargetText* last = nullptr;
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind == Kind::Ident) target.flat = true;
            if (tree_[child].kind != Kind::Trait) continue;
            const std::string_view name = tree_.name(child);
            if (name == "prec" && last) {
                precedence(child, *last);
                continue;
            }
            const auto text = text_of(child);
            if (!text) continue;
            const SymbolId symbol = context_.symbols.add(name);
            const auto operations = context_.operations.find(symbol);
            const bool special = std::ranges::find(texts, name) != std::end(texts);
            if (!special && operations.empty()) {
                diagnostics_.unknown(tree_.name_span(child), "operation or text of a target", name,
                                     suggestion(name, {std::begin(texts), std::end(texts)}));
                continue;
            }
            TargetText& entry = special ? target.texts[std::string(name)] : target.operations[operations[0]];
            entry = *text;
            last = &entry;
            for (OpId op : special ? std::span<const OpId>() : operations.subspan(1))
                same_.emplace_back(op, operations[0]), target.operations[op] = *text;
        }
        for (auto [op, as] : same_) target.operations[op] = target.operations[as];
        same_.clear();
    }

    // `sql "…" prec(6)` among the traits of an operation.
    void read_traits(SyntaxId id, Targets& targets) {
        const Span where = tree_.name_span(id);
        for (OpId op : context_.operations.find(context_.symbols.add(tree_.name(id)))) {
            const Span declared = context_.operations[op].where;
            if (declared.source != where.source || declared.begin != where.begin) continue;
            TargetText* last = nullptr;
            for (SyntaxId child : tree_.children_of(id)) {
                if (tree_[child].kind != Kind::Trait) continue;
                Target* target = targets.find(tree_.name(child));
                if (target)
                    if (const auto text = text_of(child)) *(last = &target->operations[op]) = *text;
                if (tree_.name(child) == "prec" && last) precedence(child, *last);
            }
        }
    }

  private:
    std::optional<TargetText> text_of(SyntaxId id) {
        const auto arguments = tree_.children_of(id);
        if (arguments.size() == 1 && tree_[arguments[0]].kind == Kind::String)
            return TargetText{.text = unescape(tree_.name(arguments[0])), .where = tree_.span(id)};
        diagnostics_.error(tree_.name_span(id), "a text of a target is a string");
        return std::nullopt;
    }
    void precedence(SyntaxId id, TargetText& text) {
        const auto arguments = tree_.children_of(id);
        const auto bits = arguments.size() == 1 && tree_[arguments[0]].kind == Kind::Number
                              ? parse_scalar(TypeKind::I64, tree_.name(arguments[0]))
                              : std::nullopt;
        if (bits && *bits < TargetText::primary)
            text.precedence = static_cast<int>(*bits);
        else
            diagnostics_.error(tree_.span(id), "a precedence is a number from 0 to 999: 'prec(6)'");
    }

    Context& context_;
    const SyntaxTree& tree_;
    Diagnostics& diagnostics_;
    std::vector<std::pair<OpId, OpId>> same_; // overloads have one text
};

} // namespace

std::string help_on_text(const SyntaxTree& tree, SyntaxId trait, std::string suggested) {
    const bool is_text = tree[trait].count == 1 && tree[tree.children_of(trait)[0]].kind == Kind::String;
    if (!suggested.empty() || !is_text) return suggested;
    return "a text of an output language stands in the file that declares 'target " + std::string(tree.name(trait)) +
           " { … }'";
}

bool declares_target(const SyntaxTree& tree, std::string_view name) {
    return std::ranges::any_of(tree.children_of(tree.root), [&](SyntaxId child) {
        return tree[child].kind == Kind::TargetDecl && tree.name(child) == name;
    });
}

void read_targets(Context& context, const SyntaxTree& tree, Targets& targets, Diagnostics& diagnostics) {
    TargetReader reader(context, tree, diagnostics);
    for (SyntaxId child : tree.children_of(tree.root)) {
        if (tree[child].kind != Kind::TargetDecl) continue;
        const std::string_view name = tree.name(child);
        if (std::ranges::find(built_in, name) != std::end(built_in)) {
            diagnostics.error(tree.name_span(child), quoted(name) + " is a target already");
            continue;
        }
        if (!targets.find(name))
            targets.list.push_back({.name = std::string(name), .flat = false, .texts = {}, .operations = {}});
        reader.read(child, *targets.find(name));
    }
    for (SyntaxId child : tree.children_of(tree.root))
        if (tree[child].kind == Kind::OpDecl) reader.read_traits(child, targets);
}

} // namespace irrewrite::grammar
