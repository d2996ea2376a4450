// IR types in C: names, and the text of their definitions with the functions on them that a file uses.
//
// A value that holds arrays counts the uses of their memory: `keep` is one more, `release` one less, `take` moves it out of a
// variable. All other values are copied as they are.
#pragma once

#include "engine/ir/module.hpp"
#include "printers/c/runtime/runtime.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/plan/array_types.hpp"

#include <unordered_map>
#include <unordered_set>

namespace irrewrite::printers {

// Words of C that are none of C++, and macros of emitted files.
inline constexpr std::string_view c_words[] = {"restrict", "IR_FAULT", "IR_UNUSED"};

class CTypes : public ArrayTypes {
  public:
    // `names`: those beside the types, which they do not have.
    CTypes(const Types& types, const Symbols& symbols, Names& names)
        : ArrayTypes(types), symbols_(symbols), names_(names) {}

    // The IR's names of structs behind the prefix, where nothing else has them; before any type is asked for.
    void name_structs(std::span<const TypeId> structs, const std::string& prefix);
    // True if a function for a type that has been named is called so.
    bool is_function(const std::string& name) const;
    // The C type; its definition is remembered.
    std::string value(TypeId type);
    std::string results(std::span<const TypeId> types); // of a function: `void`, a type, or a struct of several
    const std::string& field(TypeId structure, std::size_t k) const { return structs_.at(structure).fields[k]; }
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
    bool is_free(const std::string& name) const;
    std::string named(const std::string& wanted, const std::string& key);
    void define_struct(const std::string& name, TypeId type);
    std::string tuple(std::span<const TypeId> types, TypeId type);
    void define_array(const std::string& name, TypeId type, std::size_t rank, TypeId element);
    void define_record(const std::string& name, std::span<const TypeId> parts, std::span<const std::string> fields,
                       TypeId type);

    std::string array_conversion(TypeId to, TypeId from);
    std::string record_conversion(TypeId to, TypeId from);

    const Symbols& symbols_;
    Names& names_;
    struct StructNames {
        std::string name;
        std::vector<std::string> fields;
    };
    std::unordered_map<TypeId, StructNames> structs_;
    std::unordered_set<std::string> type_names_;
    std::unordered_map<std::string, std::string> by_key_; // names, by the parts of the type
    std::unordered_map<std::string, std::vector<CHelper>> by_name_;
    std::vector<std::string> order_;
};

} // namespace irrewrite::printers
