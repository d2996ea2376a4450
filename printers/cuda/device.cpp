#include "printers/cuda/device.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/type_parts.hpp"
#include "printers/cpp/runtime/runtime.hpp"

#include <algorithm>
#include <cctype>

namespace irrewrite::printers {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

} // namespace

bool OnDevice::is_plain(TypeId type) const {
    return !any_type_within(types_, type, [&](TypeId part) {
        const TypeKind kind = types_.kind(part);
        return !types_.is_scalar(part) && kind != TypeKind::Tuple && kind != TypeKind::Struct;
    });
}

bool OnDevice::is_plain_rows(TypeId type) const {
    return module_.types.is_rows(type) && is_plain(module_.types.element(type, 2));
}

// True if the text calls only functions of the standard library and helpers, which both sides have.
bool OnDevice::is_text_for_device(const std::string& text) const {
    for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && is_word(text[begin - 1])) --begin;
        const std::string name = text.substr(begin, at - begin);
        if (!name.empty() && !name.starts_with("std::") && !runtime_names(Target::Cuda).contains(name)) return false;
    }
    return true;
}

std::string OnDevice::regions(std::span<const std::uint32_t> regions) {
    checked_ = regions;
    for (std::uint32_t r : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes)
            if (g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Ref)
                cells_.insert(scheduled.node);
    for (std::uint32_t r : regions)
        if (std::string why = region(r); !why.empty()) return why;
    return {};
}

std::string OnDevice::region(std::uint32_t region) {
    const ScheduledBlock& block = schedule_.blocks[region];
    for (std::uint32_t demanded : block.demands)
        if (std::string why = on_demand(demanded); !why.empty()) return why;
    if (block.id)
        for (NodeId param : g_.params(block.id))
            if (g_.kind(param) != TypeKind::Emission && !is_plain(g_.type(param))) return "an operator of arrays";
    for (const ScheduledNode& scheduled : block.nodes) {
        const bool kept = scheduled.is_on_demand() && schedule_.on_demand[scheduled.on_demand].kept;
        if (kept && !is_plain(g_.type(scheduled.node))) return "an array that is made on demand";
        if (kept)
            for (std::uint32_t demanded : schedule_.on_demand[scheduled.on_demand].demands)
                if (std::string why = on_demand(demanded); !why.empty()) return why;
        if (std::string why = computed(scheduled); !why.empty()) return why;
    }
    return {};
}

std::string OnDevice::computed(const ScheduledNode& scheduled) {
    const bool loop =
        g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
    return loop ? inner_loop(scheduled) : node(scheduled.node);
}

// A value of the step is checked where it stands. One from outside must be there, unless each user computes it.
std::string OnDevice::on_demand(std::uint32_t value) {
    const OnDemand& entry = schedule_.on_demand[value];
    if (std::ranges::find(checked_, entry.region) != checked_.end() || (is_there && is_there(value))) return {};
    if (entry.kept) return "what is computed on demand";
    for (std::uint32_t demanded : entry.demands)
        if (std::string why = on_demand(demanded); !why.empty()) return why;
    return computed(schedule_.blocks[entry.region].nodes[entry.position]);
}

// Arrays are passed as they lie.
std::string OnDevice::call(NodeId node) const {
    const Function* callee = module_.module.find(g_.attrs(node)[0].text());
    const OnDeviceAs as = callee == nullptr ? OnDeviceAs::None : module_.on_device(*callee);
    if (as == OnDeviceAs::None || (as == OnDeviceAs::Apart && !arrays_))
        return "a call of a function that runs on the host";
    for (std::size_t k = 0; k < g_.operands(node).size(); ++k) {
        const TypeId given = g_.type(g_.operand(node, k)), taken = callee->params[k].type;
        if (module_.types.is_array(given) && module_.types.read(given) != module_.types.read(taken))
            return "an array that a function takes in another form";
    }
    return {};
}

