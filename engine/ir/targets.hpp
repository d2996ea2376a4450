// Output languages that rule files declare: texts of operations, functions, statements and literals, by name.
#pragma once

#include "engine/ir/operations.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace irrewrite {

struct TargetText {
    std::string text;
    int precedence = primary; // how strongly it binds: `prec(6)`
    Span where{};

    static constexpr int primary = 1000;
};

struct Target {
    std::string name;
    bool flat = false;                                    // every operation is a statement
    std::map<std::string, TargetText, std::less<>> texts; // what is no operation: `func`, `statement`, `true` …
    std::unordered_map<OpId, TargetText> operations;

    const TargetText* find(std::string_view what) const {
        const auto it = texts.find(what);
        return it == texts.end() ? nullptr : &it->second;
    }
};

// In the order of their declarations; a target may be declared in several files.
struct Targets {
    std::deque<Target> list;

    Target* find(std::string_view name) {
        const auto it = std::find_if(list.begin(), list.end(), [&](const Target& t) { return t.name == name; });
        return it == list.end() ? nullptr : &*it;
    }
};

} // namespace irrewrite
