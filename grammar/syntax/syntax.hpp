// The syntax tree of IR files and rule files, before names and types are resolved. Rules are IR text with
// metavariables, so both languages share one set of kinds.
//
// Nodes are stored in post-order (children before their parent) in one vector, children ranges in another; nothing here
// is recursive, and a tree of a million levels is freed like any vector.
#pragma once

#include "engine/support/source.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace irrewrite::grammar {

// Children are listed in order; `name` stands for a token whose text is the node's `name` span.
// `X*` any number, `X?` perhaps. A node's own text is [begin, end).
enum class Kind : std::uint8_t {
    // -- the IR ---------------------------------------------------------------------------------
    File,          // (StructDecl | Func | rule file declarations)*
    StructDecl,    // name; Field*
    Field,         // name; type
    Func,          // name without '@'; flags Local Extern Pure; Param*, result types, Block? (not for extern)
    Param,         // name without '%'; type? ; flags Consumed ('*' before the type), Sequence ('%x...')
    Block,         // Param*, statement*, Results?      label in `name` (empty: the first block)
    OperatorBlock, // `{add}`, `{@f}`, `{?op}`: name with its sigil ('@', '?') ; label in no field: see `label`
    ReadBody,      // the body of a function that was read already (grammar/program/straight.hpp)
    Bind,          // Target+, expression              `%a, %b: f64 = e`; flag Assigns (`%a := e`, of an input language)
    Target,        // name without '%'; type?
    Results,       // expression+                      of `return` in a function (flag Return), or the end of a block
    // An expression that stands as a statement appears directly among a block's children.

    // -- types ----------------------------------------------------------------------------------
    TypeName,  // name: `f64`, `Vec`
    TypeArray, // dim, element type                `[n]f64`
    DimNone,
    DimName,
    DimNumber,
    DimVar,    // `[]`, `[n]`, `[3]`, `[?n]` (name without '?')
    DimSeq,    // dim                              `[?n...]`
    TypeTuple, // type*
    TypeRef,
    TypeMut,   // type                        `ref f64`, `mut [n]f64`
    TypeVar,   // name without '?'; class name as an Ident child, perhaps: `?T: num`
    TypeSeq,   // type                             `?T...`
    TypeApply, // name; type*                      `gen(?R...)`, `emission(?V...)`, any name applied to types
               // or dim* (flag OfSizes: in brackets, perhaps none), then a type if flag OfElement is set:
               // `Mat[n, 3, _]`, `List of f64`, `Mat[n, 3] of f64`

    // -- expressions ----------------------------------------------------------------------------
    Value,     // name without '%'                 `%x`, a block's parameter in a rule too
    Number,    // name: the literal with its suffix, a sign included when it was written as one: `-7`, `2.5f32`, `inf`,
               // `-inf`, `nan`
    Bool,      // name: `true` or `false`
    String,    // name: the text with its quotes and escapes
    Op,        // name; Attr*, operand expression*, (Block | OperatorBlock)*
    Call,      // name without '@'; operand expression*, in rules Block?
    Infix,     // name: the operator; left, right
    Prefix,    // name: `-`, `!` or `not`; operand
    Project,   // expression; name: `0`, `re`; or a MetaLiteral / Compute as second child: `?l.#k`, `?v.#(#k - 1)`
    Tuple,     // expression*  `(a, b)`; a parenthesized single expression is that expression
    Array,     // expression*  `[a, b]`
    Struct,    // name; FieldInit*                 `Complex{re = a, im = b}`; in a pattern Seq as well, `?rest...`
    Update,    // expression, FieldInit*           `{%z with re = a}`: names may be paths, `{%s with z.re = a}`
    FieldInit, // name; expression
    Attr, // name? ; value: expression or type   `op[3]`, `op[axis = 3]`, `cast[f64]`; a bare name is a TypeName, `?T` a
          // Meta

    // -- patterns and terms of rules --------------------------------------------------------------
    Meta,          // name without '?'; type? (`?x: int`)
    MetaLiteral,   // name without '#'; type?
    Compute,       // expression                       `#(#a * #b + 1)`
    Apply,         // name without '?'; argument*      `?f(at(?xs, %i))`
    Named,         // name without '?'; expression     `(?m = ?a * ?b)`
    Seq,           // expression                       `?xs...`, `emit(?v)...`
    Wildcard,      //                                  `_`
    NamedCall,     // MetaLiteral or Compute (the name), operand expression*, Block?     `@#f(?x)`
    WholeFunction, // name without '@', or MetaLiteral or Compute; Operands?, Block `func @#f(?x) { |%x| … }`
    StrategyTerm,  // strategy, expression             `<s> t` inside a term

