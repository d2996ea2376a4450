// Loops as kernels.
#pragma once

#include "printers/cuda/device_analysis.hpp"

namespace irrewrite::printers {

class KernelPrinter : public DeviceAnalysis {
  public:
    using DeviceAnalysis::DeviceAnalysis;
    void size_counted(std::vector<Generator>& list, const std::string& length) const;
    void capture(std::span<const NodeId> arrays);
    void print_lambda(const std::string& name, const std::vector<std::pair<std::string, std::string>>& params,
                      const std::function<void()>& body);
    void print_step(const ScheduledNode& loop, Kernel& kernel, const std::string& name, const std::string& part);
    void print_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                      std::span<const std::uint32_t> regions, const std::string& n);
    std::string leave(NodeId node, std::string_view kind) const;
    bool goes_on_after_faults() const;
    bool begin_rounds(const ScheduledNode& loop);
    void end_rounds(bool begun);
    std::vector<std::uint32_t> print_asks(const ScheduledNode& loop, const std::string& n);

    void print_for_device(); // what kernels call, where that stands apart

  private:
    using HostValues = std::vector<std::pair<std::string, std::string>>; // names, and the lines that declare them
    struct Launched {
        bool may_fault = false;
        bool gave = false; // the host something
    };
    bool asks_host(NodeId node);
    HostValues host_values(const ScheduledNode& loop, std::span<const std::uint32_t> regions);
    void print_host_values(const HostValues& values, std::size_t begin);
    std::string rows_of_row(NodeId array);
    static void carry(Kernel& kernel, std::string name, const std::string& type, std::string start);
    void place_on_device(Kernel& kernel, const std::string& part);
    void print_combine(const ScheduledNode& loop, Kernel& kernel, const std::string& name, const std::string& part);
    void take_results(const Kernel& kernel, std::span<const Generator> generators, const std::string& whole);
    void check_faults(const Launched& launched);
    void print_one_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                          std::span<const std::uint32_t> regions, const std::string& n, Launched& launched);
    void print_asking(Region region, const Asked& asked);
    void find_columns(const ScheduledNode& loop, std::span<const Region> regions, Kernel& kernel);
    void name_columns(Kernel& kernel, const std::string& index, std::vector<std::pair<std::string, std::string>>& list);
    static std::string indices(const Kernel& kernel, const std::string& n);
};

} // namespace irrewrite::printers
