#include "engine/driver/line_editor.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

#if __has_include(<editline/readline.h>)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <editline/readline.h>
#endif

namespace irrewrite {

void add_words(std::vector<std::string>& words, std::string_view text) {
    const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        if (text[end] == '%' || text[end] == '@') ++end;
        const bool begins = end < text.size() && is_part(text[end]);
        while (begins && end < text.size() && is_part(text[end])) ++end;
        if (begins && std::isdigit(static_cast<unsigned char>(text[at])) == 0 && end - at > 1)
            words.emplace_back(text.substr(at, end - at));
        at = std::max(end, at + 1);
    }
}

#if __has_include(<editline/readline.h>)

namespace {

// The candidates that the library is given word by word: its functions take no state.
struct Offered {
    const Completion* completion = nullptr;
    std::vector<std::string> words;
    std::size_t next = 0;
};
Offered& offered() {
    static Offered offered;
    return offered;
}

char* next_word(const char* begun, int state) {
    if (state == 0) offered().next = 0;
    while (offered().next < offered().words.size()) {
        const std::string& word = offered().words[offered().next++];
        if (word.starts_with(begun)) return ::strdup(word.c_str()); // the library frees it
    }
    return nullptr;
}

char** complete(const char* begun, int start, int) {
    offered().words = (*offered().completion)(std::string_view(rl_line_buffer, static_cast<std::size_t>(start)));
    if (offered().words.empty()) return nullptr;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(begun, next_word);
}

} // namespace

std::optional<std::string> typed_line(const std::string& prompt, const Completion& completion) {
    static char breaks[] = " \t\n(),;{}";
    rl_readline_name = const_cast<char*>("irrewrite");
    rl_basic_word_break_characters = breaks;
    rl_attempted_completion_function = complete;
    offered().completion = &completion;
    std::cout << std::flush;
    char* line = ::readline(prompt.c_str());
    if (line == nullptr) return std::nullopt;
    std::string text = line;
    std::free(line);
    if (!text.empty()) ::add_history(text.c_str());
    return text;
}

#else

std::optional<std::string> typed_line(const std::string& prompt, const Completion&) {
    std::string line;
    std::cout << prompt << std::flush;
    return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
}

#endif

} // namespace irrewrite
