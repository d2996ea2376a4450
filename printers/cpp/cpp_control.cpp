// Conditionals, sequential loops and mutable state in emitted C++.
#include "engine/analysis/endings.hpp"
#include "engine/ir/reachability.hpp"
#include "printers/cpp/lane_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace irrewrite::printers {

std::vector<TypeId> CppFunction::result_types(NodeId node) const {
    const TypeId type = g_.type(node);
    if (types_.kind(type) == TypeKind::Results) return {types_.elements(type).begin(), types_.elements(type).end()};
    if (types_.kind(type) == TypeKind::Unit) return {};
    return {type};
}

// `zero`: they have a value even if what computes them gives up.
std::vector<std::string> CppFunction::declare_results(NodeId node, std::span<const TypeId> types, bool zero) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        names.push_back(result_name(node, k, "t"));
        const bool used = types.size() == 1 || bool(uses_.find_projection(node, k));
        out_.line((used ? "" : "[[maybe_unused]] ") + value_type(types[k]) + " " + names[k] + (zero ? "{};" : ";"));
    }
    return names;
}

void CppFunction::bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types) {
    std::vector<Binding> results;
    for (std::size_t k = 0; k < names.size(); ++k)
        results.push_back({{names[k]}, types[k], Form::Value, !types_.is_scalar(types[k])});
    if (g_.kind(node) != TypeKind::Results && results.size() == 1)
        define(node, results[0]);
    else
        define(node, std::move(results));
}

// True if the text of a value, as far as it is not in a variable yet, reads a row of the array of this name.
bool CppFunction::reads_row_of(NodeId value, std::string_view array) {
    std::vector<NodeId> stack{value};
    std::unordered_set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const auto found = env_.find(node);
        if (found == env_.end() || !seen.insert(node).second) continue;
        if (const NodeId whole = uses_.viewed(node)) {
            if (text(whole).text == array) return true;
            stack.push_back(whole);
        } else if (!is_atomic(found->second.text)) {
            stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
            for (BlockId block : g_.blocks(node))
                stack.insert(stack.end(), g_.results(block).begin(), g_.results(block).end());
        }
    }
    return false;
}

// True if the text reads the elements of the array of this name through a pointer.
bool CppFunction::mentions_pointer(std::string_view text, std::string_view array) {
    return std::ranges::any_of(pointers(), [&](const auto& entry) {
        const auto found = env_.find(entry.first);
        return found != env_.end() && found->second.text.text == array && mentions(text, entry.second);
    });
}

// All at once: a value that reads a variable assigned before it is computed first.
void CppFunction::assign(std::span<const std::string> targets, std::span<const TypeId> types,
                         std::span<const NodeId> values, Region region) {
    std::vector<Stored> texts;
    for (std::size_t k = 0; k < targets.size(); ++k)
        texts.push_back(
            to_store(binding(values[k]), types[k], uses_.may_move(values[k], region, UINT32_MAX), values[k]));
    const std::vector<Stored> plain = texts;
    for (std::size_t k = 1; k < targets.size(); ++k) {
        // A row of an array that is about to be replaced goes with it.
        bool stale = module_.types.holds_array(types[k]) && texts[k].moved.empty();
        for (std::size_t j = 0; j < k && !stale; ++j) {
            const std::string_view target = std::string_view(targets[j]).substr(0, targets[j].find('['));
            const auto is_read = [&] {
                if (mentions(texts[k].text, target)) return true;
                if (!module_.types.holds_array(types[j])) return false;
                return reads_row_of(values[k], target) || mentions_pointer(texts[k].text, target);
            };
            stale = texts[j].text != targets[j] && is_read();
        }
        if (!stale) continue;
        const std::string name = out_.fresh("next");
        out_.line(value_type(types[k]) + " " + name + " = " + texts[k].text + ";");
        texts[k] = types_.is_scalar(types[k]) ? Stored{name} : moved_from(name);
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
        if (texts[k].text == targets[k] || texts[k].moved == targets[k]) continue;
        const NodeId value = values[k];
        note_stored(binding(value), types[k], plain[k], value);
        const bool sum = types_.is_float(types[k]) && g_.scalar(value) == Scalar::Add;
        std::size_t self = 2;
        for (std::size_t i = 0; sum && i < 2; ++i)
            if (text(g_.operand(value, i)).text == targets[k]) self = i;
        // The other operand's own text: what was added to the variable as a whole, and not computed before.
        const bool fresh = self < 2 && texts[k] == plain[k] && mentions(texts[k].text, targets[k]);
        const auto spare = spares_.find(value);
        if (spare != spares_.end() && !texts[k].moved.empty())
            out_.line(spare->second + " = std::exchange(" + targets[k] + ", " + texts[k].text + ");");
        else if (fresh)
            out_.line(targets[k] + " += " + text(g_.operand(value, 1 - self)).text + ";");
        else
            out_.line(targets[k] + " = " + texts[k].text + ";");
    }
}

