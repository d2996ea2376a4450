// The table of operations. Each is a line of a rule file (`op map([?n]?A...) {?A... -> ?R...} -> [?n]?R...   pure`);
// parser, inference, printers, effects and checks read it here.
//
// `Core` names the few operations for which the text of the IR has a notation of its own.
#pragma once

#include "engine/ir/types.hpp"
#include "engine/support/source.hpp"

#include <array>
#include <memory>

namespace irrewrite {

enum class Scalar : std::int32_t; // engine/ir/scalars.hpp

// A type with variables, as signatures and patterns write it.
struct TypeTerm {
    enum class Kind : std::uint8_t {
        Known, // type
        Variable,
        Array,
        Mut,
        Ref,
        Tuple,
        Generator,
        Emission,
        Once,
        Attribute, // the type given by attribute number `variable`
        Opaque,    // `type`, with dimensions: the lengths of `parts`, arrays of units
        Any,
    };
    enum class Length : std::uint8_t {
        Unknown,
        Constant,
        Named,    // as Dim
        Variable, // `[?n]`: dimension variable `dim`
        Operand,  // `[operand0]`: the value of that operand
        Each,     // `[each]`: one for each index when everything emitted is emitted once
    };
    Kind kind = Kind::Any;
    bool sequence = false; // `T...`
    bool any_rank = false; // of an array: `[?n...]`, a sequence of dimensions; `dim` is the variable, if there is one
    Length length = Length::Unknown;
    TypeId type;
    std::uint32_t variable = 0;
    std::int64_t dim = 0;
    std::vector<TypeTerm> parts;
};

// The class of types that a type variable ranges over.
enum class TypeClass : std::uint16_t {
    Any,
    Int,
    Signed,
    Unsigned,
    Float,
    Num,
    Bool,
    Bits,
    Scalar,
    Array,
    Record // a tuple or a struct
};         // Bits: int or bool
// Scalar types by the bits of their kinds, `u32 | u64`: a class that has no name.
constexpr std::uint16_t listed_scalars = 0x1000;
constexpr TypeClass scalars_of(std::uint16_t kinds) { return static_cast<TypeClass>(listed_scalars | kinds); }
constexpr bool lists_scalars(TypeClass cls) { return static_cast<std::uint16_t>(cls) & listed_scalars; }
bool belongs(const Types& types, TypeId type, TypeClass cls);
std::optional<TypeClass> find_class(std::string_view name);

enum class Frequency : std::uint8_t { Once, Hot, Cold };

struct BlockSignature {
    SymbolId label; // empty for the first block
    std::vector<TypeTerm> params, results;
    Frequency frequency = Frequency::Once;
    bool optional = false; // may be left out: it has no results
    // An associative operator (`reduce`'s ⊕): never depends on what encloses the loop's body.
    bool combines = false;
    // Runs before each run of the other blocks, and once more: its result says whether they run.
    bool tests = false;
    // Its last parameters are the last operands at first, then what it resulted in; the node results in what
    // is left in the end. A block that `tests` has them too.
    bool carries = false;
};

struct Signature {
    std::vector<TypeTerm> operands;
    std::vector<BlockSignature> blocks;
    std::vector<TypeTerm> results;
    std::vector<TypeClass> type_variables; // their classes
    std::vector<SymbolId> type_names;      // names of the type variables, for messages
    std::uint32_t dim_variables = 0;

