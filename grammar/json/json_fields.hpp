// Members of JSON objects, if they are there and of the right kind; types in JSON strings.
#pragma once

#include "engine/ir/graph.hpp"

#include <nlohmann/json.hpp>
#include <tsl/robin_map.h>

namespace irrewrite::grammar {

using Json = nlohmann::json; // the order of keys means nothing, and growing never copies a value

// Empty results for what is absent or of another kind.
const Json& list(const Json& object, const char* key);
std::string_view text(const Json& object, const char* key);
bool flag(const Json& object, const char* key, bool otherwise);
std::optional<std::uint32_t> number(const Json& value);
std::optional<std::uint32_t> number(const Json& object, const char* key);
std::optional<std::vector<std::uint32_t>> numbers(const Json& object, const char* key);
bool is_name(std::string_view text); // of a value, function or field

// Types by their text, each read once.
class JsonTypes {
  public:
    explicit JsonTypes(Context& context) : context_(context) {}
    std::optional<TypeId> operator[](std::string_view text);

  private:
    std::optional<TypeId> read(std::string_view text);

    Context& context_;
    tsl::robin_map<std::string, std::optional<TypeId>> known_;
};

} // namespace irrewrite::grammar