std::string OnDevice::plain(NodeId node) const {
    const Operation& operation = g_.operation(node);
    const TextTemplate& form = module_.form(g_, node);
    const bool meant = !operation.cuda.empty() || !operation.cuda_int.empty(); // for both sides
    if (!form.text.empty() && (meant || is_text_for_device(form.text)) && is_plain(g_.type(node))) return {};
    return "'" + std::string(module_.context.symbols[operation.name]) + "'";
}

std::string OnDevice::node(NodeId node) {
    if (g_.core(node) == Core::Await) return ""; // it has no text
    const OpKind shape = g_.core(node) == Core::None ? module_.shapes[g_.op(node).index] : OpKind::Plain;
    const bool cell = shape == OpKind::Get || shape == OpKind::Set;
    for (std::size_t k = 0; k < g_.operands(node).size(); ++k) {
        const NodeId operand = g_.operand(node, k);
        if (cell && k == 0) {
            if (!cells_.contains(operand)) return "a cell of the host";
            continue;
        }
        const bool array = module_.types.is_array(g_.type(operand));
        const bool taken = shape == OpKind::At || shape == OpKind::Len || g_.core(node) == Core::Call;
        if (array && (!arrays_ || !taken || (!in_step_ && g_.is_literal(operand))))
            return "an array that is made for each index";
        if (!array && !is_plain(g_.type(operand)) && g_.kind(operand) != TypeKind::Results)
            return "a value with memory of its own";
    }
    for (BlockId block : g_.blocks(node))
        for (NodeId result : g_.results(block))
            if (!is_plain(g_.type(result))) return "a value with memory of its own";
    switch (g_.core(node)) {
    case Core::None: break;
    case Core::Call: return call(node);
    case Core::Element:
    case Core::Field:
    case Core::Tuple:
    case Core::Struct: return is_plain(g_.type(node)) ? "" : "a value with memory of its own";
    default: return "an array that is made for each index";
    }
    switch (shape) {
    case OpKind::Plain:
    case OpKind::Select: return plain(node);
    case OpKind::Cast:
    case OpKind::If:
    case OpKind::Region:
    case OpKind::While:
    case OpKind::For:
    case OpKind::Get:
    case OpKind::Set: return {};
    case OpKind::Ref: return is_plain(types_.element(g_.type(node))) ? "" : "a cell of arrays";
    case OpKind::Len:
    case OpKind::Same: return arrays_ ? "" : "lengths";
    case OpKind::At: // one element, or a row of what lies in one piece
        if (!arrays_ || module_.types.holds_array(types_.element(g_.type(g_.operand(node, 0)))))
            if (const TypeId rows = g_.type(g_.operand(node, 0));
                !arrays_ || (module_.types.rank(rows) == 1 && !is_plain_rows(rows)))
                return "arrays of arrays";
        return is_plain(g_.type(node)) || module_.types.is_array(g_.type(node)) ? "" : "arrays of arrays";
    default: return "'" + std::string(module_.context.symbols[g_.operation(node).name]) + "'";
    }
}

void OnDevice::place_rows(std::uint32_t region, NodeId emission) {
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit) return;
    for (NodeId value : g_.operands(emission))
        if (module_.types.is_array(g_.type(value)))
            if (const ScheduledNode* loop = find_row_loop(region, value))
                placed_.emplace(loop->node, g_.is_project(value) ? g_.position(value) : 0);
}

