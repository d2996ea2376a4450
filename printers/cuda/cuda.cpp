#include "printers/cuda/cuda.hpp"

namespace irrewrite::printers {

CppText print_cuda(const Context& context, const Module& module, CppOptions options) {
    options.cuda = true;
    return print_cpp(context, module, options);
}

} // namespace irrewrite::printers
