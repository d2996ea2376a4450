#!/usr/bin/env python3
"""The workloads in numpy and Numba, as their users write them: peers.py NAME SIZE RUNS.

Prints "numpy MILLISECONDS" and "numba MILLISECONDS", medians on one thread (a first call, which
compiles, is not counted); only what is installed and what the workload has. Inputs are of the same
distribution as those of tests/bench/workloads/NAME.cpp.
"""

import os
import statistics
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError:
    sys.exit(0)
try:
    import numba
except ImportError:
    numba = None

random = np.random.default_rng(1)


def units(n, low=0.0, high=1.0):
    return random.uniform(low, high, n)


def jit(function):
    return numba.njit(function, fastmath=False) if numba else None


def reassociating(function):
    """Sums in lanes, as `reduce` allows."""
    return numba.njit(function, fastmath={"reassoc", "nsz"}) if numba else None


# -- the workloads: (input of size n, numpy, Numba) ------------------------------------------------


def dot():
    def loop(x, y):
        total = 0.0
        for i in range(x.size):
            total += x[i] * y[i]
        return total
    return lambda n: (units(n), units(n)), lambda x, y: np.sum(x * y), reassociating(loop)


def sum_of_squares():
    def loop(x):
        total = 0.0
        for i in range(x.size):
            total += x[i] * x[i]
        return total
    return lambda n: (units(n),), lambda x: np.sum(x * x), reassociating(loop)


def five_maps():
    def loop(x):
        out = np.empty_like(x)
        for i in range(x.size):
            a = x[i] + 1.0
            out[i] = 1.0 / np.sqrt(a * a - 0.5)
        return out

    def arrays(x):
        a = x + 1.0
        b = a * a
        c = b - 0.5
        d = np.sqrt(c)
        return 1.0 / d
    return lambda n: (units(n),), arrays, jit(loop)


def filter_map_sum():
    def loop(x):
        total = 0.0
        for i in range(x.size):
            if x[i] > 0.5:
                total += x[i] * 2.0 + 1.0
        return total
    return lambda n: (units(n),), lambda x: np.sum(x[x > 0.5] * 2.0 + 1.0), reassociating(loop)


def five_statistics():
    def loop(x):
        total, squares, low, high, count = 0.0, 0.0, np.inf, -np.inf, 0
        for i in range(x.size):
            total += x[i]
            squares += x[i] * x[i]
            low = min(low, x[i])
            high = max(high, x[i])
            count += x[i] > 0.5
        return total, squares, low, high, count
    return (lambda n: (units(n),),
            lambda x: (x.sum(), (x * x).sum(), x.min(), x.max(), (x > 0.5).sum()), reassociating(loop))


def maximal_segment_sum():
    def loop(x):
        best = back = 0
        for i in range(x.size):
            back = max(back + x[i], 0)
            best = max(best, back)
        return best

    def arrays(x):
        sums = np.concatenate(([0], np.cumsum(x)))
        return (sums - np.minimum.accumulate(sums)).max()
    return lambda n: (random.integers(-1000, 1000, n),), arrays, jit(loop)


def histogram():
    def loop(x):
        bins = np.zeros(4096, np.int64)
        for i in range(x.size):
            bin = np.int64(x[i] * 4096.0)
            if 0 <= bin < 4096:
                bins[bin] += 1
        return bins
    return (lambda n: (units(n),),
            lambda x: np.bincount((x * 4096.0).astype(np.int64), minlength=4096), jit(loop))


def black_scholes():
    series = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    a0, a1, a2, a3, a4 = series

    def normal(x):
        l = np.abs(x)
        k = 1.0 / (1.0 + 0.2316419 * l)
        tail = 0.3989422804014327 * np.exp(-(l * l) / 2.0) * (
            k * (a0 + k * (a1 + k * (a2 + k * (a3 + k * a4)))))
        return np.where(x < 0.0, tail, 1.0 - tail)

    def arrays(s, k, t):
        spread = 0.3 * np.sqrt(t)
        d1 = (np.log(s / k) + 0.065 * t) / spread
        return s * normal(d1) - k * np.exp(-0.02 * t) * normal(d1 - spread)

    def scalar(x):
        l = abs(x)
        k = 1.0 / (1.0 + 0.2316419 * l)
        tail = 0.3989422804014327 * np.exp(-(l * l) / 2.0) * (
            k * (a0 + k * (a1 + k * (a2 + k * (a3 + k * a4)))))
        return tail if x < 0.0 else 1.0 - tail
    inner = jit(scalar)

    def loop(s, k, t):
        out = np.empty_like(s)
        for i in range(s.size):
            spread = 0.3 * np.sqrt(t[i])
            d1 = (np.log(s[i] / k[i]) + 0.065 * t[i]) / spread
            out[i] = s[i] * inner(d1) - k[i] * np.exp(-0.02 * t[i]) * inner(d1 - spread)
        return out
    return lambda n: (units(n, 10, 100), units(n, 10, 100), units(n, 0.1, 3)), arrays, jit(loop)


