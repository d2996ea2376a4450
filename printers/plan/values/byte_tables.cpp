#include "printers/plan/values/byte_tables.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t least_operations = 5; // integer operations that cost more than a look-up
constexpr std::size_t most_operations = 64; // of one table
constexpr std::size_t most_tables = 8;      // of one function: they share the first cache with what is read and written

class Finder {
  public:
    Finder(const PlanModule& module, const Function& function, const Schedule& schedule, const UseAnalysis& uses)
        : types_(module.context.types), function_(function), g_(function.graph), schedule_(schedule), uses_(uses) {}

    ByteTables find() {
        for (std::uint32_t region = 0; region < schedule_.blocks.size(); ++region)
            for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
                if (is_plain(scheduled.node))
                    places_.emplace_back(scheduled.node, scheduled.is_on_demand() ? on_demand : home(region));
        std::ranges::sort(places_);
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        const std::vector<NodeId> nodes = reachable(g_, roots(function_)); // operands before users
        for (NodeId node : nodes)
            if (byte_of(node)) order_.push_back(node);
        if (order_.size() < least_operations) return {};
        find_asked(nodes);
        for (NodeId node : order_)
            if (asked_.contains(node) && tables_.of.size() < most_tables) tabulate(node);
        if (!tables_.of.empty()) find_inner();
        return std::move(tables_);
    }

  private:
    using Place = std::pair<NodeId, std::uint32_t>;
    static constexpr std::uint32_t on_demand = UINT32_MAX;

    // The region of the iteration that a region belongs to: branches and guards run in their own.
    std::uint32_t home(std::uint32_t region) const {
        while (region != 0 && (!schedule_.blocks[region].id || uses_.is_branch(region)))
            region = schedule_.blocks[region].parent;
        return region;
    }

    // The iterations that compute a node: one for each of the loops side by side that do.
    std::span<const Place> places_of(NodeId node) const {
        return {std::ranges::lower_bound(places_, node, {}, &Place::first),
                std::ranges::upper_bound(places_, node, {}, &Place::first)};
    }

    bool is_placed(NodeId node) const {
        const std::span<const Place> places = places_of(node);
        return !places.empty() && places.back().second != on_demand;
    }

    // True if the same iterations compute both: where a table is read, what only tables need was left out there, or nowhere.
    bool is_beside(NodeId operand, NodeId node) const {
        return g_.is_param(operand) ||
               (is_placed(operand) &&
                std::ranges::includes(places_of(operand), places_of(node), {}, &Place::second, &Place::second));
    }

    bool is_byte(NodeId node) const { return g_.kind(node) == TypeKind::U8 || g_.kind(node) == TypeKind::I8; }

    // The byte that a node is computed from, and from nothing else that is no literal.
    NodeId byte_of(NodeId node) {
        const auto found = bytes_.find(node);
        if (found != bytes_.end()) return found->second;
        bytes_[node] = {};
        if (g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None || !is_placed(node) ||
            g_.scalar(node) == Scalar::None || g_.scalar(node) == Scalar::Same || g_.has(node, MayFault) ||
            g_.has(node, TakesToken) || !is_plain(node))
            return {};
        NodeId byte;
        for (NodeId operand : g_.operands(node)) {
            if (g_.is_number(operand)) continue;
            NodeId of = byte_of(operand);
            if (!of && is_byte(operand)) of = operand;
            if (!of || !is_plain(operand) || !is_beside(operand, node) || (byte && byte != of)) return {};
            byte = of;
        }
        return bytes_[node] = byte;
    }

    // Integers of at most 32 bits: a table takes no more than a kilobyte.
    bool is_plain(NodeId node) const {
        const TypeKind kind = g_.kind(node);
        return kind == TypeKind::Bool || (types_.is_integer(g_.type(node)) && types_.bits(g_.type(node)) <= 32);
    }

    // Whoever else needs a node: what depends on more than the byte, structure, other regions.
    void find_asked(std::span<const NodeId> nodes) {
        const auto ask = [&](NodeId node) {
            if (byte_of(node)) asked_.insert(node);
        };
        for (NodeId user : nodes) {
            const NodeId own = g_.is_param(user) || g_.is_literal(user) ? NodeId{} : byte_of(user);
            for (NodeId operand : g_.operands(user))
                if (!own || byte_of(operand) != own) ask(operand);
            for (BlockId block : g_.blocks(user))
                for (NodeId result : g_.results(block)) ask(result);
        }
        for (NodeId result : function_.results) ask(result);
    }

    // The nodes that a node is computed by, down to tables and the byte; operands first.
    bool collect(NodeId node, std::vector<NodeId>& list, std::size_t depth = 0) const {
        if (depth > most_operations) return false;
        if (std::ranges::find(list, node) != list.end() || tables_.of.contains(node)) return true;
        for (NodeId operand : g_.operands(node))
            if (const auto found = bytes_.find(operand);
                found != bytes_.end() && found->second && !collect(operand, list, depth + 1))
                return false;
        list.push_back(node);
        return list.size() <= most_operations;
    }

    void tabulate(NodeId node) {
        std::vector<NodeId> list;
        if (!collect(node, list) || list.size() < least_operations) return;
        ByteTable table{byte_of(node)};
        const bool is_signed = g_.kind(table.byte) == TypeKind::I8;
        for (std::size_t k = 0; k < table.values.size(); ++k) {
            std::unordered_map<NodeId, std::uint64_t> known{{table.byte, is_signed ? wrap(TypeKind::I8, k) : k}};
            for (NodeId each : list)
                if (!evaluate(each, known, k)) return;
            table.values[k] = known.at(node);
        }
        tables_.of.emplace(node, table);
    }

    bool evaluate(NodeId node, std::unordered_map<NodeId, std::uint64_t>& known, std::size_t k) const {
        std::vector<std::uint64_t> operands;
        for (NodeId operand : g_.operands(node)) {
            if (const auto table = tables_.of.find(operand); table != tables_.of.end())
                operands.push_back(table->second.values[k]);
            else
                operands.push_back(g_.is_number(operand) ? g_.bits(operand) : known.at(operand));
        }
        const Scalar scalar = g_.scalar(node);
        const NodeId typed = g_.operand(node, scalar == Scalar::Select ? 1 : 0);
        const auto value =
            primitives()[static_cast<std::size_t>(scalar)].evaluate(g_.kind(typed), g_.kind(node), operands);
        if (value) known[node] = *value;
        return value.has_value();
    }

    // Those that nobody asks for, and nothing that is computed beside the tables.
    void find_inner() {
        std::unordered_set<NodeId> needed;
        for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
            if (tables_.of.contains(*node)) continue;
            if (!asked_.contains(*node) && !needed.contains(*node)) {
                tables_.inner.insert(*node);
                continue;
            }
            needed.insert(g_.operands(*node).begin(), g_.operands(*node).end());
        }
    }

    const Types& types_;
    const Function& function_;
    const Graph& g_;
    const Schedule& schedule_;
    const UseAnalysis& uses_;
    std::vector<Place> places_; // sorted
    std::unordered_map<NodeId, NodeId> bytes_;
    std::vector<NodeId> order_;
    std::unordered_set<NodeId> asked_;
    ByteTables tables_;
};

} // namespace

ByteTables find_byte_tables(const PlanModule& module, const Function& function, const Schedule& schedule,
                            const UseAnalysis& uses) {
    if (module.cuda) return {};
    return Finder(module, function, schedule, uses).find();
}

} // namespace irrewrite::printers
