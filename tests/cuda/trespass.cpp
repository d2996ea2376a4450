// What apart.h is for: `host` reads memory of the device, `kernel` an array of the host, `freed` what was given back.
#include <cstdio>
#include <cuda_runtime.h>
#include <string_view>

static void add(const int* from, int* to) { to[threadIdx.x] += from[threadIdx.x]; }

int main(int, char** arguments) {
    const std::string_view who = arguments[1];
    void *memory = nullptr, *other = nullptr;
    if (cudaMallocFromPoolAsync(&memory, 8 * sizeof(int), nullptr, nullptr) != cudaSuccess) return 2;
    if (cudaMallocFromPoolAsync(&other, 8 * sizeof(int), nullptr, nullptr) != cudaSuccess) return 2;
    int *const to = static_cast<int*>(memory), *const from = static_cast<int*>(other), *const own = new int[8]{1, 2, 3,
                                                                                                               4, 5, 6,
                                                                                                               7, 8};
    cudaMemcpy(to, own, 8 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(from, own, 8 * sizeof(int), cudaMemcpyHostToDevice);
    if (who == "freed") cudaFreeAsync(from, nullptr);
    cudaLaunchConfig_t config{};
    config.gridDim = 1, config.blockDim = 8;
    if (cudaLaunchKernelEx(&config, add, static_cast<const int*>(who == "kernel" ? own : from), to) != cudaSuccess)
        return 2;
    cudaMemcpy(own, to, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", who == "host" ? to[7] : own[7]);
}
