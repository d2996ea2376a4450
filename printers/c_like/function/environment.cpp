#include "printers/c_like/function/environment.hpp"

#include <utility>

namespace irrewrite::printers {

const Binding* Environment::find(NodeId node) const {
    const auto found = bindings_.find(node);
    return found == bindings_.end() ? nullptr : &found->second;
}

const std::vector<Binding>* Environment::find_results(NodeId node) const {
    const auto found = results_.find(node);
    return found == results_.end() ? nullptr : &found->second;
}

void Environment::define(NodeId node, Binding value) {
    Undo& undo = undo_.emplace_back(Undo{.node = node});
    if (const auto found = bindings_.find(node); found != bindings_.end()) undo.value = std::move(found->second);
    bindings_[node] = std::move(value);
}

void Environment::define(NodeId node, std::vector<Binding> results) {
    Undo& undo = undo_.emplace_back(Undo{.node = node, .several = true});
    if (const auto found = results_.find(node); found != results_.end()) undo.results = std::move(found->second);
    results_[node] = std::move(results);
}

void Environment::on_leave(std::function<void()> undo) { undo_.push_back(Undo{.node = {}, .other = std::move(undo)}); }

void Environment::undo(std::size_t begin) {
    for (; undo_.size() > begin; undo_.pop_back()) {
        Undo& last = undo_.back();
        if (last.other)
            last.other();
        else if (last.several && last.results)
            results_[last.node] = std::move(*last.results);
        else if (last.several)
            results_.erase(last.node);
        else if (last.value)
            bindings_[last.node] = std::move(*last.value);
        else
            bindings_.erase(last.node);
    }
}

} // namespace irrewrite::printers
