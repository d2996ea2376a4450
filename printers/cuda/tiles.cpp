// The shape of the matrix product: a row for each index i, its element for each inner index j, and
// an innermost loop over k that reduces what is computed of i and k with what is computed of k and
// j. Blocks compute both sides of a tile once, into shared memory, for all rows and columns of the
// tile.
//
// Each side becomes a lambda, so does what stands between the sides, and what is made of the sum in
// the end.
#include "printers/cuda/device.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t few_columns = 32; // most of a tile's would be in vain
constexpr std::size_t most_leaves = 4;    // of a side, in shared memory

} // namespace

// Generator, emission and value of a loop that makes one value for each index.
NodeId CppFunction::only_value(const ScheduledNode& loop, OpKind shape) const {
    const std::span<const NodeId> list = g_.results(g_.blocks(loop.node)[0]);
    if (list.size() != 1 || module_.shapes[g_.op(list[0]).index] != shape) return {};
    const NodeId emission = g_.operands(list[0]).back();
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit) return {};
    return g_.operands(emission).size() == 1 ? g_.operand(emission, 0) : NodeId{};
}

bool CppFunction::is_known_before(NodeId node, std::uint32_t outer, std::uint32_t inner) const {
    if (g_.is_literal(node)) return true;
    return env_.contains(node) && !g_.depends_on_number(node, outer) && !g_.depends_on_number(node, inner);
}

// The loops of a kernel's step that have this shape, and where the two sides end.
std::optional<Tiles> CppFunction::find_tiles(const ScheduledNode& rows, const Kernel& kernel) const {
    if (kernel.generators.size() != 1 || !kernel.fields.empty() || !kernel.bins.empty()) return {};
    const Generator& made = kernel.generators[0];
    if (made.shape != OpKind::Collect || made.index.empty() || module_.types.rank(made.outputs[0].type) != 2) return {};
    const NodeId row = only_value(rows, OpKind::Collect);
    const ScheduledNode* columns = row ? find_row_loop(rows.blocks[0], row) : nullptr;
    if (columns == nullptr || g_.operand(columns->node, 0) == NodeId{}) return {};
    const auto is_another =
        [&](const ScheduledNode& scheduled) { // a loop that a block would have to run for each row of a tile
            const NodeId node = scheduled.node;
            return node != columns->node && g_.core(node) == Core::None &&
                   module_.shapes[g_.op(node).index] == OpKind::Loop;
        };
    if (std::ranges::any_of(schedule_.blocks[rows.blocks[0]].nodes, is_another)) return {};
    Tiles tiles{.columns = columns, .element = only_value(*columns, OpKind::Collect)};
    if (!tiles.element) return {};
    for (const ScheduledNode& scheduled : schedule_.blocks[columns->blocks[0]].nodes) {
        const bool loop =
            g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
        if (scheduled.is_on_demand() || (!loop && !g_.blocks(scheduled.node).empty())) return {};
        if (loop && std::exchange(tiles.terms, &scheduled) != nullptr) return {};
    }
    if (tiles.terms == nullptr) return {};
    tiles.term = only_value(*tiles.terms, OpKind::Reduce);
    const auto index = [&](const ScheduledNode& loop) {
        return g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    };
    const std::uint32_t i = index(rows), j = index(*columns);
    const NodeId width = g_.operand(columns->node, 0);
    if (!tiles.term || !is_known_before(width, i, j) || !is_known_before(g_.operand(tiles.terms->node, 0), i, j))
        return {};
    if (g_.is_number(width) && g_.bits(width) < few_columns) return {};
    const NodeId sum = g_.results(g_.blocks(tiles.terms->node)[0])[0];
    if (g_.operands(sum).size() != 2 || !is_known_before(g_.operand(sum, 0), i, j)) return {};
    return find_sides(tiles, i, j) ? std::optional(std::move(tiles)) : std::nullopt;
}