    // -- rule files -------------------------------------------------------------------------------
    Import,    // name: the string with its quotes
    TypeDecl,  // name; DimName* (`Mat[n, m]`), TypeVar? (`of ?T`), type? (`as`), phase name in an Ident child?
    ClassDecl, // name; type+                      `class wide = u32 | u64`
    OpDecl,    // name; AttrDecl*, operand types in one Operands node, BlockType*, result types in one Signature node,
               // Trait*, expansion Block?, Ident? (phase of `at`)
    Model,     // name; Block                      `model re.alt = { |%a, %b| … }`
    ModelType, // name; DimName*, type             `model type Re as []bool`, `model type Mat[n] of ?T as [n][n]?T`
    CostOps,   // Ident+, Number                   `cost op mul, div 4`
    CostIterations, // Number                      `cost per iteration 100`
    Cost,           // pattern, term, condition*        `cost mat.mul[#n, #m](_, _) = #(#n * #m) where …`
    Analysis, // name; Operands, Signature?, Block+ (labelled), RuleSet; flag Finite   `analysis sign(?T: int) over neg { … } … { rules }`
    AttrDecl, // name; type                       `[to: type]`; a type variable alone has no name: `[?T: num]`
    Operands, // type*
    BlockType, // label in `label`; Operands, Signature   `{?A, ?A -> ?R}`; Trait children: hot, cold, combines,
               // optional
    Signature, // type*
    Trait,     // name; argument expressions or strings   `infix "+"`, `identity(0)`, `writes(0)`, `pure`
    RuleSet, // name; Ident* parameters (`rules s(?p)`: Meta children), AtPhase?, Costs?, Prints?, (Rule | FactAfter | FactIn)* ; flag Inexact
    AtPhase, // name
    Costs,   // name: the string with its quotes     `costs "why"`
    Prints,  // name: the string with its quotes     `prints "why"`
    Rule,    // name; Pattern, Terms, AtPhase?, condition* (AtPhase stands last where it is written behind them)
    Pattern, // expression+ joined by `&`
    Terms,   // expression+ separated by ','
    // Conditions are expressions (Infix ==, <, ~, or; Prefix not; Op pure(...)), and:
    CondBuild,    // name without '?'; expression     `?y = term`
    CondStrategy, // strategy, expression, expression `<s> ?x => ?y`
    Normalize,    // Ident+
    TargetDecl,   // name; Trait*                     `target sql { func "…" add "$0 + $1" prec(4) }`
    Phase,        // name; strategy?
    Strategy,     // name; Ident* parameters, strategy
    Test,         // name; expression, expression?, AtPhase?
    FactAfter,    // pattern expression; pattern expression, term expression; conditions
                  // `fact after set(?r, ?x): get(?r) => ?x`
    FactIn,       // name: the block label; pattern; pattern expression, term; conditions
    Ident,        // name: a bare, perhaps dotted, name

    // -- input languages --------------------------------------------------------------------------
    SyntaxDecl,   // name; Ident* options, Production*       `syntax sql { … }`
    Production,   // name; String? (how messages call it), Alternative+ ; flag Lexical (`token`)
    Alternative,  // item*, PegPrec?, Template?
    PegLiteral,   // name: with its quotes; flag Caseless    `"if"`, `"if"i`
    PegClass,     // name: with its brackets                 `[a-z]`, `[^\n]`
    PegAny,       //                                         `.`
    PegRef,       // name: of a production
    PegGroup,     // Alternative+                            `(a | b)`
    PegRepeat,    // name: `?`, `*`, `+`, `**` or `++`; item, separator?
    PegAnd,       // item                                    `&item`
    PegNot,       // item                                    `!item`
    PegLabel,     // name; item                              `l:expr`
    PegPrec,      // name: the number; label: `left`, `right` or `none`, perhaps
    Template,     // Func, StructDecl, Param, Field, FieldInit, Bind, Block, Results or one expression
    TypeTemplate, // type                                   `type []f64`

