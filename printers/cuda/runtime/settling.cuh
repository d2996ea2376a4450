// Helpers of emitted CUDA whose loops on the host do not wait for what their kernels may find: the device remembers
// that a kernel faulted, kernels behind it do nothing, and the host learns of it when it next has a reason to wait.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= fault
// The program has no meaning: the line of the IR, and why. What a kernel found before comes first.
inline void settle_faults();
struct fault : std::runtime_error {
    fault(int line, const std::string& what) : std::runtime_error(source_name + (line ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + what) {
        settle_faults();
    }
};
//= check_faults
// Behind a kernel that may fault.
inline void check_faults() {
    unsigned found = 0;
    noted_faults = 0;
    cuda_check(cudaMemcpyFromSymbol(&found, first_fault, sizeof found));
    if (found == ~0u) return;
    const unsigned none = ~0u;
    cuda_check(cudaMemcpyToSymbol(first_fault, &none, sizeof none));
    cuda_check(cudaMemcpyToSymbol(fault_before, &none, sizeof none));
    throw fault(static_cast<int>(found / 8), text_of(static_cast<fault_kind>(found % 8)));
}
//= settle_faults
// Before the host goes on with what a kernel has found.
inline void settle_faults() {
    if (noted_faults > 0) check_faults();
}
