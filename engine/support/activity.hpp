// The work that a run is doing, for the message of a run that ends from outside of it (-timeout, -memory).
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>

namespace irrewrite {

// Lasts as long as it is in scope; activities of several threads may end in any order. Does nothing unless limits are
// watched.
class Activity {
  public:
    enum class Kind : std::uint8_t {
        Plain,
        Asks, // looks at interruption() itself (engine/support/interruption.hpp), and ends soon after
        Late, // its text is made when it is asked for, by another thread
    };
    using Text = std::function<std::string()>;
    explicit Activity(const Text& text, Kind kind = Kind::Plain);
    Activity(const Activity&) = delete;
    ~Activity();

    static void watch();       // from now on
    static void forget_all();  // in a child process: those of its parent
    static std::string last(); // what began last; empty: nothing
    static bool all_ask();     // and there are some

  private:
    struct Entry {
        Text text;
        bool asks;
    };
    struct Shared;
    static Shared& shared();
    std::optional<std::list<Entry>::iterator> entry_;
};

} // namespace irrewrite
