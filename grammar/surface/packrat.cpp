#include "grammar/surface/packrat.hpp"

#include <algorithm>
#include <memory>

namespace irrewrite::grammar {

namespace packrat {

using Code = Instruction::Code;
constexpr std::uint32_t none = UINT32_MAX;

// The results of productions by place.
class Memo {
  public:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t end = 0, node = none; // none: it failed
    };
    Entry* find(std::uint64_t key) {
        if (slots_.empty()) return nullptr;
        for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].key == key) return &slots_[at];
            if (slots_[at].key == 0) return nullptr;
        }
    }
    void add(std::uint64_t key, std::uint32_t end, std::uint32_t node) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        std::size_t at = place(key);
        while (slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {key, end, node};
        ++size_;
    }
    // All with keys below `from`, at times.
    void forget(std::uint64_t from) {
        if (size_ < worth_it_ || size_ * 8 < slots_.size()) return;
        refill(slots_.size(), from);
        worth_it_ = std::max(least_, size_ * 2);
    }

  private:
    std::size_t place(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u >> 20) & (slots_.size() - 1); }
    void grow() { refill(std::max<std::size_t>(slots_.size() * 2, 1 << 10), 1); }
    void refill(std::size_t slots, std::uint64_t from) {
        std::vector<Entry> old(slots);
        old.swap(slots_);
        size_ = 0;
        for (const Entry& entry : old)
            if (entry.key >= from) add(entry.key, entry.end, entry.node);
    }
    static constexpr std::size_t least_ = 1 << 12;
    std::vector<Entry> slots_;
    std::size_t size_ = 0, worth_it_ = least_;
};

class Machine {
  public:
    Machine(const Language& language, const ParsingProgram& program, std::string_view text, ParseTree& tree)
        : language_(language), program_(program), text_(text), tree_(tree), active_(program.variants.size()) {}

    // The node of a variant that begins at `from`; none if it failed.
    std::uint32_t run(std::uint32_t variant, std::uint32_t from) {
        at_ = from, end_ = from, frame_ = none;
        values_.clear();
        if (is_layout_) memo_.forget(key(0, from));
        ip_ = static_cast<std::uint32_t>(program_.code.size()); // behind the last instruction: the end
        if (!call(variant, no_slot)) return none;
        while (ip_ != program_.code.size() && !too_deep_)
            if (!step(program_.code[ip_]) && !fail()) return none;
        return too_deep_ ? none : values_.back().node;
    }
    // Looks for what is expected there, instead of the furthest place.
    void explain(std::uint32_t at) { furthest_ = at, explains_ = true; }
    void expect_end(std::uint32_t at) { note(at, "the end of the text"); }

    std::uint32_t place() const { return at_; }
    std::uint32_t furthest() const { return furthest_; }
    std::vector<std::string> expected() && {
        expected_.insert(expected_.end(), continued_.begin(), continued_.end());
        return std::move(expected_);
    }
    bool too_deep() const { return too_deep_; }
    std::uint32_t deep_production() const { return deep_; }

    std::uint32_t skip(std::uint32_t from) {
        if (program_.layout == none || from >= text_.size()) return from;
        auto& [known, known_end] = skipped_[from % skipped_.size()];
        if (known == from + 1) return known_end;
        if (!layout_) {
            layout_ = std::make_unique<Machine>(language_, program_, text_, tree_);
            layout_->is_layout_ = true;
        }
        std::uint32_t to = from;
        while (to < text_.size() && layout_->run(program_.layout, to) != none) {
            if (layout_->too_deep()) too_deep_ = true, deep_ = layout_->deep_, furthest_ = to;
            to = layout_->place();
        }
        known = from + 1, known_end = to;
        return to;
    }

  private:
    struct Entry { // a call, or a choice to come back to
        bool is_call = false, is_predicate = false;
        std::uint32_t ip; // where to go on
        std::uint32_t at, end, values;
        std::uint32_t variant = 0, slot = 0, frame = 0, left = none, level = 0; // calls
    };

