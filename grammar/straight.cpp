#include "grammar/straight.hpp"

#include "engine/hash.hpp"
#include "engine/scalars.hpp"
#include "grammar/elaborate.hpp"
#include "grammar/scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace irrewrite::grammar {

namespace {

enum CharClass : std::uint8_t { Blank = 1, First = 2, Other = 4, Digit = 8 };

constexpr std::array<std::uint8_t, 256> classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned char c : {' ', '\t', '\r', '\n'}) table[c] = Blank;
    for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = First | Other;
    for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = First | Other;
    for (unsigned c = '0'; c <= '9'; ++c) table[c] = Other | Digit;
    table['_'] = First | Other;
    return table;
}();
constexpr unsigned name_bits = 13; // of the number of names that are remembered
bool is(const char* at, std::uint8_t which) { return classes[static_cast<unsigned char>(*at)] & which; }

} // namespace

StraightReader::StraightReader(Context& context, SourceId source)
    : context_(context), text_(context.sources[source].text), names_(std::size_t{1} << name_bits) {}

std::optional<std::uint32_t> StraightReader::read(Function& function, std::uint32_t begin) {
    function_ = &function;
    graph_ = &function.graph;
    at_ = text_.data() + begin + 1;
    ++functions_;
    if (const auto* end = static_cast<const char*>(std::memchr(at_, '}', text_.size() - begin - 1)))
        graph_->reserve(static_cast<std::size_t>(end - at_) / 24 + 16);
    bool fine = true;
    for (const Dimension& dimension : function.dims)
        fine = fine && define(dimension.name, dimension.node);
    for (const Parameter& param : function.params)
        fine = fine && define(param.name, param.node);
    graph_->param(number::function, number::entry_index, context_.types.token());
    fine = fine && statements();
    graph_->current_origin = {};
    before_ += static_cast<std::uint32_t>(graph_->size());
    if (before_ > UINT32_MAX / 2) definitions_.clear(), before_ = 0; // one function has fewer nodes than are left
    if (!fine) return std::nullopt;
    return offset(at_);
}

// -- the text -------------------------------------------------------------------------------------

inline void StraightReader::skip_blanks() {
    while (is(at_, Blank)) ++at_;
    if (at_[0] == '/' && at_[1] == '/') skip_comments();
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

// The name behind a `%`; nothing: none stands here.
inline std::string_view StraightReader::value_name() {
    if (*at_ != '%') return {};
    const char* const from = ++at_;
    while (is(at_, Other)) ++at_;
    return slice(from, at_);
}

// `add`, `mat.mul`.
inline std::string_view StraightReader::word() {
    const char* const from = at_;
    while (is(at_, First)) {
        while (is(at_, Other)) ++at_;
        if (*at_ != '.' || !is(at_ + 1, First)) break;
        ++at_;
    }
    return slice(from, at_);
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

bool StraightReader::binding() {
    graph_->current_origin.place = offset(at_);
    const std::string_view name = value_name();
    if (name.empty() || !accept('=')) return false;
    if (*at_ == '=' || *at_ == '>') return false;
    const SymbolId named = symbol(name); // early: a new name is a miss of the cache, which the expression hides
    const NodeId node = expression({}, true);
    if (!node) return false;
    if (!define(named, node)) return false;
    if (!graph_->is_literal(node) && !graph_->is_param(node)) graph_->set_name(node, named);
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

inline bool StraightReader::define(SymbolId name, NodeId node) {
    if (name.index >= definitions_.size()) definitions_.resize(context_.symbols.size());
    std::uint32_t& definition = definitions_[name.index];
    if (definition > before_) return false;
    definition = before_ + node.index + 1;
    return true;
}

inline SymbolId StraightReader::symbol(std::string_view name) {
    std::uint64_t bytes = 0;
    if (name.size() > sizeof bytes || name.empty()) return context_.symbols.add(name);
    if (std::endian::native == std::endian::little && name.data() + sizeof bytes <= text_.data() + text_.size()) {
        std::memcpy(&bytes, name.data(), sizeof bytes); // at once, without what stands behind it
        bytes &= UINT64_MAX >> 8 * (sizeof bytes - name.size());
    } else {
        std::memcpy(&bytes, name.data(), name.size());
    }
    ShortName& known = names_[bytes * golden >> (64 - name_bits)];
    if (known.bytes != bytes || !known.symbol) known = {bytes, context_.symbols.add(name)};
    return known.symbol;
}

// -- expressions ----------------------------------------------------------------------------------

inline NodeId StraightReader::expression(TypeId due, bool free) {
    skip_blanks();
    Operand whole;
    if (!operand(whole, free, 0)) return {};
    if (!whole.node && !(whole.node = number(whole, due))) return {};
    skip_blanks(); // what may follow: the next statement, or the end of this one
    const bool next = *at_ == '%' ? is(at_ + 1, Other) : *at_ == ';' || *at_ == ',' || *at_ == '}' || is(at_, First);
    return next ? whole.node : NodeId{};
}

bool StraightReader::operand(Operand& operand, bool free, unsigned depth) {
    if (*at_ == '%') {
        const std::string_view name = value_name();
        if (!name.empty()) operand.node = known(symbol(name));
        return static_cast<bool>(operand.node);
    }
    if (is(at_, Digit) || (*at_ == '-' && is(at_ + 1, Digit))) return numeral(operand);
    const std::string_view name = word();
    if (name == "true" || name == "false")
        operand.node = graph_->literal(context_.types.boolean(), name == "true");
    else if (!name.empty())
        operand.node = application(name, free, depth);
    return static_cast<bool>(operand.node);
}

// `free`: nothing is known of the type that is due, so that numerals alone take their own.
NodeId StraightReader::application(std::string_view name, bool free, unsigned depth) {
    const bool special = name.starts_with("inf") || name.starts_with("nan"); // perhaps a numeral
    TypeId given;
    std::array<Operand, most_operands> operands;
    std::uint32_t count = 0;
    if (depth > deepest || special || !attribute(given) || !operand_list(operands, count, depth)) return {};
    Use& used = use(symbol(name), count);
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
