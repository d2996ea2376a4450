#include "printers/target/print_target.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/schedule/schedule.hpp"
#include "printers/c_like/expressions.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/ir/region_lines.hpp"
#include "printers/target/fill_template.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

namespace irrewrite::printers {

namespace {

constexpr std::size_t longest_text = 16u << 20; // of a function; texts without names for values repeat what is shared

using Expression = TargetExpression;

class TargetFunction {
  public:
    TargetFunction(const Context& context, const Target& target, const Function& function,
                   std::vector<Diagnostic>& errors)
        : context_(context), target_(target), function_(function), g_(function.graph), errors_(errors),
          schedule_(schedule_lazily(function)) {
        if (const TargetText* words = target.find("reserved"))
            for (std::size_t at = 0; at < words->text.size();) {
                const std::size_t end = std::min(words->text.find(' ', at), words->text.size());
                names_.reserve(std::string_view(words->text).substr(at, end - at));
                at = end + 1;
            }
    }

    std::string run() {
        const TargetText* func = target_.find("func");
        if (!func) return error(function_.where, "the target '" + target_.name + "' has no text 'func'"), "";
        if (target_.flat && !names_values())
            return error(func->where, "the target '" + target_.name + "' is flat and has no text 'statement'"), "";
        count_uses();
        std::string params;
        for (const Parameter& p : function_.params) {
            const std::string name = named(p.node, p.name);
            params += (params.empty() ? "" : separator()) + with("param", "$name", {{"name", name}});
        }
        std::string body;
        statements(0, body);
        std::string values;
        for (NodeId result : function_.results) values += (values.empty() ? "" : separator()) + value(result, 0);
        body += body.empty() ? "" : "\n";
        body += with("return", "$values", {{"values", values}});
        return with("func", "",
                    {{"name", identifier(context_.symbols[function_.name])}, {"params", params}, {"body", body}});
    }

  private:
    using Slots = std::vector<std::pair<std::string_view, std::string>>;

    void error(Span where, const std::string& text) {
        Diagnostic& made = errors_.emplace_back();
        made.where = where, made.text = text;
    }
    std::string separator() const {
        const TargetText* text = target_.find("separator");
        return text ? text->text : ", ";
    }
    std::string with(std::string_view what, std::string_view otherwise, const Slots& slots) {
        const TargetText* text = target_.find(what);
        return fill_template(text ? text->text : otherwise, 0, [&](const Slot& slot) {
            for (const auto& [name, filled] : slots)
                if (name == slot.name) return filled;
            if (text) error(text->where, "'" + std::string(what) + "' has no slot '$" + std::string(slot.name) + "'");
            return std::string();
        });
    }

    // -- names and uses ---------------------------------------------------------------------------
    bool names_values() const { return target_.find("statement") != nullptr; }
    const std::string& named(NodeId node, SymbolId wanted = {}) {
        auto [it, fresh] = name_.try_emplace(node);
        if (!fresh) return it->second;
        const SymbolId name = wanted ? wanted : g_.name(node);
        const std::string_view text = name ? context_.symbols[name] : std::string_view("t");
        return it->second = names_.fresh(identifier(is_number(text) ? "t" : text));
    }
    void count_uses() {
        for (std::uint32_t r = 0; r < schedule_.blocks.size(); ++r)
            for (NodeId result : region_results(function_, schedule_, r))
                if (r == 0 || schedule_.blocks[r].id) use(result, r);
        for (std::uint32_t r = 0; r < schedule_.blocks.size(); ++r)
            for (const ScheduledNode& line : schedule_.blocks[r].nodes)
                if (g_.core(line.node) != Core::Await)
                    for (NodeId operand : g_.operands(line.node)) use(operand, r);
    }
    void use(NodeId node, std::uint32_t region) {
        if (g_.is_project(node)) node = g_.operand(node, 0);
        auto& [count, where] = uses_[node];
        ++count, where = count == 1 || where == region ? region : UINT32_MAX;
    }
    bool in_place(const ScheduledNode& line, std::uint32_t region) const {
        if (!names_values()) return true;
        if (target_.flat || g_.has(line.node, TakesToken) || !g_.blocks(line.node).empty() ||
            g_.result_count(line.node) != 1)
            return false;
        const auto it = uses_.find(line.node);
        return it != uses_.end() && it->second.first == 1 && it->second.second == region;
    }

