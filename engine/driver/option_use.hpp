// Which options have an effect together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace irrewrite {

struct OptionUse {
    std::optional<std::string> error;  // two options ask for different work
    std::vector<std::string> warnings; // each option that has no effect on the work asked for
};

// `given`: the names of the options of a command line without their dashes, and "file" if it names files.
OptionUse use_of_options(std::span<const std::string> given);

} // namespace irrewrite
