#include "printers/ir/print_ir.hpp"

#include "printers/ir/ir_text.hpp"
#include "printers/ir/ir_writer.hpp"
#include "printers/ir/region_lines.hpp"

#include <algorithm>

namespace irrewrite::printers {

namespace {
constexpr std::size_t line_width = 80;
constexpr std::size_t most_in_condition = 8;             // operations of an `else if`
constexpr std::uint32_t deepest_indent = 40;             // deeper blocks stand no further to the right
constexpr unsigned short_depth = 6;                      // of emissions in a block on one line
constexpr std::size_t piece_size = std::size_t{1} << 20; // bytes of text
} // namespace

IrWriter::IrWriter(const Context& context, const Function& function, std::string& out, std::vector<std::string>* pieces)
    : context_(context), function_(function), g_(function.graph), view_(g_), names_(context, function), out_(out),
      pieces_(pieces) {}

void IrWriter::run() {
    name_.resize(g_.size());
    header();
    if (function_.external) {
        out_ += function_.pure ? " pure\n" : "\n";
        return;
    }
    uses_.resize(g_.size());
    shown_in_.resize(g_.size());
    kept_.resize(g_.size());
    schedule_ = schedule_lazily(function_);
    order_.emplace(function_, schedule_);
    count_uses();
    out_ += " {";
    open(0, {});
    frames_.push_back({.kind = Frame::Kind::Close});
    frames_.push_back({.kind = Frame::Kind::Results});
    frames_.push_back({.kind = Frame::Kind::Lines});
    while (!frames_.empty()) {
        const Frame frame = frames_.back();
        frames_.pop_back();
        step(frame);
    }
    out_ += '\n';
}

void IrWriter::header() {
    out_ += function_.external ? "extern func @" : function_.local ? "local func @" : "func @";
    out_ += context_.symbols[function_.name];
    for (const Dimension& dimension : function_.dims) name_[dimension.node.index] = names_.take(dimension.name);
    out_ += '(';
    for (const Parameter& parameter : function_.params) {
        const IrName name = names_.take(parameter.name);
        if (&parameter != &function_.params.front()) out_ += ", ";
        const std::size_t begin = out_.size();
        out_ += '%';
        names_.append(out_, name);
        if (parameter.node) mention(Mention::Kind::Definition, out_, begin, parameter.node, {});
        out_ += parameter.consumed ? ": *" : ": ";
        out_ += context_.types.text(parameter.type, context_.symbols);
        if (parameter.node) name_[parameter.node.index] = name;
    }
    out_ += ')';
    for (std::size_t i = 0; i < function_.result_types.size(); ++i) {
        out_ += i ? ", " : " -> ";
        out_ += context_.types.text(function_.result_types[i], context_.symbols);
    }
}

void IrWriter::step(Frame frame) {
    switch (frame.kind) {
    case Frame::Kind::Lines: lines(); break;
    case Frame::Kind::Separator: out_ += ';'; break;
    case Frame::Kind::Results: results(frame.region, frame.next); break;
    case Frame::Kind::Application: application(frame); break;
    case Frame::Kind::Close: close(); break;
    case Frame::Kind::LeaveElse:
        --beside_;
        leave();
        break;
    }
}

void IrWriter::new_line() {
    if (pieces_ && out_.size() >= piece_size) {
        pieces_->push_back(std::move(out_));
        out_.clear();
        out_.reserve(piece_size + 2 * line_width);
    }
    out_ += '\n';
    out_.append(2 * std::min<std::size_t>(opened_.size() - beside_, deepest_indent), ' ');
}

std::span<const NodeId> IrWriter::results_of(std::uint32_t region) const {
    return region_results(function_, schedule_, region);
}

// -- blocks ---------------------------------------------------------------------------------------

void IrWriter::open(std::uint32_t region, NodeId owner) {
    RegionLines lines = region_lines(function_, schedule_, region, order_->ranks());
    Open& top = opened_.emplace_back(region, owner);
    top.structure = std::move(lines.structure);
    std::ranges::sort(top.structure, {}, &ScheduledNode::node);
    if (region == 0) std::vector<ScheduledNode>().swap(schedule_.blocks[0].nodes); // others may be written twice
    if (BlockId id = schedule_.blocks[region].id) name_params(id);
    // An emission may be written here and in blocks around: a value inlined there is inlined here too.
    for (NodeId n : lines.shown)
        if (shown_in_[n.index] != UINT32_MAX) shown_in_[n.index] = region + 1;
    auto in_place = [&](NodeId n) {
        return shown_in_[n.index] == region + 1 && uses_[n.index] == 1 && g_[n].blocks == 0 && !g_.has(n, TakesToken) &&
               g_.result_count(n) == 1 && !names_.is_usable(g_.name(n));
    };
    for (const ScheduledNode& line : lines.values) {
        if (in_place(line.node)) {
            shown_in_[line.node.index] = UINT32_MAX;
            top.in_place.push_back(line.node);
        } else
            keep_name(line.node);
    }
    top.lines = std::move(lines.values);
    std::erase_if(top.lines, [&](const ScheduledNode& line) {
        return shown_in_[line.node.index] == UINT32_MAX ||
               g_.core(line.node) == Core::Await; // a loop says it by itself
    });
}

void IrWriter::name_params(BlockId id) {
    const std::span<const NodeId> params = g_.params(id);
    auto [before, fresh] = param_names_.try_emplace(id, params.size());
    for (std::size_t i = 0; i < params.size(); ++i) {
        const IrName name = names_.take_again(before->second[i], g_.param_names(id)[i]);
        before.value()[i] = name_[params[i].index] = name;
        opened_.back().names.push_back(name);
    }
}

// Ends the block without a word.
void IrWriter::leave() {
    for (IrName name : opened_.back().names) names_.release(name);
    for (NodeId value : opened_.back().kept) kept_[value.index] = false;
    for (NodeId n : opened_.back().in_place) shown_in_[n.index] = 0;
    opened_.pop_back();
}

void IrWriter::close() {
    leave();
    new_line();
    out_ += '}';
}

void IrWriter::lines() {
    Open& top = opened_.back();
    if (top.next == top.lines.size()) return;
    const NodeId node = top.lines[top.next++].node;
    frames_.push_back({.kind = Frame::Kind::Lines});
    if (top.next == top.lines.size() && separated(top.region)) frames_.push_back({.kind = Frame::Kind::Separator});
    new_line();
    targets(node);
    application({.kind = Frame::Kind::Application, .line = true, .node = node});
}

// True if the results would read as a continuation of the line before them: line breaks are blanks.
bool IrWriter::separated(std::uint32_t region) const {
    if (region == 0 || results_of(region).empty()) return false;
    const NodeId first = results_of(region)[0];
    if (g_.is_literal(first)) return literal_text(g_, first).starts_with('-');
    const Core core = g_.core(first);
    return is_in_place(first) && (core == Core::Tuple || core == Core::List);
}

void IrWriter::results(std::uint32_t region, std::uint32_t next) {
    const bool many_lines = region != 0 && view_.has_generators(schedule_.blocks[region].id);
    for (std::span<const NodeId> list = results_of(region); next < list.size();) {
        const NodeId result = list[next];
        if (next > 0) out_ += many_lines ? "," : ", ";
        if (next == 0 || many_lines) new_line();
        if (next == 0 && region == 0) out_ += "return ";
        ++next;
        if (g_.is_literal(result)) {
            append_literal(out_, g_, result);
        } else if (is_in_place(result)) {
            frames_.push_back({.kind = Frame::Kind::Results, .next = next, .region = region});
            return application({.kind = Frame::Kind::Application, .node = result});
        } else {
            name(result);
        }
    }
}

void IrWriter::block(NodeId owner, SymbolId label, std::uint32_t region) {
    out_ += ' ';
    if (label) (out_ += context_.symbols[label]) += ' ';
    if (else_if(owner, label, region)) return;
    out_ += '{';
    const BlockId id = schedule_.blocks[region].id;
    if (operator_block(owner, id)) return;
    open(region, owner);
    const std::size_t first = mentions_ ? mentions_->size() : 0;
    std::string params;
    for (NodeId param : g_.params(id)) {
        params += params.empty() ? " |" : ", ";
        const std::size_t begin = params.size();
        params += '%';
        names_.append(params, name_[param.index]);
        mention(Mention::Kind::Definition, params, begin, param, owner);
    }
    if (!params.empty()) params += "|";
    const std::size_t of_params = mentions_ ? mentions_->size() : 0;
    const auto whole = short_block(region, params);
    if (!whole && mentions_) mentions_->resize(of_params);
    move_mentions(first, out_.size());
    if (whole) {
        leave();
        out_ += *whole;
        return;
    }
    out_ += params;
    frames_.push_back({.kind = Frame::Kind::Close});
    frames_.push_back({.kind = Frame::Kind::Results, .region = region});
    frames_.push_back({.kind = Frame::Kind::Lines});
}

// `else if(…) {…}`: the block is a conditional, and what its condition is made of.
bool IrWriter::else_if(NodeId owner, SymbolId label, std::uint32_t region) {
    const auto is_if = [&](NodeId n) {
        return g_.core(n) == Core::None && g_.operation(n).built_in && context_.symbols[g_.operation(n).name] == "if";
    };
    if (!label || context_.symbols[label] != "else" || !is_if(owner)) return false;
    open(region, owner);
    std::vector<ScheduledNode>& lines = opened_.back().lines;
    const NodeId inner = lines.empty() ? NodeId{} : lines.back().node;
    std::vector<NodeId> inside;
    const bool fits = inner && is_if(inner) && is_alone(inner, region) && in_condition(g_.operand(inner, 0), inside) &&
                      inside.size() + 1 == lines.size();
    if (!fits) {
        leave();
        return false;
    }
    for (NodeId n : inside) {
        shown_in_[n.index] = UINT32_MAX;
        opened_.back().in_place.push_back(n);
    }
    lines.erase(lines.begin(), lines.end() - 1);
    opened_.back().next = 1;
    ++beside_;
    frames_.push_back({.kind = Frame::Kind::LeaveElse});
    application({.kind = Frame::Kind::Application, .line = true, .node = inner});
    return true;
}

// True if all that the block gives is what the node gives, and nobody has a name for it.
bool IrWriter::is_alone(NodeId node, std::uint32_t region) const {
    const std::span<const NodeId> results = results_of(region);
    const bool several = g_.kind(node) == TypeKind::Results;
    if (results.size() != g_.result_count(node) || is_annotated(g_, node)) return false;
    for (std::size_t k = 0; k < results.size(); ++k)
        if (results[k] != (several ? projection(node, k) : node) || uses_[results[k].index] != 1 ||
            names_.is_usable(g_.name(results[k])))
            return false;
    return true;
}

// The values with lines in the present block that a condition is made of; false if one of them must keep its line.
bool IrWriter::in_condition(NodeId node, std::vector<NodeId>& inside) const {
    const std::vector<ScheduledNode>& lines = opened_.back().lines;
    const bool here = std::ranges::find(lines, node, &ScheduledNode::node) != lines.end();
    if (!here) return g_.is_literal(node) || name_[node.index] || is_in_place(node);
    const bool plain = uses_[node.index] == 1 && g_[node].blocks == 0 && !g_.has(node, TakesToken) &&
                       g_.result_count(node) == 1 && !names_.is_usable(g_.name(node)) && !is_annotated(g_, node) &&
                       inside.size() < most_in_condition;
    if (!plain) return false;
    inside.push_back(node);
    return std::ranges::all_of(g_.operands(node), [&](NodeId operand) { return in_condition(operand, inside); });
}

// The rest of a block that has no lines, behind its parameters, where it fits into the present line.
std::optional<std::string> IrWriter::short_block(std::uint32_t region, std::string text) {
    const BlockId id = schedule_.blocks[region].id;
    if (!opened_.back().lines.empty() || view_.has_generators(id)) return std::nullopt;
    for (std::size_t i = 0; i < g_.results(id).size(); ++i) {
        text += i ? ", " : " ";
        if (!append_short(text, g_.results(id)[i], short_depth) || text.size() > line_width) return std::nullopt;
    }
    const std::size_t column = out_.size() - (out_.rfind('\n') + 1);
    if (column + text.size() + 2 > line_width) return std::nullopt;
    return text + (text.empty() ? "}" : " }");
}

// `add}` where the block is { |%a, %b| add(%a, %b) }.
bool IrWriter::operator_block(NodeId owner, BlockId block) {
    if (g_[block].params != 2 || g_[block].results != 1 || g_[block].entry) return false;
    const NodeId n = g_.results(block)[0];
    const bool call = g_.core(n) == Core::Call;
    if (g_.is_param(n) || (g_.core(n) != Core::None && !call) || g_[n].blocks > 0) return false;
    if (!std::ranges::equal(g_.operands(n), g_.params(block)) || (!call && !g_.attrs(n).empty())) return false;
    const std::size_t begin = out_.size();
    append_head(out_, g_, n);
    mention_head(out_, begin, n, owner);
    out_.back() = '}'; // replaces the parenthesis
    return true;
}

// -- functions and modules ------------------------------------------------------------------------

std::string print_ir(const Context& context, const Function& function) {
    std::string text;
    IrWriter(context, function, text).run();
    return text;
}

std::string print_ir(const Context& context, const Function& function, std::vector<Mention>& mentions) {
    std::string text;
    IrWriter(context, function, text, mentions).run();
    return text;
}

std::vector<std::string> print_ir_pieces(const Context& context, const Module& module) {
    constexpr std::size_t of_a_node = 24; // bytes, more or less
    std::size_t nodes = 0;
    for (const Function& function : module.functions) nodes += function.graph.size();
    std::vector<std::string> pieces;
    std::string text;
    text.reserve(std::min(nodes * of_a_node, piece_size + 2 * line_width));
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
        if (!text.empty() || !pieces.empty()) text += '\n';
        IrWriter(context, function, text, &pieces).run();
    }
    pieces.push_back(std::move(text));
    return pieces;
}

std::string print_ir(const Context& context, const Module& module) {
    std::vector<std::string> pieces = print_ir_pieces(context, module);
    if (pieces.size() == 1) return std::move(pieces[0]);
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    return text;
}

} // namespace irrewrite::printers