    // -- expressions ------------------------------------------------------------------------------
    std::string value(NodeId node, int needed) {
        const Expression e = expression(node);
        return e.precedence >= needed ? e.text : with("parens", "($0)", {{"0", e.text}});
    }
    Expression expression(NodeId node) {
        if (const auto it = name_.find(node); it != name_.end()) return {it->second, TargetText::primary};
        if (g_.is_literal(node)) return literal(node);
        if (g_.is_project(node)) return {result_name(g_.operand(node, 0), g_.position(node)), TargetText::primary};
        if (g_.is_param(node)) {
            for (const Dimension& d : function_.dims)
                if (d.node == node) return length(d);
            return {named(node), TargetText::primary};
        }
        return applied(node, {}, {});
    }
    Expression length(const Dimension& d) {
        const TargetText* text = target_.find("length");
        if (!text || d.depth != 0)
            return error(function_.where, "the target '" + target_.name + "' has no text for the length '%" +
                                              std::string(context_.symbols[d.name]) + "'"),
                   Expression{"", 0};
        return {with("length", "", {{"0", named(function_.params[d.param].node)}}), text->precedence};
    }
    Expression literal(NodeId node) {
        if (!g_.is_number(node)) {
            const std::string_view bytes = context_.symbols[g_.attrs(node)[0].text()];
            std::string doubled;
            for (char c : bytes) doubled += c == '\'' ? "''" : std::string(1, c);
            const std::string quoted = string_literal(bytes);
            return {
                with("text", "\"$escaped\"", {{"escaped", quoted.substr(1, quoted.size() - 2)}, {"doubled", doubled}}),
                TargetText::primary};
        }
        const std::string text = scalar_text(g_.kind(node), g_.bits(node));
        const std::string type = context_.types.text(g_.type(node), context_.symbols);
        const int precedence = text[0] == '-' ? 0 : TargetText::primary;
        if (const TargetText* own = target_.find(text)) return {own->text, own->precedence};
        if (text == "inf" || text == "-inf" || text == "nan")
            error(place(node), "the target '" + target_.name + "' has no text '" + text + "'");
        const TargetText* own = target_.find(type);
        return {with(type, "$value", {{"value", text}}), own ? own->precedence : precedence};
    }
    SymbolId carried_name(NodeId node, std::size_t k) const {
        const auto carrying = g_.operation(node).signature.carrying();
        if (!carrying || g_.blocks(node).size() <= *carrying) return {};
        const auto names = g_.param_names(g_.blocks(node)[*carrying]);
        const std::size_t first = names.size() - std::min(names.size(), g_.result_count(node));
        return first + k < names.size() ? names[first + k] : SymbolId{};
    }
    static bool is_number(std::string_view name) {
        return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0;
    }
    // By the name of the parameter that carries it, where there is one.
    std::string result_name(NodeId node, std::size_t k) {
        auto& names = results_[node];
        while (names.size() <= k) {
            const SymbolId carried = carried_name(node, names.size());
            const std::string_view wanted = carried ? context_.symbols[carried] : std::string_view("t");
            names.push_back(names_.fresh(identifier(is_number(wanted) ? "t" : wanted)));
        }
        return names[k];
    }
    std::string all_results(NodeId node) {
        std::string all;
        for (std::size_t k = 0; k < g_.result_count(node); ++k) all += (k ? separator() : "") + result_name(node, k);
        return all;
    }
    Span place(NodeId node) const {
        const std::uint32_t at = g_.origin(node).place;
        return at == UINT32_MAX ? function_.where : context_.sources.at(at);
    }

