// The shape of the matrix product: a row for each index i, its element for each inner index j, and
// an innermost loop over k that reduces what is computed of i and k with what is computed of k and
// j. Blocks compute both sides of a tile once, into shared memory, for all rows and columns of the
// tile.
//
// Each side becomes a lambda, so does what stands between the sides, and what is made of the sum in
// the end.
#include "printers/cuda/device_printer.hpp"

#include <functional>
#include <utility>

namespace irrewrite::printers {

// A lambda of indices: the nodes of these regions that its roots need, then what `end` prints.
void TeamPrinter::print_tile_lambda(const std::string& name, const Tiles& tiles,
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
    d_.kernels.print_lambda(name, params, [&] {
        for (std::size_t k = 0; k < loops.size(); ++k) {
            const NodeId param = g_.params(g_.blocks(loops[k]->node)[0])[0];
            define(param, {{indices[k]}, types_.i64(), Form::Value, false, g_.operand(loops[k]->node, 0)});
        }
        at_.only = &wanted;
        for (Region region : regions) f_.print_nodes(region);
        at_.only = nullptr;
        end(indices);
    });
    out_.close_names();
}

// One value, or a structure of them, declared before the function.
std::string TeamPrinter::tile_type(const std::vector<NodeId>& leaves, const std::string& side) {
    if (leaves.size() == 1) return value_type(g_.type(leaves[0]));
    const std::string name = module_.names.fresh(module_.function_name(function_.name) + "_" + side);
    std::string fields;
    for (std::size_t k = 0; k < leaves.size(); ++k)
        fields += "    " + value_type(g_.type(leaves[k])) + " v" + std::to_string(k) + ";\n";
    state_.parts += "// The values that a tile of `" + std::string(module_.context.symbols[function_.name]) +
                    "` keeps on one side.\nstruct " + name + " {\n" + fields + "};\n\n";
    return name;
}

void TeamPrinter::print_side(const std::string& name, const std::string& type, const Tiles& tiles,
                             std::span<const ScheduledNode* const> loops, const std::vector<NodeId>& leaves) {
    print_tile_lambda(name, tiles, loops, leaves, {}, [&](std::span<const std::string>) {
        std::string values;
        for (NodeId leaf : leaves) values += (values.empty() ? "" : ", ") + text(leaf).text;
        out_.line("return " + (leaves.size() == 1 ? values : type + "{" + values + "}") + ";");
    });
}

// sum = sum ⊕ what stands between a left and a right side.
void TeamPrinter::print_tile_step(const std::string& name, const Tiles& tiles, Generator& sum,
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
    d_.kernels.print_lambda(
        name,
        {{value_type(sum.state[0].type) + "&", total},
         {single_left ? param(g_.type(tiles.left[0]), left_type) : "const " + left_type + "&", left},
         {single_right ? param(g_.type(tiles.right[0]), right_type) : "const " + right_type + "&", right}},
        [&] {
            bind(tiles.left, left);
            bind(tiles.right, right);
            at_.only = &tiles.between;
            f_.print_nodes(tiles.terms->blocks[0]);
            at_.only = nullptr;
            f_.emissions.combine(tiles.terms->blocks[0], sum, sum.state, "", {binding(tiles.term)});
        });
    out_.close_names();
}

// Prints the kernel as a tiled matrix product; false if it has not this shape.
bool TeamPrinter::print_tiles(const ScheduledNode& rows, Kernel& kernel, const std::string& n,
                              const std::string& step) {
    const std::optional<Tiles> tiles = find_tiles(rows, kernel);
    if (!tiles) return false;
    const NodeId width = g_.operand(tiles->columns->node, 0), depth = g_.operand(tiles->terms->node, 0);
    if (!code_.known_nonnegative(width) || !code_.known_nonnegative(depth)) return false;
    const std::size_t begin = out_.size(), parts = state_.parts.size();
    const Scope scope(env_, ranges_);
    out_.open_names();
    Generator sum = f_.loops.generators(*tiles->terms, 0, no_place)[0];
    const std::string start = sum.state[0].init, type = value_type(sum.state[0].type);
    const std::string left = out_.fresh("left"), right = out_.fresh("right"), store = out_.fresh("store");
    const std::string left_type = tile_type(tiles->left, "left"), right_type = tile_type(tiles->right, "right");
    const std::string p = text(width).text, m = text(depth).text;
    const ScheduledNode* const left_loops[] = {&rows, tiles->terms};
    const ScheduledNode* const right_loops[] = {tiles->columns, tiles->terms};
    const ScheduledNode* const store_loops[] = {&rows, tiles->columns};
    at_.kernel = &kernel;
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
    at_.kernel = nullptr;
    out_.close_names();
    if (kernel.faults) { // a side may be computed where nothing needs it
        kernel.faults = false;
        out_.cut(begin);
        state_.parts.resize(parts);
        return false;
    }
    out_.line("for_each_tile<" + left_type + ", " + right_type + ", " + type + ">(" + n + ", " + p + ", " + m + ", " +
              start + ", " + left + ", " + right + ", " + step + ", " + store + ");");
    return true;
}

} // namespace irrewrite::printers
