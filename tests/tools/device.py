"""nvcc and a device: what all tests have in common that compile emitted CUDA, or run it, there."""

import concurrent.futures
import ctypes
import os
import re
import shutil
import subprocess
import sys

STRICT = "-std=c++20 -fmad=false --extended-lambda --expt-relaxed-constexpr -Xcompiler=-ffp-contract=off".split()
ARCHITECTURE = "sm_90"  # for which is compiled what does not run
WARNINGS = [f"-arch={ARCHITECTURE}", "-Xcompiler=-Wall,-Wextra", "-c"]
BATCH = 12000       # lines: enough that headers, nearly all of a small program's time, are read for several
TIMEOUT = 1800
# Functions whose last digits the toolkit's library computes otherwise than the host's.
APPROXIMATE = re.compile(r"(?<![\w.:])(?:std::)?(?:exp|log|pow|sin|cos|tan|tanh)\((?!double\))")

# Functions that a device may run, and algorithms whose calls nvcc 13 leaves out there without a word: the host's library
# makes them of built-in copies and comparisons of memory.
ON_DEVICE = re.compile(r"(?:(?<!if )(?<!-)\bconstexpr\b|\b__device__\b|\b__global__\b)[^;{}]*?\(")
LEFT_OUT = re.compile(r"std::(?:ranges::\w+|copy\w*|equal|fill\w*|find\w*|lexicographical\w*|move_backward|reverse\w*|rotate\w*|"
                      r"search\w*|sort|stable_\w+|swap_ranges|uninitialized\w+|unique)\s*\(")
# Functions that only the host may run.
ON_HOST = re.compile(r"^inline (?!constexpr)(?![^(\n]*__device__)[^(=;\n]*?\b(\w+)\(", re.MULTILINE)


def give_up(what):
    print(f"{what}\n0 passed, 1 failed")
    sys.exit(1)


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin") or give_up("there is no nvcc")


def architecture():
    """The first device's, as nvcc names it, or nothing: asked of the driver, which programs ask as well."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ""
    count, device, major, minor = (ctypes.c_int() for _ in range(4))
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0:
        return ""
    driver.cuDeviceGet(ctypes.byref(device), 0)
    for number, part in ((75, major), (76, minor)):
        driver.cuDeviceGetAttribute(ctypes.byref(part), number, device)
    return f"sm_{major.value}{minor.value}"


def compiler(runs=True):
    """The command that compiles a program for this machine's device; where nothing is to run, for any."""
    nvcc = find_nvcc()
    found = architecture() if runs else ARCHITECTURE
    return [nvcc, *STRICT, "-O3", f"-arch={found or give_up('there is no device')}"]


def body(text, begin):
    """A function's block, behind the constraints on its types; nothing for a declaration."""
    opened, depth, start = None, 0, begin
    for brace in re.compile("[;{}]").finditer(text, begin):
        if depth == 0 and brace[0] != "{":
            return ""
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if brace[0] == "{" and depth == 1:
            opened = brace.start()
        if brace[0] == "}" and depth == 0:
            if not re.search(r"\brequires\s*(\([^{}]*\))?\s*$", text[start:opened]):
                return text[opened:brace.end()]
            start = brace.end()
    return text[start:]


def left_out(emitted):
    """Calls in emitted CUDA that a device would not make, each once."""
    on_device = "\n".join(body(emitted, function.end()) for function in ON_DEVICE.finditer(emitted))
    on_device = re.sub(r"\bthrow [^;]*;", "", on_device)  # the host's branch
    on_host = {name for name in ON_HOST.findall(emitted) if re.search(rf"(?<![\w.>]){name}\(", on_device)}
    return sorted({*LEFT_OUT.findall(on_device), *on_host})


def same(expected, found, rounds):
    """Whether the texts are equal; where results are rounded, but for the last digits of their numbers."""
    if expected == found or not rounds:
        return expected == found
    number = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")
    numbers = [[float(x) for x in number.findall(text)] for text in (expected, found)]
    return number.sub("#", expected) == number.sub("#", found) and all(
        abs(a - b) <= 1e-12 * max(abs(a), abs(b)) for a, b in zip(*numbers))


def batched(texts):
    """Files that are compiled together, those of most lines first."""
    batches, lines = [], 0
    for text in sorted(texts, key=lambda text: -len(text.read_text().split("\n"))):
        more = len(text.read_text().split("\n"))
        if not batches or lines + more > BATCH:
            batches.append([])
            lines = 0
        batches[-1].append(text)
        lines += more
    return batches


def compiled(nvcc, texts, target):
    """What nvcc says about the files as one, each with a `main` of another name."""
    target.write_text("".join(f'#define main main_{k}\n#include "{text}"\n#undef main\n' for k, text in enumerate(texts)))
    done = subprocess.run([nvcc, *STRICT, "-O1", *WARNINGS, target, "-o", target.with_suffix(".o")],
                          capture_output=True, text=True, check=False, timeout=TIMEOUT)
    target.with_suffix(".o").unlink(missing_ok=True)
    return (done.stdout + done.stderr + (f"exit code {done.returncode}" if done.returncode else "")).strip()


def compile_all(nvcc, texts, folder, jobs):
    """What is wrong with emitted programs, whose namespaces differ, by the file, or by several that fail only together."""
    def check(batch):
        wrong = compiled(nvcc, batch, folder / f"batch-{batch[0].stem}.cu")
        if not wrong or len(batch) == 1:
            return {batch[0].stem: wrong} if wrong else {}
        alone = {}
        for text in batch:
            alone |= check([text])
        return alone or {" with ".join(text.stem for text in batch): wrong}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return {name: wrong for found in pool.map(check, batched(texts)) for name, wrong in found.items()}


def jobs():
    """Processes at a time: nvcc takes up to 2 GiB."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), memory >> 31))
