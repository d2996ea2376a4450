#include "grammar/surface/compile.hpp"

#include <map>
#include <utility>

namespace irrewrite::grammar {

namespace {

using Op = Peg::Op;
using Code = Instruction::Code;

constexpr int atom = Alternative::tightest + 1; // an alternative that has no precedence and does not begin with itself

class Compiler {
  public:
    explicit Compiler(const Language& language) : language_(language) {}

    ParsingProgram run(std::uint32_t start) {
        variant(start, 0);
        if (language_.layout != Language::none) program_.layout = variant(language_.layout, 0);
        for (std::size_t v = 0; v < program_.variants.size(); ++v) {
            program_.variants[v].entry = here();
            production(program_.variants[v].production, program_.variants[v].level);
        }
        return std::move(program_);
    }

  private:
    std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }
    std::uint32_t emit(Code code, std::uint32_t a = 0, std::uint32_t b = 0) {
        program_.code.push_back({code, a, b});
        return here() - 1;
    }
    void land(std::uint32_t at) { program_.code[at].a = here(); }

    std::uint32_t variant(std::uint32_t production, int level) {
        if (!language_.productions[production].is_recursive()) level = has_precedence(production) ? level : 0;
        const auto [it, fresh] =
            variants_.try_emplace({production, level}, static_cast<std::uint32_t>(program_.variants.size()));
        if (fresh) program_.variants.push_back({production, 0, level});
        return it->second;
    }
    bool has_precedence(std::uint32_t production) const {
        for (const Alternative& a : language_.productions[production].alternatives)
            if (a.precedence != Alternative::tightest) return true;
        return false;
    }

    // -- productions ------------------------------------------------------------------------------
    static int level_of(const Alternative& a) {
        return a.precedence == Alternative::tightest && !a.left_recursive ? atom : a.precedence;
    }
    void production(std::uint32_t id, int level) {
        const Production& own = language_.productions[id];
        production_ = id, lexical_ = own.lexical;
        if (id == language_.keyword) {
            emit(Code::Keyword);
            emit(Code::Return);
            return;
        }
        std::vector<std::uint32_t> begun, done;
        for (std::uint32_t i = 0; i < own.alternatives.size(); ++i)
            if (const Alternative& a = own.alternatives[i]; !a.left_recursive && level_of(a) >= level)
                begun.push_back(i);
        if (begun.empty()) emit(Code::Fail);
        for (std::uint32_t i : begun) {
            const Alternative& a = own.alternatives[i];
            const bool last = i == begun.back(); // if that one fails, there is nothing to come back to
            const std::uint32_t choice = last ? 0 : emit(Code::Choice);
            alternative(a);
            emit(Code::Make, i, static_cast<std::uint32_t>(level_of(a)));
            if (last) break;
            done.push_back(emit(Code::Commit));
            land(choice);
        }
        for (std::uint32_t at : done) land(at);
        const std::uint32_t loop = here();
        for (std::uint32_t i = 0; i < own.alternatives.size(); ++i) {
            const Alternative& a = own.alternatives[i];
            if (!a.left_recursive || level_of(a) < level) continue;
            const std::uint32_t choice = emit(Code::Choice);
            const bool left = a.associates == Alternative::Associates::Left;
            emit(Code::NeedLevel, static_cast<std::uint32_t>(a.precedence + (left ? 0 : 1)));
            alternative(a);
            emit(Code::MakeTail, i, static_cast<std::uint32_t>(level_of(a)));
            emit(Code::Commit, loop);
            land(choice);
        }
        emit(Code::Return);
    }
    void alternative(const Alternative& a) {
        slot_ = no_slot;
        for (std::uint32_t i = 0; i < a.labels.size(); ++i)
            if (a.labels[i].name.empty() && !a.term) slot_ = i;
        const std::size_t n = a.body.parts.size();
        for (std::size_t i = 0; i < n; ++i) {
            level_ = i + 1 == n ? level_of_end(a) : 0;
            item(a.body.parts[i]);
        }
    }
    // The least precedence of the production itself where it ends the alternative.
    static int level_of_end(const Alternative& a) {
        const bool declared = a.precedence != Alternative::tightest;
        using enum Alternative::Associates;
        if (a.left_recursive) return a.precedence + (a.associates == Right ? 0 : 1);
        return declared ? a.precedence + (a.associates == None ? 1 : 0) : 0;
    }

