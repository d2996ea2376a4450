// Builds one function's body from JSON.
#pragma once

#include "engine/ir/builder.hpp"
#include "engine/ir/module.hpp"
#include "grammar/json/json_fields.hpp"

namespace irrewrite::grammar {

class JsonBody {
  public:
    JsonBody(Context& context, JsonTypes& types, const Module& module, Function& function)
        : context_(context), types_(types), module_(module), function_(function), graph_(function.graph),
          builder_(graph_) {}

    // A parameter's or dimension's id. False when it is taken.
    bool define(std::uint32_t id, NodeId node) { return values_.try_emplace(id, node).second; }
    // Builds results and tokens; false: `error()` says why.
    bool run(const Json& function);
    const std::string& error() const { return error_; }
    const Json* place() const { return place_; } // of the error
    // The first line that made a node with effects, or memory; none of others.
    const Json* line(NodeId node) const {
        auto it = lines_.find(node);
        return it == lines_.end() ? nullptr : it->second;
    }

  private:
    struct Frame { // a block
        const Json* block;
        const Json* nodes;
        std::optional<Builder::Open> open; // none: the function itself
        std::vector<SymbolId> names;
        std::vector<std::uint32_t> ids; // that end with it
        std::vector<BlockId> blocks;    // of the node being read
        std::size_t next = 0;
    };
    struct Parts { // of a node
        const Json* json;
        std::vector<NodeId> operands;
        std::vector<AttrValue> attributes;
        TypeId type;
    };

    bool fail(std::string text);
    bool step();
    bool open(const Json& block);
    bool close();
    bool define_here(std::uint32_t id, NodeId node);
    std::optional<std::vector<NodeId>> values(const Json& object, const char* key);
    bool attribute(const Json& json, std::vector<AttrValue>& list);
    bool node(const Json& json, const std::vector<BlockId>& blocks);
    std::optional<NodeId> make(Parts& parts, const std::vector<BlockId>& blocks);
    std::optional<NodeId> make_core(Core core, Parts& parts);
    std::optional<NodeId> part(Core core, const Parts& parts);
    std::optional<NodeId> gathered(Core core, Parts& parts);
    std::optional<NodeId> call(Parts& parts);
    std::optional<NodeId> application(Parts& parts, const std::vector<BlockId>& blocks);
    std::optional<OpId> operation(const Parts& parts) const;
    bool fits(const Operation& operation, const Parts& parts);
    bool blocks_fit(OpId op, AttrId attrs, const Parts& parts, const std::vector<BlockId>& blocks);

    Context& context_;
    JsonTypes& types_;
    const Module& module_;
    Function& function_;
    Graph& graph_;
    Builder builder_;
    tsl::robin_map<std::uint32_t, NodeId> values_;
    std::vector<Frame> frames_;
    tsl::robin_map<NodeId, const Json*, std::hash<NodeId>> lines_;
    std::string error_;
    const Json *now_ = nullptr, *place_ = nullptr; // what is being read; where it went wrong
};

} // namespace irrewrite::grammar