    // The block that carries values from run to run: alone, or behind one that tests them.
    std::optional<std::size_t> carrying() const {
        if (blocks.size() == 1 && blocks[0].carries) return 0;
        if (blocks.size() == 2 && blocks[0].tests && blocks[1].carries) return 1;
        return std::nullopt;
    }
    // True if operand i of n is one of those of which there may be any number.
    bool any_number(std::size_t i, std::size_t n) const;
    // The number of results, if each operation has as many.
    std::optional<std::size_t> result_count() const;
    // A block says how often the others run, so they may run for ever.
    bool tests() const { return !blocks.empty() && blocks[0].tests; }
};

enum class AttrKind : std::uint8_t { Int, Float, Bool, Text, Type };
struct AttrDecl {
    SymbolId name;
    AttrKind kind;
};

enum class Trait : std::uint32_t {
    Pure = 1,
    Commutative = 2,
    Associative = 4,
    Idempotent = 8,
    Total = 16,
    Partial = 32,
    Approximate = 64,
    Io = 128,
    Allocates = 256,
    Indexes = 512,
    Counts = 1024,
    Length = 2048,    // see engine/analysis/faults.hpp; Length: the length of operand 0
    Invariant = 4096, // all values of the type of operand 0 have the result true
    Agrees = 8192,    // the result says that operand 1 may be where operand 0 was
};

// Operations whose meaning is the IR's own notation or structure. The order is that of the table.
enum class Core : std::uint8_t {
    Literal, // attrs: one number or text
    Param,   // a parameter of a block or function
    Project, // one result of several; attrs: position
    Tuple,   // (a, b)
    Element, // %t.0 of a tuple; attrs: position
    Struct,  // Name{…}; the type says which
    Field,   // %c.re; attrs: position
    List,    // [a, b]
    Call,    // @f(…); attrs: text, the function's name
    Pack,    // several results as one; a projection of it is the result itself
    Await,   // an effect: what computes its operand may not end; has no text, a loop says it by itself
    None,    // all others
};

struct Operation {
    SymbolId name;
    Core core = Core::None;
    Signature signature;
    std::vector<AttrDecl> attributes;
    std::uint32_t traits = 0;
    std::uint64_t reads = 0, writes = 0; // bit i: operand i
    std::uint64_t overwrites = 0;        // of those written: nothing of what it held stays
    bool writes_own_memory = false;      // in its expansion
    std::uint64_t element = 0;           // what it reads and writes is the element at these operands, and nothing else
    std::uint64_t aliases = 0, contains = 0, extracts = 0, copies = 0;
    std::int32_t guards = -1;     // operand that is needed only where operand 0 is true (`when`), or -1
    bool associative_int = false; // `associative(int)`: on integers alone
    // Commutative and associative, of any number of operands: an application is the multiset of its operands, and no operand
    // of it is an application of it.
    bool is_flat = false;
    bool built_in = true; // what it means goes by its name; not so of an overload that another file declares
    std::optional<std::int64_t> identity;
    std::string infix;  // "+", or empty
    std::string prefix; // "-", or empty
    // Printer text, `$0 + $1`, or empty; for integers another one where the plain text would not
    // wrap or could be undefined: `cpp.int "ir::add($0, $1)"`.
    std::string cpp, cpp_int, cuda, cuda_int, c, c_int;
    std::int32_t primitive = -1; // index in the table of scalar meanings (engine/ir/scalars.hpp), or -1
    // Expansion: a local function of the module of rules with this name, or empty.
    SymbolId expansion;
    SymbolId expansion_phase; // empty: only where printers and the evaluator need it
    Span where;

    bool has(Trait trait) const { return traits & static_cast<std::uint32_t>(trait); }
    // The primitive that it is, by which passes and printers know an operation: its texts are the printers' to write.
    Scalar scalar() const { return Scalar{primitive}; }
    // One evaluation in scalar operations, without its blocks; that of `exp` takes as long as about 32 others.
    std::uint64_t scalar_cost() const { return primitive < 0 ? 0 : has(Trait::Approximate) ? 32 : 1; }
    bool commutative() const { return has(Trait::Commutative); }
    // Commutative, and not of two operands only.
    bool takes_any_order() const {
        const auto& operands = signature.operands;
        return commutative() && (operands.size() != 2 || operands[0].sequence || operands[1].sequence);
    }
    // Has an effect of its own that later ones must not overtake. What an expansion writes in memory of its own has a place
    // in the order of effects if it reads other memory as well.
    bool advances() const { return has(Trait::Io) || has(Trait::Allocates) || writes || (reads && writes_own_memory); }
    bool takes_token() const { return advances() || reads; }
    bool touches_memory() const { return reads || writes || has(Trait::Allocates); }
    // Neither total nor partial itself (`if`): what its blocks do decides.
    // True if it faults only where its blocks do. A loop that may not end counts as one that faults.
    bool blocks_decide() const { return !has(Trait::Partial) && !signature.blocks.empty() && !signature.tests(); }
};

class Operations {
  public:
    explicit Operations(Symbols& symbols);

    OpId add(Operation operation);
    const Operation& operator[](OpId id) const { return *list_[id.index]; }
    Operation& edit(OpId id) { return *list_[id.index]; }
    std::size_t size() const { return list_.size(); }
    static OpId core(Core core) { return {static_cast<std::uint32_t>(core)}; }

    // All operations of a name: overloads differ in the number of operands or in their blocks.
    std::span<const OpId> find(SymbolId name) const;
    // It has the name of an operation that another file declares and that is built in.
    bool overloads_built_in(const Operation& operation) const;
    // The overload that takes so many operands and blocks with these labels (the first block's is
    // empty); blocks that may be left out may be missing.
    std::optional<OpId> find(SymbolId name, std::size_t operands, std::span<const SymbolId> labels) const;
    std::optional<OpId> find_infix(std::string_view token) const;  // binary
    std::optional<OpId> find_prefix(std::string_view token) const; // unary
    bool is_label(SymbolId name) const;
    // True if the signature accepts this number of operands.
    bool accepts(OpId id, std::size_t operands) const;

  private:
    struct Entry : std::unique_ptr<Operation> { // it stays where it is, and is copied with the table
        explicit Entry(Operation operation) : unique_ptr(std::make_unique<Operation>(std::move(operation))) {}
        Entry(const Entry& other) : Entry(Operation(*other)) {}
        Entry(Entry&&) noexcept = default;
        Entry& operator=(Entry other) noexcept { return swap(other), *this; }
    };
    std::vector<Entry> list_;
    std::unordered_map<SymbolId, std::vector<OpId>> by_name_;
    std::unordered_map<SymbolId, bool> labels_;
};

} // namespace irrewrite
