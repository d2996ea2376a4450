"""Emitted programs, several in one translation unit: one reading of headers, one instantiation of the library's templates.

Each program's `main` gets a name of its own, and so do its namespaces. The file that results has several names, one for each
program, and runs the one that it is called by. Only texts that begin with the same includes go together, so that a text
which includes too little does not compile here either."""

import re

from headers import included

LINES = 8000    # of a batch: enough that what programs share no longer counts, few enough for small machines


def batches(texts):
    """Lists of programs that are compiled together: {name: text} is cut, those of the same includes in order of their lengths."""
    groups = {}
    for name, text in texts.items():
        groups.setdefault(included(text), []).append(name)
    for names in groups.values():
        batch, lines = [], 0
        for name in sorted(names, key=lambda name: (-texts[name].count("\n"), name)):
            more = texts[name].count("\n")
            if batch and lines + more > LINES:
                yield batch
                batch, lines = [], 0
            batch.append(name)
            lines += more
        yield batch


def renamed(text, number):
    """The text with a `main` and namespaces that no other text of the batch has, and without the macros that it leaves."""
    names = ["main", *sorted(set(re.findall(r"^namespace (\w+) \{", text, re.MULTILINE)))]
    own = [f"#define {name} {name}_of_{number}" for name in names]
    macros = sorted(set(re.findall(r"^#\s*define (\w+)", text, re.MULTILINE)))
    return "\n".join([included(text), *own, text.rstrip("\n"), *(f"#undef {name}" for name in [*names, *macros]), ""])


CHOICE = """
int main(int, char** words) {
    const std::string_view path = words[0], name = path.substr(path.rfind('/') + 1);
%s    return 99;
}
"""


def joined(texts):
    """The text of one program for several, {name: text}: it does what the one does by whose name it is called."""
    bodies = [renamed(text, number) for number, text in enumerate(texts.values())]
    choices = [f'    if (name == "{name}") return main_of_{number}();\n' for number, name in enumerate(texts)]
    return "".join(bodies) + "#include <string_view>\n" + CHOICE % "".join(choices)
