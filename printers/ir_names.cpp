#include "printers/ir_names.hpp"

#include "engine/region.hpp"

#include <algorithm>

namespace irrewrite::printers {

IrNames::IrNames(const Context& context, const Function& function) : context_(context) {
    const Graph& graph = function.graph;
    auto know = [&](SymbolId name) {
        if (is_usable(name)) known_.emplace(context.symbols[name]);
    };
    for (const Parameter& parameter : function.params)
        know(parameter.name);
    for (const Dimension& dimension : function.dims)
        know(dimension.name);
    const std::vector<bool> reached = GraphView(graph).reached(function);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (!reached[i]) continue;
        know(graph.name({i}));
        for (BlockId block : graph.blocks({i}))
            for (SymbolId name : graph.param_names(block))
                know(name);
    }
}

bool IrNames::is_usable(SymbolId name) const {
    if (!name) return false;
    std::string_view text = context_.symbols[name];
    auto fits = [](char c) {
        return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
               c == '_';
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

std::string IrNames::take(SymbolId wanted) {
    std::string name = is_usable(wanted) ? std::string(context_.symbols[wanted]) : numbered("");
    if (!taken_.insert(name).second) taken_.insert(name = numbered(name));
    return name;
}

std::string IrNames::numbered(const std::string& base) {
    const std::string stem =
        base.empty() || base.back() < '0' || base.back() > '9' ? base : base + "_";
    std::size_t number = next_.try_emplace(base, base.empty() ? 0 : 1).first->second;
    std::string name = stem + std::to_string(number);
    while (known_.contains(name) || taken_.contains(name))
        name = stem + std::to_string(++number);
    next_[base] = number + 1;
    if (!base.empty()) made_.insert_or_assign(name, std::pair(base, number));
    return name;
}

void IrNames::release(const std::string& name) {
    taken_.erase(name);
    if (auto it = made_.find(name); it != made_.end()) {
        std::size_t& next = next_[it->second.first];
        next = std::min(next, it->second.second);
    }
}

} // namespace irrewrite::printers