    bool step(const Instruction& i) {
        switch (i.code) {
        case Code::Literal: return literal(*program_.literals[i.a]);
        case Code::Set: return character([&](char32_t c) { return language_.sets[i.a].contains(c); });
        case Code::Any: return character([](char32_t) { return true; });
        case Code::Keyword: return keyword();
        case Code::Skip: at_ = skip(at_); break;
        case Code::Call: ++ip_; return call(i.a, i.b);
        case Code::Return: return finish();
        case Code::Choice: choose(i.a, false); break;
        case Code::Predicate: choose(i.a, true); break;
        case Code::Commit:
            drop();
            ip_ = i.a;
            return true;
        case Code::PartialCommit: partial_commit(i.a); return true;
        case Code::BackCommit:
            restore(stack_.back());
            drop();
            ip_ = i.a;
            return true;
        case Code::FailTwice: drop(); return false;
        case Code::Fail: return false;
        case Code::SpanBegin: spans_.push_back(at_); break;
        case Code::SpanEnd:
            values_.push_back({i.a, none, spans_.back(), std::max(end_, spans_.back())});
            spans_.pop_back();
            break;
        case Code::Make: make(i.a, i.b, false); break;
        case Code::MakeTail: make(i.a, i.b, true); break;
        case Code::NeedLevel:
            if (stack_[frame_].level < i.a) return false;
            break;
        }
        ++ip_;
        return true;
    }

    // -- terminals --------------------------------------------------------------------------------
    bool literal(const Peg& peg) {
        const std::string_view rest = text_.substr(at_);
        bool matched = rest.size() >= peg.text.size();
        for (std::size_t k = 0; matched && k < peg.text.size(); ++k)
            matched = peg.caseless ? lower(rest[k]) == lower(peg.text[k]) : rest[k] == peg.text[k];
        if (matched && peg.is_word && rest.size() > peg.text.size())
            matched = !is_word_character(rest[peg.text.size()]);
        if (!matched) return missing(peg.text, true);
        return take(static_cast<std::uint32_t>(peg.text.size()));
    }
    bool is_mark(char c) const { return language_.indented && c >= indent_mark && c <= newline_mark; }
    template <class Test> bool character(Test&& test) {
        if (at_ >= text_.size() || is_mark(text_[at_])) return missing("a character");
        std::size_t after = at_;
        if (!test(code_point(text_, after))) return missing("another character");
        return take(static_cast<std::uint32_t>(after - at_));
    }
    bool keyword() {
        std::size_t end = at_;
        while (end < text_.size() && is_word_character(text_[end])) ++end;
        std::string word(text_.substr(at_, end - at_));
        bool found = std::ranges::binary_search(language_.keywords, word);
        if (!found && !language_.caseless_keywords.empty()) {
            std::ranges::transform(word, word.begin(), lower);
            found = std::ranges::binary_search(language_.caseless_keywords, word);
        }
        if (!found) return false;
        stack_[frame_].left = node(none);
        return take(static_cast<std::uint32_t>(end - at_));
    }
    bool take(std::uint32_t size) {
        at_ += size, end_ = at_;
        ++ip_;
        return true;
    }
    bool missing(std::string_view what, bool quoted = false) {
        if (quiet_ == 0 && at_ >= furthest_ && !is_lexical()) note(at_, what, quoted);
        return false;
    }

