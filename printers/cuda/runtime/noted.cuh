// Helpers of emitted CUDA whose loops on the host do not wait for what their kernels may find: the device remembers
// that a kernel faulted, kernels behind it do nothing, and the host learns of it when it next has a reason to wait.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= fault_before
// `first_fault` as it was before the kernel.
__device__ unsigned fault_before = ~0u;
//= comes_after_fault
__device__ inline bool comes_after_fault() { return fault_before != ~0u; }
//= noted_faults
// Kernels that may have faulted since the host last asked.
inline thread_local unsigned noted_faults = 0;
