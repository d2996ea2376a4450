// Nodes in printed IR: what a line names, what it applies to what.
#include "printers/ir/ir_text.hpp"
#include "printers/ir/ir_writer.hpp"

#include <algorithm>

namespace irrewrite::printers {

namespace {
constexpr std::size_t long_text = 80; // longer ones are not inlined into a block on one line
std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
} // namespace

// By how many operands, results and blocks each node is used; what only orders effects is none.
void IrWriter::count_uses() {
    const std::vector<bool> reached = view_.reached(function_);
    for (NodeId n : function_.results) ++uses_[n.index];
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
        const NodeId n{i};
        if (!reached[i] || g_.is_param(n)) continue;
        if (g_.is_project(n)) projections_[key(g_.operand(n, 0).index, g_.position(n))] = n;
        for (NodeId operand : g_.operands(n))
            if (g_.core(n) != Core::Await || g_.kind(operand) != TypeKind::Unit) ++uses_[operand.index];
        for (BlockId block : g_.blocks(n))
            for (NodeId result : g_.results(block)) ++uses_[result.index];
    }
}

// Goes on with what is still to be written of an application; nested ones come in between.
void IrWriter::application(Frame frame) {
    const NodeId n = frame.node;
    const auto operands = static_cast<std::uint32_t>(g_.operands(n).size());
    if (frame.next == 0) {
        const std::size_t begin = out_.size();
        append_head(out_, g_, n);
        mention_head(out_, begin, n, owner());
    }
    for (std::uint32_t i = frame.next; i < operands; ++i) {
        append_separator(out_, g_, n, i);
        const NodeId operand = order_->operand(n, i);
        if (g_.is_literal(operand)) {
            append_operand(out_, g_, n, i);
        } else if (is_in_place(operand)) {
            frame.next = i + 1;
            frames_.push_back(frame);
            frames_.push_back({.kind = Frame::Kind::Application, .node = operand});
            return;
        } else {
            name(operand);
        }
    }
    if (frame.next <= operands) append_tail(out_, g_, n);
    const Operation& operation = g_.operation(n);
    for (std::uint32_t k = frame.next <= operands ? 0 : frame.next - operands - 1; k < g_.blocks(n).size(); ++k) {
        const Block& block = g_[g_.blocks(n)[k]];
        const bool empty = block.params == 0 && block.results == 0 && !block.entry;
        if (empty && operation.signature.blocks[k].optional) continue; // reading adds it
        const std::uint32_t region = block_regions(frame)[k];
        frame.next = operands + k + 2;
        frames_.push_back(frame);
        return this->block(n, operation.signature.blocks[k].label, region);
    }
}

std::span<const std::uint32_t> IrWriter::block_regions(const Frame& frame) const {
    const Open& top = opened_.back();
    if (frame.line) return top.lines[top.next - 1].blocks;
    auto it = std::ranges::lower_bound(top.structure, frame.node, {}, &ScheduledNode::node);
    return it == top.structure.end() || it->node != frame.node ? std::span<const std::uint32_t>() : it->blocks;
}

// The text of a value or of an emission without blocks, if it is of modest size.
bool IrWriter::append_short(std::string& text, NodeId n, unsigned depth) const {
    if (g_.is_literal(n)) {
        append_literal(text, g_, n);
        return true;
    }
    const std::size_t begin = text.size();
    if (!is_in_place(n)) {
        text += '%';
        names_.append(text, name_[n.index]);
        mention(Mention::Kind::Use, text, begin, n, owner());
        return true;
    }
    if (depth == 0 || g_[n].blocks > 0) return false;
    append_head(text, g_, n);
    mention_head(text, begin, n, owner());
    for (std::size_t i = 0; i < g_.operands(n).size(); ++i) {
        const NodeId operand = order_->operand(n, i);
        const bool literal = g_.is_literal(operand);
        if ((!literal && !is_in_place(operand) && !name_[operand.index]) || text.size() > long_text) return false;
        append_separator(text, g_, n, i);
        if (literal)
            append_operand(text, g_, n, i);
        else if (!append_short(text, operand, depth - 1))
            return false;
    }
    append_tail(text, g_, n);
    return true;
}

// -- names ----------------------------------------------------------------------------------------

NodeId IrWriter::projection(NodeId n, std::size_t k) const {
    auto it = projections_.find(key(n.index, static_cast<std::uint32_t>(k)));
    return it == projections_.end() ? NodeId{} : it->second;
}

// A user's name is taken when the block is opened, so that no block inside it takes the same. Where a block inside it
// computes the same value before this one does, it has the same name there.
void IrWriter::keep_name(NodeId n) {
    auto keep = [&](NodeId value) {
        if (!names_.is_usable(g_.name(value)) || kept_[value.index]) return; // keeps its number, if it has one
        kept_[value.index] = true;
        opened_.back().kept.push_back(value);
        opened_.back().names.push_back(name_[value.index] = names_.take_again(name_[value.index], g_.name(value)));
    };
    if (g_.kind(n) != TypeKind::Results) return keep(n);
    for (std::size_t k = 0; k < g_.result_count(n); ++k)
        if (NodeId value = projection(n, k)) keep(value);
}

void IrWriter::name(NodeId n, Mention::Kind kind) {
    IrName& name = name_[n.index];
    if (!name) opened_.back().names.push_back(name = names_.take({}));
    const std::size_t begin = out_.size();
    out_ += '%';
    names_.append(out_, name);
    mention(kind, out_, begin, n, owner());
}

// -- mentions -------------------------------------------------------------------------------------

// From `begin` to the end of the text.
void IrWriter::mention(Mention::Kind kind, const std::string& text, std::size_t begin, NodeId n, NodeId owner) const {
    if (!mentions_ || begin == text.size()) return;
    mentions_->push_back(
        {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text.size() - begin), n, owner});
}

// Without the bracket that ends it.
void IrWriter::mention_head(const std::string& text, std::size_t begin, NodeId n, NodeId owner) const {
    mention(Mention::Kind::Operation, text, begin, n, owner);
    if (mentions_ && begin < text.size() && std::string_view("({[").find(text.back()) != std::string_view::npos &&
        --mentions_->back().size == 0)
        mentions_->pop_back();
}

// Mentions of a text that was written apart: it now stands so much further on.
void IrWriter::move_mentions(std::size_t first, std::size_t by) const {
    if (!mentions_) return;
    for (std::size_t i = first; i < mentions_->size(); ++i) (*mentions_)[i].begin += static_cast<std::uint32_t>(by);
}

void IrWriter::targets(NodeId n) {
    const std::size_t count = g_.kind(n) == TypeKind::Unit && uses_[n.index] > 0 ? 1 : g_.result_count(n);
    std::span<const TypeId> parts;
    if (g_.kind(n) == TypeKind::Results) parts = context_.types.elements(g_.type(n));
    const bool annotated = count && is_annotated(g_, n);
    for (std::size_t k = 0; k < count; ++k) {
        const NodeId value = parts.empty() ? n : projection(n, k);
        if (k) out_ += ", ";
        if (value) {
            name(value, Mention::Kind::Definition);
        } else {
            const std::size_t begin = out_.size();
            out_ += '%';
            names_.append(out_, names_.take({}));
            mention(Mention::Kind::Definition, out_, begin, n, owner()); // a result that nobody uses
        }
        if (annotated) (out_ += ": ") += context_.types.text(parts.empty() ? g_.type(n) : parts[k], context_.symbols);
    }
    if (count) out_ += " = ";
}

} // namespace irrewrite::printers
