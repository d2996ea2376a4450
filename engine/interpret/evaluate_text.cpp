// Values as texts, and texts as numbers.

#include "engine/interpret/interpreter.hpp"
#include "engine/ir/scalars.hpp"

#include <charconv>

namespace irrewrite {

namespace {

template <class T> std::optional<T> parsed(const std::string& text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> integer(TypeKind kind, const std::string& text) {
    if (is_signed(kind)) {
        const std::optional<std::int64_t> value = parsed<std::int64_t>(text);
        if (!value) return std::nullopt;
        const auto bits = static_cast<std::uint64_t>(*value);
        return wrap(kind, bits) == bits ? std::optional(bits) : std::nullopt;
    }
    const std::optional<std::uint64_t> value = parsed<std::uint64_t>(text);
    return value && wrap(kind, *value) == *value ? value : std::nullopt;
}

// Decimal, and all of the text; of floats also inf, -inf and nan. Not a number that the type does not have.
std::optional<std::uint64_t> number(TypeKind kind, const std::string& text) {
    if (!is_float(kind)) return integer(kind, text);
    const bool word = text == "inf" || text == "-inf" || text == "nan";
    if (!word && text.find_first_not_of("0123456789.eE+-") != std::string::npos) return std::nullopt;
    if (kind == TypeKind::F64) {
        const std::optional<double> value = parsed<double>(text);
        return value ? std::optional(from_double(kind, *value)) : std::nullopt;
    }
    const std::optional<float> value = parsed<float>(text);
    return value ? std::optional(from_double(kind, static_cast<double>(*value))) : std::nullopt;
}

std::string text_in(Site& site, std::size_t operand) {
    std::string text;
    for (const Value& byte : site.array(operand)) text += static_cast<char>(byte.bits);
    site.machine.outcome.work.elements += text.size();
    return text;
}

bool text_of(Site& site) {
    Buffer bytes(site.machine);
    for (char c : printed_text(site.machine.context(), site.type(0), site[0]))
        if (!bytes.push({static_cast<unsigned char>(c), nullptr})) return false;
    return site.give(bytes);
}

bool number_of(Site& site) {
    const std::string text = text_in(site, 0);
    const std::optional<std::uint64_t> bits = number(site.graph().kind(site.node()), text);
    return bits ? site.give({*bits, nullptr}) : site.fault("not a number: " + escape(text));
}

bool number_or(Site& site) {
    const std::optional<std::uint64_t> bits = number(site.graph().kind(site.node()), text_in(site, 0));
    return site.give(bits ? Value{*bits, nullptr} : site[1]);
}

constexpr Meaning text_table[] = {{"text_of", text_of}, {"number_of", number_of}, {"number_or", number_or}};

} // namespace

std::span<const Meaning> text_meanings() { return text_table; }

} // namespace irrewrite
