#include "engine/jit/machine_code.hpp"

#include "engine/jit/function.hpp"

#include <cstring>

#if defined(__x86_64__) && defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace irrewrite::term {

using namespace x86;
using Fields = Heap::Fields;

// -- what compiled code calls -------------------------------------------------------------------------

namespace {

std::uint64_t call_release(Fields* fields, Ref ref) {
    fields->heap->reclaim(ref);
    return 0;
}

std::uint64_t call_refill(Fields* fields, std::uint32_t size) {
    if (!fields->heap->refill(size)) fields->status = fields->heap->failure();
    return 0;
}

std::uint64_t call_grow(Fields* fields, Ref) {
    if (!fields->heap->grow_stack()) fields->status = fields->heap->failure();
    return 0;
}

std::uint64_t call_equal(Fields* fields, Ref a) { return fields->heap->equal(a, fields->argument); }

std::uint64_t call_test(Fields* fields, std::uint32_t index) {
    auto result = evaluate(*fields, computation(*fields, index));
    return result ? *result : 2; // neither true nor false
}

std::uint64_t call_compute(Fields* fields, std::uint32_t index) {
    const Computation& c = computation(*fields, index);
    auto result = evaluate(*fields, c);
    if (!result) return 0;
    Ref ref = fields->heap->scalar({c.type(), *result});
    if (!ref) fields->status = fields->heap->failure();
    return ref;
}

constexpr std::array<Register, 8> saved_for_host = {rcx, rdx, rsi, rdi, r8, r9, r10, r11};

} // namespace

// -- stubs --------------------------------------------------------------------------------------------

// enter(fields, function, operands): from the host's stack to ours and back.
void Emitter::enter_and_leave() {
    constexpr std::array<Register, 6> saved = {rbx, rbp, r12, r13, r14, r15};
    code.bind(enter);
    for (Register r : saved) code.push(r);
    code.subtract64(rsp, 8);
    code.move64(r15, rdi);
    code.load64(rbx, field(offsetof(Fields, base)));
    code.load64(r13, field(offsetof(Fields, fuel)));
    code.store64(field(offsetof(Fields, host_pointer)), rsp);
    code.load64(rsp, field(offsetof(Fields, stack_top)));
    code.move64(rax, rsi);
    code.move64(r12, rdx);
    for (std::uint32_t i = 0; i < max_arity; ++i) code.load(pool[i], {r12, -1, static_cast<std::int32_t>(4 * i)});
    code.call_register(rax);
    code.store(field(offsetof(Fields, result)), rax);
    code.bind(leave);
    code.store64(field(offsetof(Fields, fuel)), r13);
    code.load64(rsp, field(offsetof(Fields, host_pointer)));
    code.add64(rsp, 8);
    for (std::size_t i = saved.size(); i-- > 0;) code.pop(saved[i]);
    code.ret();
    code.bind(out_of_fuel);
    code.store(field(offsetof(Fields, status)), static_cast<std::uint32_t>(Status::OutOfFuel));
    code.jump(leave);
}

// Calls function(fields, eax) on the host's stack; all registers but eax, the result, stay.
void Emitter::stub(Label& label, const void* function, bool may_fail) {
    code.bind(label);
    for (Register r : saved_for_host) code.push(r);
    code.store64(field(offsetof(Fields, stack_pointer)), rsp);
    code.move64(rdi, r15);
    code.move(rsi, rax);
    code.load64(rsp, field(offsetof(Fields, host_pointer)));
    code.move64(rax, reinterpret_cast<std::uint64_t>(function));
    code.call_register(rax);
    code.load64(rsp, field(offsetof(Fields, stack_pointer)));
    code.load64(rbx, field(offsetof(Fields, base)));
    if (may_fail) {
        code.compare(field(offsetof(Fields, status)), static_cast<std::uint32_t>(Status::Running));
        code.jump(NotEqual, leave);
    }
    for (std::size_t i = saved_for_host.size(); i-- > 0;) code.pop(saved_for_host[i]);
    code.ret();
}

void Emitter::stubs() {
    enter_and_leave();
    stub(release_stub, reinterpret_cast<const void*>(&call_release), false);
    stub(refill_stub, reinterpret_cast<const void*>(&call_refill), true);
    stub(grow_stub, reinterpret_cast<const void*>(&call_grow), true);
    stub(equal_stub, reinterpret_cast<const void*>(&call_equal), false);
    stub(test_stub, reinterpret_cast<const void*>(&call_test), false);
    stub(compute_stub, reinterpret_cast<const void*>(&call_compute), true);
}

// -- cells --------------------------------------------------------------------------------------------

