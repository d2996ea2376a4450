#!/usr/bin/env python3
"""Ten queries of TPC-H, written with `join`, `semi_join`, `sort_by` and `groupby` of library.rules, beside SQL.

The programs are tests/bench/tpch/q*.ir, the tables those of tests/bench/tpch/tables.hpp. `--check` compares the rows of
each query at a small scale with those of SQLite. Without it, the rows are compared and the times measured at `--factor`
beside DuckDB on one and two threads, if the Python that runs this has it (`pip install duckdb`): for one thread medians of
CPU time, for two the least time by the clock, which other work on the machine disturbs least.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import duckdb
except ImportError:
    duckdb = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests" / "bench" / "tpch"
FLAGS = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno".split()
TABLES = {
    "nation": "n_key BIGINT, n_region BIGINT",
    "supplier": "s_key BIGINT, s_nation BIGINT",
    "customer": "c_key BIGINT, c_nation BIGINT, c_balance BIGINT, c_segment INTEGER, c_phone VARCHAR",
    "part": "p_key BIGINT, p_brand INTEGER, p_container INTEGER, p_size INTEGER, p_type VARCHAR",
    "orders": "o_key BIGINT, o_customer BIGINT, o_price BIGINT, o_date INTEGER, o_urgency INTEGER, o_comment VARCHAR",
    "lineitem": "l_order BIGINT, l_part BIGINT, l_supplier BIGINT, l_quantity BIGINT, l_price BIGINT, l_discount BIGINT, "
                "l_ship INTEGER, l_commit INTEGER, l_receipt INTEGER, l_returned INTEGER, l_mode INTEGER, l_instruction INTEGER",
}
REVENUE = "SUM(l_price * (100 - l_discount))"
CODES = "('13', '31', '23', '29', '30', '18', '17')"
QUERIES = {
    "q3": f"""SELECT o_key, {REVENUE} AS revenue, o_date FROM customer, orders, lineitem
              WHERE c_segment = 1 AND c_key = o_customer AND l_order = o_key AND o_date < 1169 AND l_ship > 1169
              GROUP BY o_key, o_date ORDER BY revenue DESC, o_date, o_key LIMIT 10""",
    "q4": """SELECT o_urgency, COUNT(*) FROM orders WHERE o_date >= 547 AND o_date < 639
             AND o_key IN (SELECT l_order FROM lineitem WHERE l_commit < l_receipt) GROUP BY o_urgency ORDER BY o_urgency""",
    "q5": f"""SELECT n_key, {REVENUE} AS revenue FROM customer, orders, lineitem, supplier, nation
              WHERE c_key = o_customer AND l_order = o_key AND l_supplier = s_key AND c_nation = s_nation AND s_nation = n_key
              AND n_region = 2 AND o_date >= 731 AND o_date < 1096 GROUP BY n_key ORDER BY revenue DESC""",
    "q10": f"""SELECT c_key, {REVENUE} AS revenue, c_balance, c_nation FROM customer, orders, lineitem
               WHERE c_key = o_customer AND l_order = o_key AND o_date >= 639 AND o_date < 731 AND l_returned = 82
               GROUP BY c_key, c_balance, c_nation ORDER BY revenue DESC, c_key LIMIT 20""",
    "q12": """SELECT l_mode, SUM(CASE WHEN o_urgency <= 2 THEN 1 ELSE 0 END), SUM(CASE WHEN o_urgency > 2 THEN 1 ELSE 0 END)
              FROM orders, lineitem WHERE o_key = l_order AND l_mode IN (2, 5) AND l_commit < l_receipt AND l_ship < l_commit
              AND l_receipt >= 731 AND l_receipt < 1096 GROUP BY l_mode ORDER BY l_mode""",
    "q13": """SELECT orders_of, COUNT(*) AS customers FROM (SELECT c_key, COUNT(o_key) AS orders_of FROM customer
              LEFT JOIN orders ON c_key = o_customer AND o_comment NOT LIKE '%special%requests%' GROUP BY c_key) AS counted
              GROUP BY orders_of ORDER BY customers DESC, orders_of DESC""",
    "q14": """SELECT SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_price * (100 - l_discount) ELSE 0 END),
              SUM(l_price * (100 - l_discount)) FROM lineitem, part
              WHERE l_part = p_key AND l_ship >= 1339 AND l_ship < 1369""",
    "q18": """SELECT o_customer, o_key, o_price, pieces, o_date FROM orders, (SELECT l_order, SUM(l_quantity) AS pieces
              FROM lineitem GROUP BY l_order HAVING SUM(l_quantity) > {pieces}) AS large
              WHERE o_key = l_order ORDER BY o_price DESC, o_date, o_key LIMIT 100""",
    "q19": """SELECT SUM(l_price * (100 - l_discount)) FROM lineitem, part
              WHERE p_key = l_part AND l_mode <= 1 AND l_instruction = 0 AND (
              (p_brand = 11 AND p_container BETWEEN 0 AND 3 AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5) OR
              (p_brand = 22 AND p_container BETWEEN 10 AND 13 AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10) OR
              (p_brand = 3 AND p_container BETWEEN 20 AND 23 AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))""",
    "q22": f"""SELECT SUBSTR(c_phone, 1, 2) AS code, COUNT(*), SUM(c_balance) FROM customer
               WHERE SUBSTR(c_phone, 1, 2) IN {CODES}
               AND c_balance > (SELECT AVG(c_balance) FROM customer WHERE c_balance > 0 AND SUBSTR(c_phone, 1, 2) IN {CODES})
               AND NOT EXISTS (SELECT * FROM orders WHERE o_customer = c_key) GROUP BY code ORDER BY code""",
}


def must(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1800, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name, tool, cxx, folder):
    """The program of a query, or the one that writes the tables."""
    place = folder / name
    place.mkdir()
    if name != "tables":
        must(tool, "-rules", "library.rules", "-rules", "fusion.rules", "-emit", "cpp", FOLDER / f"{name}.ir", "-o",
             place / "emitted.cpp", cwd=ROOT)
    must(cxx, *FLAGS, f"-I{place}", FOLDER / f"{name}.cpp", "-o", place / "program")
    return place / "program"


def rows(text):
    return [tuple(line.split(",")) for line in text.splitlines()]


def sql(name, factor):
    return QUERIES[name].replace("{pieces}", "230" if factor < 0.1 else "300")


def as_text(result):
    return [tuple(str(value) for value in row) for row in result]


def load(execute, copy):
    for table, columns in TABLES.items():
        execute(f"CREATE TABLE {table} ({columns})")
        copy(table)


def sqlite(folder):
    base = sqlite3.connect(":memory:")

    def copy(table):
        lines = (folder / f"{table}.csv").read_text().splitlines()
        count = TABLES[table].count(",") + 1
        base.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * count)})", (line.split(",") for line in lines))
    load(base.execute, copy)
    base.execute("CREATE INDEX by_customer ON orders (o_customer)")
    return base


def measured(run, runs):
    """The median of CPU time, and the least time by the clock."""
    run()
    work, times = [], []
    for _ in range(runs):
        begin, started = time.perf_counter(), time.process_time()
        run()
        work.append(1000 * (time.process_time() - started))
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(work), min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="queries, between commas")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    chosen = [name for name in QUERIES if not options.only or name in options.only.split(",")]
    factor = 0.01 if options.check else options.factor
    with tempfile.TemporaryDirectory() as folder:
        folder, bad = pathlib.Path(folder), 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = dict(zip(["tables", *chosen],
                                pool.map(lambda name: build(name, options.tool, options.cxx, folder), ["tables", *chosen])))
        must(programs["tables"], factor, folder)
        if options.check or duckdb is None:
            base = sqlite(folder)
        else:
            base = duckdb.connect()
            load(base.execute, lambda table: base.execute(f"COPY {table} FROM '{folder / table}.csv' (HEADER false)"))
        for name in chosen:
            given = rows(must(programs[name], factor, "print"))
            due = as_text(base.execute(sql(name, factor)).fetchall())
            if given != due or not due:
                bad += 1
                print(f"FAILED {name}: {given[:3]} …, and by SQL {due[:3]} …", flush=True)
        if options.check:
            print(f"{len(chosen) - bad} passed, {bad} failed")
            return 1 if bad else 0
        print(f"{'milliseconds':<6}{'one thread':>22}{'':>10}{'two threads':>18}\n{'':<6}" + f"{'DuckDB':>10}{'emitted':>10}{'ratio':>10}" * 2)
        for name in chosen:
            line = f"{name:<6}"
            for threads in (1, 2):
                other = None
                if duckdb is not None:
                    base.execute(f"SET threads = {threads}")
                    other = measured(lambda: base.execute(sql(name, factor)).fetchall(), options.runs)[threads - 1]
                mine = must(programs[name], factor, "time", options.runs, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
                mine = float(mine.split()[threads - 1])
                line += f"{other or float('nan'):>10.1f}{mine:>10.1f}{mine / other if other else float('nan'):>9.2f}x"
            print(line, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
