#include "grammar/json/json_places.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

struct Step { // into an object or an array
    std::string key;
    std::size_t index = 0;
    const Json* value;
};

// The way from `root` to `wanted`; without recursion.
std::vector<Step> way_to(const Json& root, const Json& wanted) {
    struct Frame {
        const Json* value;
        Json::const_iterator next;
        std::size_t index;
    };
    std::vector<Frame> stack{{&root, root.begin(), 0}};
    std::vector<Step> way;
    while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == frame.value->end()) {
            stack.pop_back();
            if (!way.empty()) way.pop_back();
            continue;
        }
        const Json& value = *frame.next;
        way.push_back({frame.value->is_object() ? frame.next.key() : std::string(), frame.index++, &value});
        ++frame.next;
        if (&value == &wanted) return way;
        if (value.is_structured())
            stack.push_back({&value, value.begin(), 0});
        else
            way.pop_back();
    }
    return {};
}

// Walks through text that is known to be JSON.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::size_t position() const { return at_; }
    // To the first character of the next value, key or bracket.
    void blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size()); }
    std::string_view string() {
        const std::size_t begin = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        const std::size_t end = std::min(at_++, text_.size());
        return text_.substr(begin, end - begin);
    }
    void skip() {
        std::size_t depth = 0;
        do {
            blanks();
            if (at_ >= text_.size()) return;
            const char c = text_[at_];
            if (c == '"') {
                string();
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (c == '{' || c == '[' || c == '}' || c == ']')
                ++at_;
            else
                at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
        } while (depth > 0);
    }
    // From the bracket of what has the step to what it leads to.
    bool enter(const Step& step) {
        blanks();
        if (at_ >= text_.size()) return false;
        const bool object = text_[at_++] == '{';
        for (std::size_t k = 0;; ++k) {
            blanks();
            if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']') return false;
            const bool found = object ? string() == step.key : k == step.index;
            blanks();
            if (found) return true;
            skip();
        }
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

Span find_place(std::string_view text, SourceId source, const Json& root, const Json& wanted) {
    Scanner scanner(text);
    for (const Step& step : way_to(root, wanted))
        if (!scanner.enter(step)) return {source, 0, 0};
    const auto at = static_cast<std::uint32_t>(scanner.position());
    return {source, at, std::min(at + 1, static_cast<std::uint32_t>(text.size()))};
}

} // namespace irrewrite::grammar