    // -- what is expected -------------------------------------------------------------------------
    bool is_lexical() const {
        return is_layout_ || (frame_ != none && language_.productions[production_of(stack_[frame_])].lexical);
    }
    std::uint32_t production_of(const Entry& call) const { return program_.variants[call.variant].production; }
    // The largest production that begins there stands for what it may begin with.
    void note(std::uint32_t at, std::string_view what, bool quoted = false) {
        if (quiet_ > 0) return;
        if (!explains_) {
            furthest_ = std::max(furthest_, at);
            return;
        }
        if (at != furthest_) return;
        std::string name = quoted ? "'" + std::string(what) + "'" : std::string(what);
        bool continues = false;
        for (std::uint32_t f = frame_; f != none; f = stack_[f].frame) {
            const Entry& call = stack_[f];
            continues |= f == frame_ && call.left != none;
            if (call.at != at || call.left != none || call.frame == none) break;
            name = language_.productions[production_of(call)].shown;
        }
        auto& list = continues ? continued_ : expected_;
        const auto known = [&](const std::vector<std::string>& in) { return std::ranges::find(in, name) != in.end(); };
        if (!known(expected_) && !known(continued_)) list.push_back(name);
    }

    // -- calls and choices ------------------------------------------------------------------------
    std::uint64_t key(std::uint32_t variant, std::uint32_t at) const {
        return std::uint64_t{at} * program_.variants.size() + variant + 1;
    }
    bool call(std::uint32_t variant, std::uint32_t slot) {
        if (const Memo::Entry* known = memo_.find(key(variant, at_))) {
            if (known->node == none) {
                missing_production(variant);
                return false;
            }
            values_.push_back({slot, known->node, at_, known->end});
            if (known->end > at_) at_ = end_ = known->end;
            return true;
        }
        if (++active_[variant] > deepest_nesting) {
            too_deep_ = true, deep_ = program_.variants[variant].production, furthest_ = at_;
            return false;
        }
        Entry& entry = stack_.emplace_back();
        entry.is_call = true, entry.ip = ip_, entry.at = at_, entry.end = end_;
        entry.values = static_cast<std::uint32_t>(values_.size());
        entry.variant = variant, entry.slot = slot, entry.frame = frame_;
        frame_ = static_cast<std::uint32_t>(stack_.size() - 1);
        ip_ = program_.variants[variant].entry;
        return true;
    }
    void missing_production(std::uint32_t variant) {
        const Production& production = language_.productions[program_.variants[variant].production];
        if (production.lexical) missing(production.shown);
    }
    bool finish() {
        const Entry call = stack_.back();
        leave(call);
        memo_.add(key(call.variant, call.at), at_, call.left);
        values_.push_back({call.slot, call.left, call.at, at_});
        ip_ = call.ip;
        return true;
    }
    void leave(const Entry& call) {
        --active_[call.variant];
        frame_ = call.frame;
        stack_.pop_back();
    }
    void choose(std::uint32_t target, bool predicate) {
        quiet_ += predicate;
        ++choices_;
        Entry& entry = stack_.emplace_back();
        entry.is_predicate = predicate, entry.ip = target, entry.at = at_, entry.end = end_;
        entry.values = static_cast<std::uint32_t>(values_.size()),
        entry.slot = static_cast<std::uint32_t>(spans_.size());
    }
    void drop() {
        quiet_ -= stack_.back().is_predicate;
        --choices_;
        stack_.pop_back();
    }
    void restore(const Entry& choice) {
        at_ = choice.at, end_ = choice.end;
        values_.resize(choice.values);
        spans_.resize(choice.slot);
    }
    void partial_commit(std::uint32_t target) {
        Entry& choice = stack_.back();
        choice.at = at_, choice.end = end_;
        choice.values = static_cast<std::uint32_t>(values_.size());
        if (choices_ == 1) memo_.forget(key(0, at_)); // nothing comes back behind this place
        ip_ = target;
    }
    // Goes back to the last choice; false if there is none.
    bool fail() {
        if (too_deep_) return false;
        while (!stack_.empty() && stack_.back().is_call) {
            const Entry call = stack_.back();
            leave(call);
            memo_.add(key(call.variant, call.at), 0, none);
            const Production& production = language_.productions[production_of(call)];
            if (production.lexical && !is_lexical()) note(call.at, production.shown);
        }
        if (stack_.empty()) return false;
        restore(stack_.back());
        ip_ = stack_.back().ip;
        drop();
        return true;
    }

