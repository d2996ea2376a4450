// Faults of a text and how they are told: one for a token, with help where the text is written as in another language.
#pragma once

#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/scanner.hpp"

namespace irrewrite::grammar {

// Raised where parsing cannot go on.
struct Fault {
    enum class Way : std::uint8_t {
        Expected, // `text` says what is due
        Says,     // `text` says it all
        Limit,    // a limit is reached
        Leaves,   // what is due ends all blocks: a declaration stands here
        Item,     // of an input language, whose tokens are others: `text` says what is due
    };
    std::uint32_t from; // the end of what was read
    std::uint32_t at;   // the token that is wrong
    message::Text text;
    message::Text help{};
    Way way = Way::Expected;
    std::uint32_t opener = UINT32_MAX; // the bracket that is to be closed
    bool in_quotes = false;            // a blank is a character

    bool ends_blocks() const { return way == Way::Limit || way == Way::Leaves; }
};

class Faults {
  public:
    Faults(const Sources& sources, SourceId source, bool rules, Diagnostics& diagnostics);

    void report(std::uint32_t begin, std::uint32_t end, message::Text text, message::Text help = {});
    void report_expected(Token found, message::Text what, message::Text help = {});
    // Returns the token that is wrong.
    Token report(const Fault& fault);
    Token report_item(const Fault& fault);
    // Adds a note with the bracket that the latest fault wants closed, unless its line is shown anyway.
    void note_opener(std::uint32_t opener, std::uint32_t at);

    Scanner scanner;
    Diagnostics* diagnostics;

  private:
    std::string_view text_;
    SourceId source_;
    bool rules_;
    std::uint32_t reported_ = UINT32_MAX; // where the latest fault was: one for a token
    Diagnostic* latest_ = nullptr;        // the latest fault, if it was reported
};

} // namespace irrewrite::grammar