void CppFunction::print_if(const ScheduledNode& scheduled, Region region) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = result_types(node);
    const Text condition = text(g_.operand(node, 0));
    auto empty = [&](std::size_t k) {
        const ScheduledBlock& block = schedule_.blocks[scheduled.blocks[k]];
        return block.nodes.empty() && !waits(scheduled.blocks[k]);
    };
    if (types.size() == 1 && types_.is_scalar(types[0]) && empty(0) && empty(1)) {
        const Text yes = text(g_.results(g_.blocks(node)[0])[0]), no = text(g_.results(g_.blocks(node)[1])[0]);
        Text choice{parenthesized(condition, precedence::logical_or) + " ? " +
                        parenthesized(yes, precedence::logical_or) + " : " + parenthesized(no, precedence::logical_or),
                    precedence::ternary, 99};
        return define_value(node, std::move(choice), region);
    }
    if (straight_ && is_choice(scheduled)) return print_choice(scheduled, region);
    const std::vector<std::string> names = declare_results(node, types);
    auto branch = [&](std::size_t k) {
        const Scope scope(*this);
        ranges_.enter(Condition{g_.operand(node, 0), k == 0});
        print_nodes(scheduled.blocks[k]);
        ranges_.leave_condition();
        if (!types.empty()) assign(names, types, g_.results(g_.blocks(node)[k]), scheduled.blocks[k]);
    };
    out_.open("if (" + condition.text + ") {");
    branch(0);
    if (scheduled.blocks.size() > 1 && (!types.empty() || !empty(1))) {
        out_.close_names(), out_.outdent();
        out_.open("} else {");
        branch(1);
    }
    out_.close();
    bind_results(node, names, types);
}

// Both sides are computed, and the condition chooses.
void CppFunction::print_choice(const ScheduledNode& scheduled, Region region) {
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = result_types(node);
    const Text condition = as_variable(binding(g_.operand(node, 0)), "chosen").text;
    std::vector<std::vector<Binding>> sides(2);
    for (std::size_t side = 0; side < 2; ++side) {
        print_nodes(scheduled.blocks[side]);
        for (NodeId value : g_.results(g_.blocks(node)[side]))
            sides[side].push_back(as_variable(binding(value), "v")); // a load under a condition would be a branch
    }
    const auto choice = [&](std::size_t k) {
        return Text{condition.text + " ? " + parenthesized(sides[0][k].text, precedence::logical_or) + " : " +
                        parenthesized(sides[1][k].text, precedence::logical_or),
                    precedence::ternary, 99};
    };
    if (types.size() == 1 && g_.kind(node) != TypeKind::Results) return define_value(node, choice(0), region);
    std::vector<Binding> results;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const NodeId projection = uses_.find_projection(node, k);
        Binding result{choice(k), types[k]};
        results.push_back(projection ? Binding{{name_of(projection)}, types[k]} : result);
        if (projection)
            out_.line("const " + value_type(types[k]) + " " + results.back().text.text + " = " + result.text.text +
                      ";");
    }
    define(node, std::move(results));
}

void CppFunction::print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId test = g_.blocks(node)[0], step = g_.blocks(node)[1];
    const std::vector<TypeId> types = result_types(node);
    const std::vector<std::string> names = declare_carried(node, step, 0, region, position);
    const std::vector<NodeId> next(g_.results(step).begin(), g_.results(step).end());
    declare_spares(scheduled.blocks[1], next, types);
    std::string given_up; // on the device, where a fault is noted and no more
    if (goes_on_after_faults()) {
        const std::string rounds = out_.fresh("rounds");
        out_.line("unsigned " + rounds + " = 0;");
        given_up = "given_up(" + rounds + ")";
        if (on_device_ != nullptr) on_device_->shared_faults = true;
    }
    const bool rounds = begin_rounds(scheduled);
    out_.open("while (true) {");
    const std::size_t begin = out_.size();
    const auto carry = [&](BlockId block, bool owned) {
        for (std::size_t k = 0; k < types.size(); ++k)
            define(g_.params(block)[k], {{names[k]}, types[k], Form::Value, owned && !types_.is_scalar(types[k])});
    };
    {
        const Scope scope(*this);
        carry(test, false); // the step still needs them
        print_nodes(scheduled.blocks[0]);
        const Text stay = text(g_.results(test)[0]);
        if (out_.size() == begin) { // nothing stands before the test
            const std::string again =
                given_up.empty() ? stay.text : "!" + given_up + " && " + parenthesized(stay, precedence::equality);
            out_.replace_last("while (true) {", "while (" + again + ") {");
        } else {
            out_.line("if (" + (given_up.empty() ? "" : given_up + " || ") + "!" +
                      parenthesized(stay, precedence::primary) + ") break;");
        }
        carry(step, true);
        if (may_not_end(node)) out_.line("may_not_end();");
        print_nodes(scheduled.blocks[1]);
        assign(names, types, g_.results(step), scheduled.blocks[1]);
    }
    out_.close();
    end_rounds(rounds);
    drop_spares(next);
    bind_results(node, names, types);
}

