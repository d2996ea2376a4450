#include "engine/support/rule_paths.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace irrewrite {

namespace fs = std::filesystem;

namespace {

bool is_folder(const fs::path& path) {
    std::error_code failure;
    return fs::is_directory(path, failure);
}

// Pipes count: `-rules <(generate)` is a file to read like any other.
bool is_readable_file(const fs::path& path) {
    std::error_code failure;
    return fs::exists(path, failure) && !fs::is_directory(path, failure);
}

std::optional<fs::path> executable_folder() {
    std::error_code failure;
    const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
    if (failure) return std::nullopt;
    return executable.parent_path();
}

std::optional<fs::path>& other_folder() {
    static std::optional<fs::path> folder;
    return folder;
}

std::optional<fs::path> find_in(const fs::path& folder, std::string_view name) {
    const fs::path exact = folder / name;
    if (is_readable_file(exact)) return exact;
    fs::path extended = exact;
    extended += ".rules";
    if (is_readable_file(extended)) return extended;
    return std::nullopt;
}

} // namespace

std::optional<fs::path> installed_rules() {
    if (const char* chosen = std::getenv("IRREWRITE_RULES"); chosen && *chosen) return chosen;
    if (const auto folder = executable_folder())
        for (const char* candidate : {"../share/irrewrite/rules", "../rules"}) {
            const fs::path rules = (*folder / candidate).lexically_normal();
            if (is_folder(rules)) return rules;
        }
    return other_folder();
}

void look_in_rules(fs::path folder) {
    if (is_folder(folder)) other_folder() = std::move(folder);
}

std::optional<fs::path> find_rule_file(std::string_view name, const std::vector<fs::path>& include_dirs,
                                       const fs::path& relative_to) {
    if (name.empty()) return std::nullopt;
    if (auto found = find_in(relative_to.parent_path(), name)) return found;
    for (const fs::path& folder : include_dirs)
        if (auto found = find_in(folder, name)) return found;
    if (const auto shipped = installed_rules()) return find_in(*shipped, name);
    return std::nullopt;
}

std::optional<std::string> shipped_file_of(std::string_view operation) {
    const auto folder = installed_rules();
    std::error_code failure;
    if (!folder || !is_folder(*folder)) return std::nullopt;
    const std::string declaration = "op " + std::string(operation);
    std::optional<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(*folder, failure)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".rules" || (found && *found < name)) continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
            if (line.starts_with(declaration) && line.size() > declaration.size() &&
                std::string_view("([").find(line[declaration.size()]) != std::string_view::npos)
                found = name;
    }
    return found;
}

} // namespace irrewrite
