// The data of the C++ printer: what the functions of a module share, and values as they are stored.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/schedule/schedule.hpp"
#include "printers/c_like/function/environment.hpp"
#include "printers/c_like/function/text_module.hpp"
#include "printers/cpp/cpp.hpp"
#include "printers/cpp/cpp_types.hpp"
#include "printers/cpp/kernel.hpp"
#include "printers/plan/loop_model.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace irrewrite::printers {

// The form in which kernels may call a function.
enum class OnDeviceAs : std::uint8_t {
    None,   // it is the host's alone
    Shared, // one text for both sides: it works on scalars
    Apart,  // a text of its own, which reads arrays where the device has them
};

class CppFunction;
class DeviceCode;
using DevicePrinting = std::function<std::unique_ptr<DeviceCode>(CppFunction&)>;

// Data that all functions of a module share.
struct CppModule : TextModule {
    const CppOptions& options;
    DevicePrinting device{}; // none: for the host alone
    CppTypes types;
    std::vector<TypeId> structs; // each behind those that stand in it
    std::unordered_set<TypeId> added_structs;
    std::vector<LoopNote> notes;
    std::vector<PlanNote> plans;
    std::map<std::pair<SymbolId, NodeId>, bool> copies; // by function and node: one is made
    std::map<std::pair<SymbolId, NodeId>, bool> stored; // likewise of arrays that are handed on
    Names names; // that stand beside the helpers: structs, functions, what threads of loops carry
    Names helper_names = Names::within(names);
    std::unordered_map<SymbolId, std::string> device_names;            // for kernels, what stands apart
    mutable std::unordered_map<SymbolId, OnDeviceAs> device_functions; // likewise, what is known
    mutable std::unordered_map<SymbolId, bool> giving_up;
    std::set<SymbolId> called;              // for what they return
    std::vector<SymbolId> called_appending; // each once
    std::unordered_map<SymbolId, std::string> appending_names;
    std::vector<SymbolId> called_on_device; // of what stands apart, each once

    CppModule(const Context& context, const Module& module, const CppOptions& options, DevicePrinting device = {});
    CppModule(const CppModule&) = delete; // names refer to others
    CppModule& operator=(const CppModule&) = delete;
    const std::string& function_name(SymbolId name) const { return function_names.at(name); }
    // Names that a function's own may not hide.
    Names names_within(const Function& function) const;
    CopyCounts copy_counts() const;
    void add_struct(TypeId type);
    OnDeviceAs on_device(const Function& function) const;
    bool may_give_up(const Function& function) const; // on the device, after a fault
    // `array<double> f(std::span<const double> xs)`; parameters that are not `used` have no name.
    std::string signature(const Function& function, const std::vector<std::string>& names) const;
    // `void append_f(std::span<const double> xs, array<double>& into)`
    std::string appending_signature(const Function& function, const std::vector<std::string>& names,
                                    const std::string& into) const;
    std::string parameter_list(const Function& function, const std::vector<std::string>& names) const;
    std::string device_signature(const Function& function, const std::vector<std::string>& names) const;
    // True if the function takes the array over: `array<double> a`, which a caller may move into it.
    bool takes_over(const Function& function, const Parameter& parameter) const;
    // For callers that keep theirs: the same function of `std::span<const double> a`; none when it takes nothing over.
    std::string copying_overload(const Function& function, const std::vector<std::string>& names) const;
};

// A value's text as it is stored.
struct Stored {
    std::string text;
    std::string moved{}; // the text of the variable that it moves from, if any
    bool operator==(const Stored&) const = default;
};
inline Stored moved_from(const std::string& variable) { return {"std::move(" + variable + ")", variable}; }

// An index as it is printed.
struct IndexText {
    std::string text;
    bool stands_alone = false; // in a sum it needs no parentheses
};

// The program; with a device, its loops as kernels where they may be.
CppText print_module(const Context& context, const Module& module, const CppOptions& options,
                     const DevicePrinting& device);

} // namespace irrewrite::printers
