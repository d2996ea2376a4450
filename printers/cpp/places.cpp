// Places in the source and in memory: lines, lengths, indices; variables that are assigned all at once.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

std::string Values::length_text(NodeId array) {
    const Binding value = binding(array);
    return extent_text(value, value.type, 0);
}

// The length of dimension `k` of those that lie in one piece; `type`: the array's behind them.
std::string Values::extent_text(const Binding& array, TypeId type, std::size_t k) {
    const Dim dim = types_.dim(type);
    if (dim.kind == DimKind::Constant) return std::to_string(dim.value);
    if (dim.kind == DimKind::Named) {
        const std::string name = dimension_text({static_cast<std::uint32_t>(dim.value)});
        if (!name.empty()) return name;
    }
    if (k == 0) return "std::ssize(" + array.text.text + ")";
    return parenthesized(array.text, precedence::primary) + ".extent(" + std::to_string(k) + ")";
}

std::vector<std::pair<NodeId, std::string>> Values::read_from_outside(const ScheduledNode& loop,
                                                                      std::span<const Region> regions) const {
    std::vector<std::pair<NodeId, std::string>> list;
    std::unordered_set<NodeId> seen;
    const auto add = [&](NodeId node) {
        if (g_.is_literal(node) || !seen.insert(node).second) return;
        const NodeId source = g_.is_project(node) ? g_.operand(node, 0) : node;
        const std::vector<Binding>* several = g_.is_project(node) ? env_.find_results(source) : nullptr;
        const Binding* value = several != nullptr ? &(*several)[g_.position(node)] : env_.find(node);
        if (value == nullptr || !is_name(value->text.text) || env_.captured.contains(node)) return;
        const bool view = value->form == Form::View && module_.types.is_array(value->type);
        const bool param = g_.is_param(node) && g_.param_number(node) == number::function;
        if (!view && !types_.is_scalar(value->type)) return;
        if (!lazy_.empty() && !param && !demands_.is_known_in(source, loop.blocks[0]))
            return; // perhaps not computed yet
        list.emplace_back(node, value->text.text);
    };
    for (const Dimension& dimension : function_.dims) add(dimension.node);
    add(g_.operand(loop.node, 0));
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
            for (NodeId operand : g_.operands(scheduled.node)) add(operand);
    return list;
}

IndexText Values::index_text(NodeId index, NodeId array, TypeId type, std::size_t level, const std::string& length,
                             NodeId node) {
    const bool always = at_.index_condition.empty();
    const auto if_needed = [&](const std::string& position) {
        return always ? position : at_.index_condition + " ? " + position + " : 0";
    };
    const bool atomic = is_atomic(text(index));
    if (code_.is_within(index, array, type, level)) {
        if (g_.is_literal(index)) return {text(index).text, atomic};
        return {if_needed(text(index).text), atomic && always};
    }
    if (at_.kernel != nullptr) { // the step ends here
        Text position = text(index);
        if (!always) position = {if_needed(position.text), precedence::ternary};
        const std::string at = as_variable({position, types_.i64()}, "at").text.text;
        const std::string needed = always ? "" : "(" + at_.index_condition + ") && ";
        out_.line("if (" + needed + "outside(" + at + ", " + length + ")) " + f_.device().leave(node, "index"));
        at_.kernel->faults = true;
        return {at, atomic};
    }
    return {if_needed("checked(" + text(index).text + ", " + length + ", " + line_number(node) + ")"), always};
}

// A row of a matrix whose width is a number or a variable: one that all matrices of that width share, where each knows
// its own.
bool Values::is_row_of_known_width(NodeId at, const Binding& matrix) {
    if (module_.options.cuda || g_.operands(at).size() != 2 || matrix.form == Form::Rows ||
        module_.types.rank(matrix.type) != 2)
        return false;
    return !uses_.is_changed(g_.operand(at, 0)) && is_atomic({extent_text(matrix, types_.element(matrix.type), 1)});
}

