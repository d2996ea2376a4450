// The command.
#include "engine/main_files.hpp"
#include "engine/main_tool.hpp"

#include <iostream>

namespace irrewrite {

int run_one(const Options& options) {
    try {
        return Tool(options).run();
    } catch (const std::bad_alloc&) {
        std::cerr << "irrewrite: out of memory\n";
        return Exhausted;
    } catch (const std::exception& error) {
        std::cerr << "irrewrite: internal error: " << error.what() << "\nplease report this with the input\n";
        return Bug;
    }
}

} // namespace irrewrite

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    irrewrite::Options options;
    if (auto code = irrewrite::read_command_line(argc, argv, options)) return *code;
    if (options.inputs.size() > 1) return irrewrite::run_files(options);
    if (!options.inputs.empty()) options.input = options.inputs[0];
    return irrewrite::run_one(options);
}