def mandelbrot():
    def arrays(width, height, most):
        re = np.tile(np.arange(width) * 3.0 / width - 2.0, height)
        im = np.repeat(np.arange(height) * 2.0 / height - 1.0, width)
        x, y = np.zeros_like(re), np.zeros_like(re)
        counts = np.zeros(re.size, np.int64)
        live = np.arange(re.size)
        for _ in range(most):
            live = live[x[live] * x[live] + y[live] * y[live] <= 4.0]
            a, b = x[live], y[live]
            x[live], y[live] = a * a - b * b + re[live], 2.0 * a * b + im[live]
            counts[live] += 1
        return counts

    def loop(width, height, most):
        counts = np.zeros(width * height, np.int64)
        for j in range(height):
            for i in range(width):
                re, im = i * 3.0 / width - 2.0, j * 2.0 / height - 1.0
                x = y = 0.0
                count = 0
                while count < most and x * x + y * y <= 4.0:
                    x, y = x * x - y * y + re, 2.0 * x * y + im
                    count += 1
                counts[j * width + i] = count
        return counts
    return lambda n: (1024, n // 1024, 200), arrays, jit(loop)


def kmeans():
    def arrays(points, centres):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        counts = np.bincount(nearest, minlength=len(centres))
        sums = np.stack([np.bincount(nearest, column, len(centres)) for column in points.T], axis=1)
        return sums / counts[:, None]

    def loop(points, centres):
        (n, d), k = points.shape, centres.shape[0]
        sums, counts = np.zeros((k, d)), np.zeros(k)
        for i in range(n):
            best, nearest = np.inf, 0
            for j in range(k):
                distance = 0.0
                for e in range(d):
                    distance += (points[i, e] - centres[j, e]) ** 2
                if distance < best:
                    best, nearest = distance, j
            for e in range(d):
                sums[nearest, e] += points[i, e]
            counts[nearest] += 1.0
        for j in range(k):
            for e in range(d):
                sums[j, e] /= counts[j]
        return sums
    return lambda n: (units((n, 4)), units((10, 4))), arrays, jit(loop)


def matrix_product():
    def loop(x, y):
        n = x.shape[0]
        out = np.zeros((n, n))
        for i in range(n):
            for k in range(n):
                for j in range(n):
                    out[i, j] += x[i, k] * y[k, j]
        return out
    return lambda n: (units((n, n)), units((n, n))), lambda x, y: x @ y, jit(loop)


def line_items(n, integral):
    """The records of the IR's query, laid out as its struct in C++."""
    number = "i8" if integral else "f8"
    scale = (lambda xs, by: xs) if integral else (lambda xs, by: xs / by)
    money = [("quantity", "i8"), ("price", number), ("discount", number), ("tax", number)]
    before, after = ([("order", "i8"), ("part", "i8")], [("flag", "u1"), ("status", "u1")]) if integral else ([], [])
    items = np.zeros(n, np.dtype(before + money + after + [("shipped", "i8")], align=True))
    items["quantity"] = random.integers(1, 51, n)
    items["price"] = random.integers(90000, 100000, n) if integral else units(n, 900.0, 1000.0)
    items["discount"] = scale(random.integers(0, 11, n), 100.0)
    items["tax"] = scale(random.integers(0, 9, n), 100.0)
    if integral:
        items["flag"] = random.choice(np.frombuffer(b"ANR", np.uint8), n)
        items["status"] = random.choice(np.frombuffer(b"FO", np.uint8), n)
    items["shipped"] = random.integers(0, 2526, n)
    return items


def tpch_q6():
    def arrays(l):
        keep = ((l["shipped"] >= 731) & (l["shipped"] < 1096) & (l["discount"] >= 0.05) &
                (l["discount"] <= 0.07) & (l["quantity"] < 24))
        return (l["price"][keep] * l["discount"][keep]).sum()

    def loop(items):
        total = 0.0
        for i in range(items.size):
            l = items[i]
            if (731 <= l["shipped"] < 1096 and 0.05 <= l["discount"] <= 0.07 and l["quantity"] < 24):
                total += l["price"] * l["discount"]
        return total
    return lambda n: (line_items(n, False),), arrays, jit(loop)


def tpch_q1():
    def arrays(l):
        l = l[l["shipped"] <= 2400]
        keys, groups = np.unique(l["flag"].astype(np.int64) * 256 + l["status"], return_inverse=True)
        reduced = l["price"] * (100 - l["discount"])
        sums = [np.bincount(groups, column) for column in
                (l["quantity"], l["price"], reduced, reduced * (100 + l["tax"]))]
        return keys, sums, np.bincount(groups)

    def loop(items):
        groups = np.zeros((65536, 5), np.int64)
        for i in range(items.size):
            l = items[i]
            if l["shipped"] <= 2400:
                g = np.int64(l["flag"]) * 256 + l["status"]
                reduced = l["price"] * (100 - l["discount"])
                groups[g, 0] += l["quantity"]
                groups[g, 1] += l["price"]
                groups[g, 2] += reduced
                groups[g, 3] += reduced * (100 + l["tax"])
                groups[g, 4] += 1
        return groups
    return lambda n: (line_items(n, True),), arrays, jit(loop)


def html():
    def make(n):
        numbers, prices = random.integers(0, 1000, n), random.integers(0, 100000, n)
        return ([[str(i), f"name {a}", f"{b}.00"] for i, (a, b) in enumerate(zip(numbers, prices))],)

    def join(rows):
        return "".join("<tr>" + "".join("<td>" + c + "</td>" for c in row) + "</tr>\n" for row in rows)
    return make, join, None


# -- the second set --------------------------------------------------------------------------------


def bodies():
    def arrays(b):
        d = b[None, :, :3] - b[:, None, :3]
        square = (d * d).sum(axis=2) + 0.01
        pull = b[:, 3] / (square * np.sqrt(square))
        return (d * pull[:, :, None]).sum(axis=1)

    def loop(b):
        n = b.shape[0]
        out = np.zeros((n, 3))
        for i in range(n):
            x = y = z = 0.0
            for j in range(n):
                dx, dy, dz = b[j, 0] - b[i, 0], b[j, 1] - b[i, 1], b[j, 2] - b[i, 2]
                square = dx * dx + dy * dy + dz * dz + 0.01
                pull = b[j, 3] / (square * np.sqrt(square))
                x += dx * pull
                y += dy * pull
                z += dz * pull
            out[i, 0], out[i, 1], out[i, 2] = x, y, z
        return out
    return lambda n: (units((n, 4)),), arrays, reassociating(loop)


def letters():
    def make(n):
        alphabet = np.frombuffer(b"eeeettaaooiinnsshhrrdlcumwfgypbvkjxqzETAOI      ,.\n", np.uint8)
        return (random.choice(alphabet, n),)

    def arrays(text):
        counts = np.bincount(text, minlength=256)
        letter = ((text | 32) - 97).astype(np.uint8) < 26
        words = int(letter[:1].sum()) + (letter[1:] & ~letter[:-1]).sum()
        return words, counts[10], counts[97:123] + counts[65:91]

    def loop(text):
        counts = np.zeros(256, np.int64)
        words, inside = 0, False
        for i in range(text.size):
            c = text[i]
            counts[c] += 1
            letter = 97 <= (c | 32) <= 122
            words += letter and not inside
            inside = letter
        return words, counts[10], counts[97:123] + counts[65:91]
    return make, arrays, jit(loop)


def drawdown():
    def arrays(prices):
        peaks = np.maximum.accumulate(prices)
        losses = (peaks - prices) / peaks
        return losses.max(), (losses > 0.2).sum(), losses

    def loop(prices):
        peak, worst, bad = 0.0, 0.0, 0
        losses = np.empty_like(prices)
        for i in range(prices.size):
            peak = max(peak, prices[i])
            loss = (peak - prices[i]) / peak
            losses[i] = loss
            worst = max(worst, loss)
            bad += loss > 0.2
        return worst, bad, losses
    return lambda n: (1000.0 + np.cumsum(units(n, -1.0, 1.01)).clip(-999.0),), arrays, jit(loop)


def page_rank():
    def make(n):
        counts = random.integers(0, 17, n)
        sources = random.integers(0, n, counts.sum())
        return (sources, np.concatenate(([0], np.cumsum(counts))), np.full(n, 1.0 / n),
                np.bincount(sources, minlength=n))

    def arrays(sources, offsets, ranks, degrees):
        shares = np.where(degrees > 0, ranks / np.maximum(degrees, 1), 0.0)
        owners = np.repeat(np.arange(ranks.size), np.diff(offsets))
        following = 0.15 / ranks.size + 0.85 * np.bincount(owners, shares[sources], ranks.size)
        return following, np.abs(following - ranks).sum()

    def loop(sources, offsets, ranks, degrees):
        n = ranks.size
        shares, following, change = np.empty(n), np.empty(n), 0.0
        for i in range(n):
            shares[i] = ranks[i] / degrees[i] if degrees[i] > 0 else 0.0
        for i in range(n):
            total = 0.0
            for k in range(offsets[i], offsets[i + 1]):
                total += shares[sources[k]]
            following[i] = 0.15 / n + 0.85 * total
            change += abs(following[i] - ranks[i])
        return following, change
    return make, arrays, reassociating(loop)


def edges():
    def arrays(image):
        p = np.pad(image, 1, mode="edge").astype(np.int32)
        above, here, below = p[:-2], p[1:-1], p[2:]
        across = (above + 2 * here + below)[:, 2:] - (above + 2 * here + below)[:, :-2]
        down = (below - above)[:, :-2] + 2 * (below - above)[:, 1:-1] + (below - above)[:, 2:]
        return np.minimum(np.abs(across) + np.abs(down), 255).astype(np.uint8)

    def loop(image):
        height, width = image.shape
        out = np.empty_like(image)
        for y in range(height):
            a, b = max(y - 1, 0), min(y + 1, height - 1)
            for x in range(width):
                l, r = max(x - 1, 0), min(x + 1, width - 1)
                nw, n, ne = np.int32(image[a, l]), np.int32(image[a, x]), np.int32(image[a, r])
                w, e = np.int32(image[y, l]), np.int32(image[y, r])
                sw, s, se = np.int32(image[b, l]), np.int32(image[b, x]), np.int32(image[b, r])
                out[y, x] = min(abs(ne + 2 * e + se - nw - 2 * w - sw) +
                                abs(sw + 2 * s + se - nw - 2 * n - ne), 255)
        return out
    return lambda n: (random.integers(0, 256, (n // 4096, 4096)).astype(np.uint8),), arrays, jit(loop)


def groups():
    def make(n):
        return random.integers(0, 10000, n) * 1000003 - 5000000000, units(n)

    def arrays(keys, values):
        different, groups = np.unique(keys, return_inverse=True)
        counts = np.bincount(groups)
        most = np.full(different.size, -np.inf)
        np.maximum.at(most, groups, values)
        return different, counts, np.bincount(groups, values) / counts, most

    def loop(keys, values):
        numbers = {}
        counts, sums, most = [], [], []
        for i in range(keys.size):
            key, value = keys[i], values[i]
            if key not in numbers:
                numbers[key] = len(counts)
                counts.append(0)
                sums.append(0.0)
                most.append(-np.inf)
            g = numbers[key]
            counts[g] += 1
            sums[g] += value
            most[g] = max(most[g], value)
        return numbers, counts, sums, most
    return make, arrays, jit(loop)


# -- measuring -------------------------------------------------------------------------------------


def median(function, arguments, runs):
    function(*arguments)
    times = []
    for _ in range(runs):
        start = time.process_time()
        function(*arguments)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def main():
    name, size, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    workload = globals().get(name)
    if workload is None:
        return
    make, with_numpy, with_numba = workload()
    arguments = make(size)
    print(f"numpy {median(with_numpy, arguments, min(runs, 5)):.1f}")
    if with_numba:
        print(f"numba {median(with_numba, arguments, min(runs, 5)):.1f}")


main()
