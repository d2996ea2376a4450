// Where rule files are found. Nothing is known when the tool is compiled: it looks around its own
// executable, so a build tree and an installed tree may be moved as they are.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace irrewrite {

// The folder of the shipped rule files: $IRREWRITE_RULES where that is set, else the first that
// exists of ../share/irrewrite/rules (installed) and ../rules (a build tree), seen from the folder
// of the executable; else the folder that look_in_rules() named last.
std::optional<std::filesystem::path> installed_rules();

// For what is linked into other programs, whose executables stand anywhere.
void look_in_rules(std::filesystem::path folder);

// The file that `name` means: beside `relative_to`, the importing file (empty: as given), then in
// `include_dirs` in order, then in installed_rules(). In each place `name` itself is tried before
// `name` with ".rules" behind it; a folder is never taken for a file.
std::optional<std::filesystem::path> find_rule_file(std::string_view name,
                                                    const std::vector<std::filesystem::path>& include_dirs,
                                                    const std::filesystem::path& relative_to);

} // namespace irrewrite
