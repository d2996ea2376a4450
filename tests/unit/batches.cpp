#include "tests/unit/batches.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace irrewrite {

namespace {
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string lines_of(const Call& call, const std::string& text) {
    return text + "\n" + std::to_string(std::ranges::count(call.expected, '\n')) + "\n" + call.expected;
}
} // namespace

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Batches::Batches()
    : folder_(std::getenv("IRREWRITE_BATCHES") ? std::getenv("IRREWRITE_BATCHES") : ""),
      most_(setting("IRREWRITE_BATCH", 25)) {}

void Batches::add(std::string text, const std::vector<Call>& calls) {
    const std::string name = "f" + std::to_string(in_file_), local = "_" + std::to_string(in_file_);
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; ++at) {
        std::size_t end = at + 1;
        while (end < text.size() && is_name(text[end])) ++end;
        text.insert(end, text.substr(at + 1, end - at - 1) == "f" ? name.substr(1) : local);
    }
    programs_ += text;
    for (const Call& call : calls) calls_ += lines_of(call, "@" + name + call.text.substr(call.text.find('(')));
    if (++in_file_ == most_) write();
}

void Batches::add_file(const std::string& text, const std::vector<Call>& calls) {
    write();
    programs_ = text;
    for (const Call& call : calls) calls_ += lines_of(call, call.text);
    in_file_ = 1;
    write();
}

void Batches::write() {
    if (!wanted() || in_file_ == 0) return;
    const std::string base = folder_ + "/batch-" + std::to_string(files_++);
    std::ofstream(base + ".ir") << programs_;
    std::ofstream(base + ".calls") << calls_;
    programs_.clear(), calls_.clear(), in_file_ = 0;
}

} // namespace irrewrite
