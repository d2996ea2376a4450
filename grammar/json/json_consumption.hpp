// Checks uses after consumption (`*` parameters) in a function read from JSON, by the rules of
// grammar/program/consumption.hpp. The order is that of the lines; a line is named by its id.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/json/json_fields.hpp"

#include <map>
#include <unordered_map>

namespace irrewrite::grammar {

class JsonConsumption {
  public:
    // Something is wrong at one value of the file because of another.
    using Report = std::function<void(const Json& where, std::string text, const Json& place, std::string note)>;

    JsonConsumption(const Context& context, JsonTypes& types, const Module& module, Report report)
        : context_(context), types_(types), module_(module), report_(std::move(report)) {}

    // Of a well-formed function. False when something was reported.
    bool run(const Json& function);

  private:
    using Id = std::uint32_t;
    static constexpr Id nothing = UINT32_MAX;
    struct Array { // by the id of its definition
        const Json* made;
        std::size_t when; // it was made; times grow from line to line
        bool consumable = false;
        const Json* consumed = nullptr; // what consumed it
        const Json* used = nullptr;     // where it was used last
        std::size_t used_when = 0;
    };
    struct Frame { // a block, or the function itself
        const Json* block;
        const Json* owner; // none: the function
        std::size_t next_line = 0, next_block = 0;
        std::size_t when = 0, mark = 0;           // it began; in trail_
        std::vector<std::pair<Id, Id>> carried{}; // parameter, the array that it is at first
    };

    void step();
    void open(const Json& block, const Json& owner);
    void close();
    void define(Id id, const Json& made, bool consumable);
    void use(Id id, const Json& where);
    void finish(const Json& line);
    void apply(const Json& line, const std::vector<Id>& operands);
    void call(const Json& line, const std::vector<Id>& operands);
    void name(const Json& line, Id id, const std::vector<Id>& operands);
    void consume(Id array, const Json& where);
    Id array_of(Id id) const; // whose memory it is
    std::string called(Id id) const;
    const Operation* operation(const Json& line) const;
    bool is_array(const Json& value);
    void error(const Json& where, std::string text, const Json& place, std::string note);

    const Context& context_;
    JsonTypes& types_;
    const Module& module_;
    Report report_;
    std::vector<Frame> frames_;
    std::unordered_map<Id, Array> arrays_;
    std::unordered_map<Id, Id> roots_;                           // what shares memory with another
    std::unordered_map<const Json*, std::vector<bool>> updated_; // results of lines that are consumable again
    // Of lines with several results: the first line that names one.
    std::map<std::pair<const Json*, std::size_t>, std::pair<Id, const Json*>> parts_;
    std::unordered_map<Id, const Json*> lines_;                                       // that have an id
    std::unordered_map<const Json*, std::vector<std::pair<Id, const Json*>>> behind_; // consumed in blocks of a line
    std::vector<Id> trail_;                                                           // consumed, in order
    std::size_t now_ = 0;
    bool ok_ = true;
};

} // namespace irrewrite::grammar
