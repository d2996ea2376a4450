#include "printers/c_like/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace irrewrite::printers {
namespace {

constexpr std::array<std::string_view, 100> keywords = {
    "alignas",   "alignof",      "and",           "and_eq",
    "asm",       "auto",         "bitand",        "bitor",
    "bool",      "break",        "case",          "catch",
    "char",      "char16_t",     "char32_t",      "char8_t",
    "class",     "co_await",     "co_return",     "co_yield",
    "compl",     "concept",      "const",         "const_cast",
    "consteval", "constexpr",    "constinit",     "continue",
    "decltype",  "default",      "delete",        "do",
    "double",    "dynamic_cast", "else",          "enum",
    "explicit",  "export",       "extern",        "false",
    "float",     "for",          "friend",        "goto",
    "if",        "inline",       "int",           "long",
    "main",      "mutable",      "namespace",     "new",
    "noexcept",  "not",          "not_eq",        "nullptr",
    "operator",  "or",           "or_eq",         "private",
    "protected", "public",       "register",      "reinterpret_cast",
    "requires",  "return",       "short",         "signed",
    "sizeof",    "static",       "static_assert", "static_cast",
    "std",       "struct",       "switch",        "template",
    "this",      "thread_local", "throw",         "true",
    "try",       "typedef",      "typeid",        "typename",
    "union",     "unix",         "unsigned",      "using",
    "virtual",   "void",         "volatile",      "wchar_t",
    "while",     "xor",          "xor_eq",        "linux",
    "errno",     "stdin",        "stdout",        "stderr"};
static_assert(keywords.back() == "stderr");

bool is_keyword(std::string_view name) { return std::find(keywords.begin(), keywords.end(), name) != keywords.end(); }

// Names that the headers of C, POSIX, OpenMP and CUDA keep for macros and for what is theirs (ISO C, 7.31; POSIX,
// 2.2.2).
bool is_of_headers(std::string_view name) {
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
    constexpr std::array<std::string_view, 12> lower = {"omp_",     "cuda",    "cub", "dim3", "threadIdx", "blockIdx",
                                                        "blockDim", "gridDim", "si_", "sa_",  "sigev_",    "math_err"};
    constexpr std::array<std::string_view, 4> mixed = {"L_tmpnam", "L_ctermid", "L_cuserid", "P_tmpdir"};
    if (std::ranges::any_of(lower, begins) || std::ranges::find(mixed, name) != mixed.end()) return true;
    if (name.size() < 3 || std::islower(static_cast<unsigned char>(name[1])) != 0 ||
        std::islower(static_cast<unsigned char>(name.back())) != 0)
        return false;
    constexpr std::array<std::string_view, 31> prefixes = {
        "M_",    "FP_",  "FE_",      "LC_",    "SEEK_", "HUGE_VAL", "ATOMIC_", "CLOCK", "TIME_",   "PROT_", "MAP_",
        "MADV_", "SYS_", "PTHREAD_", "SCHED_", "NV_",   "STD",      "SIG",     "SA_",   "SI_",     "SS_",   "BUS_",
        "CLD_",  "FPE_", "ILL_",     "SEGV_",  "POLL_", "RLIM",     "RUSAGE_", "PRIO_", "MATH_ERR"};
    constexpr std::array<std::string_view, 5> suffixes = {"_MAX", "_MIN", "_WIDTH", "_ENDIAN", "_OK"};
    constexpr std::array<std::string_view, 25> whole = {"NAN",        "INFINITY",    "NULL",    "BUFSIZ",  "CHAR_BIT",
                                                        "MAXFLOAT",   "NSIG",        "NGREG",   "NFDBITS", "FD_SETSIZE",
                                                        "BYTE_ORDER", "MINSIGSTKSZ", "WNOHANG", "WNOWAIT", "WSTOPPED",
                                                        "WUNTRACED",  "WCONTINUED",  "WEXITED", "F_LOCK",  "F_TEST",
                                                        "F_TLOCK",    "F_ULOCK",     "L_INCR",  "L_SET",   "L_XTND"};
    const bool error = name[0] == 'E' && (std::isupper(static_cast<unsigned char>(name[1])) != 0 ||
                                          std::isdigit(static_cast<unsigned char>(name[1])) != 0);
    return error || std::ranges::any_of(prefixes, begins) || std::ranges::any_of(suffixes, ends) ||
           std::ranges::find(whole, name) != whole.end();
}

} // namespace

std::string identifier(std::string_view name) {
    std::string text;
    for (char c : name) {
        const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
        // Two underscores in a row belong to the compiler.
        if (word || text.empty() || text.back() != '_') text += word ? c : '_';
    }
    if (text.empty() || text[0] == '_' || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(0, "v");
    if (is_keyword(text) || is_of_headers(text)) text += '_';
    return text;
}

bool Names::is_taken_outside(const std::string& name) const { return outer_ && outer_->is_taken(name); }

bool Names::is_left(const std::string& name) const {
    return (!left_.empty() && name.starts_with(left_)) || (outer_ && outer_->is_left(name));
}

unsigned Names::counter_outside(const std::string& base) const {
    if (!outer_) return 0;
    const auto found = outer_->counters_.find(base);
    return found == outer_->counters_.end() ? outer_->counter_outside(base) : found->second;
}

std::string Names::fresh(std::string_view wanted) {
    std::string base = identifier(wanted);
    if (is_left(base)) base.insert(0, "v_");
    if (!is_taken_outside(base) && taken_.insert(base).second) {
        log_.push_back({base, {}, 0});
        return base;
    }
    const auto [at, is_first] = counters_.try_emplace(base, 0);
    unsigned& counter = at->second;
    if (is_first) counter = counter_outside(base);
    const unsigned previous = counter;
    if (counter == 0) counter = 1;
    std::string name;
    do {
        name = base + (base.back() == '_' ? "" : "_") + std::to_string(++counter);
    } while (is_taken_outside(name) || !taken_.insert(name).second);
    log_.push_back({name, std::move(base), previous});
    return name;
}

void Names::close() {
    for (; log_.size() > scopes_.back(); log_.pop_back()) {
        taken_.erase(log_.back().name);
        if (!log_.back().base.empty()) counters_[log_.back().base] = log_.back().previous;
    }
    scopes_.pop_back();
}

} // namespace irrewrite::printers
