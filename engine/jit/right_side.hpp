// The machine code after a match: takes the matched cells apart and builds the right side.
//
// For each operand that was matched below its root there are two paths. If its cells have no other owner, their
// children change owners and the cells are reused; otherwise the children that are needed are retained, and the operand
// is released.
#pragma once

#include "engine/jit/function.hpp"
#include "engine/jit/reuse.hpp"

namespace irrewrite::term {

class RightSide {
  public:
    // `computed`: the Places of the literals that were computed.
    RightSide(FunctionGenerator& function, const Rule& rule, const Registers& registers,
              const std::vector<int>& computed)
        : function_(function), emit_(function.emit_), code_(function.code_), program_(function.program_), rule_(rule),
          matched_(registers), computed_(computed) {}

    bool generate(); // false: too many registers

  private:
    using ValueId = int;
    struct Value {               // a reference that is owned
        int reg = -1, slot = -1; // where it is
        bool constant = false;
        Ref ref = 0;
        std::uint32_t uses = 0; // still to come
    };
    void paths(std::size_t i, std::vector<bool>& unique);
    void alone(int place, const Shape& shape, x86::Label& shared);
    x86::Register reach(int place);
    void build(const std::vector<bool>& unique);
    bool attempt(const std::vector<bool>& unique, bool frame);

    // Disposes of the operands: takes them apart, retains or releases them.
    void take_operand(int place, const Shape& shape, bool unique);
    void take_parts(int place, const Shape& shape, bool unique);
    void take_leaf(int place, const Shape& shape, bool owned);
    void note_places(const Shape& shape, int place);

    // Values and registers.
    ValueId value_at(int place);
    ValueId new_value(std::uint32_t uses) {
        return values_.push_back({.uses = uses}), static_cast<ValueId>(values_.size() - 1);
    }
    Value& operator[](ValueId v) { return values_[static_cast<std::size_t>(v)]; }
    int take_register();
    x86::Register in_register(ValueId v);
    void put(ValueId v, x86::Register r);
    void leave_register(ValueId v);
    void use(ValueId v);
    void save(ValueId v);

    // Terms.
    ValueId term(const Shape& shape);
    std::vector<ValueId> parts(const Shape& shape);
    ValueId cell(const Shape& shape);
    ValueId call(const Shape& shape);
    void last(const Shape& shape); // the root: as the function's result
    void pass(std::vector<ValueId> operands);
    bool calls(const Shape& shape) const { return term::calls(program_, shape); }
    void end_frame();

    FunctionGenerator& function_;
    Emitter& emit_;
    x86::Assembler& code_;
    const Program& program_;
    const Rule& rule_;
    Registers matched_;
    std::vector<int> computed_;

    std::vector<Value> values_;
    std::map<int, ValueId> at_place_;
    std::array<ValueId, 16> in_;
    std::map<std::uint32_t, ValueId> variable_;
    std::map<std::uint32_t, std::uint32_t> uses_; // of variables
    Reuse reuse_;
    std::uint64_t pinned_ = 0; // registers
    bool frame_ = false, failed_ = false, taking_ = false;
    int slots_ = 0;
    std::size_t frame_patch_ = 0;
};

} // namespace irrewrite::term