    // -- nodes ------------------------------------------------------------------------------------
    std::uint32_t node(std::uint32_t alternative) {
        const Entry& call = stack_[frame_];
        if (is_layout_) return 0;
        tree_.nodes.push_back({production_of(call), alternative, call.at, std::max(end_, call.at)});
        return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    }
    void make(std::uint32_t alternative, std::uint32_t level, bool tail) {
        Entry& call = stack_[frame_];
        const Production& production = language_.productions[production_of(call)];
        const std::uint32_t left = call.left;
        call.left = node(alternative), call.level = level;
        if (is_layout_ || production.lexical) {
            values_.resize(call.values);
            return;
        }
        ParseNode& made = tree_.nodes.back();
        made.first = static_cast<std::uint32_t>(tree_.captures.size());
        if (tail)
            tree_.captures.push_back(
                {production.alternatives[alternative].left_slot, left, tree_.nodes[left].begin, tree_.nodes[left].end});
        for (std::size_t i = call.values; i < values_.size(); ++i)
            if (values_[i].slot != no_slot) tree_.captures.push_back(values_[i]);
        made.count = static_cast<std::uint32_t>(tree_.captures.size()) - made.first;
        values_.resize(call.values);
    }

    const Language& language_;
    const ParsingProgram& program_;
    std::string_view text_;
    ParseTree& tree_;
    std::vector<std::uint32_t> active_; // by variant: calls that are open
    std::vector<Entry> stack_;
    std::vector<Capture> values_;
    std::vector<std::uint32_t> spans_;
    std::array<std::pair<std::uint32_t, std::uint32_t>, 256> skipped_{};
    Memo memo_;
    std::unique_ptr<Machine> layout_;                        // it reads the layout
    std::uint32_t at_ = 0, end_ = 0, ip_ = 0, frame_ = none; // end_: of the last terminal
    std::uint32_t furthest_ = 0, deep_ = 0;
    std::size_t choices_ = 0, quiet_ = 0;
    std::vector<std::string> expected_, continued_; // continued_: by what an operator adds
    bool explains_ = false, is_layout_ = false, too_deep_ = false;
};

} // namespace packrat

using packrat::Machine;
using packrat::none;

ParseFailure parse(const Language& language, std::string_view text, ParseTree& tree) {
    const ParsingProgram program = compile(language, language.start);
    const auto run = [&](Machine& machine) {
        const std::uint32_t root = machine.run(0, machine.skip(0));
        if (root == none) return none;
        const std::uint32_t end = machine.skip(machine.place());
        if (end == text.size()) return root;
        machine.expect_end(end);
        return none;
    };
    Machine machine(language, program, text, tree);
    tree.root = run(machine);
    if (tree.root != none) return {};
    ParseFailure failure;
    if (machine.too_deep()) {
        failure.kind = ParseFailure::Kind::TooDeep, failure.at = machine.furthest();
        failure.production = machine.deep_production();
        return failure;
    }
    ParseTree again;
    Machine explaining(language, program, text, again);
    explaining.explain(machine.furthest());
    run(explaining);
    failure.kind = ParseFailure::Kind::Syntax, failure.at = machine.furthest();
    failure.expected = std::move(explaining).expected();
    return failure;
}

struct LayoutSkipper::State {
    ParsingProgram program;
    ParseTree tree{};
    Machine machine;
    State(const Language& language, std::string_view text)
        : program(compile(language, language.start)), machine(language, program, text, tree) {}
};

LayoutSkipper::LayoutSkipper(const Language& language, std::string_view text)
    : state_(std::make_unique<State>(language, text)) {}
LayoutSkipper::~LayoutSkipper() = default;
std::uint32_t LayoutSkipper::skip(std::uint32_t from) { return state_->machine.skip(from); }

bool matches(const Language& language, std::uint32_t production, std::string_view text) {
    const ParsingProgram program = compile(language, production);
    ParseTree ignored;
    Machine machine(language, program, text, ignored);
    return machine.run(0, 0) != none && machine.place() == text.size();
}

} // namespace irrewrite::grammar
