#include "engine/support/activity.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace irrewrite {

struct Activity::Shared {
    std::atomic<bool> watched = false;
    std::mutex mutex;
    std::list<Entry> entries;
};

// Never destroyed: who watches the limits may ask while the process ends.
Activity::Shared& Activity::shared() {
    static Shared& shared = *new Shared;
    return shared;
}

void Activity::watch() { shared().watched = true; }

void Activity::forget_all() { shared().entries.clear(); }

Activity::Activity(const Text& text, Kind kind) {
    Shared& all = shared();
    if (!all.watched) return;
    Text later = text;
    if (kind != Kind::Late) later = [made = text()] { return made; };
    const std::lock_guard lock(all.mutex);
    entry_ = all.entries.insert(all.entries.end(), {std::move(later), kind == Kind::Asks});
}

Activity::~Activity() {
    if (!entry_) return;
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    all.entries.erase(*entry_);
}

std::string Activity::last() {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    return all.entries.empty() ? std::string() : all.entries.back().text();
}

bool Activity::all_ask() {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    return !all.entries.empty() && std::ranges::all_of(all.entries, &Entry::asks);
}

} // namespace irrewrite
