#include "engine/passes/promote_cells.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/schedule/rebuild_scheduled.hpp"
#include "engine/schedule/schedule.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Set = std::set<NodeId>;

constexpr unsigned deepest_cell = 300; // nested blocks; in deeper ones cells stay

// The operations on cells that the pass knows.
struct CellOperations {
    std::optional<OpId> make, read, write;

    explicit CellOperations(const Context& context) {
        const auto named = [&](std::string_view name, std::size_t operands) -> std::optional<OpId> {
            const auto symbol = context.symbols.find(name);
            return symbol ? context.operations.find(*symbol, operands, {}) : std::nullopt;
        };
        make = named("ref", 1), read = named("get", 1), write = named("set", 2);
    }
    bool all() const { return make && read && write; }
};

// True if values can be added behind the results of the operation: of a conditional.
bool is_branching(const Context& context, const Operation& operation) {
    const Signature& signature = operation.signature;
    const bool tests = signature.operands.size() == 1 && signature.operands[0].kind == TypeTerm::Kind::Known &&
                       signature.operands[0].type == context.types.boolean();
    return tests && operation.core == Core::None && signature.blocks.size() == 2 && signature.results.size() == 1 &&
           signature.results[0].sequence && std::ranges::all_of(signature.blocks, [](const BlockSignature& block) {
               return block.frequency == Frequency::Cold && block.params.empty();
           });
}

// The same of a loop: to those that it carries.
bool is_carrying(const Operation& operation) {
    const Signature& signature = operation.signature;
    return operation.core == Core::None && signature.carrying() && signature.results.size() == 1 &&
           signature.results[0].sequence && !signature.operands.empty() && signature.operands.back().sequence;
}

// Which cells may become values, and in which regions they are set.
class Promotable {
  public:
    Promotable(const Function& function, const Schedule& schedule, const CellOperations& operations)
        : graph_(function.graph), schedule_(schedule), operations_(operations), written_(schedule.blocks.size()) {
        find(function);
        if (cells_.empty()) return;
        for (std::uint32_t k = 0; k < schedule.blocks.size(); ++k) visit(k);
        if (refused_.empty()) return;
        for (NodeId cell : refused_) cells_.erase(cell);
        for (Set& set : written_) std::erase_if(set, [&](NodeId cell) { return refused_.contains(cell); });
    }

    const Set& cells() const { return cells_; }
    bool has(NodeId node) const { return cells_.contains(node); }
    // Set in the region or within: cells that stand around it.
    const Set& written(std::uint32_t region) const { return written_[region]; }

  private:
    TypeId content(NodeId cell) const { return graph_.type(graph_.operand(cell, 0)); }

    void find(const Function& function) {
        std::optional<AliasAnalysis> memory;
        for (std::uint32_t k = 0; k < schedule_.blocks.size(); ++k)
            for (const ScheduledNode& scheduled : schedule_.blocks[k].nodes) {
                const NodeId node = scheduled.node;
                if (graph_.op(node) != *operations_.make) continue;
                if (!memory) memory.emplace(function);
                if (!memory->is_own(node) || holds_memory(graph_.context().types, content(node))) continue;
                cells_.insert(node), places_.insert({k, node});
            }
    }