    // -- strategies -------------------------------------------------------------------------------
    StrategyName,   // name, dotted perhaps
    StrategyCall,   // name; argument strategies, numbers, names; StrategyBlock*
    StrategyBlock,  // label in `label`; strategy     `{s}` of a congruence
    StrategySeq,    // s ; t
    StrategyChoice, // s <+ t
    StrategyIf,     // s < t + u
    StrategyRec,    // name; strategy                 `rec x(s)`
    Error,          // a location where parsing failed and recovered
};

enum Flag : std::uint8_t {
    Local = 1,
    Extern = 2,
    Pure = 4,
    Consumed = 8,
    Sequence = 16,
    Return = 32,
    Inexact = 64,
    Assigns = 128
};
// Of Production: `token`. Of PegLiteral: `"…"i`.
inline constexpr std::uint8_t Lexical = 1, Caseless = 1;
// Of TypeApply: the last child is the type of the elements. Of TypeDecl and ModelType: the first TypeVar is its variable.
inline constexpr std::uint8_t OfElement = 1;
inline constexpr std::uint8_t OfSizes = 2;
// Of Analysis: `over`; its blocks are the elements of a set.
inline constexpr std::uint8_t Finite = 1;

struct SyntaxNode {
    Kind kind;
    std::uint8_t flags = 0;
    std::uint32_t begin = 0, end = 0;             // the node's text
    std::uint32_t name_begin = 0, name_end = 0;   // its name, without a sigil
    std::uint32_t label_begin = 0, label_end = 0; // Block, OperatorBlock, BlockType: the label, empty for the first
    std::uint32_t first = 0, count = 0;           // children
};

using SyntaxId = std::uint32_t;

struct SyntaxTree {
    SourceId source;
    std::string_view text;
    // Names from here on are not in the source: the tree of an input language (grammar/surface).
    std::uint32_t own_text = UINT32_MAX;
    std::vector<SyntaxNode> nodes;
    std::vector<SyntaxId> children;
    SyntaxId root = 0;

    const SyntaxNode& operator[](SyntaxId id) const { return nodes[id]; }
    std::span<const SyntaxId> children_of(SyntaxId id) const {
        return {children.data() + nodes[id].first, nodes[id].count};
    }
    std::string_view name(SyntaxId id) const {
        return text.substr(nodes[id].name_begin, nodes[id].name_end - nodes[id].name_begin);
    }
    // Without the number of its version: `a'2` is the second value of a variable of an input language.
    std::string_view shown_name(SyntaxId id) const { return name(id).substr(0, name(id).find(version_mark)); }
    static constexpr char version_mark = '\'';
    std::string_view label(SyntaxId id) const {
        return text.substr(nodes[id].label_begin, nodes[id].label_end - nodes[id].label_begin);
    }
    Span span(SyntaxId id) const { return {source, nodes[id].begin, nodes[id].end}; }
    Span name_span(SyntaxId id) const {
        const SyntaxNode& node = nodes[id];
        return node.name_begin >= own_text ? span(id) : Span{source, node.name_begin, node.name_end};
    }
    // With the character before the name, `%` or `@`.
    Span sigil_span(SyntaxId id) const {
        Span where = name_span(id);
        where.begin -= nodes[id].name_begin < own_text && where.begin > 0;
        return where;
    }
};

// True if an identifier between two blocks, `{…} else {…}`, is a block label rather than an operation without operands
// that starts the next statement.
using IsLabel = std::function<bool(std::string_view)>;

// Offered the body of a function of IR text: its brace, and the Param and type nodes of the header.
// The end of the body, if it was read already: it is one ReadBody node then.
using ReadBody = std::function<std::optional<std::uint32_t>(const SyntaxTree& tree, std::span<const SyntaxId> header,
                                                            std::uint32_t brace)>;

// Each parses a whole text. Faults go to `diagnostics`; parsing goes on at the next statement or
// declaration, and what could not be read is an Error node. Linear in time and memory. Text
// nests 10,000 levels, for which the caller needs no large stack.
SyntaxTree parse_ir(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics,
                    const ReadBody& read_body = {});
SyntaxTree parse_rules(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics);
// One expression: `@f([1.0, 2.0], 3)` of -run. The root is that expression.
SyntaxTree parse_expression(const Sources& sources, SourceId source, Diagnostics& diagnostics);

// The strings of the import lines at the top of a rule file, found without parsing the rest.
struct ImportLine {
    std::string path;
    Span span;
    bool for_sets = false; // `import "x.rules" for sets`: its phases do not run
};
std::vector<ImportLine> scan_imports(const Sources& sources, SourceId source);

} // namespace irrewrite::grammar
