#include "printers/graph/print_json.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/scalars.hpp"
#include "printers/ir/region_lines.hpp"
#include "printers/ir/text_order.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace irrewrite::printers {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t deepest_json_indent = 40;

std::string dump(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

class JsonWriter {
  public:
    JsonWriter(const Context& context, const Function& function)
        : context_(context), function_(function), g_(function.graph), view_(g_), schedule_(schedule_lazily(function)),
          id_(g_.size(), none) {}

    std::string run();

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct Frame { // a block being written, or a node whose blocks are
        std::uint32_t region;
        std::vector<ScheduledNode> lines; // of the block
        // Whose ids end with the block, and what they were before: an equal emission may stand around it.
        std::vector<std::pair<NodeId, std::uint32_t>> named{};
        std::size_t next = 0, child = 0;
    };

    std::string text(SymbolId symbol) const { return symbol ? std::string(context_.symbols[symbol]) : std::string(); }
    std::string type(TypeId type) const { return context_.types.text(type, context_.symbols); }
    std::uint32_t define(NodeId node);
    Json header();
    void open(std::uint32_t region);
    void step();
    void begin_line(const ScheduledNode& line);
    void end_line(const ScheduledNode& line);
    void need(NodeId value);
    void close_block();
    std::string ids(std::span<const NodeId> values) const;
    Json attributes(NodeId node) const;
    Json params(BlockId block);
    std::string first_half(NodeId node);
    std::string second_half(NodeId node) const;
    void new_line();

    const Context& context_;
    const Function& function_;
    const Graph& g_;
    GraphView view_;
    Schedule schedule_;
    TextOrder order_{function_, schedule_};
    std::vector<std::uint32_t> id_;
    tsl::robin_map<NodeId, std::vector<NodeId>, std::hash<NodeId>> projections_; // that are used
    std::uint32_t next_id_ = 0;
    std::vector<Frame> frames_;
    std::string out_, results_;
    bool first_ = true; // in its list
};

std::uint32_t JsonWriter::define(NodeId n) {
    if (!frames_.empty()) frames_.back().named.emplace_back(n, id_[n.index]);
    return id_[n.index] = next_id_++;
}

Json JsonWriter::header() {
    Json json;
    json["name"] = text(function_.name);
    json["local"] = function_.local, json["extern"] = function_.external, json["pure"] = function_.pure;
    json["params"] = Json::array(), json["dims"] = Json::array(), json["result_types"] = Json::array();
    for (const Parameter& parameter : function_.params) {
        const std::uint32_t id = parameter.node ? define(parameter.node) : next_id_++;
        json["params"].push_back({{"id", id}, {"name", text(parameter.name)}, {"type", type(parameter.type)}});
        if (parameter.consumed) json["params"].back()["consumed"] = true;
    }
    for (const Dimension& d : function_.dims)
        json["dims"].push_back(
            {{"id", define(d.node)}, {"name", text(d.name)}, {"param", d.param}, {"depth", d.depth}});
    for (TypeId t : function_.result_types) json["result_types"].push_back(type(t));
    return json;
}

std::string JsonWriter::run() {
    const std::vector<bool> reached = view_.reached(function_);
    for (std::uint32_t i = 0; i < reached.size(); ++i)
        if (reached[i] && g_.is_project({i})) projections_[g_.operand({i}, 0)].push_back({i});
    for (auto it = projections_.begin(); it != projections_.end(); ++it) // whichever was asked for first
        std::ranges::sort(it.value(), {}, [&](NodeId n) { return g_.position(n); });
    std::string head = dump(header());
    head.pop_back();
    open(0);
    while (!frames_.empty()) step();
    return "    " + head + ", \"results\": " + results_ + ", \"nodes\": [" + out_ + "]}";
}

void JsonWriter::new_line() {
    out_ += first_ ? "\n" : ",\n";
    out_.append(4 + 2 * std::min(frames_.size(), deepest_json_indent), ' ');
    first_ = false;
}

void JsonWriter::open(std::uint32_t region) {
    RegionLines lines = region_lines(function_, schedule_, region, order_.ranks());
    Frame& frame = frames_.emplace_back();
    frame.region = region;
    frame.lines = std::move(lines.values);
    std::move(lines.structure.begin(), lines.structure.end(), std::back_inserter(frame.lines));
    first_ = true;
}

void JsonWriter::step() {
    const std::size_t at = frames_.size() - 1;
    if (frames_[at].next == frames_[at].lines.size()) return close_block();
    const ScheduledNode line = frames_[at].lines[frames_[at].next];
    if (frames_[at].child == 0) begin_line(line);
    if (frames_[at].child == line.blocks.size()) return end_line(line);
    const std::size_t k = frames_[at].child++;
    const BlockId block = g_.blocks(line.node)[k];
    const std::vector<BlockSignature>& signature = g_.operation(line.node).signature.blocks;
    out_ += k ? ", {" : "{";
    if (k < signature.size() && signature[k].label) out_ += "\"label\": " + dump(text(signature[k].label)) + ", ";
    open(line.blocks[k]);
    out_ += "\"params\": " + dump(params(block)) + ", \"nodes\": [";
}

void JsonWriter::begin_line(const ScheduledNode& line) {
    for (NodeId operand : order_.operands(line.node)) need(operand);
    new_line();
    out_ += first_half(line.node);
}

void JsonWriter::end_line(const ScheduledNode& line) {
    out_ += second_half(line.node);
    first_ = false;
    if (auto it = projections_.find(line.node); it != projections_.end())
        for (NodeId projection : it->second) need(projection);
    ++frames_.back().next;
    frames_.back().child = 0;
}

// Literals stand before their first user in a block, projections behind their node.
void JsonWriter::need(NodeId value) {
    std::vector<NodeId> path{value};
    while (g_.is_project(path.back()) && id_[path.back().index] == none) path.push_back(g_.operand(path.back(), 0));
    for (; !path.empty(); path.pop_back()) {
        const NodeId n = path.back();
        if (id_[n.index] != none || (!g_.is_literal(n) && !g_.is_project(n))) continue;
        new_line();
        out_ += first_half(n) + second_half(n);
    }
}

void JsonWriter::close_block() {
    const std::uint32_t region = frames_.back().region;
    std::span<const NodeId> results = region_results(function_, schedule_, region);
    for (NodeId result : results) need(result);
    if (frames_.size() == 1)
        results_ = ids(results);
    else
        out_ += "], \"results\": " + ids(results) + "}";
    for (std::size_t i = frames_.back().named.size(); i-- > 0;)
        id_[frames_.back().named[i].first.index] = frames_.back().named[i].second;
    frames_.pop_back();
}

std::string JsonWriter::ids(std::span<const NodeId> values) const {
    std::string text = "[";
    for (NodeId value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(id_[value.index]);
    return text + "]";
}

Json JsonWriter::attributes(NodeId n) const {
    Json list = Json::array();
    for (const AttrValue& value : g_.attrs(n)) switch (value.kind) {
        case AttrValue::Kind::Number:
            list.push_back(
                {{"number", scalar_text(context_.types.kind(value.type), value.bits)}, {"type", type(value.type)}});
            break;
        case AttrValue::Kind::Text: list.push_back({{"text", escape(context_.symbols[value.text()])}}); break;
        case AttrValue::Kind::Type: list.push_back({{"type", type(value.type)}}); break;
        }
    return list;
}

Json JsonWriter::params(BlockId block) {
    Json list = Json::array();
    for (std::size_t i = 0; i < g_.params(block).size(); ++i) {
        const NodeId param = g_.params(block)[i];
        list.push_back(
            {{"id", define(param)}, {"name", text(g_.param_names(block)[i])}, {"type", type(g_.type(param))}});
    }
    return list;
}

std::string JsonWriter::first_half(NodeId n) {
    std::string text = "{\"id\": " + std::to_string(define(n)) + ", \"op\": " + dump(this->text(g_.operation(n).name));
    if (SymbolId name = g_.name(n)) text += ", \"name\": " + dump(this->text(name));
    return text + ", \"attrs\": " + dump(attributes(n)) + ", \"operands\": " + ids(order_.operands(n)) +
           ", \"blocks\": [";
}

std::string JsonWriter::second_half(NodeId n) const { return "], \"type\": " + dump(type(g_.type(n))) + "}"; }

} // namespace

std::string print_json(const Context& context, const Module& module) {
    Json structs = Json::array();
    for (TypeId type : module.structs) {
        Json fields = Json::array();
        for (const StructField& field : context.types.fields(type))
            fields.push_back(
                {{"name", context.symbols[field.name]}, {"type", context.types.text(field.type, context.symbols)}});
        structs.push_back({{"name", context.symbols[context.types.name(type)]}, {"fields", fields}});
    }
    std::string text = "{\n  \"structs\": " + dump(structs) + ",\n  \"functions\": [\n";
    for (const Function& function : module.functions)
        text += JsonWriter(context, function).run() + (&function == &module.functions.back() ? "\n" : ",\n");
    return text + "  ]\n}\n";
}

} // namespace irrewrite::printers