    void visit(std::uint32_t region) {
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const NodeId node = scheduled.node;
            for (std::size_t k = 0; k < graph_.operands(node).size(); ++k)
                if (const NodeId cell = graph_.operand(node, k);
                    has(cell) && (k != 0 || !is_promoted(scheduled, cell, region)))
                    refused_.insert(cell);
        }
    }

    bool is_promoted(const ScheduledNode& access, NodeId cell, std::uint32_t region) {
        if (access.is_on_demand()) return false;
        if (graph_.op(access.node) == *operations_.read) return graph_.type(access.node) == content(cell);
        return graph_.op(access.node) == *operations_.write &&
               graph_.type(graph_.operand(access.node, 1)) == content(cell) && hands_out(cell, region);
    }

    // From a region out to that of the cell: each block on the way can result in what the cell holds.
    bool hands_out(NodeId cell, std::uint32_t region) {
        while (!places_.contains({region, cell})) {
            const ScheduledBlock& block = schedule_.blocks[region];
            if (!region || !block.id || graph_.is_param(block.owner)) return false;
            const Operation& operation = graph_.operation(block.owner);
            if (is_carrying(operation) ? block.id != graph_.blocks(block.owner)[*operation.signature.carrying()]
                                       : !is_branching(graph_.context(), operation))
                return false;
            if (!written_[region].insert(cell).second) return true;
            region = block.parent;
        }
        return true;
    }

    const Graph& graph_;
    const Schedule& schedule_;
    const CellOperations& operations_;
    Set cells_, refused_;
    std::set<std::pair<std::uint32_t, NodeId>> places_; // equal blocks share nodes
    std::vector<Set> written_;
};

// A cell stands for its value: what Rebuild says of the cell is what the cell holds at this point.
class Promotion {
  public:
    Promotion(Function& function, const Schedule& schedule, const Promotable& cells, const CellOperations& operations)
        : function_(function), graph_(function.graph), schedule_(schedule), cells_(cells), operations_(operations),
          rebuild_(graph_) {}

    void run() {
        rebuild_.whole(function_, [&] { region(0); });
    }

  private:
    TypeId content(NodeId cell) const { return graph_.type(graph_.operand(cell, 0)); }

