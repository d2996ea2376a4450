#include "grammar/surface/sorts.hpp"
#include "grammar/surface/terms.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

std::string as_quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

class TermCheck {
  public:
    TermCheck(const Context& context, const Production& production, const Alternative& alternative,
              Diagnostics& diagnostics)
        : context_(context), tree_(*production.tree), alternative_(alternative), diagnostics_(diagnostics),
          uses_(alternative.labels.size()) {}

    void run() {
        visit(*alternative_.term, false, 0);
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            const Label& label = alternative_.labels[i];
            if (label.name.empty()) continue;
            if (uses_[i] == 0) diagnostics_.error(label.where, "the right side does not use " + as_quoted(label.name));
            if (uses_[i] > 1 && label.sort != Sort::Text && label.sort != Sort::Type)
                diagnostics_.error(label.where, "the right side uses " + as_quoted(label.name) + " twice",
                                   "declare an operation with an expansion, and use that");
        }
    }

  private:
    static constexpr std::size_t deepest_term = 200;

    std::size_t find(std::string_view name) const {
        const auto it = std::ranges::find(alternative_.labels, name, &Label::name);
        return name.empty() ? alternative_.labels.size() : static_cast<std::size_t>(it - alternative_.labels.begin());
    }
    void unknown(SyntaxId id, std::string_view name) {
        std::vector<std::string_view> known;
        for (const Label& label : alternative_.labels) known.push_back(label.name);
        diagnostics_.unknown(tree_.span(id), "label", name, suggestion(name, known));
    }
    bool use(SyntaxId id, std::string_view name, std::initializer_list<Sort> sorts, bool list) {
        const std::size_t i = find(name);
        if (i == alternative_.labels.size()) return false;
        ++uses_[i];
        const Label& label = alternative_.labels[i];
        if (std::ranges::find(sorts, label.sort) == sorts.end()) {
            diagnostics_.error(tree_.span(id),
                               as_quoted(name) + " is " + std::string(noun(label.sort)) + ", and " +
                                   std::string(noun(*sorts.begin())) + " is due here",
                               label.sort == Sort::Text ? "'%n' makes a name of a token, '#n' a literal" : "");
        } else if (!list && !label.one()) {
            diagnostics_.error(tree_.span(id),
                               as_quoted(name) + (label.once ? " may be absent here" : " may be several things here"),
                               "write '" + std::string(name) + "...' where any number of them may stand");
        }
        return true;
    }
    void operation(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        if (is_label(alternative_, name) || name == "scope" || name.starts_with('@')) return;
        const auto symbol = context_.symbols.find(name);
        if (symbol && !context_.operations.find(*symbol).empty()) return;
        std::vector<std::string_view> known;
        for (std::uint32_t i = 0; i < context_.operations.size(); ++i)
            known.push_back(context_.symbols[context_.operations[OpId{i}].name]);
        diagnostics_.unknown(tree_.name_span(id), "operation", name, suggestion(name, known));
    }
    // A name that is a token of the text, perhaps.
    void name(SyntaxId id) { use(id, tree_.name(id), {Sort::Text}, false); }

    // list: any number of things may stand here; statement: these too.
    void visit(SyntaxId id, bool list, std::size_t depth, bool statement = false) {
        if (depth > deepest_term) {
            diagnostics_.error(tree_.span(id), "this right side nests more than 200 levels deep");
            return;
        }
        const std::string_view part = hole(tree_, id);
        const Kind kind = tree_[id].kind;
        if (!part.empty() && is_label(alternative_, part)) {
            hole_use(id, part, false, statement);
            return;
        }
        if (takes_name(kind)) name(id);
        if (kind == Kind::Op || kind == Kind::OperatorBlock) operation(id);
        switch (kind) {
        case Kind::MetaLiteral:
            if (!use(id, tree_.name(id), {Sort::Text}, false)) unknown(id, tree_.name(id));
            return;
        case Kind::Compute: return compute(id);
        case Kind::Seq: return sequence(id, list, statement);
        case Kind::TypeSeq: {
            const SyntaxId inner = tree_.children_of(id)[0];
            if (!use(inner, tree_.name(inner), {Sort::Type}, true)) unknown(inner, tree_.name(inner));
            return;
        }
        case Kind::Meta:
        case Kind::Apply:
        case Kind::Named:
        case Kind::Wildcard:
        case Kind::StrategyTerm:
        case Kind::TypeVar:
        case Kind::DimVar:
            diagnostics_.error(tree_.span(id), "this belongs to rules; a part of the production is named by its label");
            return;
        default: break;
        }
        if (kind == Kind::Struct || kind == Kind::Update) return part_list(id, depth);
        if (kind == Kind::Func || kind == Kind::StructDecl) return declaration(id, depth);
        for (SyntaxId child : tree_.children_of(id)) {
            const bool results = tree_[child].kind == Kind::Results && !(tree_[child].flags & Return);
            if (kind == Kind::Block && results) { // its last expression may be one of the statements
                for (SyntaxId last : tree_.children_of(child)) visit(last, true, depth + 1, true);
                continue;
            }
            visit(child, true, depth + 1, kind == Kind::Block);
        }
    }
    // Parameters or fields, types, and the body.
    void declaration(SyntaxId id, std::size_t depth) {
        const auto children = tree_.children_of(id);
        const Sort listed = tree_[id].kind == Kind::Func ? Sort::Parameter : Sort::Field;
        bool parameters = true;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const SyntaxNode& child = tree_[children[i]];
            const bool sequence = child.kind == Kind::Seq;
            const SyntaxId inner = sequence ? tree_.children_of(children[i])[0] : children[i];
            const bool plain = child.kind != Kind::Op && !sequence;
            parameters = parameters && (!plain || child.kind == Kind::Param);
            const bool body = i + 1 == children.size() && child.kind == Kind::Op && !parameters;
            if (plain)
                visit(children[i], true, depth + 1);
            else if (!use(inner, hole(tree_, inner), {body ? Sort::Statement : listed}, sequence || body))
                unknown(inner, tree_.name(inner));
        }
    }
    void part_list(SyntaxId id, std::size_t depth) {
        for (SyntaxId child : tree_.children_of(id)) {
            const SyntaxId inner = tree_[child].kind == Kind::Seq ? tree_.children_of(child)[0] : child;
            const bool first = tree_[id].kind == Kind::Update && child == tree_.children_of(id)[0];
            if (first || inner == child)
                visit(child, !first, depth + 1);
            else if (!use(inner, hole(tree_, inner), {Sort::Part}, true))
                unknown(inner, tree_.name(inner));
        }
    }
    void hole_use(SyntaxId id, std::string_view part, bool list, bool statement) {
        switch (tree_[id].kind) {
        case Kind::TypeName: use(id, part, {Sort::Type, Sort::Text}, false); break;
        case Kind::OperatorBlock: use(id, part, {Sort::Statement, Sort::Value}, true); break;
        default:
            statement ? use(id, part, {Sort::Statement, Sort::Value, Sort::Parameter}, list)
                      : use(id, part, {Sort::Value}, list);
        }
    }
    void sequence(SyntaxId id, bool list, bool statement) {
        const SyntaxId inner = tree_.children_of(id)[0];
        const std::string_view part = hole(tree_, inner);
        if (!list) {
            diagnostics_.error(tree_.span(id), "one thing is due here, not any number of them");
            return;
        }
        if (tree_[inner].kind == Kind::Value || (part.empty() && tree_[inner].kind == Kind::MetaLiteral)) {
            if (!use(inner, tree_.name(inner), {Sort::Text}, true)) unknown(inner, tree_.name(inner));
        } else if (part.empty() || !is_label(alternative_, part)) {
            const std::size_t i = find(tree_.name(inner));
            if (i == alternative_.labels.size()) return unknown(inner, tree_.name(inner));
            ++uses_[i];
            diagnostics_.error(tree_.span(id),
                               "'...' stands directly behind a label, as in '" + std::string(tree_.name(inner)) +
                                   "...'",
                               "a production of its own says what each of these parts becomes");
        } else {
            hole_use(inner, part, true, statement);
        }
    }
    void compute(SyntaxId id) {
        const SyntaxId call = tree_.children_of(id)[0];
        const auto arguments = tree_.children_of(call);
        const bool known = tree_[call].kind == Kind::Op && text_function(tree_.name(call)) != TextFunction::None;
        if (!known || arguments.size() != 1 || hole(tree_, arguments[0]).empty()) {
            diagnostics_.error(tree_.span(id), "a literal is made of a part by '#(text(n))', 'unescape', 'undouble', "
                                               "'number' or the name of a scalar type");
            return;
        }
        const std::string_view part = hole(tree_, arguments[0]);
        const std::size_t i = find(part);
        if (i == alternative_.labels.size()) return unknown(arguments[0], part);
        ++uses_[i];
    }

    const Context& context_;
    const SyntaxTree& tree_;
    const Alternative& alternative_;
    Diagnostics& diagnostics_;
    std::vector<std::size_t> uses_; // by label
};

} // namespace

void check_term(const Context& context, const Production& production, const Alternative& alternative,
                Diagnostics& diagnostics) {
    TermCheck(context, production, alternative, diagnostics).run();
}

} // namespace irrewrite::grammar
