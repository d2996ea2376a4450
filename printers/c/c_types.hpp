// IR types in C: names, and the text of their definitions with the functions on them that a file uses.
//
// A value that holds arrays counts the uses of their memory: `keep` is one more, `release` one less, `take` moves it out of a
// variable. All other values are copied as they are.
#pragma once

#include "engine/ir/module.hpp"
#include "printers/c/runtime/runtime.hpp"
#include "printers/plan/array_types.hpp"

#include <map>

namespace irrewrite::printers {

class CTypes : public ArrayTypes {
  public:
    CTypes(const Types& types, const Symbols& symbols, const std::string& prefix)
        : ArrayTypes(types), symbols_(symbols), prefix_(prefix) {}

    // The C type; its definition is remembered.
    std::string value(TypeId type);
    std::string results(std::span<const TypeId> types); // of a function: `void`, a type, or a struct of several
    std::string field(TypeId structure, std::size_t k) const;
    bool holds(TypeId type) const;                   // it counts uses of memory
    bool is_representable(TypeId type) const;        // there is a C type
    static std::string_view suffix(TypeKind scalar); // `i32`
    // Calls that are the value itself where nothing is counted.
    std::string kept(TypeId type, const std::string& text);
    std::string taken(TypeId type, const std::string& variable);
    std::string released(TypeId type, const std::string& text); // a statement
    // A value of its own, whose arrays are laid out as the other type's.
    std::string converted(TypeId to, TypeId from, const std::string& text, const std::string& line);
    std::string read(TypeId type, const std::string& in);
    std::string written(TypeId type, const std::string& text); // a statement

    // The definitions of all types that have been named, each behind those that it needs.
    std::vector<CHelper> definitions() const;

  private:
    std::string suffix_of(TypeId type);
    std::string named(const std::string& name, TypeId type);
    std::string tuple(std::span<const TypeId> types, TypeId type);
    void define_array(const std::string& name, TypeId type, std::size_t rank, TypeId element);
    void define_record(const std::string& name, std::span<const TypeId> parts, std::span<const std::string> fields,
                       TypeId type);

    std::string array_conversion(TypeId to, TypeId from);
    std::string record_conversion(TypeId to, TypeId from);

    const Symbols& symbols_;
    std::string prefix_;
    std::map<std::string, std::vector<CHelper>> by_name_;
    std::vector<std::string> order_;
};

} // namespace irrewrite::printers