    // The template of an operation, filled; `blocks`: of a statement, the text of each block; `extra`: further slots.
    Expression applied(NodeId node, const std::vector<std::string>& blocks, const Slots& extra) {
        const Operation& operation = g_.operation(node);
        const TargetText* text = text_of(node);
        if (!text) {
            if (reported_.insert(g_.op(node).index).second)
                error(place(node), "the target '" + target_.name + "' has no text for '" +
                                       std::string(context_.symbols[operation.name]) + "'");
            return {"", TargetText::primary};
        }
        name_parameters(node);
        const auto operands = g_.operands(node);
        const auto slot = [&](const Slot& slot) -> std::string {
            if (slot.name == "*") {
                std::string all;
                for (NodeId operand : operands) all += (all.empty() ? "" : separator()) + value(operand, 0);
                return all;
            }
            if (std::isdigit(static_cast<unsigned char>(slot.name[0])) != 0) {
                const std::size_t k = std::stoul(std::string(slot.name.substr(0, 4)));
                if (k < operands.size()) return value(operands[k], slot.needed);
            }
            for (const auto& [name, filled] : extra)
                if (name == slot.name) return filled;
            if (slot.name.starts_with("block") && slot.name.size() > 5) {
                const std::size_t k = static_cast<std::size_t>(slot.name[5] - '0');
                if (k < blocks.size()) return blocks[k];
                if (k < g_.blocks(node).size() && g_.results(g_.blocks(node)[k]).size() == 1) {
                    const NodeId result = g_.results(g_.blocks(node)[k])[0];
                    return value(result, slot.needed);
                }
            }
            if (slot.name.starts_with("param") && slot.name.size() > 5)
                if (const auto name = parameter_name(node, slot.name.substr(5))) return *name;
            for (std::size_t i = 0; i < operation.attributes.size(); ++i)
                if (context_.symbols[operation.attributes[i].name] == slot.name) return attribute(g_.attrs(node)[i]);
            if (g_.core(node) == Core::Call && slot.name == "name")
                return identifier(context_.symbols[g_.attrs(node)[0].text()]);
            if (reported_slots_.insert(std::string(slot.name)).second)
                error(text->where, "this text has no operand, attribute or block '$" + std::string(slot.name) + "'");
            return "";
        };
        std::string filled = fill_template(text->text, text->precedence, slot);
        if (filled.size() > longest_text) {
            if (reported_slots_.insert("too long").second)
                error(place(node), "the text of this value is too long: the target names no values ('statement')");
            filled.clear();
        }
        return {std::move(filled), text->precedence};
    }
    std::size_t count_of_results(NodeId node) const {
        return g_.kind(node) == TypeKind::Unit ? 0 : g_.result_count(node);
    }
    // Without those that carry values: the last ones.
    std::size_t own_parameters(NodeId node, BlockId block) const {
        const std::size_t all = g_.params(block).size(), carried = count_of_results(node);
        return g_.operation(node).signature.carrying() && all >= carried ? all - carried : all;
    }
    void name_parameters(NodeId node) {
        for (BlockId block : g_.blocks(node))
            for (std::size_t i = 0; i < own_parameters(node, block); ++i)
                named(g_.params(block)[i], g_.param_names(block)[i]);
    }
    std::optional<std::string> parameter_name(NodeId node, std::string_view digits) {
        std::size_t k = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), k);
        if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
        for (BlockId block : g_.blocks(node)) {
            const std::size_t own = own_parameters(node, block);
            if (k < own) return named(g_.params(block)[k]);
            k -= own;
        }
        return std::nullopt;
    }
    std::string attribute(const AttrValue& value) const {
        if (value.kind == AttrValue::Kind::Text) return std::string(context_.symbols[value.text()]);
        if (value.kind == AttrValue::Kind::Type) return context_.types.text(value.type, context_.symbols);
        return scalar_text(context_.types.kind(value.type), value.bits);
    }
    const TargetText* text_of(NodeId node) const {
        if (g_.core(node) == Core::List) return target_.find("list");
        if (g_.core(node) == Core::Tuple) return target_.find("tuple");
        if (g_.core(node) == Core::Call) return target_.find("call");
        const auto it = target_.operations.find(g_.op(node));
        return it == target_.operations.end() ? nullptr : &it->second;
    }