    // -- items ------------------------------------------------------------------------------------
    static bool has_reference(const Peg& peg) {
        if (peg.op == Op::And || peg.op == Op::Not) return false;
        if (peg.op == Op::Reference) return true;
        for (const Peg& part : peg.parts)
            if (has_reference(part)) return true;
        return false;
    }
    void inside(const Peg& peg) { // the production itself does not end the alternative there
        level_ = 0;
        item(peg);
    }
    void terminal(Code code, std::uint32_t a = 0) {
        if (!lexical_) emit(Code::Skip);
        emit(code, a);
    }
    void item(const Peg& peg) {
        switch (peg.op) {
        case Op::Literal:
            terminal(Code::Literal, static_cast<std::uint32_t>(program_.literals.size()));
            program_.literals.push_back(&peg);
            break;
        case Op::Set: terminal(Code::Set, peg.set); break;
        case Op::Any: terminal(Code::Any); break;
        case Op::Reference: {
            const bool own = peg.production == production_;
            terminal(Code::Call, variant(peg.production, own ? level_ : 0));
            program_.code.back().b = lexical_ ? no_slot : slot_;
            break;
        }
        case Op::Sequence:
            for (const Peg& part : peg.parts) inside(part);
            break;
        case Op::Choice: choice(peg); break;
        case Op::Label: label(peg); break;
        case Op::Optional: {
            const std::uint32_t start = emit(Code::Choice);
            inside(peg.parts[0]);
            const std::uint32_t end = emit(Code::Commit);
            land(start), land(end);
            break;
        }
        case Op::Star: loop(peg.parts, 0); break;
        case Op::Plus:
            inside(peg.parts[0]);
            loop(peg.parts, 0);
            break;
        case Op::List1: list(peg); break;
        case Op::List0: {
            const std::uint32_t start = emit(Code::Choice);
            list(peg);
            const std::uint32_t end = emit(Code::Commit);
            land(start), land(end);
            break;
        }
        case Op::Not: {
            const std::uint32_t start = emit(Code::Predicate);
            inside(peg.parts[0]);
            emit(Code::FailTwice);
            land(start);
            break;
        }
        case Op::And: {
            const std::uint32_t start = emit(Code::Predicate);
            inside(peg.parts[0]);
            const std::uint32_t end = emit(Code::BackCommit);
            land(start);
            emit(Code::Fail);
            land(end);
            break;
        }
        }
    }
    void choice(const Peg& peg) {
        std::vector<std::uint32_t> ends;
        for (std::size_t i = 0; i < peg.parts.size(); ++i) {
            const bool last = i + 1 == peg.parts.size();
            const std::uint32_t start = last ? 0 : emit(Code::Choice);
            inside(peg.parts[i]);
            if (last) break;
            ends.push_back(emit(Code::Commit));
            land(start);
        }
        for (std::uint32_t end : ends) land(end);
    }
    // Without a production inside, the label stands for the text.
    void label(const Peg& peg) {
        if (!has_reference(peg.parts[0])) {
            if (!lexical_) emit(Code::Skip);
            emit(Code::SpanBegin);
            inside(peg.parts[0]);
            emit(Code::SpanEnd, peg.slot);
            return;
        }
        const std::uint32_t outer = std::exchange(slot_, peg.slot);
        item(peg.parts[0]);
        slot_ = outer;
    }
    // Of parts 0 to `last`, the last one first.
    void loop(const std::vector<Peg>& parts, std::size_t last) {
        const std::uint32_t start = emit(Code::Choice);
        const std::uint32_t again = here();
        for (std::size_t i = last + 1; i-- > 0;) inside(parts[i]);
        emit(Code::PartialCommit, again);
        land(start);
    }
    void list(const Peg& peg) {
        inside(peg.parts[0]);
        loop(peg.parts, 1);
    }

    const Language& language_;
    ParsingProgram program_;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> variants_;
    std::uint32_t production_ = 0, slot_ = no_slot;
    int level_ = 0;
    bool lexical_ = false;
};

} // namespace

ParsingProgram compile(const Language& language, std::uint32_t start) { return Compiler(language).run(start); }

} // namespace irrewrite::grammar
