// Histogram bins, groups and folds on the device.
#pragma once

#include "printers/cuda/device_analysis.hpp"

namespace irrewrite::printers {

class KeyPrinter : public DeviceAnalysis {
  public:
    using DeviceAnalysis::DeviceAnalysis;
    void start_bins(std::vector<Generator>& list);
    void place_bins(Kernel& kernel, std::size_t generator, Cell& cell);
    std::vector<std::string> print_joins(const ScheduledNode& loop, Kernel& kernel);
    void step_by_key(Region region, const Generator& generator, std::vector<Binding> values);
    void give(const Generator& generator, std::span<const Binding> values);
    void print_sorted_bins(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    void print_sorted_group(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    void print_fold(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    std::string group_key_type(const Generator& bucket) const;
    void print_groups(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& n, bool& faults);
    void step_groups(Region region, const Binding& key, std::vector<std::pair<Generator*, std::vector<Binding>>>& fed);
    void step_in_group(Region region, const Generator& generator, const Binding& value);

  private:
    void change_bin(Region region, const Generator& generator, const std::string& place, const Binding& value);
    void change_element(Region region, const Generator& generator, const std::string& bin, const Binding& value);
    static std::string part_of(const std::string& whole, std::size_t k, std::size_t count);
    std::string side_by_side(std::span<const TypeId> types) const;
    std::string print_put(const Generator& generator, std::span<const Cell> cells, const std::string& type);
    std::string print_bin_operator(const ScheduledNode& loop, const Generator& made, const std::string& type);
    std::string print_start(std::span<const Cell> cells, const std::string& type);
    void print_many_rows(const ScheduledNode& loop, Kernel& kernel);
    void print_group_rows(const ScheduledNode& loop, Kernel& kernel, const std::string& n);
    void print_firsts(const ScheduledNode& loop, const std::string& of, std::span<Generator* const> list, bool& faults);
};

} // namespace irrewrite::printers
