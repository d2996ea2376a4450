#include "engine/support/symbols.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <rapidcheck.h>

namespace irrewrite::symbols_tests {

namespace {

// Texts that are apt to be taken for each other: numbers at the end, with zeros before them and too long for one word;
// bytes that are zero; around eight characters, where a text no longer fits into a word, and around 255, where its length
// takes more room.
std::string text() {
    const auto pick = [](auto... parts) { return *rc::gen::elementOf(std::vector<std::string>{parts...}); };
    std::string result = pick("", "v", "w", "a.b", "abcdefg", "abcdefgh", std::string(1, '\0'), std::string(251, 'x'));
    result += pick("", "0", "00", "-", "1.", std::string(1, '\0'), "4294967296", "999999999999");
    if (*rc::gen::arbitrary<bool>()) result += std::to_string(*rc::gen::inRange(0, 3000));
    return result + pick("", "", "", std::string(1, '\0'), "q");
}

} // namespace

TEST_CASE("symbols are equal where their texts are", "[symbols]") {
    REQUIRE(rc::check([] {
        Symbols symbols;
        std::map<std::string, SymbolId> known;
        std::vector<std::string> texts =
            *rc::gen::scale(20, rc::gen::container<std::vector<std::string>>(rc::gen::exec(text)));
        for (int i = 0; i < 2000; ++i) texts.push_back("v" + std::to_string(i));
        for (int n = *rc::gen::inRange(0, 40); n-- > 0;) { // runs, with gaps between them, upwards and down
            const std::string stem = *rc::gen::element<std::string>("v", "w", "x0y", "");
            const int first = *rc::gen::inRange(0, 3000), count = *rc::gen::inRange(1, 100),
                      step = *rc::gen::element(1, 1, 3, 20, -1);
            for (int i = 0; i < count; ++i) texts.push_back(stem + std::to_string(std::max(first + i * step, 0)));
        }
        std::map<std::string, Symbols::SeriesId> series; // by stem
        const bool by_number = *rc::gen::arbitrary<bool>();
        for (const std::string& name : texts) {
            RC_ASSERT(symbols.find(name).has_value() == known.contains(name));
            const std::size_t stem = name.find_last_not_of("0123456789") + 1, digits = name.size() - stem;
            const bool plain = digits && digits < 8 && (name[stem] != '0' || digits == 1);
            const SymbolId symbol =
                by_number && plain ? symbols.add(name, static_cast<std::uint32_t>(std::stoul(name.substr(stem))),
                                                 series.emplace(name.substr(0, stem), Symbols::no_series).first->second)
                                   : symbols.add(name);
            const auto [place, fresh] = known.emplace(name, symbol);
            RC_ASSERT(place->second == symbol);
            RC_ASSERT(!fresh || symbol.index + 1 == symbols.size());
        }
        for (const auto& [name, symbol] : known) {
            RC_ASSERT(symbols[symbol] == name);
            RC_ASSERT(symbols.find(name) == std::optional(symbol));
        }
    }));
}

} // namespace irrewrite::symbols_tests
