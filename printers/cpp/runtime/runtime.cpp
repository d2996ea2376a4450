#include "printers/cpp/runtime/runtime.hpp"

#include "printers/c_like/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace irrewrite::printers {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Calls f with each identifier (`std::span` is one) outside comments, strings and numbers, g with what is between them.
template <class F, class G> void identifiers(std::string_view text, F&& f, G&& g) {
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
        } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
            const char quote = text[i++];
            while (i < text.size() && text[i] != quote) i += text[i] == '\\' ? 2 : 1;
            ++i;
        } else if (is_word(text[i])) {
            std::size_t end = i;
            while (end < text.size() &&
                   (is_word(text[end]) || (text.compare(i, end - i, "std") == 0 && text.compare(end, 2, "::") == 0)))
                end += text[end] == ':' ? 2 : 1;
            f(text.substr(i, end - i));
            i = end;
        } else {
            g(text[i++]);
        }
    }
}
template <class F> void identifiers(std::string_view text, F&& f) {
    identifiers(text, f, [](char) {});
}

// Calls f with each name that a text declares outside of braces, and perhaps with others that stand there.
template <class F> void declared_names(std::string_view text, F&& f) {
    int depth = 0;
    std::string_view last;
    identifiers(
        text, [&](std::string_view name) { last = name; },
        [&](char c) {
            if (depth == 0 && !last.empty() && std::string_view("({=;:").find(c) != std::string_view::npos &&
                !last.starts_with("std::"))
                f(last);
            if (c != ' ') last = {};
            depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
        });
}

struct Header {
    std::string_view name, header;
};
constexpr std::array<Header, 96> headers = {{
    {"std::apply", "tuple"},
    {"std::array", "array"},
    {"std::as_const", "utility"},
    {"std::atomic", "atomic"},
    {"std::atomic_signal_fence", "atomic"},
    {"std::bad_alloc", "new"},
    {"std::bit_cast", "bit"},
    {"std::endian", "bit"},
    {"std::chars_format", "charconv"},
    {"std::calloc", "cstdlib"},
    {"std::clamp", "algorithm"},
    {"std::conditional_t", "type_traits"},
    {"std::copy", "algorithm"},
    {"std::copy_n", "algorithm"},
    {"std::cos", "cmath"},
    {"std::current_exception", "exception"},
    {"std::equal", "algorithm"},
    {"std::errc", "system_error"},
    {"std::exception_ptr", "exception"},
    {"std::exchange", "utility"},
    {"std::exp", "cmath"},
    {"namespace lanes", "cmath"},
    {"std::abs", "cmath"},
    {"std::fabs", "cmath"},
    {"std::fill_n", "algorithm"},
    {"std::floor", "cmath"},
    {"std::free", "cstdlib"},
    {"std::is_trivially_copyable_v", "type_traits"},
    {"std::is_trivially_copy_constructible_v", "type_traits"},
    {"std::is_trivially_destructible_v", "type_traits"},
    {"std::ranges::copy", "algorithm"},
    {"std::ranges::reverse", "algorithm"},
    {"std::realloc", "cstdlib"},
    {"std::ceil", "cmath"},
    {"std::fma", "cmath"},
    {"std::fmod", "cmath"},
    {"std::from_chars", "charconv"},
    {"std::fwrite", "cstdio"},
    {"std::fread", "cstdio"},
    {"std::fprintf", "cstdio"},
    {"std::fputs", "cstdio"},
    {"std::initializer_list", "initializer_list"},
    {"std::int16_t", "cstdint"},
    {"std::int32_t", "cstdint"},
    {"std::int64_t", "cstdint"},
    {"std::int8_t", "cstdint"},
    {"std::is_floating_point_v", "type_traits"},
    {"std::is_same_v", "type_traits"},
    {"std::is_integral_v", "type_traits"},
    {"std::is_arithmetic_v", "type_traits"},
    {"std::is_signed_v", "type_traits"},
    {"std::isnan", "cmath"},
    {"std::isinf", "cmath"},
    {"std::ldexp", "cmath"},
    {"std::lock_guard", "mutex"},
    {"std::log", "cmath"},
    {"std::make_shared", "memory"},
    {"std::make_unique_for_overwrite", "memory"},
    {"std::make_unsigned_t", "type_traits"},
    {"std::malloc", "cstdlib"},
    {"std::max", "algorithm"},
    {"std::memcmp", "cstring"},
    {"std::memcpy", "cstring"},
    {"std::memory_order_acquire", "atomic"},
    {"std::memory_order_seq_cst", "atomic"},
    {"std::min", "algorithm"},
    {"std::move", "utility"},
    {"std::mutex", "mutex"},
    {"std::numeric_limits", "limits"},
    {"std::pow", "cmath"},
    {"std::remove_cvref_t", "type_traits"},
    {"std::rethrow_exception", "exception"},
    {"std::runtime_error", "stdexcept"},
    {"std::shared_ptr", "memory"},
    {"std::sin", "cmath"},
    {"std::size_t", "cstddef"},
    {"std::span", "span"},
    {"std::sqrt", "cmath"},
    {"std::ssize", "iterator"},
    {"std::string", "string"},
    {"std::string_view", "string_view"},
    {"std::strtod", "cstdlib"},
    {"std::strtof", "cstdlib"},
    {"std::stable_sort", "algorithm"},
    {"std::swap", "utility"},
    {"std::tan", "cmath"},
    {"std::tanh", "cmath"},
    {"std::tie", "tuple"},
    {"std::to_chars", "charconv"},
    {"std::transform", "algorithm"},
    {"std::tuple", "tuple"},
    {"std::tuple_size_v", "tuple"},
    {"std::type_identity_t", "type_traits"},
    {"std::uint64_t", "cstdint"},
    {"std::unique_ptr", "memory"},
    {"std::vector", "vector"},
}};

