// Writes one function as IR. Inner to printers/ir/print_ir.cpp.
//
// A machine with an explicit stack, so that nesting is no limit: `frames_` holds the pieces still to be written, the
// next one on top. Text goes straight to the output.
#pragma once

#include "engine/analysis/regions.hpp"
#include "engine/schedule/schedule.hpp"
#include "engine/support/hash.hpp"
#include "printers/ir/ir_names.hpp"
#include "printers/ir/print_ir.hpp"
#include "printers/ir/text_order.hpp"

#include <optional>

namespace irrewrite::printers {

class IrWriter {
  public:
    // `pieces`: takes the text from time to time, so that a long text need not be contiguous.
    IrWriter(const Context& context, const Function& function, std::string& out,
             std::vector<std::string>* pieces = nullptr);
    // Or: notes which nodes the text mentions.
    IrWriter(const Context& context, const Function& function, std::string& out, std::vector<Mention>& mentions)
        : IrWriter(context, function, out) {
        mentions_ = &mentions;
    }
    void run();

  private:
    struct Frame {
        enum class Kind : std::uint8_t { Lines, Separator, Results, Application, Close, LeaveElse } kind;
        bool line = false;        // Application: it has a line of its own
        NodeId node{};            // Application
        std::uint32_t next = 0;   // Application: operands, the tail, blocks; Results: results
        std::uint32_t region = 0; // Results
    };
    struct Open { // a block being written
        Open(std::uint32_t r, NodeId of) : region(r), owner(of) {}
        std::uint32_t region;
        NodeId owner;                                // the node whose block it is
        std::vector<ScheduledNode> lines, structure; // those with lines of their own; the others
        std::vector<NodeId> in_place;                // values without a line, where their one user stands
        std::vector<NodeId> kept;                    // values whose own names were taken here
        std::vector<IrName> names;                   // released at its end
        std::size_t next = 0;                        // line
    };

    void header();
    void step(Frame frame);
    // -- blocks
    void open(std::uint32_t region, NodeId owner);
    void name_params(BlockId block);
    void block(NodeId owner, SymbolId label, std::uint32_t region);
    std::optional<std::string> short_block(std::uint32_t region, std::string text);
    bool operator_block(NodeId owner, BlockId block);
    bool else_if(NodeId around, SymbolId label, std::uint32_t region);
    bool is_alone(NodeId node, std::uint32_t region) const;
    bool in_condition(NodeId node, std::vector<NodeId>& inside) const;
    void lines();
    void leave();
    void close();
    void results(std::uint32_t region, std::uint32_t next);
    bool separated(std::uint32_t region) const;
    // -- nodes (print_ir_nodes.cpp)
    void count_uses();
    void application(Frame frame);
    void operand(NodeId user, std::size_t i);
    std::span<const std::uint32_t> block_regions(const Frame& frame) const;
    bool append_short(std::string& text, NodeId node, unsigned depth) const;
    void targets(NodeId node);
    void name(NodeId node, Mention::Kind kind = Mention::Kind::Use);
    void keep_name(NodeId node);
    NodeId projection(NodeId node, std::size_t k) const;

    bool is_in_place(NodeId n) const {
        return view_.is_structure(n) || (view_.is_computed(n) && shown_in_[n.index] == UINT32_MAX);
    }
    std::span<const NodeId> results_of(std::uint32_t region) const;
    void new_line();
    // -- mentions
    NodeId owner() const { return opened_.empty() ? NodeId{} : opened_.back().owner; }
    void mention(Mention::Kind kind, const std::string& text, std::size_t begin, NodeId node, NodeId owner) const;
    void mention_head(const std::string& text, std::size_t begin, NodeId node, NodeId owner) const;
    void move_mentions(std::size_t first, std::size_t by) const;

    const Context& context_;
    const Function& function_;
    const Graph& g_;
    GraphView view_;
    Schedule schedule_;
    std::optional<TextOrder> order_;
    IrNames names_;
    std::vector<IrName> name_; // by node: in the block being written
    tsl::robin_map<BlockId, std::vector<IrName>, std::hash<BlockId>> param_names_; // given last
    std::vector<bool> kept_;              // by node: its name is one of a block that is open
    std::vector<std::uint32_t> uses_;     // by node
    std::vector<std::uint32_t> shown_in_; // region + 1 whose results show the node; UINT32_MAX: in place
    tsl::robin_map<std::uint64_t, NodeId, PairHash> projections_;
    std::vector<Frame> frames_;
    std::vector<Open> opened_;
    std::size_t beside_ = 0; // of those: blocks of `else if`, which stand no further to the right
    std::string& out_;
    std::vector<std::string>* pieces_;
    std::vector<Mention>* mentions_ = nullptr;
};

} // namespace irrewrite::printers
