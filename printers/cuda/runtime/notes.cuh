// Helpers of emitted CUDA whose loops on the host do not wait for what their kernels may find: the device remembers
// that a kernel faulted, kernels behind it do nothing, and the host learns of it when it next has a reason to wait.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= note_faults
// Behind a kernel that may fault, in a loop: the host asks after so many of them at the latest.
__global__ void __launch_bounds__(block_size) note_kernel() {
    if (threadIdx.x == 0) fault_before = first_fault;
}
inline void note_faults() {
    constexpr unsigned most = 64;
    launch(note_kernel, 1);
    if (++noted_faults == most) check_faults();
}
