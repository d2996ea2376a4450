#include "engine/jit/right_side.hpp"

#include <algorithm>

namespace irrewrite::term {

using namespace x86;
using Fields = Heap::Fields;

// -- which operands are ours alone ------------------------------------------------------------------

namespace {
constexpr std::size_t max_separate = 2; // operands with two paths each; of more, all or none
} // namespace

bool RightSide::generate() {
    code_.decrement64(r13);
    code_.jump(Negative, emit_.out_of_fuel);
    code_.increment64(field(offsetof(Fields, fired) + 8 * function_.rule_number(rule_)));
    count_uses(rule_.right, uses_);
    std::vector<bool> unique(rule_.operands.size());
    paths(0, unique);
    return !failed_;
}

// Jumps to `shared` unless all cells of the pattern are held once.
void RightSide::alone(int place, const Shape& shape, Label& shared) {
    if (!is_deep(shape)) return;
    code_.compare(in_cell(reach(place), 4), 1);
    code_.jump(NotEqual, shared);
    for (std::uint32_t i = 0; i < shape.parts.size(); ++i) alone(function_.child(place, i), shape.parts[i], shared);
}

// The register of a matched cell, or rax when it has to be loaded again.
Register RightSide::reach(int place) {
    if (int at = matched_.find(place); at >= 0) return static_cast<Register>(at);
    Place p = function_.tree_.place(place);
    code_.load(rax, part(reach(p.parent), p.index));
    return rax;
}

void RightSide::paths(std::size_t i, std::vector<bool>& unique) {
    std::size_t deep = static_cast<std::size_t>(std::ranges::count_if(rule_.operands, is_deep));
    while (i < rule_.operands.size() && !is_deep(rule_.operands[i])) ++i;
    if (i == rule_.operands.size() || failed_) return build(unique);
    Label shared;
    std::size_t end = deep > max_separate ? rule_.operands.size() : i + 1;
    for (std::size_t k = i; k < end; ++k) {
        alone(static_cast<int>(k), rule_.operands[k], shared);
        unique[k] = true;
    }
    paths(end, unique);
    code_.bind(shared);
    for (std::size_t k = i; k < end; ++k) unique[k] = false;
    paths(end, unique);
}

// -- one path ---------------------------------------------------------------------------------------

// With a frame when something has to stay across a call, or there are not registers enough.
void RightSide::build(const std::vector<bool>& unique) {
    if (failed_) return;
    bool inner_calls = false;
    for (const Shape& part : rule_.right.parts) inner_calls = inner_calls || calls(part);
    bool root_calls = is_call(program_, rule_.right);
    inner_calls = inner_calls || (!root_calls && calls(rule_.right));
    Emitter::Mark mark = emit_.mark();
    if (attempt(unique, inner_calls) || inner_calls) return;
    emit_.roll_back(mark, function_.functions_);
    failed_ = false;
    attempt(unique, true);
}

bool RightSide::attempt(const std::vector<bool>& unique, bool frame) {
    values_.clear(), at_place_.clear(), variable_.clear(), reuse_.clear();
    in_.fill(-1);
    pinned_ = 0, slots_ = 0, frame_ = frame, taking_ = true;
    if (frame) {
        frame_patch_ = code_.subtract64(rsp, 0);
        emit_.check_stack();
    }
    for (Register r : pool)
        if (matched_.holds[r] >= 0) {
            ValueId v = new_value(0);
            at_place_[matched_.holds[r]] = v;
            put(v, r);
        }
    for (std::size_t i = 0; i < computed_.size(); ++i) (*this)[value_at(computed_[i])].uses = 1;
    for (std::uint32_t i = 0; i < rule_.operands.size(); ++i) note_places(rule_.operands[i], static_cast<int>(i));
    for (std::size_t i = 0; i < rule_.operands.size(); ++i)
        take_operand(static_cast<int>(i), rule_.operands[i], unique[i]);
    taking_ = false;
    for (auto [place, v] : at_place_)
        if ((*this)[v].uses == 0) leave_register(v);
    reuse_.assign(program_, rule_.right);
    for (const Reuse::OldCell& old : reuse_.cells()) {
        if (old.taken) continue;
        emit_.free_cell(in_register(old.value), units(static_cast<std::uint32_t>(old.pattern->parts.size())));
        use(old.value);
    }
    last(rule_.right);
    return !failed_;
}

// Assigns values to variables, with the number of their uses to come.
void RightSide::note_places(const Shape& shape, int place) {
    if (shape.kind == Shape::Kind::Variable) {
        auto it = uses_.find(shape.variable);
        if (it != uses_.end()) {
            ValueId v = value_at(place);
            (*this)[v].uses = it->second;
            variable_[shape.variable] = v;
        }
    }
    for (std::uint32_t i = 0; i < shape.parts.size(); ++i) note_places(shape.parts[i], function_.child(place, i));
}

RightSide::ValueId RightSide::value_at(int place) {
    auto [it, fresh] = at_place_.try_emplace(place, -1);
    if (fresh) it->second = new_value(0);
    return it->second;
}

// A whole operand, which is ours.
void RightSide::take_operand(int place, const Shape& shape, bool unique) {
    if (!is_deep(shape)) return take_leaf(place, shape, true);
    take_parts(place, shape, unique);
    if (!unique) emit_.release(in_register(value_at(place)));
}

// Takes the children of a matched cell; they are owned if the cell is.
void RightSide::take_parts(int place, const Shape& shape, bool unique) {
    Register at = in_register(value_at(place));
    pinned_ |= 1u << at;
    for (std::uint32_t i = 0; i < shape.parts.size(); ++i) {
        const Shape& sub = shape.parts[i];
        int below = function_.child(place, i);
        ValueId v = value_at(below);
        bool used = (*this)[v].uses > 0, load = used || is_deep(sub);
        bool dropped = unique && !used && !is_deep(sub) && !(sub.kind == Shape::Kind::Cell);
        if ((*this)[v].reg < 0 && load) {
            int to = take_register();
            if (to < 0) break;
            code_.load(static_cast<Register>(to), part(at, i));
            put(v, static_cast<Register>(to));
        }
        if (is_deep(sub)) {
            take_parts(below, sub, unique);
        } else if (dropped && (*this)[v].reg < 0) {
            code_.load(rax, part(at, i));
            emit_.release(rax);
        } else {
            take_leaf(below, sub, unique);
        }
    }
    pinned_ &= ~(1ull << at);
    if (!unique) return;
    ValueId v = value_at(place);
    (*this)[v].uses = 1;
    reuse_.add(place, v, shape);
}

// A variable's reference, counted as often as it is used.
void RightSide::take_leaf(int place, const Shape& shape, bool owned) {
    ValueId v = value_at(place);
    std::uint32_t uses = (*this)[v].uses;
    if (shape.kind == Shape::Kind::Cell) return; // a constant
    if (uses == 0) {
        if (owned) emit_.release(in_register(v));
        return;
    }
    emit_.retain(in_register(v), owned ? uses - 1 : uses);
}

// -- terms ------------------------------------------------------------------------------------------

RightSide::ValueId RightSide::term(const Shape& shape) {
    auto constant = [&](Ref ref) {
        ValueId v = new_value(1);
        (*this)[v].constant = true, (*this)[v].ref = ref;
        return v;
    };
    switch (shape.kind) {
    case Shape::Kind::Variable: return variable_.at(shape.variable);
    case Shape::Kind::Literal: return constant(emit_.heap.constant(shape.value));
    case Shape::Kind::Compute: return value_at(computed_[shape.computation]);
    default: break;
    }
    if (is_call(program_, shape)) return call(shape);
    if (shape.parts.empty()) return constant(emit_.heap.constant(shape.symbol));
    return cell(shape);
}

// Those that call first: less has to stay across calls.
std::vector<RightSide::ValueId> RightSide::parts(const Shape& shape) {
    std::vector<ValueId> out(shape.parts.size(), -1);
    for (bool calling : {true, false})
        for (std::size_t i = 0; i < shape.parts.size(); ++i)
            if (calls(shape.parts[i]) == calling) out[i] = term(shape.parts[i]);
    return out;
}

RightSide::ValueId RightSide::cell(const Shape& shape) {
    std::vector<ValueId> operands = parts(shape);
    const Reuse::OldCell* old = reuse_.find(shape);
    ValueId made = old ? old->value : new_value(1);
    Register at;
    if (old) {
        at = in_register(made);
        if (old->pattern->symbol != shape.symbol) code_.store(in_cell(at, 0), shape.symbol);
    } else {
        int to = take_register();
        if (to < 0) return made;
        at = static_cast<Register>(to);
        put(made, at);
        emit_.allocate(at, units(static_cast<std::uint32_t>(shape.parts.size())));
        emit_.header(at, shape.symbol);
    }
    pinned_ |= 1ull << at;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        ValueId v = operands[i];
        if (old && i < old->pattern->parts.size() && same_variable(old->pattern->parts[i], shape.parts[i])) {
            use(v);
        } else if ((*this)[v].constant) {
            code_.store(part(at, i), (*this)[v].ref);
        } else {
            code_.store(part(at, i), in_register(v));
            use(v);
        }
    }
    pinned_ &= ~(1ull << at);
    (*this)[made].uses = 1, (*this)[made].slot = -1;
    return made;
}

