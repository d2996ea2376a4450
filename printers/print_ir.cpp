#include "printers/print_ir.hpp"

#include "engine/region.hpp"
#include "printers/ir_names.hpp"
#include "printers/ir_text.hpp"
#include "printers/region_lines.hpp"
#include "printers/text_order.hpp"

#include <algorithm>

namespace irrewrite::printers {

namespace {

constexpr std::size_t line_width = 80;
constexpr std::uint32_t deepest_indent = 40; // deeper blocks stand no further to the right
constexpr unsigned short_depth = 6;          // of emissions in a block on one line

class Writer {
  public:
    Writer(const Context& context, const Function& function)
        : context_(context), function_(function), g_(function.graph), view_(g_),
          schedule_(schedule(function)), names_(context, function), name_(g_.size()),
          uses_(g_.size()), shown_in_(g_.size()) {}

    std::string run();

  private:
    struct Task { // what is still to be written; the last one first
        enum class Kind { Text, NewLine, Expression, Block, Lines, Close } kind;
        std::string text;     // Text; Block: its label
        NodeId node;          // Expression
        std::uint32_t region; // Block
        explicit Task(Kind k, std::string t = {}, NodeId n = {}, std::uint32_t r = 0)
            : kind(k), text(std::move(t)), node(n), region(r) {}
    };
    struct Open { // a block being written
        explicit Open(std::uint32_t r) : region(r) {}
        std::uint32_t region;
        std::vector<ScheduledNode> lines, structure; // those with lines of their own; the others
        std::vector<std::string> names;              // released at its end
        std::size_t next = 0;
    };

    void count_uses();
    std::string header();
    void step(Task task);
    // -- blocks
    void open(std::uint32_t region);
    void block(const std::string& label, std::uint32_t region);
    std::string operator_name(BlockId block) const;
    void push_results(std::uint32_t region);
    void close();
    void line();
    // -- nodes
    void application(NodeId node, std::span<const std::uint32_t> blocks);
    std::span<const std::uint32_t> structure_blocks(NodeId node) const;
    std::optional<std::string> short_text(NodeId node, unsigned depth) const;
    std::string targets(NodeId node);
    std::string name(NodeId node);
    void keep_name(NodeId node);
    NodeId projection(NodeId node, std::size_t k) const;

    bool is_in_place(NodeId n) const {
        return view_.is_structure(n) || (view_.is_computed(n) && shown_in_[n.index] == UINT32_MAX);
    }
    std::span<const NodeId> results(std::uint32_t region) const {
        return region_results(function_, schedule_, region);
    }
    void new_line() {
        out_ += '\n', out_.append(2 * std::min<std::size_t>(opened_.size(), deepest_indent), ' ');
    }
    std::size_t column() const { return out_.size() - (out_.rfind('\n') + 1); }
    void text(std::string s) { fresh_.emplace_back(Task::Kind::Text, std::move(s)); }
    void schedule_fresh() { // in the order given
        std::move(fresh_.rbegin(), fresh_.rend(), std::back_inserter(tasks_));
        fresh_.clear();
    }

