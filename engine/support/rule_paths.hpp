// Search paths of rule files. No path is compiled in: the tool searches relative to its own executable, so that a build
// tree or an installed tree can be moved.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

// The folder of the shipped rule files: $IRREWRITE_RULES where that is set, else the first that
// exists of ../share/irrewrite/rules (installed) and ../rules (a build tree), seen from the folder
// of the executable; else the folder that look_in_rules() named last.
std::optional<std::filesystem::path> installed_rules();

// For what is linked into other programs, whose executables stand anywhere.
void look_in_rules(std::filesystem::path folder);

// Returns the file that `name` means. Searches beside `relative_to`, the importing file (empty: `name` as written),
// then in `include_dirs` in order, then in installed_rules(). In each folder `name` itself is tried before `name` with
// ".rules" appended; a folder is never taken for a file.
std::optional<std::filesystem::path> find_rule_file(std::string_view name,
                                                    const std::vector<std::filesystem::path>& include_dirs,
                                                    const std::filesystem::path& relative_to);

// Returns the name of the shipped rule file that declares an operation of that name; for a message, since it reads them.
std::optional<std::string> shipped_file_of(std::string_view operation);

} // namespace irrewrite
