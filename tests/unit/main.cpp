// Catch2's main, with one plain line at the end that tests/run.sh adds up.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>

namespace {

struct Summary : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;

    // The reporter's own summary is written after this, so the line waits for the very end.
    void testRunEnded(const Catch::TestRunStats& run) override {
        const Catch::Counts& cases = run.totals.testCases;
        passed = cases.passed + cases.failedButOk;
        failed = cases.failed;
        std::atexit([] { std::cout << passed << " passed, " << failed << " failed" << std::endl; });
    }

    static inline std::size_t passed = 0;
    static inline std::size_t failed = 0;
};

} // namespace

CATCH_REGISTER_LISTENER(Summary)
