#include "engine/ir/term_text.hpp"

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr unsigned deepest = 12;
constexpr std::size_t longest = 12, listed = 8; // of lists: operands that all are shown; the first of more

class Text {
  public:
    Text(const Graph& graph, TermNames& names, std::size_t size)
        : graph_(graph), names_(names), left_(size), bound_(names.bound) {}

    std::string of(NodeId node, unsigned depth = 0) {
        if (graph_.is_param(node)) return param(node);
        if (graph_.is_literal(node)) return literal(node);
        if (left_ == 0 || depth > deepest) return "…";
        --left_;
        if (graph_.is_project(node) || graph_.core(node) == Core::Element)
            return of(graph_.operand(node, 0), depth) + "." + std::to_string(graph_.position(node));
        if (graph_.core(node) == Core::Field) return of(graph_.operand(node, 0), depth) + "." + field(node);
        if (graph_.core(node) == Core::Struct) return structure(node, depth);
        std::string operands = list(graph_.operands(node), depth);
        if (graph_.core(node) == Core::Tuple || graph_.core(node) == Core::Pack) return "(" + operands + ")";
        if (graph_.core(node) == Core::List) return "[" + operands + "]";
        const bool is_function = is_whole_function(graph_, node);
        std::string out = is_function ? "func @" + std::string(symbols()[graph_.attrs(node)[0].text()])
                                      : head(node) + attributes(node) + "(" + operands + ")";
        const auto& blocks = graph_.operation(node).signature.blocks;
        std::size_t next = 0;
        for (BlockId block : graph_.blocks(node)) {
            const SymbolId label = next < blocks.size() ? blocks[next].label : SymbolId{};
            ++next;
            out += " " + (label ? std::string(symbols()[label]) + " " : "") + this->block(block, depth);
        }
        return out;
    }

  private:
    const Symbols& symbols() const { return graph_.context().symbols; }

    std::string head(NodeId node) const {
        if (graph_.core(node) == Core::Call) return "@" + std::string(symbols()[graph_.attrs(node)[0].text()]);
        return std::string(symbols()[graph_.operation(node).name]);
    }

    std::string structure(NodeId node, unsigned depth) {
        std::string out;
        std::vector<NodeId> parts(graph_.operands(node).begin(), graph_.operands(node).end());
        for (std::size_t i = 0; i < parts.size(); ++i)
            out += (i ? ", " : "") + std::string(symbols()[graph_.context().types.fields(graph_.type(node))[i].name]) +
                   " = " + of(parts[i], depth + 1);
        return graph_.context().types.text(graph_.type(node), symbols()) + "{" + out + "}";
    }

    std::string field(NodeId node) const {
        TypeId type = graph_.type(graph_.operand(node, 0));
        return std::string(symbols()[graph_.context().types.fields(type)[graph_.position(node)].name]);
    }

    std::string attributes(NodeId node) const {
        if (graph_.core(node) == Core::Call || graph_.attrs(node).empty()) return "";
        std::string out;
        for (const AttrValue& value : graph_.attrs(node)) {
            if (!out.empty()) out += ", ";
            if (value.kind == AttrValue::Kind::Type)
                out += graph_.context().types.text(value.type, symbols());
            else
                out += constant(value);
        }
        return "[" + out + "]";
    }

    std::string constant(const AttrValue& value) const {
        if (value.kind == AttrValue::Kind::Text) return escape(symbols()[value.text()]);
        return scalar_text(graph_.context().types.kind(value.type), value.bits);
    }
    std::string literal(NodeId node) const { return constant(graph_.attrs(node)[0]); }

    std::string param(NodeId node) {
        if (SymbolId name = graph_.name(node)) return "%" + std::string(symbols()[name]);
        for (auto it = bound_.rbegin(); it != bound_.rend(); ++it)
            if (it->first == node) return it->second;
        auto it = std::ranges::find(names_.params, node);
        std::size_t index = static_cast<std::size_t>(it - names_.params.begin());
        if (it == names_.params.end()) names_.params.push_back(node);
        return "%" + std::to_string(index);
    }

    std::string list(std::span<const NodeId> given, unsigned depth) {
        const std::vector<NodeId> nodes(
            given.begin(), given.begin() + static_cast<std::ptrdiff_t>(given.size() > longest ? listed : given.size()));
        std::string out;
        for (NodeId node : nodes) out += (out.empty() ? "" : ", ") + of(node, depth + 1);
        return given.size() > longest ? out + ", … " + std::to_string(given.size() - listed) + " more" : out;
    }

    std::string block(BlockId block, unsigned depth) {
        std::size_t outside = bound_.size();
        std::string params;
        for (std::size_t i = 0; i < graph_.params(block).size(); ++i) {
            SymbolId name = graph_.param_names(block)[i];
            std::string text = "%" + (name ? std::string(symbols()[name]) : "p" + std::to_string(i));
            bound_.emplace_back(graph_.params(block)[i], text);
            params += (params.empty() ? "|" : ", ") + text;
        }
        if (graph_.results(block).empty() && !graph_[block].entry) return params.empty() ? "{}" : "{ " + params + "| }";
        std::string out = "{ " + (params.empty() ? "" : params + "| ");
        const std::string results = list(graph_.results(block), depth);
        out += (graph_[block].entry ? results.empty() ? "…;" : "…; " : "") + results + " }";
        bound_.resize(outside);
        return out;
    }

    const Graph& graph_;
    TermNames& names_;
    std::size_t left_;
    std::vector<std::pair<NodeId, std::string>> bound_;
};

} // namespace

std::string term_text(const Graph& graph, NodeId node, TermNames& names, std::size_t size) {
    return Text(graph, names, size).of(node);
}

std::string term_text(const Graph& graph, NodeId node) {
    TermNames names;
    return term_text(graph, node, names);
}

} // namespace irrewrite