    // -- statements -------------------------------------------------------------------------------
    static void add(std::string& out, const std::string& line) { out += (out.empty() ? "" : "\n") + line; }
    void assign(std::string& out, const std::string& name, const std::string& value) {
        add(out, with("statement", "", {{"name", name}, {"value", value}}));
    }
    void statements(std::uint32_t region, std::string& out) {
        if (!names_values()) return;
        for (const ScheduledNode& line : region_lines(function_, schedule_, region).values) {
            if (in_place(line, region)) continue;
            const NodeId node = line.node;
            if (g_.core(node) == Core::Await) continue; // its loop says so
            if (!g_.blocks(node).empty()) {
                blocks(line, out);
                continue;
            }
            const std::string text = applied(node, {}, {}).text;
            if (g_.kind(node) == TypeKind::Unit || g_.result_count(node) == 0)
                add(out, text);
            else
                assign(out, g_.kind(node) == TypeKind::Results ? all_results(node) : named(node), text);
        }
    }
    // A node with blocks: its results are variables, which its blocks assign.
    void blocks(const ScheduledNode& line, std::string& out) {
        const NodeId node = line.node;
        const Signature& signature = g_.operation(node).signature;
        const auto carrying = signature.carrying();
        std::vector<std::string> results;
        const bool one = g_.result_count(node) == 1 && g_.kind(node) != TypeKind::Results;
        const std::size_t count = count_of_results(node);
        for (std::size_t k = 0; k < count; ++k) results.push_back(one ? named(node) : result_name(node, k));
        if (carrying)
            for (std::size_t k = 0; k < count; ++k)
                assign(out, results[k], value(g_.operands(node)[g_.operands(node).size() - count + k], 0));
        Slots extra;
        std::vector<std::string> texts;
        name_parameters(node);
        for (std::size_t b = 0; b < g_.blocks(node).size(); ++b) {
            const BlockId block = g_.blocks(node)[b];
            const auto of = g_.params(block);
            const std::size_t own = own_parameters(node, block);
            for (std::size_t i = own; i < of.size(); ++i) name_[of[i]] = results[i - own];
            std::string body;
            statements(line.blocks[b], body);
            const auto given = g_.results(block);
            if (signature.blocks[b].tests) {
                extra.emplace_back("test", with("parens", "($0)", {{"0", value(given[0], 0)}}));
            } else if (given.size() == count) {
                finish(given, results, body);
            }
            if (body.empty() && !signature.blocks[b].tests) body = with("empty", "", {});
            texts.push_back(std::move(body));
        }
        add(out, applied(node, texts, extra).text);
    }
    // All results of a block at once: one may read what another one replaces.
    void finish(std::span<const NodeId> given, const std::vector<std::string>& results, std::string& body) {
        std::vector<std::string> values;
        for (NodeId result : given) values.push_back(value(result, 0));
        std::size_t changed = 0;
        for (std::size_t k = 0; k < values.size(); ++k) changed += values[k] != results[k];
        for (std::size_t k = 0; changed > 1 && k < values.size(); ++k) {
            if (values[k] == results[k]) continue;
            const std::string name = names_.fresh("next");
            assign(body, name, values[k]);
            values[k] = name;
        }
        for (std::size_t k = 0; k < values.size(); ++k)
            if (values[k] != results[k]) assign(body, results[k], values[k]);
    }

    const Context& context_;
    const Target& target_;
    const Function& function_;
    const Graph& g_;
    std::vector<Diagnostic>& errors_;
    Schedule schedule_;
    Names names_;
    std::unordered_map<NodeId, std::string> name_;
    std::unordered_map<NodeId, std::vector<std::string>> results_;
    std::unordered_map<NodeId, std::pair<std::size_t, std::uint32_t>> uses_; // how many, and in which region, if in one
    std::set<std::uint32_t> reported_;
    std::set<std::string> reported_slots_;
};

} // namespace

TargetOutput print_target(const Context& context, const Module& module, const Target& target) {
    TargetOutput out;
    if (const TargetText* begin = target.find("begin")) out.text += begin->text + "\n";
    for (const Function& function : module.functions) {
        if (function.external) continue;
        out.text += TargetFunction(context, target, function, out.errors).run() + "\n";
    }
    return out;
}

} // namespace irrewrite::printers