// Operands into the first registers of the pool, all at once.
void RightSide::pass(std::vector<ValueId> operands) {
    std::vector<std::pair<Register, Register>> moves; // to, from
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (int reg = (*this)[operands[i]].reg; reg >= 0 && reg != pool[i])
            moves.emplace_back(pool[i], static_cast<Register>(reg));
    while (!moves.empty()) {
        auto ready = std::ranges::find_if(moves, [&](const auto& move) {
            return std::ranges::none_of(moves, [&](const auto& other) { return other.second == move.first; });
        });
        if (ready != moves.end()) {
            code_.move(ready->first, ready->second);
            moves.erase(ready);
            continue;
        }
        auto [to, from] = moves.front(); // a cycle
        code_.exchange(to, from);
        moves.erase(moves.begin());
        for (auto& move : moves) {
            if (move.second == to)
                move.second = from;
            else if (move.second == from)
                move.second = to;
        }
        std::erase_if(moves, [](const auto& move) { return move.first == move.second; });
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Value& value = (*this)[operands[i]];
        if (value.reg >= 0) continue;
        if (value.constant)
            code_.move(pool[i], value.ref);
        else
            code_.load(pool[i], {rsp, -1, 4 * value.slot});
    }
}

RightSide::ValueId RightSide::call(const Shape& shape) {
    std::vector<ValueId> operands = parts(shape);
    for (ValueId v : operands)
        if (!(*this)[v].constant) --(*this)[v].uses;
    for (Register r : pool)
        if (ValueId v = in_[r]; v >= 0 && (*this)[v].uses > 0 && !(*this)[v].constant) save(v);
    pass(operands);
    code_.call(function_.functions_[static_cast<std::size_t>(program_.definition(shape.symbol))]);
    for (Register r : pool)
        if (in_[r] >= 0) leave_register(in_[r]);
    ValueId made = new_value(1);
    if (int to = take_register(); to >= 0) {
        code_.move(static_cast<Register>(to), rax);
        put(made, static_cast<Register>(to));
    }
    return made;
}

void RightSide::end_frame() {
    if (!frame_) return;
    std::uint32_t size = static_cast<std::uint32_t>((slots_ + 1) / 2 * 8);
    code_.patch(frame_patch_, size);
    if (size) code_.add64(rsp, static_cast<std::int32_t>(size));
}

void RightSide::last(const Shape& shape) {
    if (is_call(program_, shape)) {
        std::vector<ValueId> operands = parts(shape);
        pass(operands);
        end_frame();
        code_.jump(function_.functions_[static_cast<std::size_t>(program_.definition(shape.symbol))]);
        return;
    }
    ValueId v = term(shape);
    if ((*this)[v].constant)
        code_.move(rax, (*this)[v].ref);
    else
        code_.move(rax, in_register(v));
    end_frame();
    code_.ret();
}

} // namespace irrewrite::term
