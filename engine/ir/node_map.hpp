// A map from nodes to nodes: an array where keys are dense, else a hash table. A pass over a whole function pays one
// load per lookup, and a substitution of three nodes in a large graph has three entries.
#pragma once

#include "engine/support/huge_pages.hpp"
#include "engine/support/id.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <vector>

namespace irrewrite {

class NodeMap {
  public:
    // None where there is no entry.
    NodeId find(NodeId key) const {
        if (key.index < array_.size()) return array_[key.index];
        if (table_.empty()) return {};
        auto it = table_.find(key);
        return it == table_.end() ? NodeId{} : it->second;
    }
    bool contains(NodeId key) const { return static_cast<bool>(find(key)); }
    bool empty() const { return size_ == 0; }

    void set(NodeId key, NodeId value) { // some node
        if (key.index >= array_.size() && !make_room(key)) {
            auto [it, fresh] = table_.insert({key, value});
            it.value() = value;
            size_ += fresh;
            return;
        }
        size_ += !array_[key.index];
        array_[key.index] = value;
    }

  private:
    static constexpr std::size_t sparse = 16; // the array is too sparse with so many slots for an entry

    // Extends the array to the key if keys are dense enough; returns whether it did.
    bool make_room(NodeId key) {
        if (size_ < sparse || key.index >= sparse * size_) return false;
        lengthen(array_, key.index + 1);
        for (auto it = table_.begin(); it != table_.end();) {
            if (it->first.index >= array_.size()) {
                ++it;
                continue;
            }
            array_[it->first.index] = it->second;
            it = table_.erase(it);
        }
        return true;
    }

    HugeVector<NodeId> array_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> table_; // of what lies behind the array
    std::size_t size_ = 0;
};

} // namespace irrewrite
