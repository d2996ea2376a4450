// Identifiers of emitted C-like text: the IR's names where C admits them, unique among the visible ones.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace irrewrite::printers {

// `x.y` as `x_y`, `12` as `v12`, a keyword with an underscore behind it.
std::string identifier(std::string_view name);

class Names {
  public:
    // Within others, whose names are taken here, too; they are not copied, and must live longer.
    static Names within(const Names& outer) {
        Names names;
        names.outer_ = &outer;
        return names;
    }
    void reserve(std::string_view name) { taken_.emplace(name); }
    // Names that begin so are left to others, also to those that are not known yet.
    void leave(std::string_view prefix) { left_ = prefix; }
    bool is_taken(const std::string& name) const { return taken_.contains(name) || is_taken_outside(name); }
    // A name that nothing visible has: `wanted`, or `wanted_2`, `wanted_3`…; gone when the scope
    // closes.
    std::string fresh(std::string_view wanted);
    void open() { scopes_.push_back(log_.size()); }
    void close();
    // Closes a scope that has no braces in the text: its names stay taken until the scope around it closes.
    void merge() { scopes_.pop_back(); }

  private:
    struct Entry {
        std::string name, base; // base: whose counter was `previous` before
        unsigned previous;
    };
    bool is_taken_outside(const std::string& name) const;
    unsigned counter_outside(const std::string& base) const;
    bool is_left(const std::string& name) const;

    const Names* outer_ = nullptr;
    std::string left_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, unsigned> counters_;
    std::vector<Entry> log_;
    std::vector<std::size_t> scopes_;
};

} // namespace irrewrite::printers
