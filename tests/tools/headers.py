"""Precompiled headers for emitted programs: what texts include, compiled once for all that include the same."""

import pathlib
import subprocess
import threading

WORTH = 3  # texts: as long as it takes to compile their headers once more, for later ones


def included(text):
    """The includes that the text begins with, whole conditionals alone."""
    block, depth, whole = [], 0, 0
    for line in text.split("\n"):
        if not line or line.startswith("//"):
            continue
        if not line.startswith("#"):
            break
        block.append(line)
        depth += line.startswith("#if") - line.startswith("#endif")
        if depth == 0:
            whole = len(block)
    return "\n".join(block[:whole]) + "\n"


class Headers:
    """Those of one compiler with its flags (a list of words), in a folder. Threads may share them."""

    def __init__(self, command, folder):
        self.command, self.folder = command, pathlib.Path(folder)
        self.known, self.lock = {}, threading.Lock()

    def options(self, text):
        """What the compiler is given besides, so that the includes of the text are there already; may be nothing."""
        block = included(text)
        with self.lock:
            known = self.known.setdefault(block, {"texts": 0, "options": [], "number": len(self.known)})
            known["texts"] += 1
            if known["texts"] != WORTH:
                return known["options"]
        header = self.folder / f"included-{known['number']}.hpp"
        header.write_text(block)
        made = header.with_suffix(".hpp.gch")
        done = subprocess.run([*self.command, "-x", "c++-header", header, "-o", made], capture_output=True, check=False)
        if done.returncode == 0:
            known["options"] = ["-include", str(header)]
        return known["options"]
