"""Runs the SQL of standard input on a small database."""
import sqlite3
import sys

goods = [("saw", "O'Hara", 10, 20, 0), ("axe", "Lee", 10, 20, 9), ("pen", "Lee", 1, 7, 2), ("bed", "O'Hara", 90, 20, 9)]
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE goods (name, maker, price INT, vat INT, stock INT)")
db.executemany("INSERT INTO goods VALUES (?, ?, ?, ?, ?)", goods)
db.executescript(sys.stdin.read())
print(sorted(db.execute("SELECT * FROM cheap")))
