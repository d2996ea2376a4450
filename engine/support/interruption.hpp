// A limit of the run's time or memory was reached, or the user wishes that it ends: set by whoever watches for that, asked by
// long work, which ends itself and says more than the watcher could.
#pragma once

#include <atomic>
#include <cstdint>

namespace irrewrite {

enum class Interruption : std::uint8_t { None, Time, Memory, User };

inline std::atomic<Interruption>& interruption_flag() {
    static std::atomic<Interruption> flag{Interruption::None};
    return flag;
}
inline Interruption interruption() { return interruption_flag().load(std::memory_order_relaxed); }

} // namespace irrewrite