// A loop that is an effect because it may not end. A compiler takes every loop to end in which nothing can be seen.
bool CppFunction::may_not_end(NodeId loop) {
    if (on_device_ != nullptr || (module_.options.cuda && module_.on_device(function_) != OnDeviceAs::None))
        return false;
    if (!endless_) {
        endless_.emplace();
        const AliasAnalysis memory(function_);
        for (NodeId node : reachable(g_, roots(function_)))
            if (g_.core(node) == Core::Await)
                open_loops(g_, g_.operand(node, 0), &memory, *endless_);
            else if (is_open_loop(g_, node) && g_.has(node, Advances))
                open_loops(g_, node, &memory, *endless_);
    }
    return std::ranges::find(*endless_, loop) != endless_->end();
}

// The variables of what a loop carries, with the values that they have at first: the operands from `first` on.
std::vector<std::string> CppFunction::declare_carried(NodeId node, BlockId step, std::size_t first, Region r,
                                                      std::uint32_t at) {
    const std::vector<TypeId> types = result_types(node);
    const std::span<const SymbolId> params = g_.param_names(step);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const SymbolId param = k + first < params.size() ? params[k + first] : SymbolId{};
        names.push_back(result_name(node, k, param ? module_.context.symbols[param] : "t"));
        out_.line(value_type(types[k]) + " " + names[k] + " = " + stored(g_.operand(node, k + first), types[k], r, at) +
                  ";");
    }
    return names;
}

void CppFunction::print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    const BlockId block = g_.blocks(node)[0];
    const std::vector<TypeId> types = result_types(node);
    const std::vector<std::uint32_t> settled = print_before(scheduled, region);
    const std::vector<std::string> names = declare_carried(node, block, 1, region, position);
    const std::vector<NodeId> next(g_.results(block).begin(), g_.results(block).end());
    declare_spares(scheduled.blocks[0], next, types);
    const Binding extent = as_variable({text(g_.operand(node, 0)), types_.i64()}, "n");
    out_.open_names();
    const SymbolId index_name = g_.param_names(block).empty() ? SymbolId{} : g_.param_names(block)[0];
    const std::string index = out_.fresh(index_name ? module_.context.symbols[index_name] : "i");
    const bool rounds = begin_rounds(scheduled);
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + extent.text.text + "; ++" + index + ") {");
    {
        const Scope scope(*this);
        const std::vector<NodeId> params(g_.params(block).begin(), g_.params(block).end());
        define(params[0], {{index}, types_.i64(), Form::Value, false, g_.operand(node, 0)});
        for (std::size_t k = 0; k < types.size(); ++k)
            define(params[k + 1], {{names[k]}, types[k], Form::Value, !types_.is_scalar(types[k])});
        print_nodes(scheduled.blocks[0]);
        assign(names, types, g_.results(block), scheduled.blocks[0]);
    }
    out_.close();
    end_rounds(rounds);
    out_.close_names();
    drop_spares(next);
    forget(settled);
    bind_results(node, names, types);
}

// True if nothing reads a value of this memory any more when the memory is written next, in this region or in a block in
// it: then the value need not be copied. The memory is this function's own.
bool CppFunction::is_read_before_write(NodeId value, Region region, std::uint32_t position) const {
    const NodeId memory = g_.operand(value, 0);
    const bool cell = uses_.is_local_cell(memory);
    const bool own = !g_.is_param(memory) && !g_.is_project(memory) && !uses_.is_shared(memory);
    if (module_.options.cuda || types_.is_scalar(g_.type(value)) || !(cell || own)) return false;
    const auto writes = [&](const ScheduledNode& scheduled) {
        if (g_.core(scheduled.node) != Core::None || g_.operands(scheduled.node).empty()) return false;
        const OpKind shape = module_.shapes[g_.op(scheduled.node).index];
        return (shape == OpKind::Set || shape == OpKind::Store || shape == OpKind::Freeze || shape == OpKind::Thaw) &&
               scheduled.node != value && g_.operand(scheduled.node, 0) == memory;
    };
    const std::optional<std::uint32_t> last = uses_.last_read(value, region);
    if (!last) return true;
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::uint32_t i = position + 1; i < nodes.size() && i <= *last; ++i) {
        const std::vector<Region> inner(nodes[i].blocks.begin(), nodes[i].blocks.end());
        if (writes(nodes[i])) return false;
        for (Region r : regions_within(schedule_, inner))
            if (std::ranges::any_of(schedule_.blocks[r].nodes, writes)) return false;
    }
    return true;
}

