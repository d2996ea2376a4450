// Programs and calls, written to files for tests/tools/programs.py: BASE.ir, and BASE.calls with, for each call, the call, a
// number of lines, and those lines: the expected output, or the size of the arguments and the expected work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace irrewrite {

struct Call {
    std::string text, expected; // `expected`: empty if the program faults
};

// Several programs to a file: the function @f of program 7 is @f7 there. They are written to the folder that the environment's
// IRREWRITE_BATCHES names, IRREWRITE_BATCH of them to a file (25).
class Batches {
  public:
    Batches();
    ~Batches() { write(); }
    bool wanted() const { return !folder_.empty(); }
    void add(std::string text, const std::vector<Call>& calls);             // of @f
    void add_file(const std::string& text, const std::vector<Call>& calls); // by itself, with names as they are

  private:
    void write();

    std::string folder_, programs_, calls_;
    std::uint64_t most_, files_ = 0, in_file_ = 0;
};

// A number from the environment.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

} // namespace irrewrite
