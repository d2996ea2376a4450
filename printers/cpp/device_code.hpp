// The questions of the printer of C++ to one for a device: loops that become kernels, and what is printed otherwise inside them.
// By itself, this is a program for the host alone.
#pragma once

#include "printers/cpp/cpp_model.hpp"

namespace irrewrite::printers {

class DeviceCode {
  public:
    virtual ~DeviceCode() = default;

    // The reason why the loop runs on the host; empty if it may run on the device.
    virtual std::string against_device(const ScheduledNode&, std::span<const Generator>,
                                       std::span<const std::uint32_t>) {
        return "there is no device";
    }
    virtual void print_kernel(const ScheduledNode&, std::span<const Generator>, std::span<const std::uint32_t>,
                              const std::string&) {}
    virtual void print_for_device() {} // what kernels call, where that stands apart

    // Of a loop that becomes a kernel: room for what it collects, its histogram bins, and the values that it asks for.
    virtual void size_counted(std::vector<Generator>&, const std::string&) {}
    virtual void start_bins(std::vector<Generator>&) {}
    virtual std::vector<std::uint32_t> print_asks(const ScheduledNode&, const std::string&) { return {}; }

    // Inside a kernel: inner loops that several threads share, and where an inner loop makes its result.
    virtual bool is_shared(NodeId) const { return false; }
    virtual void print_shared(const ScheduledNode&, std::vector<Generator>&, const std::string&) {}
    virtual std::string place_kept(const ScheduledNode&, std::size_t, TypeId) { return {}; }

    // One emission arrives at a generator of a kernel.
    virtual void step_by_key(std::uint32_t, const Generator&, std::vector<Binding>) {}
    virtual void step_groups(std::uint32_t, const Binding&, std::vector<std::pair<Generator*, std::vector<Binding>>>&) {
    }
    virtual void step_in_group(std::uint32_t, const Generator&, const Binding&) {}
    virtual void give(const Generator&, std::span<const Binding>) {}

    // Faults: how a step is left, and loops of the host that need not wait for their kernels' faults.
    virtual std::string leave(NodeId, std::string_view) const { return {}; }
    virtual bool goes_on_after_faults() const { return false; }
    virtual bool begin_rounds(const ScheduledNode&) { return false; }
    virtual void end_rounds(bool) {}
};

} // namespace irrewrite::printers
