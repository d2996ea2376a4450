// Shapes of a right side, as both kinds of code build them: which matched cell is used again for which new one.
#pragma once

#include "engine/jit/heap.hpp"

#include <deque>
#include <map>

namespace irrewrite::term {

inline bool is_deep(const Shape& shape) { return shape.kind == Shape::Kind::Cell && !shape.parts.empty(); }
inline bool is_call(const Program& program, const Shape& shape) {
    return shape.kind == Shape::Kind::Cell && program.definition(shape.symbol) >= 0;
}
bool calls(const Program& program, const Shape& shape);                            // somewhere in it
void count_uses(const Shape& shape, std::map<std::uint32_t, std::uint32_t>& uses); // of variables
bool same_variable(const Shape& a, const Shape& b);

// Matched cells of one path, or of all.
class Reuse {
  public:
    struct OldCell {
        int place, value;
        const Shape* pattern;
        bool taken = false;
    };

    void clear() { old_.clear(), of_.clear(); }
    OldCell& add(int place, int value, const Shape& pattern) {
        return old_.emplace_back(OldCell{place, value, &pattern});
    }
    void assign(const Program& program, const Shape& shape);
    const std::deque<OldCell>& cells() const { return old_; }
    const OldCell* find(const Shape& shape) const { // to be used for it
        auto it = of_.find(&shape);
        return it == of_.end() ? nullptr : it->second;
    }

  private:
    static std::size_t same_parts(const OldCell& cell, const Shape& shape);

    std::deque<OldCell> old_;
    std::map<const Shape*, OldCell*> of_;
};

} // namespace irrewrite::term
