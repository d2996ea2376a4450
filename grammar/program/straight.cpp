#include "grammar/program/straight.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/syntax/characters.hpp"
#include "grammar/syntax/scanner.hpp"

#include <algorithm>
#include <cstring>

namespace irrewrite::grammar {

StraightReader::StraightReader(Context& context, SourceId source)
    : context_(context), source_(source), begin_of_text_(context.sources.begin(source)),
      text_(context.sources[source].text), names_(context.symbols, text_),
      forgets_(context.sources.may_forget(source)) {}

std::optional<std::uint32_t> StraightReader::read(Function& function, std::uint32_t begin) {
    function_ = &function;
    graph_ = &function.graph;
    const Place from = text_.data() + begin + 1;
    ++functions_;
    if (const auto* end = static_cast<const char*>(std::memchr(from, '}', text_.size() - begin - 1)))
        graph_->reserve(static_cast<std::size_t>(end - from) / 24 + 16);
    bool fine = true;
    for (const Dimension& dimension : function.dims) fine = fine && names_.define(dimension.name, dimension.node);
    for (const Parameter& param : function.params) fine = fine && names_.define(param.name, param.node);
    graph_->param(number::function, number::entry_index, context_.types.token());
    begin_ = from;
    forget_at_ = forgets_ ? further(from) : text_.data() + text_.size();
    const Place end = fine ? statements(from) : nullptr;
    graph_->current_origin = {};
    names_.leave(graph_->size());
    if (end) return offset(end);
    context_.sources.recall(source_);
    return std::nullopt;
}

// -- the text -------------------------------------------------------------------------------------

[[gnu::always_inline]] inline StraightReader::Place StraightReader::blanks(Place at) const {
    if (!is(at, Blank | Slash)) return at;
    at += *at == ' '; // most often that is all
    while (is(at, Blank)) ++at;
    return at[0] == '/' && at[1] == '/' ? comments(at) : at;
}

StraightReader::Place StraightReader::comments(Place at) const {
    while (at[0] == '/' && at[1] == '/') {
        const std::size_t left = text_.size() - offset(at);
        const auto* line_end = static_cast<const char*>(std::memchr(at, '\n', left));
        at = line_end ? line_end : at + left;
        while (is(at, Blank)) ++at;
    }
    return at;
}

[[gnu::always_inline]] inline StraightReader::Word StraightReader::word(Place from) const {
    if (!is(from, First)) return {};
    const ValueNames::Name name = names_.read(from);
    const Place at = from + name.size;
    return *at == '.' && is(at + 1, First) ? dotted_word(from, at) : Word{name.text(), name.bytes};
}

StraightReader::Word StraightReader::dotted_word(Place from, Place at) const {
    while (*at == '.' && is(at + 1, First))
        for (++at; is(at, Other);) ++at;
    return {slice(from, at), 0};
}

// A sign directly before a numeral belongs to it.
StraightReader::Place StraightReader::numeral(Place from, NodeId& node, Numeral& numeral) {
    const bool negative = *from == '-';
    Place at = from + negative;
    std::uint32_t value = 0; // as long as it is small
    for (; is(at, Digit); ++at)
        value = std::min<std::uint32_t>(10 * value + static_cast<std::uint32_t>(*at - '0'), small_.size());
    node = {};
    if (!is(at, Other) && *at != '.') {
        numeral = {offset(from), offset(at), negative ? UINT32_MAX : value, false};
        return at;
    }
    const char* const end = number_end(from + negative, text_.data() + text_.size());
    if (!end) return nullptr;
    const NumberText text = split_number(slice(from, end));
    numeral = {offset(from), offset(end), UINT32_MAX, text.is_float};
    if (!text.suffix) return end;
    node = number(numeral, {});
    return node ? end : nullptr;
}

// -- statements -----------------------------------------------------------------------------------

StraightReader::Place StraightReader::statements(Place at) {
    for (;;) {
        at = blanks(at);
        if (*at == '%') {
            if (!(at = binding(at))) return nullptr;
            if (at > forget_at_) forget(at);
        } else if (*at == ';') {
            ++at;
        } else {
            const Word name = word(at);
            return name.text == "return" ? results(at + name.text.size()) : nullptr;
        }
    }
}

[[gnu::always_inline]] inline StraightReader::Place StraightReader::binding(Place at) {
    graph_->current_origin.place = place(at);
    const ValueNames::Name name = names_.read(at + 1);
    at = blanks(at + 1 + name.size);
    if (!name.size || *at != '=' || at[1] == '=' || at[1] == '>') return nullptr;
    const SymbolId symbol = names_.symbol(name); // early: a new name is a miss of the cache, which the expression hides
    NodeId node;
    at = expression(at + 1, node, {}, true);
    if (!at || !names_.define(name, symbol, node)) return nullptr;
    if (!name.numeral && !graph_->name(node) && !graph_->is_literal(node) && !graph_->is_param(node))
        graph_->give_name(node, symbol);
    return at;
}

// Returns the pages of a large text that were read to the system.
[[gnu::noinline]] void StraightReader::forget(Place at) {
    context_.sources.forget({source_, offset(begin_), offset(at)});
    forget_at_ = further(at);
}

StraightReader::Place StraightReader::further(Place at) const {
    constexpr std::size_t step = std::size_t{2} << 20;
    return at + std::min(step, text_.size() - offset(at));
}

StraightReader::Place StraightReader::results(Place at) {
    const auto& due = function_->result_types;
    for (std::size_t k = 0; k < due.size(); ++k) {
        if (k && *(at = blanks(at)) != ',') return nullptr;
        at = blanks(at + (k != 0));
        graph_->current_origin.place = place(at);
        NodeId node;
        at = expression(at, node, due[k], false);
        if (!at || graph_->type(node) != due[k]) return nullptr;
        function_->results.push_back(node);
    }
    while (*(at = blanks(at)) == ';') ++at;
    return *at == '}' ? at + 1 : nullptr;
}

// -- expressions ----------------------------------------------------------------------------------

[[gnu::always_inline]] inline StraightReader::Place StraightReader::expression(Place at, NodeId& node, TypeId due,
                                                                               bool free) {
    Numeral numeral;
    at = operand(blanks(at), node, numeral, free, 0);
    if (!at || (!node && !(node = number(numeral, due)))) return nullptr;
    at = blanks(at); // what may follow: the next statement, or the end of this one
    const bool next = *at == '%' ? is(at + 1, Other) : *at == ';' || *at == ',' || *at == '}' || is(at, First);
    return next ? at : nullptr;
}

[[gnu::always_inline]] inline StraightReader::Place StraightReader::operand(Place at, NodeId& node, Numeral& numeral,
                                                                            bool free, unsigned depth) {
    if (*at == '%') {
        const ValueNames::Name name = names_.read(at + 1);
        if (!name.size || !(node = names_.find(name))) return nullptr;
        graph_->expect_use(node);
        return at + 1 + name.size;
    }
    if (is(at, First)) return compound(at, node, free, depth);
    return is(at, Digit) || (*at == '-' && is(at + 1, Digit)) ? this->numeral(at, node, numeral) : nullptr;
}

// Reads an expression that begins with a word.
StraightReader::Place StraightReader::compound(Place at, NodeId& node, bool free, unsigned depth) {
    const Word name = word(at);
    at += name.text.size();
    if (*at == '(' || (name.text != "true" && name.text != "false")) return application(at, name, node, free, depth);
    node = graph_->literal(context_.types.boolean(), name.text == "true");
    return at;
}

[[gnu::always_inline]] inline StraightReader::Use& StraightReader::use(const Word& name, std::uint32_t operands) {
    Use& use = uses_[(name.bytes * golden >> (64 - use_bits)) ^ operands];
    return name.bytes && use.bytes == name.bytes && use.operands == operands ? use : other_use(name, operands);
}

[[gnu::always_inline]] inline NodeId StraightReader::apply(Use& use, const Operands& operands) {
    const Shape& shape = operands.shape;
    const std::span<const NodeId> values(operands.nodes.data(), shape.operands);
    const TypeId type =
        use.lengths ? admitted(use, shape, infer(*graph_, shape.op, shape.attrs, values, {}).type.value_or(TypeId{}))
                    : typed(use, 0, shape).result;
    if (!type) return {};
    return graph_->make({.op = shape.op, .attrs = shape.attrs, .operands = values, .type = type});
}

// `free`: nothing is known of the type that is due, so that numerals alone take their own.
[[gnu::always_inline]] inline StraightReader::Place
StraightReader::application(Place at, const Word& name, NodeId& node, bool free, unsigned depth) {
    TypeId given;
    Operands operands;
    if (depth > deepest || !(at = attribute(at, given)) || !(at = operand_list(at, operands, depth))) return nullptr;
    Use& used = use(name, operands.shape.operands);
    if (!used.op || used.given != static_cast<bool>(given)) return nullptr;
    operands.shape.op = used.op;
    operands.shape.attrs = given ? type_attribute(given) : Attributes::none();
    if (operands.open && !build_numerals(used, operands, free)) return nullptr;
    node = apply(used, operands);
    return node ? at : nullptr;
}

// `[f64]`, or nothing.
inline StraightReader::Place StraightReader::attribute(Place at, TypeId& given) {
    if (*at != '[') return at;
    at = blanks(at + 1);
    const Word name = word(at);
    given = scalar_type(context_, name.text).value_or(TypeId{});
    at = blanks(at + name.text.size());
    return given && *at == ']' ? at + 1 : nullptr;
}

[[gnu::always_inline]] inline StraightReader::Place StraightReader::operand_list(Place at, Operands& operands,
                                                                                 unsigned depth) {
    at = blanks(at);
    if (*at != '(') return nullptr;
    at = blanks(at + 1);
    std::uint32_t count = 0;
    while (count < most_operands && (count || *at != ')')) {
        NodeId& node = operands.nodes[count];
        if (!(at = operand(at, node, operands.numerals[count], false, depth + 1))) return nullptr;
        if (node)
            operands.shape.types[count] = graph_->type(node);
        else
            operands.open |= 1u << count;
        ++count;
        at = blanks(at);
        if (*at != ',') break;
        at = blanks(at + 1);
    }
    operands.shape.operands = count;
    return *at == ')' ? at + 1 : nullptr;
}

} // namespace irrewrite::grammar
