// Which register or slot of the frame holds a value of a right side.
#include "engine/jit/right_side.hpp"

namespace irrewrite::term {

using namespace x86;

void RightSide::put(ValueId v, Register r) {
    (*this)[v].reg = r;
    in_[r] = v;
}

void RightSide::leave_register(ValueId v) {
    if ((*this)[v].reg >= 0) in_[static_cast<std::size_t>((*this)[v].reg)] = -1;
    (*this)[v].reg = -1;
}

void RightSide::use(ValueId v) {
    if ((*this)[v].constant) return;
    if (--(*this)[v].uses == 0) leave_register(v);
}

void RightSide::save(ValueId v) {
    Value& value = (*this)[v];
    if (value.slot >= 0) return;
    value.slot = slots_++;
    code_.store({rsp, -1, 4 * value.slot}, static_cast<Register>(value.reg));
}

// A register of the pool that holds nothing; what it held is in the frame.
int RightSide::take_register() {
    for (std::size_t i = pool.size(); i-- > 0;)
        if (in_[pool[i]] < 0 && !(pinned_ >> pool[i] & 1)) return pool[i];
    for (Register r : pool) {
        if (pinned_ >> r & 1) continue;
        if (!frame_) break;
        ValueId v = in_[r];
        if ((*this)[v].uses > 0 || taking_) save(v);
        leave_register(v);
        return r;
    }
    failed_ = true;
    return -1;
}

Register RightSide::in_register(ValueId v) {
    if ((*this)[v].reg >= 0) return static_cast<Register>((*this)[v].reg);
    int to = take_register();
    if (to < 0) return rax;
    Register r = static_cast<Register>(to);
    if ((*this)[v].constant)
        code_.move(r, (*this)[v].ref);
    else
        code_.load(r, {rsp, -1, 4 * (*this)[v].slot});
    put(v, r);
    return r;
}

} // namespace irrewrite::term