using Helpers = std::vector<RuntimeHelper>;

// All helpers, in an order in which each stands behind what it needs: where one list has a text for a name,
// it stands for that of the other.
Helpers put_together(std::initializer_list<RuntimeHelpers> parts, std::initializer_list<RuntimeHelpers> replacing) {
    std::unordered_map<std::string_view, std::string_view> texts;
    for (RuntimeHelpers part : replacing)
        for (const RuntimeHelper& helper : part) texts[helper.name] = helper.text;
    Helpers list;
    std::unordered_set<std::string_view> seen;
    for (RuntimeHelpers part : parts)
        for (const RuntimeHelper& helper : part) {
            if (!seen.insert(helper.name).second) continue;
            const auto found = texts.find(helper.name);
            list.push_back({helper.name, found == texts.end() ? helper.text : found->second});
        }
    return list;
}

// The same class with these members too.
std::string with_members(RuntimeHelpers list, std::string_view name, std::string_view members) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const RuntimeHelper& helper) { return helper.name == name; });
    std::string text(found->text);
    return text.insert(text.find("\n  private:"), members.substr(0, members.size() - 1));
}

const Helpers& helpers(Target target) {
    using namespace detail;
    static const std::string rows_on_host = with_members(array_helpers, "array_of_rows", row_members);
    static const Helpers rows_of_cpp = {{"array_of_rows", rows_on_host}};
    static const Helpers cpp = put_together(
        {scalar_helpers, array_helpers, order_helpers, loop_helpers, group_helpers, text_helpers}, {rows_of_cpp});
    static const std::string rows = with_members(array_helpers, "array_of_rows", cuda_row_members);
    static const std::string ragged = with_members(array_helpers, "rows", cuda_ragged_members);
    static const Helpers rows_on_device = {{"array_of_rows", rows}, {"rows", ragged}};
    static const Helpers cuda = put_together(
        {cuda_base_helpers, cuda_noted_helpers, scalar_helpers,     cuda_scalar_helpers, cuda_settling_helpers,
         array_helpers,     order_helpers,      cuda_row_helpers,   cuda_column_helpers, cuda_kernel_helpers,
         cuda_note_helpers, cuda_bin_helpers,   cuda_sort_helpers,  cuda_fold_helpers,   cuda_tile_helpers,
         loop_helpers,      group_helpers,      cuda_group_helpers, cuda_sorted_helpers, text_helpers},
        {cuda_scalar_helpers, cuda_array_helpers, rows_on_device});
    return target == Target::Cpp ? cpp : cuda;
}

