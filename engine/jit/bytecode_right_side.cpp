#include "engine/jit/bytecode_right_side.hpp"

#include <algorithm>

namespace irrewrite::term {

void emit_cell(Bytecode& code, Opcode opcode, unsigned at, Symbol symbol, std::span<const unsigned> operands) {
    const bool many = operands.size() > 2;
    if (many) {
        constexpr int apart = static_cast<int>(Opcode::MakeMany) - static_cast<int>(Opcode::Make);
        code.emit(static_cast<Opcode>(static_cast<int>(opcode) + apart), at, static_cast<unsigned>(operands.size()));
    } else {
        code.emit(opcode, at, operands[0], operands.back());
    }
    code.word(symbol);
    if (many) code.list(operands);
}

// -- registers --------------------------------------------------------------------------------------

unsigned BytecodeRightSide::allocate() {
    auto it = std::ranges::find(used_, false);
    if (it == used_.end()) {
        failed_ = true;
        return 0;
    }
    *it = true;
    return static_cast<unsigned>(it - used_.begin());
}

unsigned BytecodeRightSide::window() const {
    for (unsigned i = Bytecode::max_registers; i-- > 0;)
        if (used_[i]) return i + 1;
    return 0;
}

BytecodeRightSide::ValueId BytecodeRightSide::value(unsigned reg, std::uint32_t uses) {
    values_.push_back({false, 0, reg, uses});
    return values_.size() - 1;
}

// In registers; these may be taken again where it is the last use.
std::vector<unsigned> BytecodeRightSide::registers(std::span<const ValueId> values) {
    std::vector<unsigned> out;
    for (ValueId v : values) {
        if (values_[v].constant) {
            values_[v].constant = false, values_[v].reg = allocate();
            code_.emit(Opcode::Constant, values_[v].reg);
            code_.word(values_[v].ref);
        }
        out.push_back(values_[v].reg);
    }
    for (ValueId v : values)
        if (--values_[v].uses == 0) free(values_[v].reg);
    return out;
}

// -- the matched cells ------------------------------------------------------------------------------

bool BytecodeRightSide::generate(std::uint32_t number) {
    const std::size_t begin = code_.words.size();
    code_.emit(Opcode::Fire);
    code_.word(number);
    count_uses(rule_.right, uses_);
    for (const Shape& operand : rule_.operands) note_cells(operand);
    reuse_.assign(program_, rule_.right);
    for (const Reuse::OldCell& old : reuse_.cells())
        if (old.taken) kept_[old.pattern] = 0;
    std::fill_n(used_.begin(), rule_.operands.size(), true);
    for (unsigned reg : computed_) used_[reg] = true;
    for (bool deep : {true, false})
        for (unsigned i = 0; i < rule_.operands.size(); ++i)
            if (is_deep(rule_.operands[i]) == deep) take_operand(i, rule_.operands[i]);
    const bool takes = code_.words.size() > begin + 2;
    if (takes) code_.fuse(begin);
    last(rule_.right);
    if (!takes) code_.fuse(begin);
    return !failed_;
}

void BytecodeRightSide::note_cells(const Shape& pattern) {
    if (!is_deep(pattern)) return;
    for (const Shape& part : pattern.parts) note_cells(part);
    reuse_.add(0, 0, pattern);
}

// The reference in the register is ours.
void BytecodeRightSide::take_operand(unsigned at, const Shape& pattern) {
    if (is_deep(pattern)) return take(at, pattern);
    if (pattern.kind == Shape::Kind::Cell) return free(at); // a constant
    auto uses = pattern.kind == Shape::Kind::Variable ? uses_.find(pattern.variable) : uses_.end();
    if (uses == uses_.end()) {
        code_.emit(Opcode::Release, at);
        return free(at);
    }
    for (std::uint32_t more = uses->second - 1; more > 0; more -= std::min(more, 255u))
        code_.emit(Opcode::Retain, at, std::min(more, 255u));
    variable_[pattern.variable] = value(at, uses->second);
}

void BytecodeRightSide::take(unsigned at, const Shape& pattern) {
    const bool kept = kept_.contains(&pattern);
    if (kept)
        kept_[&pattern] = at;
    else
        free(at);
    std::vector<unsigned> to;
    for (std::size_t i = 0; i < pattern.parts.size(); ++i) to.push_back(allocate());
    if (to.size() > 2) {
        code_.emit(kept ? Opcode::KeepMany : Opcode::TakeMany, at, static_cast<unsigned>(to.size()));
        code_.list(to);
    } else if (to.size() == 2) {
        code_.emit(kept ? Opcode::Keep2 : Opcode::Take2, at, to[0], to[1]);
    } else {
        code_.emit(kept ? Opcode::Keep1 : Opcode::Take1, at, to[0]);
    }
    for (std::size_t i = 0; i < pattern.parts.size(); ++i) take_operand(to[i], pattern.parts[i]);
}

// -- terms ------------------------------------------------------------------------------------------

BytecodeRightSide::ValueId BytecodeRightSide::term(const Shape& shape) {
    auto constant = [&](Ref ref) {
        values_.push_back({true, ref, 0, 1});
        return values_.size() - 1;
    };
    switch (shape.kind) {
    case Shape::Kind::Variable: return variable_.at(shape.variable);
    case Shape::Kind::Literal: return constant(heap_.constant(shape.value));
    case Shape::Kind::Compute: return value(computed_[shape.computation], 1);
    default: break;
    }
    if (is_call(program_, shape)) return call(shape);
    if (shape.parts.empty()) return constant(heap_.constant(shape.symbol));
    return cell(shape);
}

// Those that call first: less has to stay across calls.
std::vector<unsigned> BytecodeRightSide::operands(const Shape& shape) {
    std::vector<ValueId> out(shape.parts.size());
    for (bool calling : {true, false})
        for (std::size_t i = 0; i < shape.parts.size(); ++i)
            if (calls(program_, shape.parts[i]) == calling) out[i] = term(shape.parts[i]);
    return registers(out);
}

BytecodeRightSide::ValueId BytecodeRightSide::call(const Shape& shape) {
    const std::vector<unsigned> given = operands(shape);
    const unsigned distance = window() + 1; // the position to return to lies between
    code_.emit(Opcode::Call, distance, static_cast<unsigned>(given.size()));
    code_.target(function(shape));
    code_.word(Bytecode::return_to(code_.words.size() + 1 + Bytecode::list_words(given.size()), distance));
    code_.list(given);
    const ValueId made = value(allocate(), 1);
    code_.word(values_[made].reg);
    return made;
}

BytecodeRightSide::ValueId BytecodeRightSide::cell(const Shape& shape) {
    const std::vector<unsigned> given = operands(shape);
    if (const Reuse::OldCell* old = reuse_.find(shape)) {
        unsigned at = kept_.at(old->pattern);
        emit_cell(code_, Opcode::Fill, at, shape.symbol, given);
        return value(at, 1);
    }
    unsigned at = allocate();
    emit_cell(code_, Opcode::Make, at, shape.symbol, given);
    return value(at, 1);
}

void BytecodeRightSide::tail(const Shape& shape) {
    const std::vector<unsigned> given = operands(shape);
    bool in_place = true;
    for (unsigned i = 0; i < given.size(); ++i) in_place = in_place && given[i] == i;
    code_.emit(Opcode::Tail, 0, in_place ? 0 : static_cast<unsigned>(given.size()));
    code_.target(function(shape));
    if (!in_place) code_.list(given);
}

void BytecodeRightSide::last(const Shape& shape) {
    if (is_call(program_, shape)) return tail(shape);
    if (!is_deep(shape)) {
        const ValueId made = term(shape);
        if (!values_[made].constant) return code_.emit(Opcode::Return, values_[made].reg);
        code_.emit(Opcode::ReturnConstant);
        return code_.word(values_[made].ref);
    }
    const std::vector<unsigned> given = operands(shape);
    const Reuse::OldCell* old = reuse_.find(shape);
    emit_cell(code_, old ? Opcode::ReturnFilled : Opcode::ReturnMade, old ? kept_.at(old->pattern) : 0, shape.symbol,
              given);
}

} // namespace irrewrite::term
