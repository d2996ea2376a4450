#include "printers/graph/print_dot.hpp"

#include "printers/graph/effect_edges.hpp"
#include "printers/ir/ir_text.hpp"
#include "printers/ir/region_lines.hpp"

#include <algorithm>

namespace irrewrite::printers {

namespace {

constexpr std::size_t deepest_indent = 40;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + '"';
}

class DotWriter {
  public:
    DotWriter(const Context& context, const Function& function, std::string prefix)
        : context_(context), function_(function), g_(function.graph), view_(g_), schedule_(schedule(function)),
          effects_(function), prefix_(std::move(prefix)), vertex_(g_.size()) {}

    std::string run();

  private:
    struct Frame {
        std::uint32_t region;
        EffectEdges effects;
        std::vector<ScheduledNode> lines{};
        std::vector<NodeId> named{}; // whose vertices end with the block
        std::size_t next = 0, child = 0;
    };

    void open(std::uint32_t region, const std::string& label);
    void step();
    void close();
    void results(std::uint32_t region);
    void vertex(NodeId node, const std::string& label, const char* shape);
    void dependences(NodeId node);
    void edge(NodeId from, const std::string& to, const char* style);
    std::string label(NodeId node) const;
    void line(const std::string& text) {
        out_.append(2 * std::min(frames_.size() + 1, deepest_indent), ' ').append(text).append("\n");
    }

    const Context& context_;
    const Function& function_;
    const Graph& g_;
    GraphView view_;
    Schedule schedule_;
    Effects effects_;
    std::string prefix_;
    std::vector<std::string> vertex_; // by node: its vertex in the blocks being written
    std::vector<Frame> frames_;
    std::size_t count_ = 0;
    std::string out_;
    std::vector<std::string> edges_;
};

std::string DotWriter::run() {
    open(0, "@" + std::string(context_.symbols[function_.name]));
    for (const Parameter& parameter : function_.params)
        if (parameter.node) vertex(parameter.node, "%" + std::string(context_.symbols[parameter.name]), "ellipse");
    for (const Dimension& dimension : function_.dims)
        vertex(dimension.node, "%" + std::string(context_.symbols[dimension.name]), "ellipse");
    while (!frames_.empty()) step();
    for (const std::string& edge : edges_) out_ += "  " + edge + "\n";
    return std::move(out_);
}

void DotWriter::open(std::uint32_t region, const std::string& label) {
    RegionLines lines = region_lines(function_, schedule_, region);
    line("subgraph " + quoted("cluster_" + prefix_ + std::to_string(count_++)) + " {");
    Frame& frame = frames_.emplace_back(Frame{.region = region, .effects = EffectEdges(effects_)});
    frame.lines = std::move(lines.values);
    std::move(lines.structure.begin(), lines.structure.end(), std::back_inserter(frame.lines));
    line("label=" + quoted(label) + ";");
}

void DotWriter::step() {
    const std::size_t at = frames_.size() - 1;
    if (frames_[at].next == frames_[at].lines.size()) return close();
    const ScheduledNode scheduled = frames_[at].lines[frames_[at].next];
    const NodeId n = scheduled.node;
    if (frames_[at].child == 0) {
        vertex(n, label(n), view_.is_structure(n) ? "hexagon" : "box");
        dependences(n);
    }
    if (frames_[at].child == scheduled.blocks.size()) {
        ++frames_[at].next, frames_[at].child = 0;
        return;
    }
    const std::size_t k = frames_[at].child++;
    const std::vector<BlockSignature>& signature = g_.operation(n).signature.blocks;
    const SymbolId name = k < signature.size() ? signature[k].label : SymbolId{};
    open(scheduled.blocks[k], label(n) + (name ? " " + std::string(context_.symbols[name]) : ""));
    const BlockId block = g_.blocks(n)[k];
    for (std::size_t i = 0; i < g_.params(block).size(); ++i) {
        const SymbolId param = g_.param_names(block)[i];
        vertex(g_.params(block)[i], "%" + (param ? std::string(context_.symbols[param]) : std::to_string(i)),
               "ellipse");
        edges_.push_back(vertex_[n.index] + " -> " + vertex_[g_.params(block)[i].index] + " [style=dotted];");
    }
}

void DotWriter::results(std::uint32_t region) {
    std::span<const NodeId> values = region_results(function_, schedule_, region);
    if (values.empty()) return;
    const std::string result = quoted(prefix_ + std::to_string(count_++));
    line(result + " [label=\"results\", shape=plaintext];");
    for (NodeId value : values) edge(value, result, "solid");
}

void DotWriter::close() {
    results(frames_.back().region);
    for (NodeId n : frames_.back().named) vertex_[n.index].clear();
    frames_.pop_back();
    line("}");
}

void DotWriter::vertex(NodeId n, const std::string& label, const char* shape) {
    vertex_[n.index] = quoted(prefix_ + std::to_string(count_++));
    frames_.back().named.push_back(n);
    line(vertex_[n.index] + " [label=" + quoted(label) + ", shape=" + shape + "];");
}

void DotWriter::dependences(NodeId n) {
    const std::string& to = vertex_[n.index];
    for (NodeId operand : g_.operands(n)) edge(operand, to, "solid");
    if (!g_.has(n, TakesToken)) return;
    for (const EffectEdges::Edge& before : frames_.back().effects.next(n))
        edge(before.from, to, before.anti ? "dashed" : "bold");
}

void DotWriter::edge(NodeId from, const std::string& to, const char* style) {
    from = view_.source(from);
    if (!g_.is_literal(from) && !vertex_[from.index].empty())
        edges_.push_back(vertex_[from.index] + " -> " + to + " [style=" + style + "];");
}

// The operation, with the literals among its operands: `mul _ 2.0`.
std::string DotWriter::label(NodeId n) const {
    std::string text(g_.core(n) == Core::Call ? context_.symbols[g_.attrs(n)[0].text()]
                                              : context_.symbols[g_.operation(n).name]);
    if (g_.core(n) == Core::None) text += attributes_text(g_, n);
    if (SymbolId name = g_.name(n)) text = "%" + std::string(context_.symbols[name]) + " = " + text;
    std::span<const NodeId> operands = g_.operands(n);
    if (operands.size() > 8 || std::ranges::none_of(operands, [&](NodeId o) { return g_.is_literal(o); })) return text;
    for (NodeId operand : operands) text += g_.is_literal(operand) ? " " + literal_text(g_, operand) : " _";
    return text;
}

} // namespace

std::string print_dot(const Context& context, const Module& module) {
    std::string text = "digraph ir {\n  compound=true;\n  node [fontname=\"monospace\"];\n";
    std::size_t number = 0;
    for (const Function& function : module.functions)
        if (!function.external) text += DotWriter(context, function, "f" + std::to_string(number++) + "_").run();
    return text + "}\n";
}

} // namespace irrewrite::printers