// Those of CUDA in a program whose loops on the host do not wait for kernels that may fault.
const Helpers& noting_helpers() {
    using namespace detail;
    static const Helpers replaced = put_together({helpers(Target::Cuda)}, {cuda_settling_helpers});
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> list;
        for (const RuntimeHelper& helper : replaced) list.push_back(noting_faults(helper.text));
        return list;
    }();
    static const Helpers noting = [] {
        Helpers list;
        for (std::size_t i = 0; i < texts.size(); ++i) list.push_back({replaced[i].name, texts[i]});
        return list;
    }();
    return noting;
}

} // namespace

const std::unordered_set<std::string_view>& runtime_names(Target target) {
    static const auto names_of = [](Target wanted) {
        std::unordered_set<std::string_view> set{"run", "main", "fields"}; // of the driver, of structs
        for (const RuntimeHelper& helper : helpers(wanted)) {
            set.insert(helper.name);
            declared_names(helper.text, [&](std::string_view name) { set.insert(name); });
        }
        return set;
    };
    static const std::unordered_set<std::string_view> cpp = names_of(Target::Cpp), cuda = names_of(Target::Cuda);
    return target == Target::Cpp ? cpp : cuda;
}

std::string global_identifier(std::string_view name, Target target) {
    const std::string text = identifier(name);
    return runtime_names(target).contains(text) ? text + "_" : text;
}

std::string runtime_prelude(std::string_view text, Target target) {
    const Helpers& helpers =
        text.find("note_faults(") == std::string_view::npos ? printers::helpers(target) : noting_helpers();
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < helpers.size(); ++i) index.emplace(helpers[i].name, i);
    std::set<std::size_t> used;
    std::vector<std::string_view> texts{text};
    // Only its number of dimensions tells a matrix from a vector.
    for (std::string_view rank : {", 2>", ", 3>", ", 4>", ", 5>"})
        if (text.find(rank) != std::string_view::npos) {
            texts.push_back("array_of_rows");
            break;
        }
    while (!texts.empty()) {
        const std::string_view next = texts.back();
        texts.pop_back();
        identifiers(next, [&](std::string_view name) {
            const auto found = index.find(name);
            if (found != index.end() && used.insert(found->second).second) texts.push_back(helpers[found->second].text);
        });
    }
    std::string prelude;
    for (std::size_t i : used) (prelude += helpers[i].text) += "\n";
    return prelude;
}

std::string runtime_includes(std::string_view text) {
    static const std::unordered_map<std::string_view, std::string_view> index = [] {
        std::unordered_map<std::string_view, std::string_view> map;
        for (const Header& header : headers) map.emplace(header.name, header.header);
        return map;
    }();
    std::set<std::string> lines;
    bool advises = false, watches = false; // the system about memory, the stack
    identifiers(text, [&](std::string_view name) {
        if (name.starts_with("omp_")) lines.insert("omp.h");
        if (name == "madvise") advises = true;
        if (name == "sigaltstack") watches = true;
        if (!name.starts_with("std::")) return;
        const auto found = index.find(name);
        if (found != index.end())
            lines.insert(std::string(found->second));
        else if (name.ends_with("_t"))
            lines.insert("cstdint");
        else
            lines.insert("cmath"); // an operation's own text
    });
    std::string result;
    for (const std::string& line : lines) result += "#include <" + line + ">\n";
    if (advises) result += "#if __has_include(<sys/mman.h>)\n#include <sys/mman.h>\n#endif\n";
    if (watches)
        result += "#if __has_include(<sys/resource.h>)\n#include <csignal>\n#include <sys/resource.h>\n#include "
                  "<unistd.h>\n#endif\n";
    return result;
}

} // namespace irrewrite::printers
