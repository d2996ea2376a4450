#include "grammar/straight.hpp"

#include "engine/scalars.hpp"
#include "grammar/characters.hpp"
#include "grammar/elaborate.hpp"
#include "grammar/scanner.hpp"

#include <algorithm>
#include <cstring>

namespace irrewrite::grammar {

StraightReader::StraightReader(Context& context, SourceId source)
    : context_(context), text_(context.sources[source].text), names_(context.symbols, text_) {}

std::optional<std::uint32_t> StraightReader::read(Function& function, std::uint32_t begin) {
    function_ = &function;
    graph_ = &function.graph;
    at_ = text_.data() + begin + 1;
    ++functions_;
    if (const auto* end = static_cast<const char*>(std::memchr(at_, '}', text_.size() - begin - 1)))
        graph_->reserve(static_cast<std::size_t>(end - at_) / 24 + 16);
    bool fine = true;
    for (const Dimension& dimension : function.dims)
        fine = fine && names_.define(dimension.name, dimension.node);
    for (const Parameter& param : function.params)
        fine = fine && names_.define(param.name, param.node);
    graph_->param(number::function, number::entry_index, context_.types.token());
    fine = fine && statements();
    graph_->current_origin = {};
    names_.leave(graph_->size());
    if (!fine) return std::nullopt;
    return offset(at_);
}

// -- the text -------------------------------------------------------------------------------------

inline void StraightReader::skip_blanks() {
    if (!is(at_, Blank | Slash)) return;
    const char* at = at_;
    while (is(at, Blank)) ++at;
    at_ = at;
    if (at[0] == '/' && at[1] == '/') skip_comments();
}

void StraightReader::skip_comments() {
    while (at_[0] == '/' && at_[1] == '/') {
        const std::size_t left = text_.size() - offset(at_);
        const auto* line_end = static_cast<const char*>(std::memchr(at_, '\n', left));
        at_ = line_end ? line_end : at_ + left;
        while (is(at_, Blank)) ++at_;
    }
}

inline bool StraightReader::accept(char c) {
    skip_blanks();
    if (*at_ != c) return false;
    ++at_;
    return true;
}

// The name that begins here, without the `%` before it; nothing: none does.
inline ValueNames::Name StraightReader::name() {
    const ValueNames::Name name = ValueNames::read(at_);
    at_ += name.size;
    return name;
}

// `add`, `mat.mul`.
inline std::string_view StraightReader::word() {
    const char* const from = at_;
    const char* at = at_;
    while (is(at, First)) {
        while (is(at, Other)) ++at;
        if (*at != '.' || !is(at + 1, First)) break;
        ++at;
    }
    at_ = at;
    return slice(from, at);
}

// A sign directly before a numeral belongs to it.
bool StraightReader::numeral(Operand& operand) {
    const char* const from = at_;
    at_ += *at_ == '-';
    while (is(at_, Digit)) ++at_;
    const bool plain = !is(at_, Other) && *at_ != '.';
    const char* const end = plain ? at_ : number_end(from + (*from == '-'), text_.data() + text_.size());
    if (!end) return false;
    at_ = end;
    operand = {{}, offset(from), offset(end)};
    if (!plain && split_number(slice(from, end)).suffix) {
        operand.node = number(operand, {});
        return static_cast<bool>(operand.node);
    }
    return true;
}

// -- statements -----------------------------------------------------------------------------------

bool StraightReader::statements() {
    for (;;) {
        skip_blanks();
        if (*at_ == '%') {
            if (!binding()) return false;
        } else if (*at_ == ';') {
            ++at_;
        } else {
            return word() == "return" && results();
        }
    }
}

[[gnu::always_inline]] inline bool StraightReader::binding() {
    graph_->current_origin.place = offset(at_);
    ++at_;
    const ValueNames::Name name = this->name();
    if (!name.size || !accept('=')) return false;
    if (*at_ == '=' || *at_ == '>') return false;
    const SymbolId symbol = names_.symbol(name); // early: a new name is a miss of the cache, which the expression hides
    const NodeId node = expression({}, true);
    if (!node || !names_.define(name, symbol, node)) return false;
    if (!graph_->is_literal(node) && !graph_->is_param(node)) graph_->set_name(node, symbol);
    return true;
}

bool StraightReader::results() {
    const auto& due = function_->result_types;
    for (std::size_t k = 0; k < due.size(); ++k) {
        if (k && !accept(',')) return false;
        skip_blanks();
        graph_->current_origin.place = offset(at_);
        const NodeId node = expression(due[k], false);
        if (!node || graph_->type(node) != due[k]) return false;
        function_->results.push_back(node);
    }
    while (accept(';')) {
    }
    return accept('}');
}

// -- expressions ----------------------------------------------------------------------------------

[[gnu::always_inline]] inline NodeId StraightReader::expression(TypeId due, bool free) {
    skip_blanks();
    Operand whole;
    if (!operand(whole, free, 0)) return {};
    if (!whole.node && !(whole.node = number(whole, due))) return {};
    skip_blanks(); // what may follow: the next statement, or the end of this one
    const bool next = *at_ == '%' ? is(at_ + 1, Other) : *at_ == ';' || *at_ == ',' || *at_ == '}' || is(at_, First);
    return next ? whole.node : NodeId{};
}

[[gnu::always_inline]] inline bool StraightReader::operand(Operand& operand, bool free, unsigned depth) {
    if (*at_ == '%') {
        ++at_;
        const ValueNames::Name name = this->name();
        if (name.size) operand.node = names_.find(name);
    } else if (is(at_, First)) {
        operand.node = compound(free, depth);
    } else {
        return (is(at_, Digit) || (*at_ == '-' && is(at_ + 1, Digit))) && numeral(operand);
    }
    return static_cast<bool>(operand.node);
}

// What begins with a word.
NodeId StraightReader::compound(bool free, unsigned depth) {
    const std::string_view name = word();
    if (*at_ != '(' && (name == "true" || name == "false")) return graph_->literal(context_.types.boolean(), name == "true");
    return application(name, free, depth);
}

[[gnu::always_inline]] inline StraightReader::Use& StraightReader::use(std::string_view name, std::uint32_t operands) {
    const std::uint64_t bytes = names_.short_bytes(name);
    const SymbolId symbol = bytes ? SymbolId{} : context_.symbols.add(name);
    Use& use = uses_[((bytes + symbol.index) * golden >> 56) ^ operands];
    if (use.bytes == bytes && use.name == symbol && use.operands == operands) return use;
    use = {.bytes = bytes, .name = symbol, .operands = operands, .op = {}};
    fill(use, name);
    return use;
}

[[gnu::always_inline]] inline NodeId StraightReader::apply(Use& use, const Shape& shape, std::span<const Operand> operands) {
    std::array<NodeId, most_operands> nodes;
    for (std::size_t i = 0; i < operands.size(); ++i)
        nodes[i] = operands[i].node;
    const std::span<const NodeId> values(nodes.data(), operands.size());
    const TypeId type = use.lengths ? admitted(use, shape, infer(*graph_, shape.op, shape.attrs, values, {}).type.value_or(TypeId{}))
                                    : typed(use, use.typed, shape).result;
    if (!type) return {};
    return graph_->make({.op = shape.op, .attrs = shape.attrs, .operands = values, .type = type});
}

// `free`: nothing is known of the type that is due, so that numerals alone take their own.
[[gnu::always_inline]] inline NodeId StraightReader::application(std::string_view name, bool free, unsigned depth) {
    TypeId given;
    std::array<Operand, most_operands> operands;
    std::uint32_t count = 0;
    if (depth > deepest || !attribute(given) || !operand_list(operands, count, depth)) return {};
    Use& used = use(name, count);
    if (!used.op || used.given != static_cast<bool>(given)) return {};
    Shape shape{used.op, given ? type_attribute(given) : Attributes::none(), count, {}};
    const std::span<Operand> all(operands.data(), count);
    bool numerals = false;
    for (std::uint32_t i = 0; i < count; ++i)
        if (all[i].node)
            shape.types[i] = graph_->type(all[i].node);
        else
            numerals = true;
    if (numerals && !build_numerals(used, shape, all, free)) return {};
    return apply(used, shape, all);
}

// `[f64]`, or nothing.
inline bool StraightReader::attribute(TypeId& given) {
    if (*at_ != '[') return true;
    ++at_;
    skip_blanks();
    given = scalar_type(context_, word()).value_or(TypeId{});
    return given && accept(']');
}

inline bool StraightReader::operand_list(std::array<Operand, most_operands>& operands, std::uint32_t& count, unsigned depth) {
    if (!accept('(')) return false;
    for (skip_blanks(); *at_ != ')'; skip_blanks()) {
        if (count == most_operands || (count && !accept(','))) return false;
        skip_blanks();
        if (!operand(operands[count++], false, depth + 1)) return false;
    }
    ++at_;
    return true;
}

} // namespace irrewrite::grammar
