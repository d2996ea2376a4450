"""nvcc and a device: what all tests have in common that compile emitted CUDA, or run it, there."""

import ctypes
import os
import re
import shutil
import sys

STRICT = "-std=c++20 -fmad=false --extended-lambda --expt-relaxed-constexpr -Xcompiler=-ffp-contract=off".split()
ARCHITECTURE = "sm_90"  # for which is compiled what does not run
TIMEOUT = 1800
# Functions whose last digits the toolkit's library computes otherwise than the host's.
APPROXIMATE = re.compile(r"(?<![\w.:])(?:std::)?(?:exp|log|pow|sin|cos|tan|tanh)\((?!double\))")


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


def same(expected, found, rounds):
    """Whether the texts are equal; where results are rounded, but for the last digits of their numbers."""
    if expected == found or not rounds:
        return expected == found
    number = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")
    numbers = [[float(x) for x in number.findall(text)] for text in (expected, found)]
    return number.sub("#", expected) == number.sub("#", found) and all(
        abs(a - b) <= 1e-12 * max(abs(a), abs(b)) for a, b in zip(*numbers))


def jobs():
    """Processes at a time: nvcc takes up to 2 GiB."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), memory >> 31))
