// The helpers that emitted C may use: their texts, and those that a text needs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace irrewrite::printers {

struct CHelper {
    std::string name; // a function or type; further ones that its text declares are found there
    std::string text;
};

// Texts for the words in capitals of a helper for several types.
using CWords = std::map<std::string, std::string, std::less<>>;

// The helpers for one type of elements: `OF(f)` becomes `NAME_f`. `deep`: elements count uses, too.
struct CArrayWords {
    std::string name, element, row;
    std::size_t rank = 1;
    bool deep = false;
    std::string read, write, read_row, write_row; // functions
    std::string keep, release;                    // of elements, if they are deep
};
std::vector<CHelper> c_array_helpers(const CArrayWords& words);

// The names that helpers declare, whatever type they are for.
const std::unordered_set<std::string>& c_runtime_names();
// The functions for a type: their names are `NAME_` and one of these.
const std::vector<std::string>& c_functions_of_types();

// The includes, and the helpers that `text` mentions with those that they need, in an order in which they compile; `types` are
// the definitions of the program's own types. `guarded`: a helper that another header has defined is not defined again.
std::string c_prelude(std::string_view text, const std::vector<CHelper>& types, bool guarded);

} // namespace irrewrite::printers