void CppFunction::print_state(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    auto operand = [&](std::size_t k) { return g_.operand(node, k); };
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Ref: {
        const TypeId held = types_.element(type);
        const std::string name = name_of(node, "cell"), value = stored(operand(0), held, region, position);
        const bool local = !uses_.escapes(node);
        out_.line((local ? value_type(held) : value_type(type)) + " " + name +
                  (local ? " = " + value : "(" + value + ")") + ";");
        return define(node, {{name}, type});
    }
    case OpKind::Get: {
        const std::string cell = text(operand(0)).text, name = name_of(node);
        const bool local = uses_.is_local_cell(operand(0));
        const bool alias = local && is_read_before_write(node, region, position);
        if (alias) aliases_.insert(node);
        out_.line("const " + (alias ? "auto&" : value_type(type)) + " " + name + " = " + (local ? "" : "*") + cell +
                  ";");
        return define(node, {{name}, type});
    }
    case OpKind::Set: {
        const std::string cell = text(operand(0)).text;
        const bool local = uses_.is_local_cell(operand(0));
        const TypeId held = types_.element(g_.type(operand(0)));
        if (lane_blocks_ != nullptr && !lane_blocks_->mask.empty()) { // of a lane that is not through
            const std::string value = as_variable(binding(operand(1)), "next").text.text;
            return out_.line(cell + " = " + lane_blocks_->mask + " ? " + value + " : " + cell + ";");
        }
        return out_.line((local ? "" : "*") + cell + " = " + stored(operand(1), held, region, position) + ";");
    }
    case OpKind::MutArray: {
        const std::string name = name_of(node, "a"), element = value_type(types_.element(type));
        const std::string n = checked_length(operand(0), node),
                          value = stored(operand(1), types_.element(type), region, position);
        const std::string kind = module_.options.cuda || uses_.is_shared(node) ? "mut<" : "own_mut<";
        out_.line("const " + kind + element + "> " + name + "(array<" + element + ">(" + n + ", " + value + "));");
        return define(node, {{name}, type});
    }
    case OpKind::Load:
    case OpKind::Store: {
        const Binding array = binding(operand(0));
        const bool load = module_.shapes[g_.op(node).index] == OpKind::Load;
        const TypeId held = types_.element(array.type);
        const std::string place =
            array.text.text + "[" +
            index_text(operand(1), operand(0), array.type, 0, "std::ssize(" + array.text.text + ")", node).text + "]";
        if (!load) return out_.line(place + " = " + stored(operand(2), held, region, position) + ";");
        const std::string name = name_of(node);
        const bool alias = is_read_before_write(node, region, position);
        if (alias) aliases_.insert(node);
        out_.line("const " + (alias ? "auto&" : value_type(type)) + " " + name + " = " + place + ";");
        return define(node, {{name}, held});
    }
    case OpKind::Freeze:
    case OpKind::Thaw: {
        const Binding array = binding(operand(0));
        const std::string name = name_of(node, "a");
        if (module_.shapes[g_.op(node).index] == OpKind::Freeze) {
            const bool taken = uses_.may_take(operand(0), region, position);
            const bool alias = !taken && is_read_before_write(node, region, position);
            note_copy(node, !taken && !alias);
            if (alias) {
                aliases_.insert(node);
                out_.line("const auto& " + name + " = " + array.text.text + ".values();");
                return define(node, {{name}, type});
            }
            out_.line(value_type(type) + " " + name + " = " + array.text.text + (taken ? ".take();" : ".values();"));
            return define(node, {{name}, type, Form::Value, true});
        }
        const std::string element = value_type(types_.element(type)), whole = "array<" + element + ">";
        const Stored stored = to_store(array, array.type, uses_.may_move(operand(0), region, position), operand(0));
        note_copy(node, stored.moved.empty());
        std::string values = stored.text;
        if (value_type(array.type) != whole)
            values = "converted<" + whole + ">(" + values + ", " + line_number(node) + ")";
        const std::string kind = module_.options.cuda || uses_.is_shared(node) ? "mut<" : "own_mut<";
        out_.line("const " + kind + element + "> " + name + "{" + values + "};");
        return define(node, {{name}, type});
    }
    case OpKind::Print: return out_.line("print_line(" + text(operand(0)).text + ");");
    default:
        error(node,
              "operation '" + std::string(module_.context.symbols[g_.operation(node).name]) + "' has no text for C++");
    }
}

} // namespace irrewrite::printers