    void region(std::uint32_t index) {
        for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes) visit(scheduled);
        for (auto [condition, inner] : schedule_.blocks[index].guarded) region(inner);
        for (auto [id, inner] : schedule_.blocks[index].nested) rebuild_.put(id, block(inner, {}, {}));
    }

    void visit(const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        const NodeId cell = graph_.operands(node).empty() ? NodeId{} : graph_.operand(node, 0);
        if (cells_.has(node))
            rebuild_.put(node, rebuild_(cell));
        else if (!cell || !cells_.has(cell))
            other(scheduled);
        else if (graph_.op(node) == *operations_.read)
            rebuild_.put(node, rebuild_(cell));
        else
            rebuild_.put(cell, rebuild_(graph_.operand(node, 1)));
    }

    void other(const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        const Nodes cells = written_in(scheduled.blocks);
        Nodes operands = rebuild_.operands(node);
        std::vector<BlockId> blocks;
        for (std::uint32_t inner : scheduled.blocks) blocks.push_back(block(inner, cells, node));
        if (cells.empty()) return settle(node, rebuild_.node(node, operands, blocks));
        if (is_carrying(graph_.operation(node)))
            for (NodeId cell : cells) operands.push_back(rebuild_(cell));
        else if (blocks.size() < 2)
            blocks.push_back(graph_.close(0, {}, {}, values(cells)));
        widen(node, operands, blocks, cells);
    }

    Nodes written_in(const Regions& blocks) const {
        Set all;
        for (std::uint32_t inner : blocks) all.insert(cells_.written(inner).begin(), cells_.written(inner).end());
        return {all.begin(), all.end()};
    }

    Nodes values(const Nodes& cells) {
        Nodes out;
        for (NodeId cell : cells) out.push_back(rebuild_(cell));
        return out;
    }

    void settle(NodeId old, NodeId made) {
        if (graph_.has(old, Advances) && graph_.has(made, Advances)) rebuild_.token = made;
        rebuild_.put(old, made);
    }

    // The node, which results in the values of the cells, too.
    void widen(NodeId old, const Nodes& operands, const std::vector<BlockId>& blocks, const Nodes& cells) {
        const std::size_t count = graph_.result_count(old);
        std::vector<TypeId> types;
        for (std::size_t k = 0; k < count; ++k) types.push_back(graph_.type(graph_.result(old, k)));
        for (NodeId cell : cells) types.push_back(content(cell));
        const Origin saved = std::exchange(graph_.current_origin, graph_.origin(old));
        const NodeId made = graph_.make({.op = graph_.op(old),
                                         .attrs = graph_[old].attrs,
                                         .operands = operands,
                                         .blocks = blocks,
                                         .token = rebuild_.token,
                                         .type = graph_.context().types.results(types)});
        if (graph_.has(made, Advances))
            rebuild_.token = made;
        else if (is_open_loop(graph_, made) && !surely_ends(graph_, made, nullptr))
            wait_for(graph_.result(made, 0));
        graph_.current_origin = saved;
        for (std::size_t k = 0; k < count; ++k) rebuild_.put(graph_.result(old, k), graph_.result(made, k));
        if (count != 1) rebuild_.put(old, made);
        for (std::size_t k = 0; k < cells.size(); ++k) name(cells[k], graph_.result(made, count + k));
    }

    // The cell holds this value from here on, which has the name of the cell.
    void name(NodeId cell, NodeId value) {
        if (const SymbolId symbol = graph_.name(cell)) graph_.set_name(value, symbol);
        rebuild_.put(cell, value);
    }

    // The loop was an effect, for whose end what follows waited.
    void wait_for(NodeId value) {
        rebuild_.token = graph_.make({.op = Operations::core(Core::Await),
                                      .operands = {&value, 1},
                                      .token = rebuild_.token,
                                      .type = graph_.context().types.unit()});
    }

    // The block, which results in the values of the cells, too; that of a loop has a parameter for each of them.
    BlockId block(std::uint32_t index, const Nodes& cells, NodeId owner) {
        const BlockId id = schedule_.blocks[index].id;
        const Block old = graph_[id];
        const Rebuild::Mark mark = rebuild_.mark();
        const NodeId before = std::exchange(rebuild_.token, old.entry);
        const bool carries = !cells.empty() && is_carrying(graph_.operation(owner));
        const bool tests = carries && id != graph_.blocks(owner)[*graph_.operation(owner).signature.carrying()];
        Nodes params(graph_.params(id).begin(), graph_.params(id).end());
        std::vector<SymbolId> names(graph_.param_names(id).begin(), graph_.param_names(id).end());
        const std::uint32_t number = params.empty() && !old.entry ? graph_.fresh_number() : old.number;
        if (carries)
            for (NodeId cell : cells) {
                params.push_back(graph_.param(number, static_cast<std::uint32_t>(params.size()), content(cell)));
                names.push_back(graph_.name(cell));
                rebuild_.put(cell, params.back());
            }
        region(index);
        Nodes results(graph_.results(id).begin(), graph_.results(id).end());
        for (NodeId& result : results) result = rebuild_(result);
        if (!tests)
            for (NodeId cell : cells) results.push_back(rebuild_(cell));
        const BlockId made = cells.empty() ? rebuild_.close(id, results, rebuild_.token)
                                           : graph_.close(number, params, names, results, old.entry, rebuild_.token);
        rebuild_.token = before;
        rebuild_.undo(mark);
        return made;
    }

    Function& function_;
    Graph& graph_;
    const Schedule& schedule_;
    const Promotable& cells_;
    const CellOperations& operations_;
    Rebuild rebuild_;
};

unsigned depth_of(const Schedule& schedule) {
    unsigned most = 0;
    std::vector<unsigned> depth(schedule.blocks.size());
    for (std::size_t k = 1; k < schedule.blocks.size(); ++k)
        most = std::max(most, depth[k] = depth[schedule.blocks[k].parent] + 1);
    return most;
}

} // namespace

std::vector<NodeId> promote_cells(Function& function) {
    const CellOperations operations(function.graph.context());
    if (!operations.all()) return {};
    const Schedule order = schedule(function);
    if (depth_of(order) > deepest_cell) return {};
    const Promotable cells(function, order, operations);
    if (cells.cells().empty()) return {};
    Promotion(function, order, cells, operations).run();
    return {cells.cells().begin(), cells.cells().end()};
}

} // namespace irrewrite