    const Context& context_;
    const Function& function_;
    const Graph& g_;
    GraphView view_;
    Schedule schedule_;
    TextOrder order_{function_, schedule_};
    IrNames names_;
    std::vector<std::string> name_;   // by node: in the block being written
    std::vector<std::uint32_t> uses_; // by node
    std::vector<std::uint32_t>
        shown_in_; // region + 1 whose results show the node; UINT32_MAX: in place
    tsl::robin_map<std::uint64_t, NodeId> projections_;
    std::vector<Task> tasks_, fresh_;
    std::vector<Open> opened_;
    std::string out_;
};

std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

void Writer::count_uses() {
    std::vector<NodeId> list(function_.results), needs;
    std::vector<bool> seen(g_.size());
    if (function_.exit) list.push_back(function_.exit);
    for (NodeId n : list)
        ++uses_[n.index];
    while (!list.empty()) {
        const NodeId n = list.back();
        list.pop_back();
        if (seen[n.index]) continue;
        seen[n.index] = true;
        if (g_.is_project(n)) projections_[key(g_.operand(n, 0).index, g_.position(n))] = n;
        needs.clear();
        view_.dependences(n, needs);
        for (BlockId block : g_.blocks(n))
            view_.contents(block, needs);
        for (NodeId other : needs)
            ++uses_[other.index], list.push_back(other);
        if (NodeId token = g_.token(n)) --uses_[token.index];
        for (BlockId block : g_.blocks(n))
            if (g_[block].exit) --uses_[g_[block].exit.index];
    }
    if (function_.exit) --uses_[function_.exit.index];
}

std::string Writer::header() {
    std::string text = function_.external ? "extern func @"
                       : function_.local  ? "local func @"
                                          : "func @";
    text += context_.symbols[function_.name];
    for (const Dimension& dimension : function_.dims)
        name_[dimension.node.index] = names_.take(dimension.name);
    text += '(';
    for (const Parameter& parameter : function_.params) {
        std::string name = names_.take(parameter.name);
        if (&parameter != &function_.params.front()) text += ", ";
        text += "%" + name + ": " + (parameter.consumed ? "*" : "") +
                context_.types.text(parameter.type, context_.symbols);
        if (parameter.node) name_[parameter.node.index] = std::move(name);
    }
    text += ')';
    for (std::size_t i = 0; i < function_.result_types.size(); ++i)
        text +=
            (i ? ", " : " -> ") + context_.types.text(function_.result_types[i], context_.symbols);
    return text;
}

std::string Writer::run() {
    out_ = header();
    if (function_.external) return out_ + (function_.pure ? " pure\n" : "\n");
    count_uses();
    out_ += " {";
    open(0);
    tasks_.emplace_back(Task::Kind::Close);
    push_results(0);
    tasks_.emplace_back(Task::Kind::Lines);
    while (!tasks_.empty()) {
        Task task = std::move(tasks_.back());
        tasks_.pop_back();
        step(std::move(task));
    }
    return out_ + '\n';
}

void Writer::step(Task task) {
    switch (task.kind) {
    case Task::Kind::Text: out_ += task.text; break;
    case Task::Kind::NewLine: new_line(); break;
    case Task::Kind::Expression:
        if (is_in_place(task.node))
            application(task.node, structure_blocks(task.node));
        else
            out_ += name(task.node);
        break;
    case Task::Kind::Block: block(task.text, task.region); break;
    case Task::Kind::Lines: line(); break;
    case Task::Kind::Close: close(); break;
    }
}

// -- blocks
// -----------------------------------------------------------------------------------------

void Writer::open(std::uint32_t region) {
    RegionLines lines = region_lines(function_, schedule_, region, order_.ranks());
    Open& top = opened_.emplace_back(region);
    top.structure = std::move(lines.structure);
    std::ranges::sort(top.structure, {}, &ScheduledNode::node);
    if (BlockId id = schedule_.blocks[region].id)
        for (std::size_t i = 0; i < g_.params(id).size(); ++i)
            top.names.push_back(name_[g_.params(id)[i].index] = names_.take(g_.param_names(id)[i]));
    for (NodeId n : lines.shown)
        shown_in_[n.index] = region + 1;
    auto in_place = [&](NodeId n) {
        return shown_in_[n.index] == region + 1 && uses_[n.index] == 1 && g_[n].blocks == 0 &&
               !g_.has(n, TakesToken) && g_.result_count(n) == 1 && !names_.is_usable(g_.name(n));
    };
    for (ScheduledNode& line : lines.values) {
        if (in_place(line.node))
            shown_in_[line.node.index] = UINT32_MAX;
        else
            keep_name(line.node), top.lines.push_back(std::move(line));
    }
}

void Writer::close() {
    for (const std::string& name : opened_.back().names)
        names_.release(name);
    opened_.pop_back();
    new_line();
    out_ += '}';
}

void Writer::line() {
    Open& top = opened_.back();
    if (top.next == top.lines.size()) return;
    const ScheduledNode scheduled = std::move(top.lines[top.next++]);
    const bool last = top.next == top.lines.size();
    tasks_.emplace_back(Task::Kind::Lines);
    if (last && !results(top.region).empty() && top.region != 0) {
        // Line breaks are blanks: what follows must not read as a part of this line.
        const NodeId first = results(top.region)[0];
        const bool literal = g_.is_literal(first) && literal_text(g_, first).starts_with('-');
        const Core core = g_.core(first);
        if (literal || (is_in_place(first) && (core == Core::Tuple || core == Core::List)))
            tasks_.emplace_back(Task::Kind::Text, ";");
    }
    new_line();
    out_ += targets(scheduled.node);
    application(scheduled.node, scheduled.blocks);
}

void Writer::push_results(std::uint32_t region) {
    const bool many_lines = region != 0 && view_.has_generators(schedule_.blocks[region].id);
    for (std::size_t i = 0; i < results(region).size(); ++i) {
        const NodeId result = results(region)[i];
        if (i > 0) text(many_lines ? "," : ", ");
        if (i == 0 || many_lines) fresh_.emplace_back(Task::Kind::NewLine);
        if (i == 0 && region == 0) text("return ");
        if (g_.is_literal(result))
            text(literal_text(g_, result));
        else
            fresh_.emplace_back(Task::Kind::Expression, std::string(), result);
    }
    schedule_fresh();
}

void Writer::block(const std::string& label, std::uint32_t region) {
    const BlockId id = schedule_.blocks[region].id;
    out_ += label.empty() ? " {" : " " + label + " {";
    if (std::string operation = operator_name(id); !operation.empty()) {
        out_ += operation + "}";
        return;
    }
    open(region);
    std::string params;
    for (NodeId param : g_.params(id))
        params += (params.empty() ? " |" : ", ") + name(param);
    if (!params.empty()) params += "|";
    const bool no_lines = opened_.back().lines.empty();
    std::optional<std::string> whole =
        no_lines && !view_.has_generators(id) ? std::optional(params) : std::nullopt;
    for (std::size_t i = 0; i < g_.results(id).size() && whole; ++i) {
        std::optional<std::string> part = short_text(g_.results(id)[i], short_depth);
        if (part)
            *whole += (i ? ", " : " ") + *part;
        else
            whole.reset();
    }
    if (whole && column() + whole->size() + 2 <= line_width) {
        for (const std::string& name : opened_.back().names)
            names_.release(name);
        opened_.pop_back();
        out_ += *whole + (whole->empty() ? "}" : " }");
        return;
    }
    out_ += params;
    tasks_.emplace_back(Task::Kind::Close);
    push_results(region);
    tasks_.emplace_back(Task::Kind::Lines);
}

// `add` where the block is { |%a, %b| add(%a, %b) }.
std::string Writer::operator_name(BlockId block) const {
    if (g_[block].params != 2 || g_[block].results != 1 || g_[block].entry) return {};
    const NodeId n = g_.results(block)[0];
    const bool call = g_.core(n) == Core::Call;
    if (g_.is_param(n) || (g_.core(n) != Core::None && !call) || g_[n].blocks > 0) return {};
    if (!std::ranges::equal(g_.operands(n), g_.params(block)) || (!call && !g_.attrs(n).empty()))
        return {};
    return head_text(g_, n).substr(0, head_text(g_, n).size() - 1);
}

// -- nodes
// ------------------------------------------------------------------------------------------

void Writer::application(NodeId n, std::span<const std::uint32_t> blocks) {
    const Operation& operation = g_.operation(n);
    text(head_text(g_, n));
    const std::vector<NodeId> operands = order_.operands(n);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const NodeId operand = operands[i];
        text(separator_text(g_, n, i));
        if (g_.is_literal(operand))
            text(literal_text(g_, n, i));
        else
            fresh_.emplace_back(Task::Kind::Expression, std::string(), operand);
    }
    text(tail_text(g_, n));
    for (std::size_t k = 0; k < g_.blocks(n).size(); ++k) {
        const Block& block = g_[g_.blocks(n)[k]];
        const bool empty = block.params == 0 && block.results == 0 && !block.entry;
        if (empty && operation.signature.blocks[k].optional) continue; // reading adds it
        Task& task = fresh_.emplace_back(Task::Kind::Block);
        if (SymbolId label = operation.signature.blocks[k].label)
            task.text = context_.symbols[label];
        task.region = blocks[k];
    }
    schedule_fresh();
}

std::span<const std::uint32_t> Writer::structure_blocks(NodeId n) const {
    const std::vector<ScheduledNode>& structure = opened_.back().structure;
    auto it = std::ranges::lower_bound(structure, n, {}, &ScheduledNode::node);
    return it == structure.end() || it->node != n ? std::span<const std::uint32_t>() : it->blocks;
}

// The text of a value or of an emission without blocks, if it is of modest size.
std::optional<std::string> Writer::short_text(NodeId n, unsigned depth) const {
    if (g_.is_literal(n)) return literal_text(g_, n);
    if (!is_in_place(n)) return "%" + name_[n.index];
    if (depth == 0 || g_[n].blocks > 0) return std::nullopt;
    std::string whole = head_text(g_, n);
    const std::vector<NodeId> operands = order_.operands(n);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const NodeId operand = operands[i];
        if (!g_.is_literal(operand) && !is_in_place(operand) && name_[operand.index].empty())
            return std::nullopt;
        std::optional<std::string> part =
            g_.is_literal(operand) ? literal_text(g_, n, i) : short_text(operand, depth - 1);
        if (!part || whole.size() > line_width) return std::nullopt;
        whole += separator_text(g_, n, i) + *part;
    }
    return whole + tail_text(g_, n);
}

