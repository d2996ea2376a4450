// Helpers of emitted CUDA whose loops on the host do not wait for what their kernels may find: the device remembers
// that a kernel faulted, kernels behind it do nothing, and the host learns of it when it next has a reason to wait.
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers::detail {

constexpr RuntimeHelper cuda_noted_helpers_table[] = {
    {"fault_before", R"(// `first_fault` as it was before the kernel.
__device__ unsigned fault_before = ~0u;
)"},
    {"comes_after_fault", R"(__device__ inline bool comes_after_fault() { return fault_before != ~0u; }
)"},
    {"noted_faults", R"(// Kernels that may have faulted since the host last asked.
inline thread_local unsigned noted_faults = 0;
)"},
};
constinit const RuntimeHelpers cuda_noted_helpers = cuda_noted_helpers_table;

// These replace others of the same name, and come after them.
constexpr RuntimeHelper cuda_settling_helpers_table[] = {
    {"fault",
     R"(// The program has no meaning: the line of the IR, and why. What a kernel found before comes first.
inline void settle_faults();
struct fault : std::runtime_error {
    fault(int line, const std::string& what) : std::runtime_error(source_name + (line ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + what) {
        settle_faults();
    }
};
)"},
    {"check_faults", R"(// Behind a kernel that may fault.
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
)"},
    {"settle_faults", R"(// Before the host goes on with what a kernel has found.
inline void settle_faults() {
    if (noted_faults > 0) check_faults();
}
)"},
};
constinit const RuntimeHelpers cuda_settling_helpers = cuda_settling_helpers_table;

// Behind what launches a kernel.
constexpr RuntimeHelper cuda_note_helpers_table[] = {
    {"note_faults", R"(// Behind a kernel that may fault, in a loop: the host asks after so many of them at the latest.
__global__ void __launch_bounds__(block_size) note_kernel() {
    if (threadIdx.x == 0) fault_before = first_fault;
}
inline void note_faults() {
    constexpr unsigned most = 64;
    launch(note_kernel, 1);
    if (++noted_faults == most) check_faults();
}
)"},
};
constinit const RuntimeHelpers cuda_note_helpers = cuda_note_helpers_table;

std::string noting_faults(std::string_view text) {
    std::string out;
    for (bool opens = false; !text.empty();) {
        const std::string_view line = text.substr(0, text.find('\n') + 1);
        text.remove_prefix(line.size());
        out += line;
        opens = opens || line.find("__global__") != std::string_view::npos;
        const bool begins = opens && line.ends_with("{\n");
        if (begins) out += "    if (comes_after_fault()) return;\n";
        if (line.find("cudaMemcpyDeviceToHost") != std::string_view::npos)
            (out += line.substr(0, line.find_first_not_of(' '))) += "settle_faults();\n";
        opens = opens && !begins;
    }
    return out;
}

} // namespace irrewrite::printers::detail
