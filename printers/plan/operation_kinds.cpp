#include "printers/plan/operation_kinds.hpp"

#include <array>
#include <string_view>

namespace irrewrite::printers {
namespace {

struct KindName {
    std::string_view name;
    OpKind kind;
};
constexpr std::array<KindName, 39> kind_names = {{
    {"cast", OpKind::Cast},
    {"same", OpKind::Same},
    {"ensure", OpKind::Ensure},
    {"select", OpKind::Select},
    {"len", OpKind::Len},
    {"at", OpKind::At},
    {"update", OpKind::Update},
    {"copy", OpKind::Copy},
    {"loop", OpKind::Loop},
    {"if", OpKind::If},
    {"region", OpKind::Region},
    {"while", OpKind::While},
    {"for", OpKind::For},
    {"ref", OpKind::Ref},
    {"get", OpKind::Get},
    {"set", OpKind::Set},
    {"array", OpKind::MutArray},
    {"load", OpKind::Load},
    {"store", OpKind::Store},
    {"freeze", OpKind::Freeze},
    {"thaw", OpKind::Thaw},
    {"print", OpKind::Print},
    {"gen.collect", OpKind::Collect},
    {"gen.reduce", OpKind::Reduce},
    {"gen.fold", OpKind::Fold},
    {"gen.scan", OpKind::Scan},
    {"gen.running", OpKind::Running},
    {"gen.histogram", OpKind::Histogram},
    {"gen.scatter", OpKind::Scatter},
    {"gen.bucket", OpKind::Bucket},
    {"gen.first", OpKind::First},
    {"feed", OpKind::Feed},
    {"emit", OpKind::Emit},
    {"when", OpKind::When},
    {"each", OpKind::Each},
    {"both", OpKind::Both},
    {"bind", OpKind::Bind},
    {"gen.reversed", OpKind::Reversed},
    {"none", OpKind::None},
}};

} // namespace

OperationKinds operation_kinds(const Context& context) {
    OperationKinds kinds;
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        OpKind kind = OpKind::Plain;
        for (const KindName& entry : kind_names)
            if (operation.core == Core::None && operation.built_in && context.symbols[operation.name] == entry.name)
                kind = entry.kind;
        kinds.push_back(kind);
    }
    return kinds;
}

OpKind kind_of(const OperationKinds& kinds, const Graph& graph, NodeId node) {
    if (graph.is_param(node) || graph.is_literal(node) || graph.core(node) != Core::None) return OpKind::None;
    return kinds[graph.op(node).index];
}

} // namespace irrewrite::printers
