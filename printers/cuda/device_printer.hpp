// The part of the printer of one function that is for the device: it prints kernels in the place of loops.
#pragma once

#include "printers/cpp/cpp_function.hpp"
#include "printers/cuda/kernel_printer.hpp"
#include "printers/cuda/key_printer.hpp"
#include "printers/cuda/team_printer.hpp"

namespace irrewrite::printers {

class DevicePrinter : public DeviceCode {
  public:
    explicit DevicePrinter(CppFunction& function)
        : analysis(function, *this), kernels(function, *this), keys(function, *this), teams(function, *this) {}

    std::string against_device(const ScheduledNode& loop, std::span<const Generator> generators,
                               std::span<const std::uint32_t> regions) override {
        return analysis.against_device(loop, generators, regions);
    }
    void print_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                      std::span<const std::uint32_t> regions, const std::string& n) override {
        kernels.print_kernel(loop, generators, regions, n);
    }
    void print_for_device() override { kernels.print_for_device(); }
    void size_counted(std::vector<Generator>& list, const std::string& length) override {
        kernels.size_counted(list, length);
    }
    void start_bins(std::vector<Generator>& list) override { keys.start_bins(list); }
    std::vector<std::uint32_t> print_asks(const ScheduledNode& loop, const std::string& n) override {
        return kernels.print_asks(loop, n);
    }
    bool is_shared(NodeId loop) const override { return analysis.is_shared(loop); }
    void print_shared(const ScheduledNode& loop, std::vector<Generator>& generators, const std::string& end) override {
        teams.print_shared(loop, generators, end);
    }
    std::string place_kept(const ScheduledNode& loop, std::size_t result, TypeId type) override {
        return teams.place_kept(loop, result, type);
    }
    void step_by_key(std::uint32_t region, const Generator& generator, std::vector<Binding> values) override {
        keys.step_by_key(region, generator, std::move(values));
    }
    void step_groups(std::uint32_t region, const Binding& key,
                     std::vector<std::pair<Generator*, std::vector<Binding>>>& fed) override {
        keys.step_groups(region, key, fed);
    }
    void step_in_group(std::uint32_t region, const Generator& generator, const Binding& value) override {
        keys.step_in_group(region, generator, value);
    }
    void give(const Generator& generator, std::span<const Binding> values) override { keys.give(generator, values); }
    std::string leave(NodeId node, std::string_view kind) const override { return kernels.leave(node, kind); }
    bool goes_on_after_faults() const override { return kernels.goes_on_after_faults(); }
    bool begin_rounds(const ScheduledNode& loop) override { return kernels.begin_rounds(loop); }
    void end_rounds(bool begun) override { kernels.end_rounds(begun); }

    DeviceAnalysis analysis;
    KernelPrinter kernels;
    KeyPrinter keys;
    TeamPrinter teams;
};

} // namespace irrewrite::printers
