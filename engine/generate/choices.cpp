#include "engine/generate/choices.hpp"

#include <algorithm>
#include <string_view>

namespace irrewrite {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
std::uint64_t Choices::next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

std::uint32_t Choices::below(std::uint32_t n) {
    if (random_) {
        tape_.push_back(static_cast<std::uint32_t>((next() >> 32) * n >> 32));
        return tape_.back();
    }
    std::uint32_t choice = position_ < tape_.size() ? std::min(tape_[position_], n - 1) : 0;
    ++position_;
    taken_.push_back(choice);
    return choice;
}

std::uint32_t Choices::weighted(std::initializer_list<std::uint32_t> weights) {
    std::uint32_t total = 0, i = 0;
    for (std::uint32_t w : weights) total += w;
    std::uint32_t choice = below(total);
    for (std::uint32_t w : weights) {
        if (choice < w) return i;
        choice -= w, ++i;
    }
    return 0;
}

std::uint64_t Choices::bits() {
    std::uint64_t high = below(UINT32_MAX), low = below(UINT32_MAX);
    return high << 32 ^ low;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t part) {
    std::uint64_t z = seed + (part + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ull;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ull;
    return z ^ (z >> 32);
}
std::uint64_t mix(std::uint64_t seed, std::string_view part) {
    for (unsigned char c : part) seed = mix(seed, c);
    return seed;
}

namespace {

bool simpler(const Tape& a, const Tape& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

class Shrinker {
  public:
    Shrinker(Tape tape, FunctionRef<bool(Tape&)> fails, std::size_t attempts)
        : best_(std::move(tape)), fails_(fails), left_(attempts) {}

    Tape run() {
        for (bool again = true; again && left_;) {
            again = false;
            while (left_ && remove_runs()) again = true;
            if (lower()) again = true;
            if (!again && lower_and_remove()) again = true;
        }
        return best_;
    }

  private:
    bool attempt(Tape tape) {
        if (!left_ || !simpler(tape, best_)) return false;
        --left_;
        if (!fails_(tape)) return false;
        while (!tape.empty() && tape.back() == 0) tape.pop_back(); // 0s follow anyway
        if (!simpler(tape, best_)) return false;
        best_ = std::move(tape);
        return true;
    }
    bool remove_runs() {
        bool any = false;
        for (std::size_t length = std::max<std::size_t>(best_.size() / 2, 1); length > 0; length /= 2)
            for (std::size_t i = best_.size(); i-- > 0 && left_;) {
                if (i + length > best_.size()) continue;
                Tape shorter = best_;
                auto at = shorter.begin() + static_cast<std::ptrdiff_t>(i);
                shorter.erase(at, at + static_cast<std::ptrdiff_t>(length));
                if (attempt(std::move(shorter))) {
                    any = true;
                    continue;
                }
                Tape cleared = best_; // keeps the meaning of what follows
                std::fill_n(cleared.begin() + static_cast<std::ptrdiff_t>(i), length, 0u);
                any = attempt(std::move(cleared)) || any;
            }
        return any;
    }
    bool lower() {
        bool any = false;
        for (std::size_t i = 0; i < best_.size() && left_; ++i) {
            for (std::uint32_t step : {0u, 1u, 2u, 3u}) {
                if (i >= best_.size() || best_[i] == 0) break;
                Tape smaller = best_;
                smaller[i] = step == 0   ? 0
                             : step == 1 ? smaller[i] / 2
                             : step == 2 ? smaller[i] - smaller[i] / 4 - 1
                                         : smaller[i] - 1;
                any = attempt(std::move(smaller)) || any;
            }
        }
        return any;
    }

    // Lowers a choice to 0 and removes the choices after it, which it may have led to.
    bool lower_and_remove() {
        for (std::size_t i = 0; i < best_.size(); ++i)
            for (std::size_t length = 1; length <= 6 && best_[i] != 0 && i + length < best_.size() && left_; ++length) {
                Tape smaller = best_;
                smaller[i] = 0;
                auto at = smaller.begin() + static_cast<std::ptrdiff_t>(i + 1);
                smaller.erase(at, at + static_cast<std::ptrdiff_t>(length));
                if (attempt(std::move(smaller))) return true;
            }
        return false;
    }

    Tape best_;
    FunctionRef<bool(Tape&)> fails_;
    std::size_t left_;
};

} // namespace

Tape shrink(Tape tape, FunctionRef<bool(Tape&)> fails, std::size_t attempts) {
    return Shrinker(std::move(tape), fails, attempts).run();
}

} // namespace irrewrite
