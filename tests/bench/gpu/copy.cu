// What a copy on the device moves, the measure of all others.
#include "gpu.cuh"

int main(int argc, char** argv) { return gpu::copy(gpu::size_of(argc, argv)); }
