#include "printers/cuda/cuda.hpp"

#include "printers/cuda/device_printer.hpp"

namespace irrewrite::printers {

CppText print_cuda(const Context& context, const Module& module, CppOptions options) {
    options.cuda = true;
    return print_module(context, module, options,
                        [](CppFunction& function) { return std::make_unique<DevicePrinter>(function); });
}

} // namespace irrewrite::printers