void Emitter::retain(Register ref, std::uint32_t times) {
    if (times == 0) return;
    Label constant;
    code.compare(ref, heap.constants);
    code.jump(Below, constant);
    for (; times > 100; times -= 100) code.add(in_cell(ref, 4), 100);
    if (times == 1)
        code.increment(in_cell(ref, 4));
    else
        code.add(in_cell(ref, 4), static_cast<std::uint8_t>(times));
    code.bind(constant);
}

void Emitter::release(Register ref) {
    Rare& rare = rare_.emplace_back(Rare{Rare::Kind::Release, ref, 0, {}, {}});
    Label constant;
    code.compare(ref, heap.constants);
    code.jump(Below, constant);
    code.decrement(in_cell(ref, 4));
    code.jump(Equal, rare.from);
    code.bind(constant);
    code.bind(rare.back);
}

void Emitter::allocate(Register to, std::uint32_t size) {
    Memory list = field(offsetof(Fields, free) + 4 * size);
    Rare& rare = rare_.emplace_back(Rare{Rare::Kind::Refill, to, size, {}, {}});
    code.load(to, list);
    code.test(to);
    code.jump(Equal, rare.from);
    code.bind(rare.back);
    code.load(rax, part(to, 0));
    code.store(list, rax);
}

void Emitter::header(Register cell, Symbol symbol) {
    code.store(in_cell(cell, 0), symbol);
    code.store(in_cell(cell, 4), 1);
}

void Emitter::free_cell(Register cell, std::uint32_t size) {
    Memory list = field(offsetof(Fields, free) + 4 * size);
    code.load(rax, list);
    code.store(part(cell, 0), rax);
    code.store(list, cell);
}

void Emitter::check_stack() {
    Rare& rare = rare_.emplace_back(Rare{Rare::Kind::Grow, rax, 0, {}, {}});
    code.compare64(rsp, field(offsetof(Fields, stack_limit)));
    code.jump(Below, rare.from);
    code.bind(rare.back);
}

void Emitter::rare_paths() {
    for (Rare& rare : rare_) {
        code.bind(rare.from);
        switch (rare.kind) {
        case Rare::Kind::Release:
            if (rare.at != rax) code.move(rax, rare.at);
            code.call(release_stub);
            break;
        case Rare::Kind::Refill:
            code.move(rax, rare.size);
            code.call(refill_stub);
            code.load(rare.at, field(offsetof(Fields, free) + 4 * rare.size));
            break;
        case Rare::Kind::Grow: code.call(grow_stub); break;
        }
        code.jump(rare.back);
    }
    rare_.clear();
}

void Emitter::roll_back(Mark mark, std::vector<Label>& functions) {
    code.truncate(mark.code);
    rare_.erase(rare_.begin() + static_cast<std::ptrdiff_t>(mark.rare), rare_.end());
    for (Label& label : functions) std::erase_if(label.uses, [&](std::size_t use) { return use >= mark.code; });
}

// -- code that can be run -----------------------------------------------------------------------------

MachineCode::~MachineCode() {
#if defined(__x86_64__) && defined(__unix__)
    if (memory_) munmap(memory_, size_);
#endif
}

std::unique_ptr<Code> MachineCode::generate(const Program& program, Heap& heap, bool& too_large) {
#if defined(__x86_64__) && defined(__unix__)
    Emitter emitter(heap);
    emitter.stubs();
    std::vector<Label> functions(program.definitions.size());
    std::uint32_t rules = 0, computations = 0;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        FunctionGenerator generator(emitter, program, functions, i, rules, computations);
        too_large = !generator.generate();
        if (too_large) return nullptr;
        emitter.rare_paths();
        for (const Rule& rule : program.definitions[i].rules)
            computations += static_cast<std::uint32_t>(rule.computations.size());
        rules += static_cast<std::uint32_t>(program.definitions[i].rules.size());
    }
    std::unique_ptr<MachineCode> made(new MachineCode);
    std::span<const std::uint8_t> bytes = emitter.code.code();
    std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    made->size_ = (bytes.size() + page - 1) / page * page;
    void* memory = mmap(nullptr, made->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    made->memory_ = static_cast<std::uint8_t*>(memory);
    std::memcpy(memory, bytes.data(), bytes.size());
    if (mprotect(memory, made->size_, PROT_READ | PROT_EXEC) != 0) return nullptr;
    made->enter_ = static_cast<std::size_t>(emitter.enter.at);
    for (const Label& label : functions) made->functions_.push_back(static_cast<std::size_t>(label.at));
    return made;
#else
    (void)program, (void)heap, (void)too_large;
    return nullptr;
#endif
}

Ref MachineCode::call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const {
    using Enter = void (*)(Fields*, const std::uint8_t*, const Ref*);
    std::array<Ref, max_arity> given{};
    std::copy(operands.begin(), operands.end(), given.begin());
    auto enter = reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(memory_ + enter_));
    enter(&heap.fields, memory_ + functions_[definition], given.data());
    return heap.fields.result;
}

} // namespace irrewrite::term