NodeId Writer::projection(NodeId n, std::size_t k) const {
    auto it = projections_.find(key(n.index, static_cast<std::uint32_t>(k)));
    return it == projections_.end() ? NodeId{} : it->second;
}

// A user's name is taken when the block is opened, so that no block inside it takes the same.
void Writer::keep_name(NodeId n) {
    auto keep = [&](NodeId value) {
        if (!names_.is_usable(g_.name(value))) return; // keeps its number, if it has one
        opened_.back().names.push_back(name_[value.index] = names_.take(g_.name(value)));
    };
    if (g_.kind(n) != TypeKind::Results) return keep(n);
    for (std::size_t k = 0; k < g_.result_count(n); ++k)
        if (NodeId value = projection(n, k)) keep(value);
}

std::string Writer::name(NodeId n) {
    std::string& name = name_[n.index];
    if (name.empty()) opened_.back().names.push_back(name = names_.take({}));
    return "%" + name;
}

std::string Writer::targets(NodeId n) {
    std::string text;
    const std::size_t count =
        g_.kind(n) == TypeKind::Unit && uses_[n.index] > 0 ? 1 : g_.result_count(n);
    std::span<const TypeId> parts;
    if (g_.kind(n) == TypeKind::Results) parts = context_.types.elements(g_.type(n));
    for (std::size_t k = 0; k < count; ++k) {
        const NodeId value = parts.empty() ? n : projection(n, k);
        if (k) text += ", ";
        text += value ? name(value) : "%" + names_.take({});
        text += annotation_text(g_, n, parts.empty() ? g_.type(n) : parts[k]);
    }
    return text.empty() ? text : text + " = ";
}

} // namespace

std::string print_ir(const Context& context, const Function& function) {
    return Writer(context, function).run();
}

std::string print_ir(const Context& context, const Module& module) {
    std::string text;
    for (TypeId type : module.structs) {
        text += "struct " + std::string(context.symbols[context.types.name(type)]) + " {";
        std::string separator = " ";
        for (const StructField& field : context.types.fields(type)) {
            text += separator + std::string(context.symbols[field.name]) + ": " +
                    context.types.text(field.type, context.symbols);
            separator = ", ";
        }
        text += " }\n";
    }
    for (const Function& function : module.functions) {
        if (!text.empty()) text += '\n';
        text += print_ir(context, function);
    }
    return text;
}

} // namespace irrewrite::printers