// From the term down: what needs both outer indices stands between the sides, what it reads of one
// of them is a leaf.
bool CppFunction::find_sides(Tiles& tiles, std::uint32_t i, std::uint32_t j) const {
    std::unordered_set<NodeId> here; // computed for each k, in a straight line
    for (const ScheduledNode& scheduled : schedule_.blocks[tiles.terms->blocks[0]].nodes) {
        if (scheduled.is_on_demand() || !g_.blocks(scheduled.node).empty()) return false;
        here.insert(scheduled.node);
    }
    std::vector<NodeId> stack{tiles.term};
    std::unordered_set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (g_.is_literal(node) || !seen.insert(node).second) continue;
        const bool left = g_.depends_on_number(node, i), right = g_.depends_on_number(node, j);
        if (left && right) {
            if (!here.contains(node) || !is_straight(node) || !types_.is_scalar(g_.type(node))) return false;
            if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At) return false;
            tiles.between.insert(node);
            stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
        } else if (g_.is_param(node) || !types_.is_scalar(g_.type(node))) {
            return false;
        } else if (left || right || here.contains(node)) {
            (right ? tiles.right : tiles.left).push_back(node);
        }
    }
    const auto fits = [](const std::vector<NodeId>& leaves) { return !leaves.empty() && leaves.size() <= most_leaves; };
    return fits(tiles.left) && fits(tiles.right);
}

// The nodes of these regions that the roots need, except through one node.
std::unordered_set<NodeId> CppFunction::needed(std::span<const NodeId> roots, std::span<const Region> regions,
                                               NodeId but) const {
    std::unordered_set<NodeId> inside, found;
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) inside.insert(scheduled.node);
    std::vector<NodeId> stack(roots.begin(), roots.end());
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (g_.is_param(node) || g_.is_literal(node) || node == but) continue;
        if (!GraphView(g_).is_structure(node) && (!inside.contains(node) || !found.insert(node).second)) continue;
        stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
    }
    return found;
}

// A lambda of indices: the nodes of these regions that its roots need, then what `end` prints.
void CppFunction::print_tile_lambda(const std::string& name, const Tiles& tiles,
                                    std::span<const ScheduledNode* const> loops, std::span<const NodeId> roots,
                                    std::pair<std::string, std::string> further,
                                    const std::function<void(std::span<const std::string>)>& end) {
    out_.open_names();
    std::vector<Region> regions;
    std::vector<std::string> indices;
    std::vector<std::pair<std::string, std::string>> params;
    for (const ScheduledNode* loop : loops) {
        regions.push_back(loop->blocks[0]);
        params.emplace_back("std::int64_t", indices.emplace_back(out_.fresh(loop == tiles.terms     ? "k"
                                                                            : loop == tiles.columns ? "j"
                                                                                                    : "i")));
    }
    if (!further.first.empty()) params.push_back(further);
    const std::unordered_set<NodeId> wanted = needed(roots, regions, tiles.terms->node);
    print_lambda(name, params, [&] {
        for (std::size_t k = 0; k < loops.size(); ++k) {
            const NodeId param = g_.params(g_.blocks(loops[k]->node)[0])[0];
            define(param, {{indices[k]}, types_.i64(), Form::Value, false, g_.operand(loops[k]->node, 0)});
        }
        only_ = &wanted;
        for (Region region : regions) print_nodes(region);
        only_ = nullptr;
        end(indices);
    });
    out_.close_names();
}

// One value, or a structure of them, declared before the function.
std::string CppFunction::tile_type(const std::vector<NodeId>& leaves, const std::string& side) {
    if (leaves.size() == 1) return value_type(g_.type(leaves[0]));
    const std::string name = module_.names.fresh(module_.function_name(function_.name) + "_" + side);
    std::string fields;
    for (std::size_t k = 0; k < leaves.size(); ++k)
        fields += "    " + value_type(g_.type(leaves[k])) + " v" + std::to_string(k) + ";\n";
    parts_ += "// What a tile of `" + std::string(module_.context.symbols[function_.name]) +
              "` keeps on one side.\nstruct " + name + " {\n" + fields + "};\n\n";
    return name;
}

void CppFunction::print_side(const std::string& name, const std::string& type, const Tiles& tiles,
                             std::span<const ScheduledNode* const> loops, const std::vector<NodeId>& leaves) {
    print_tile_lambda(name, tiles, loops, leaves, {}, [&](std::span<const std::string>) {
        std::string values;
        for (NodeId leaf : leaves) values += (values.empty() ? "" : ", ") + text(leaf).text;
        out_.line("return " + (leaves.size() == 1 ? values : type + "{" + values + "}") + ";");
    });
}