// True if the host has an array that kernels may have made: host code must read and change it without moving it.
bool Values::may_be_on_device(const Binding& array) const {
    if (!module_.options.cuda || at_.kernel != nullptr || !array.owned || array.form != Form::Value ||
        !module_.types.is_array(array.type))
        return false;
    return !module_.types.holds_array(module_.types.element(array.type, module_.types.rank(array.type)));
}

std::string Values::checked_length(NodeId length, NodeId node) {
    const std::string value = text(length).text;
    return code_.known_nonnegative(length) ? value : "checked_length(" + value + ", " + line_number(node) + ")";
}

// True if the text of a value, as far as it is not in a variable yet, reads a row of the array of this name.
bool Values::reads_row_of(NodeId value, std::string_view array) {
    std::vector<NodeId> stack{value};
    std::unordered_set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const Binding* found = env_.find(node);
        if (found == nullptr || !seen.insert(node).second) continue;
        if (const NodeId whole = uses_.viewed(node)) {
            if (text(whole).text == array) return true;
            stack.push_back(whole);
        } else if (!is_atomic(found->text)) {
            stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
            for (BlockId block : g_.blocks(node))
                stack.insert(stack.end(), g_.results(block).begin(), g_.results(block).end());
        }
    }
    return false;
}

// True if the text reads the elements of the array of this name through a pointer.
bool Values::mentions_pointer(std::string_view text, std::string_view array) {
    return std::ranges::any_of(pointers(), [&](const auto& entry) {
        const Binding* found = env_.find(entry.first);
        return found != nullptr && found->text.text == array && mentions(text, entry.second);
    });
}

// For each target, the spare array that takes what it held before: a new array moves into one target, what that one held may
// move into the next, and what the last of them held is free.
std::vector<std::string> Values::spares_of_replaced(std::span<const std::string> targets, std::span<const TypeId> types,
                                                    std::span<const NodeId> values,
                                                    std::span<const Stored> texts) const {
    std::vector<std::string> spares(targets.size());
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const auto spare = state_.spares.find(values[k]);
        if (spare == state_.spares.end() || texts[k].moved.empty()) continue;
        std::size_t last = k;
        for (std::size_t steps = 0; steps < targets.size(); ++steps) {
            const auto next = std::ranges::find(texts, targets[last], &Stored::moved);
            if (next == texts.end()) break;
            last = static_cast<std::size_t>(next - texts.begin());
        }
        const bool is_free = std::ranges::find(texts, targets[last], &Stored::moved) == texts.end();
        if (is_free && value_type(types[last]) == value_type(types[k])) spares[last] = spare->second;
    }
    return spares;
}

void Values::assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                    Region region) {
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
    const std::vector<std::string> spares = spares_of_replaced(targets, types, values, plain);
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
        if (!spares[k].empty())
            out_.line(spares[k] + " = std::exchange(" + targets[k] + ", " + texts[k].text + ");");
        else if (fresh)
            out_.line(targets[k] + " += " + text(g_.operand(value, 1 - self)).text + ";");
        else
            out_.line(targets[k] + " = " + texts[k].text + ";");
    }
}

void Values::error(NodeId node, std::string text) { module_.errors.push_back(error_at(node, std::move(text))); }

// `lines 3-5, 8`: where in the source the regions' nodes come from.
std::string Values::origins(std::span<const std::uint32_t> regions) const {
    std::vector<std::ptrdiff_t> found;
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const Span where = module_.context.sources.at(g_.origin(scheduled.node).place);
            if (const auto line = where.source ? module_.line_of(where) : std::nullopt) found.push_back(*line);
        }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::string text;
    for (std::size_t i = 0; i < found.size();) {
        std::size_t end = i;
        while (end + 1 < found.size() && found[end + 1] == found[end] + 1) ++end;
        text += (text.empty() ? "" : ", ") + std::to_string(found[i]);
        if (end > i) text += "-" + std::to_string(found[end]);
        i = end + 1;
    }
    if (text.empty()) return {};
    return (found.size() == 1 ? "line " : "lines ") + text;
}

} // namespace irrewrite::printers
