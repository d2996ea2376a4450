#include "engine/jit/heap.hpp"

#include "engine/support/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tsl/robin_map.h>

namespace irrewrite::term {

namespace {
constexpr std::uint64_t stack_margin = 1 << 14; // bytes that signals and stubs may use
constexpr std::uint64_t max_reserved = std::uint64_t{1} << 32;
} // namespace

Heap::Heap(const Program& program, std::size_t rules)
    : fields(*new (::operator new(sizeof(Fields) + 8 * rules)) Fields), program_(program) {
    std::fill_n(fields.fired, rules + 1, 0);
    fields.heap = this;
}

Heap::~Heap() {
    std::free(fields.base);
    ::operator delete(&fields);
    std::free(stack_);
}

// -- memory -----------------------------------------------------------------------------------------

void Heap::start_run(std::uint64_t fuel, std::uint64_t memory, std::size_t rules) {
    fields.status = Status::Running;
    fields.fuel = static_cast<std::int64_t>(std::min<std::uint64_t>(fuel, INT64_MAX));
    std::fill_n(fields.fired, rules, 0);
    most_bytes = memory, too_large_ = false;
}

bool Heap::may_take(std::uint64_t bytes) {
    too_large_ = bytes > most_bytes;
    return !too_large_;
}

bool Heap::reserve(std::uint64_t count) {
    if (used_ + count <= reserved_) return true;
    std::uint64_t wanted =
        std::max<std::uint64_t>(used_ + count, reserved_ + std::min<std::uint64_t>(reserved_, 1 << 21) + (1 << 13));
    if (wanted > max_reserved || !may_take(8 * wanted + stack_size_)) return false;
    void* moved = std::realloc(fields.base, 8 * wanted);
    if (!moved) return false;
    fields.base = static_cast<std::uint8_t*>(moved);
    reserved_ = wanted;
    return true;
}

bool Heap::start() {
    stack_size_ = 1 << 16;
    stack_ = static_cast<std::uint8_t*>(std::malloc(stack_size_));
    if (!stack_ || !reserve(1)) return false;
    fields.stack_top = reinterpret_cast<std::uint64_t>(stack_) + stack_size_ - 64;
    fields.stack_top &= ~std::uint64_t{15};
    fields.stack_limit = reinterpret_cast<std::uint64_t>(stack_) + stack_margin;
    return true;
}

// Frames hold references and return addresses, nothing that points into the stack: they may move.
bool Heap::grow_stack() {
    std::uint64_t used = fields.stack_top - fields.stack_pointer, size = stack_size_ * 2;
    if (!may_take(8 * reserved_ + size)) return false;
    auto* moved = static_cast<std::uint8_t*>(std::malloc(size));
    if (!moved) return false;
    std::uint64_t top = (reinterpret_cast<std::uint64_t>(moved) + size - 64) & ~std::uint64_t{15};
    std::memcpy(reinterpret_cast<void*>(top - used), reinterpret_cast<const void*>(fields.stack_pointer), used);
    std::free(stack_);
    stack_ = moved, stack_size_ = size;
    fields.stack_top = top;
    fields.stack_pointer = top - used;
    fields.stack_limit = reinterpret_cast<std::uint64_t>(moved) + stack_margin;
    return true;
}

bool Heap::extend_stack() {
    if (!may_take(8 * reserved_ + 2 * stack_size_)) return false;
    void* moved = std::realloc(stack_, 2 * stack_size_);
    if (!moved) return false;
    stack_ = static_cast<std::uint8_t*>(moved), stack_size_ *= 2;
    return true;
}

bool Heap::refill(std::uint32_t size) {
    std::uint64_t count = std::clamp<std::uint64_t>(used_ / 64 / size, 64, 4096);
    if (!reserve(count * size)) return false;
    Ref next = fields.free[size];
    for (std::uint64_t i = count; i-- > 0;) {
        Ref ref = static_cast<Ref>(used_ + i * size);
        (*this)[ref].parts[0] = next;
        next = ref;
    }
    fields.free[size] = next;
    used_ += count * size;
    return true;
}

// -- cells ------------------------------------------------------------------------------------------

Ref Heap::constant(Symbol symbol) {
    auto [it, fresh] = constant_of_.try_emplace(symbol, static_cast<Ref>(used_));
    if (fresh && reserve(1)) {
        (*this)[it->second].symbol = symbol, (*this)[it->second].count = 1;
        constants = static_cast<Ref>(++used_);
    }
    return it->second;
}

std::optional<Ref> Heap::find_constant(Symbol symbol) const {
    auto it = constant_of_.find(symbol);
    return it == constant_of_.end() ? std::nullopt : std::optional(it->second);
}

Ref Heap::constant(Scalar value) {
    auto it = std::ranges::find(scalars_, value, &std::pair<Scalar, Ref>::first);
    if (it != scalars_.end()) return it->second;
    Ref ref = static_cast<Ref>(used_);
    if (!reserve(scalar_units)) return ref;
    (*this)[ref].symbol = literal(value.type), (*this)[ref].count = 1;
    std::memcpy((*this)[ref].parts, &value.bits, 8);
    used_ += scalar_units;
    constants = static_cast<Ref>(used_);
    scalars_.emplace_back(value, ref);
    return ref;
}

Ref Heap::allocate(Symbol symbol, std::uint32_t size) {
    if (!fields.free[size] && !refill(size)) return 0;
    Ref ref = fields.free[size];
    Cell& cell = (*this)[ref];
    fields.free[size] = cell.parts[0];
    cell.symbol = symbol, cell.count = 1;
    return ref;
}

Ref Heap::scalar(Scalar value) {
    Ref ref = allocate(literal(value.type), scalar_units);
    if (ref) std::memcpy((*this)[ref].parts, &value.bits, 8);
    return ref;
}

// Cells to be freed wait in a list through their counts, which are 0.
void Heap::reclaim(Ref ref) {
    Ref waiting = ref;
    while (waiting) {
        Ref at = waiting;
        Cell& cell = (*this)[at];
        waiting = cell.count;
        Symbol symbol = cell.symbol;
        for (std::uint32_t i = 0, n = arity(symbol); i < n; ++i) {
            Ref part = cell.parts[i];
            if (part < constants || --(*this)[part].count != 0) continue;
            (*this)[part].count = waiting;
            waiting = part;
        }
        std::uint32_t size = this->size(symbol);
        cell.parts[0] = fields.free[size];
        fields.free[size] = at;
    }
}

std::uint64_t Heap::in_use() const {
    std::uint64_t free = 0;
    for (std::uint32_t size = 1; size < max_units; ++size)
        for (Ref ref = fields.free[size]; ref; ref = (*this)[ref].parts[0]) free += size;
    return used_ - constants - free;
}

bool Heap::counts_agree(std::span<const Ref> held) const {
    tsl::robin_map<Ref, std::uint32_t> counts;
    std::vector<Ref> stack;
    auto visit = [&](Ref ref) {
        if (ref >= constants && counts[ref]++ == 0) stack.push_back(ref);
    };
    for (Ref ref : held) visit(ref);
    while (!stack.empty()) {
        const Cell& cell = (*this)[stack.back()];
        stack.pop_back();
        for (std::uint32_t i = 0; i < arity(cell.symbol); ++i) visit(cell.parts[i]);
    }
    return std::ranges::all_of(counts, [&](const auto& entry) { return (*this)[entry.first].count == entry.second; });
}

// -- equality ---------------------------------------------------------------------------------------

// As trees; pairs that were compared before are not compared again once there are many of them.
bool Heap::equal(Ref a, Ref b) const {
    constexpr std::size_t few = 1000;
    std::vector<std::pair<Ref, Ref>> stack{{a, b}};
    tsl::robin_map<std::uint64_t, bool, PairHash> seen;
    std::size_t compared = 0;
    while (!stack.empty()) {
        auto [x, y] = stack.back();
        stack.pop_back();
        if (x == y) continue;
        const Cell &c = (*this)[x], &d = (*this)[y];
        if (c.symbol != d.symbol) return false;
        if (c.symbol < first_operation) {
            bool same = c.parts[0] == d.parts[0] && (c.symbol == leaf || c.parts[1] == d.parts[1]);
            if (!same) return false;
            continue;
        }
        bool shared = ++compared > few && c.count > 1 && d.count > 1;
        if (shared && !seen.insert({std::uint64_t{x} << 32 | y, true}).second) continue;
        for (std::uint32_t i = 0, n = arity(c.symbol); i < n; ++i) stack.emplace_back(c.parts[i], d.parts[i]);
    }
    return true;
}

} // namespace irrewrite::term