// sum = sum ⊕ what stands between a left and a right side.
void CppFunction::print_tile_step(const std::string& name, const Tiles& tiles, Generator& sum,
                                  const std::string& left_type, const std::string& right_type) {
    out_.open_names();
    const std::string total = out_.fresh("sum"), left = out_.fresh("a"), right = out_.fresh("b");
    const auto bind = [&](const std::vector<NodeId>& leaves, const std::string& side) {
        for (std::size_t k = 0; k < leaves.size(); ++k)
            define(leaves[k], {{leaves.size() == 1 ? side : side + ".v" + std::to_string(k)}, g_.type(leaves[k])});
    };
    sum.state[0].name = total;
    const auto param = [&](TypeId type, const std::string& text) {
        return types_.is_scalar(type) ? text : "const " + text + "&";
    };
    const bool single_left = tiles.left.size() == 1, single_right = tiles.right.size() == 1;
    print_lambda(name,
                 {{value_type(sum.state[0].type) + "&", total},
                  {single_left ? param(g_.type(tiles.left[0]), left_type) : "const " + left_type + "&", left},
                  {single_right ? param(g_.type(tiles.right[0]), right_type) : "const " + right_type + "&", right}},
                 [&] {
                     bind(tiles.left, left);
                     bind(tiles.right, right);
                     only_ = &tiles.between;
                     print_nodes(tiles.terms->blocks[0]);
                     only_ = nullptr;
                     combine(tiles.terms->blocks[0], sum, sum.state, "", {binding(tiles.term)});
                 });
    out_.close_names();
}

// Prints the kernel as a tiled matrix product; false if it has not this shape.
bool CppFunction::print_tiles(const ScheduledNode& rows, Kernel& kernel, const std::string& n,
                              const std::string& step) {
    const std::optional<Tiles> tiles = find_tiles(rows, kernel);
    if (!tiles) return false;
    const NodeId width = g_.operand(tiles->columns->node, 0), depth = g_.operand(tiles->terms->node, 0);
    if (!known_nonnegative(width) || !known_nonnegative(depth)) return false;
    const std::size_t begin = out_.size(), parts = parts_.size();
    const Scope scope(*this);
    out_.open_names();
    Generator sum = generators(*tiles->terms, true)[0];
    const std::string start = sum.state[0].init, type = value_type(sum.state[0].type);
    const std::string left = out_.fresh("left"), right = out_.fresh("right"), store = out_.fresh("store");
    const std::string left_type = tile_type(tiles->left, "left"), right_type = tile_type(tiles->right, "right");
    const std::string p = text(width).text, m = text(depth).text;
    const ScheduledNode* const left_loops[] = {&rows, tiles->terms};
    const ScheduledNode* const right_loops[] = {tiles->columns, tiles->terms};
    const ScheduledNode* const store_loops[] = {&rows, tiles->columns};
    on_device_ = &kernel;
    print_side(left, left_type, *tiles, left_loops, tiles->left);
    print_side(right, right_type, *tiles, right_loops, tiles->right);
    print_tile_step(step, *tiles, sum, left_type, right_type);
    const std::string total = out_.fresh("sum");
    const Binding whole{{total}, sum.state[0].type};
    if (g_.kind(tiles->terms->node) == TypeKind::Results)
        define(tiles->terms->node, std::vector{whole});
    else
        define(tiles->terms->node, whole);
    const std::string view = kernel.generators[0].outputs[0].name;
    print_tile_lambda(
        store, *tiles, store_loops, std::span(&tiles->element, 1),
        {types_.is_scalar(whole.type) ? type : "const " + type + "&", total}, [&](std::span<const std::string> index) {
            out_.line(view + ".row(" + index[0] + ")[" + index[1] + "] = " + text(tiles->element).text + ";");
        });
    on_device_ = nullptr;
    out_.close_names();
    if (kernel.faults) { // a side may be computed where nothing needs it
        kernel.faults = false;
        out_.cut(begin);
        parts_.resize(parts);
        return false;
    }
    out_.line("for_each_tile<" + left_type + ", " + right_type + ", " + type + ">(" + n + ", " + p + ", " + m + ", " +
              start + ", " + left + ", " + right + ", " + step + ", " + store + ");");
    return true;
}

} // namespace irrewrite::printers
