// Words and lines of a text, and how often each letter occurs in it.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
struct Counts {
    std::int64_t words = 0, lines = 0;
    std::array<std::int64_t, 256> bytes{};
};
std::tuple<std::int64_t, std::int64_t, std::vector<std::int64_t>> compute(std::span<const std::uint8_t> text) {
    const std::uint8_t* t = text.data();
    const std::int64_t n = std::ssize(text);
    const int parts = n > 32768 ? omp_get_max_threads() : 1;
    std::vector<Counts> counts(static_cast<std::size_t>(parts));
    const auto is_letter = [](std::uint8_t c) { return static_cast<std::uint8_t>((c | 32) - 'a') < 26; };
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
        const std::int64_t begin = n * part / parts, end = n * (part + 1) / parts;
        Counts mine;
        bool inside = begin > 0 && is_letter(t[begin - 1]);
        for (std::int64_t i = begin; i < end; ++i) {
            ++mine.bytes[t[i]];
            const bool letter = is_letter(t[i]);
            mine.words += letter && !inside ? 1 : 0;
            inside = letter;
        }
        counts[static_cast<std::size_t>(part)] = mine;
    }
    std::int64_t words = 0, lines = 0;
    std::vector<std::int64_t> letters(26);
    for (const Counts& c : counts) {
        words += c.words, lines += c.bytes['\n'];
        for (std::size_t k = 0; k < 26; ++k) letters[k] += c.bytes['a' + k] + c.bytes['A' + k];
    }
    return {words, lines, std::move(letters)};
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<std::uint8_t>;
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            harness::Random random(1);
            Input text(static_cast<std::size_t>(n));
            const std::string alphabet = "eeeettaaooiinnsshhrrdlcumwfgypbvkjxqzETAOI      ,.\n";
            for (std::uint8_t& c : text)
                c = static_cast<std::uint8_t>(alphabet[static_cast<std::size_t>(random.below(std::ssize(alphabet)))]);
            return text;
        },
        [](const Input& text) { return hand::compute(text); }, [](const Input& text) { return fused::compute(text); },
        [](const Input& text) { return unfused::compute(text); });
}