// Checks an inner loop, which one thread runs sequentially; returns the reason if it may not.
std::string OnDevice::inner_loop(const ScheduledNode& loop) {
    if (!arrays_) return "a loop";
    std::size_t first = 0; // of a generator's results
    for (NodeId generator : g_.results(g_.blocks(loop.node)[0])) {
        const OpKind shape = module_.shapes[g_.op(generator).index];
        const std::span<const TypeId> types = types_.elements(g_.type(generator));
        bool placed = shape == OpKind::Collect || shape == OpKind::Scan;
        for (std::size_t k = 0; k < types.size(); ++k)
            placed = placed && (placed_.contains({loop.node, first + k}) || (may_keep && may_keep(loop, first + k)));
        first += types.size();
        if (placed && types_.once(g_.type(g_.operands(generator).back()))) {
            if (shape == OpKind::Collect) place_rows(loop.blocks[0], g_.operands(generator).back());
            continue;
        }
        if (shape != OpKind::Reduce && shape != OpKind::Fold) return "an array that is made for each index";
        for (TypeId type : types)
            if (!is_plain(type)) return "an array that is made for each index";
    }
    return {};
}

std::string OnDevice::parameter(TypeId type) const {
    if (is_plain(type) || (arrays_ && is_plain_rows(type))) return {};
    const bool whole =
        arrays_ && module_.types.is_array(type) && is_plain(module_.types.element(type, module_.types.rank(type)));
    return whole ? "" : "an array as a parameter";
}

std::string OnDevice::function(bool arrays) {
    if (function_.external) return "a function from elsewhere";
    arrays_ = arrays, in_step_ = false;
    for (const Parameter& param : function_.params)
        if (std::string why = parameter(param.type); !why.empty()) return why;
    for (TypeId type : function_.result_types)
        if (!is_plain(type)) return "an array as a result";
    std::vector<std::uint32_t> all(schedule_.blocks.size());
    for (std::uint32_t r = 0; r < all.size(); ++r) all[r] = r;
    return regions(all);
}

OnDeviceAs CppModule::on_device(const Function& function) const {
    if (function.external) return OnDeviceAs::None;
    const auto [found, fresh] = device_functions.emplace(function.name, OnDeviceAs::None); // a call of itself: no
    if (!fresh) return found->second;
    const Schedule all = schedule_lazily(function);
    const auto may = [&](bool arrays) { return OnDevice(*this, function, all).function(arrays).empty(); };
    return device_functions[function.name] = may(false)  ? OnDeviceAs::Shared
                                             : may(true) ? OnDeviceAs::Apart
                                                         : OnDeviceAs::None;
}

std::vector<NodeId> values_read(const Schedule& schedule, const Graph& g, const ScheduledNode& loop,
                                std::span<const std::uint32_t> regions) {
    std::unordered_set<NodeId> inside, seen;
    std::vector<NodeId> found;
    for (std::uint32_t r : regions)
        for (const ScheduledNode& scheduled : schedule.blocks[r].nodes) inside.insert(scheduled.node);
    std::vector<NodeId> stack;
    for (std::uint32_t r : regions) {
        for (const ScheduledNode& scheduled : schedule.blocks[r].nodes)
            stack.insert(stack.end(), g.operands(scheduled.node).begin(), g.operands(scheduled.node).end());
        if (schedule.blocks[r].id && r != loop.blocks[0])
            for (NodeId result : g.results(schedule.blocks[r].id)) stack.push_back(result);
    }
    for (NodeId generator : g.results(g.blocks(loop.node)[0]))
        stack.push_back(g.operands(generator).back()); // what it starts from is made before
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        const bool structure = GraphView(g).is_structure(node);
        if (structure) stack.insert(stack.end(), g.operands(node).begin(), g.operands(node).end());
        const NodeId source = GraphView(g).source(node);
        if (!structure && !inside.contains(source)) found.push_back(node);
    }
    std::ranges::sort(found, {}, &NodeId::index);
    return found;
}

std::vector<NodeId> arrays_read(const Schedule& schedule, const Graph& g, const ScheduledNode& loop,
                                std::span<const std::uint32_t> regions) {
    std::vector<NodeId> found = values_read(schedule, g, loop, regions);
    std::erase_if(found, [&](NodeId node) { return g.kind(node) != TypeKind::Array; });
    return found;
}

} // namespace irrewrite::printers
