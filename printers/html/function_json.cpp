#include "printers/html/function_json.hpp"

#include "engine/ir/term_text.hpp"
#include "printers/ir/print_ir.hpp"

#include <tsl/robin_map.h>

namespace irrewrite::printers {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t shown_nodes = 12; // of a term

class FunctionJson {
  public:
    FunctionJson(const Context& context, const Function& function)
        : context_(context), function_(function), g_(function.graph) {}

    Json run();

  private:
    struct Listed {
        NodeId node, owner;
    };
    std::size_t number(NodeId node, NodeId owner);
    Json numbers(std::span<const NodeId> nodes);
    Json describe(const Listed& listed);

    const Context& context_;
    const Function& function_;
    const Graph& g_;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> number_;
    std::vector<Listed> listed_;
};

std::size_t FunctionJson::number(NodeId node, NodeId owner) {
    const auto [it, fresh] = number_.try_emplace(node, listed_.size());
    if (fresh) listed_.push_back({node, owner});
    return it->second;
}

// Of those that the text mentions: literals are none.
Json FunctionJson::numbers(std::span<const NodeId> nodes) {
    Json list = Json::array();
    for (NodeId node : nodes) {
        while (g_.is_project(node) && !number_.contains(node)) node = g_.operand(node, 0);
        if (auto it = number_.find(node); it != number_.end()) list.push_back(it->second);
    }
    return list;
}

Json FunctionJson::describe(const Listed& listed) {
    const NodeId n = listed.node;
    const Origin origin = g_.origin(n);
    Json json{{"id", n.index}, {"type", context_.types.text(g_.type(n), context_.symbols)}};
    if (!g_.is_param(n)) {
        json["op"] = context_.symbols[g_.operation(n).name];
        TermNames names;
        json["term"] = term_text(g_, n, names, shown_nodes);
        json["operands"] = numbers(g_.operands(n));
    }
    if (SymbolId name = g_.name(n)) json["name"] = context_.symbols[name];
    if (origin.rule) json["rule"] = origin.rule.index;
    if (origin.place != Sources::nowhere) json["place"] = origin.place;
    if (listed.owner)
        if (auto it = number_.find(listed.owner); it != number_.end()) json["owner"] = it->second;
    for (BlockId block : g_.blocks(n)) json["blocks"].push_back(numbers(g_.results(block)));
    return json;
}

Json FunctionJson::run() {
    std::vector<Mention> mentions;
    Json json{{"name", context_.symbols[function_.name]}, {"text", print_ir(context_, function_, mentions)}};
    Json marks = Json::array(), nodes = Json::array();
    for (const Mention& m : mentions) {
        marks.push_back(m.begin), marks.push_back(m.size), marks.push_back(static_cast<int>(m.kind));
        // A name that is used before its definition, such as `%n`, stands in no block.
        marks.push_back(number(m.node, m.kind == Mention::Kind::Use ? NodeId{} : m.owner));
    }
    for (const Listed& listed : listed_) nodes.push_back(describe(listed));
    json["marks"] = std::move(marks), json["nodes"] = std::move(nodes), json["results"] = numbers(function_.results);
    return json;
}

} // namespace

Json function_json(const Context& context, const Function& function) { return FunctionJson(context, function).run(); }

} // namespace irrewrite::printers
