"""Compiled programs, kept in a folder by what they are made of: an unchanged text is not compiled again."""

import hashlib
import os
import pathlib
import threading


class Kept:
    def __init__(self, folder, *made_of):
        """`made_of`: what the programs depend on beside their texts: compiler, flags."""
        self.folder, self.made_of, self.used = pathlib.Path(folder).absolute(), made_of, set()
        self.folder.mkdir(parents=True, exist_ok=True)

    def place(self, text):
        key = "\0".join([*self.made_of, text])
        return self.folder / hashlib.sha256(key.encode()).hexdigest()

    def program(self, text, compile):
        """The program of that text; `compile(path)` makes it there if it is not kept."""
        program = self.place(text)
        self.used.add(program.name)
        if not program.exists():
            # Written by the compiler: what this process has open for writing may be inherited by another
            # command that starts just then, and cannot run until that one has begun.
            fresh = program.with_name(f"{program.name}.{os.getpid()}.{threading.get_ident()}")
            compile(fresh)
            fresh.rename(program)
        return program

    def forget_unused(self):
        for program in self.folder.iterdir():
            if program.name not in self.used:
                program.unlink()
