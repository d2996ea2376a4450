"""Counts what holds, and says what does not: for tests that are one script with many expectations."""


class Tally:
    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def expect(self, holds, what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds:
            print(f"{self.name}: {what}", flush=True)

    def end(self):
        """The exit code, when the numbers are printed."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
