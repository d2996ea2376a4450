// Text to graph and nothing else: parse FILE RUNS prints megabytes a second of CPU time, the median
// of the runs, and bytes of peak memory.
#include "engine/support/rule_paths.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>

using namespace irrewrite;

namespace {

double seconds(const std::string& text) {
    Context context;
    Diagnostics diagnostics;
    Module module;
    if (!grammar::load_core(context, find_rule_file("core.rules", {}, {}).value(), diagnostics)) std::exit(1);
    const SourceId source = context.sources.add("bench", text);
    const std::clock_t start = std::clock();
    const bool read = grammar::read_module(context, source, module, diagnostics);
    const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!read) std::exit(1);
    return spent;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::ostringstream text;
    text << std::ifstream(argv[1], std::ios::binary).rdbuf();
    std::vector<double> spent;
    for (int i = std::atoi(argv[2]); i > 0; --i) spent.push_back(seconds(text.str()));
    std::ranges::nth_element(spent, spent.begin() + static_cast<std::ptrdiff_t>(spent.size() / 2));
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::cout << static_cast<double>(text.str().size()) / 1e6 / spent[spent.size() / 2] << ' ' << usage.ru_maxrss * 1024
              << '\n';
}
